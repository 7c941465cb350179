/* Addresses with all kinds of parameters, the same ones in every run. */

/** Numerical Recipes' generator. */
function chances(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

type Draw = (below: number) => number;

/** Each is in one form out of `oneOf`. */
const PARAMETERS: readonly { readonly oneOf: number; readonly text: (draw: Draw, tile: string) => string }[] = [
	{ oneOf: 2, text: (draw) => `h=${40 + draw(800)}` },
	{ oneOf: 2, text: (draw) => `fit=${["contain", "cover", "crop", "pad", "squeeze"][draw(5)]}` },
	{ oneOf: 2, text: (draw) => `format=${["jpg", "jpg", "png", "webp", "webp", "avif", "gif"][draw(7)]}` },
	{ oneOf: 3, text: (draw) => `q=${10 + draw(90)}` },
	{ oneOf: 4, text: (draw) => `gravity=${["face", "left", "right", "top", "bottom"][draw(5)]}&zoom=0.${draw(10)}` },
	{ oneOf: 5, text: (draw) => `rotate=${["90", "180", "270"][draw(3)]}` },
	{ oneOf: 6, text: (draw) => `flip=${["h", "v", "hv"][draw(3)]}` },
	{ oneOf: 6, text: (draw) => `brightness=1.${draw(10)}&contrast=0.${5 + draw(5)}` },
	{ oneOf: 8, text: (draw) => `gamma=${1 + draw(3)}&saturation=${draw(3)}` },
	{ oneOf: 10, text: (draw) => `blur=${1 + draw(200)}` },
	{ oneOf: 10, text: (draw) => `sharp=${1 + draw(9)}` },
	{ oneOf: 8, text: () => "trim=border" },
	{ oneOf: 12, text: () => "segment=foreground" },
	{ oneOf: 12, text: (draw) => `fx=${["blur-bg", "color-pop", "darken-bg"][draw(3)]}&strength=0.${1 + draw(9)}` },
	{ oneOf: 8, text: (draw) => `background=rgb(${draw(256)},${draw(256)},${draw(256)})` },
	{ oneOf: 12, text: (_, tile) => `tile=${tile}` },
	{ oneOf: 6, text: (draw) => `metadata=${["none", "keep"][draw(2)]}` },
	{ oneOf: 15, text: (draw) => `size=${["s", "m", "social"][draw(3)]}` },
];

/** Endless. No two are alike for long: the width and the quality alone come in tens of thousands. */
export function* soakAddresses(urls: readonly string[], tile: string): Generator<string, never> {
	const draw = chances(1);
	for (;;) {
		const chosen = PARAMETERS.filter(({ oneOf }) => draw(oneOf) === 0).map(({ text }) => text(draw, tile));
		yield `${urls[draw(urls.length)]}?${[`w=${40 + draw(900)}`, ...chosen].join("&")}`;
	}
}
