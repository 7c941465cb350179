import { describe, expect, test } from "bun:test";
import { type GifFrame, gifOf } from "@svc/test/support/gifs";
import { rendered } from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";
import { gifBlocks, globalColours, IMAGE, imageHeadBytes } from "./gif-blocks.ts";
import { coloursIn, recolour } from "./gif-codes.ts";
import { withClearGround } from "./gif-ground.ts";

const FOUR = [
	[200, 30, 30],
	[30, 200, 30],
	[30, 30, 200],
	[250, 250, 250],
];
const GREYS = Array.from({ length: 256 }, (_, grey) => [grey, grey, grey]);
const SCREEN = { width: 16, height: 12 };
const LEFT_TOP = { width: 8, height: 6 };
const RIGHT_BOTTOM = { ...LEFT_TOP, left: 8, top: 6 };
/** All 256 colours, in lines. */
const ALL = (x: number, y: number) => (x + 16 * y) % 256;

const one = (colour: number) => () => colour;

interface Case {
	readonly colours?: typeof FOUR;
	readonly background?: number;
	readonly screen?: typeof SCREEN;
	readonly frames: readonly GifFrame[];
}

const WRONG: Readonly<Record<string, Case>> = {
	"frames that are disposed of": {
		frames: [
			{ ...SCREEN, colour: one(0) },
			{ ...LEFT_TOP, disposal: 2, colour: one(1) },
			{ ...RIGHT_BOTTOM, disposal: 2, colour: one(2) },
			{ width: 2, height: 2, colour: one(3) },
		],
	},
	"a first frame that does not cover the screen": {
		frames: [
			{ ...LEFT_TOP, colour: one(0) },
			{ ...RIGHT_BOTTOM, colour: one(1) },
		],
	},
	"frames of which nothing is said": {
		frames: [
			{ ...LEFT_TOP, isBare: true, colour: one(0) },
			{ ...RIGHT_BOTTOM, isBare: true, colour: one(1) },
		],
	},
	"a first frame that is taken back": {
		frames: [
			{ ...SCREEN, disposal: 3, colour: one(0) },
			{ ...LEFT_TOP, colour: one(1) },
		],
	},
	"a background that is a colour": {
		background: 1,
		frames: [
			{ ...LEFT_TOP, disposal: 2, colour: one(0) },
			{ ...LEFT_TOP, left: 2, disposal: 2, colour: one(2) },
			{ ...LEFT_TOP, top: 3, colour: one(3) },
		],
	},
	"a frame with a transparent colour after one without": {
		background: 2,
		frames: [
			{ ...SCREEN, disposal: 2, colour: one(0) },
			{ ...SCREEN, transparent: 3, colour: (x) => (x < 4 ? 1 : 3) },
		],
	},
	"colours of a frame's own": {
		frames: [
			{ ...SCREEN, disposal: 2, colours: [...FOUR].reverse(), colour: one(0) },
			{ ...LEFT_TOP, colour: one(1) },
		],
	},
	"all 256 colours in use": {
		colours: GREYS,
		screen: { width: 16, height: 16 },
		background: 255,
		frames: [
			{ width: 16, height: 16, disposal: 2, colour: ALL },
			{ width: 16, height: 16, left: 4, disposal: 2, colours: GREYS, colour: ALL },
			{ ...LEFT_TOP, colour: one(200) },
		],
	},
	"one frame that does not cover the screen": { frames: [{ ...LEFT_TOP, left: 3, colour: one(2) }] },
};

const RIGHT: Readonly<Record<string, Case>> = {
	"one frame": { frames: [{ ...SCREEN, colour: one(1) }] },
	"frames that cover what was disposed of": {
		frames: [
			{ ...SCREEN, disposal: 2, colour: one(1) },
			{ ...SCREEN, disposal: 2, colour: one(2) },
		],
	},
	"frames that stay": {
		frames: [
			{ ...SCREEN, disposal: 1, colour: one(1) },
			{ ...LEFT_TOP, disposal: 3, colour: one(2) },
			{ ...RIGHT_BOTTOM, disposal: 1, colour: one(2) },
		],
	},
	"transparent colours": {
		frames: [
			{ ...LEFT_TOP, disposal: 2, transparent: 3, colour: one(1) },
			{ ...RIGHT_BOTTOM, disposal: 2, transparent: 3, colour: one(3) },
		],
	},
};

const written = ({ colours = FOUR, screen = SCREEN, background = 0, frames }: Case) =>
	gifOf({ ...screen, colours, background, frames });

describe.each(Object.entries(WRONG))("a GIF with %s", (_, gif) => {
	test("shows nothing where no frame is, in every frame of every rendition", async () => {
		const shown = shownBy(gif);
		const { width } = gif.screen ?? SCREEN;
		for (const query of [`w=${width}`, `w=${width}&format=webp&lossless=true`, "format=png", "format=png&frame=1"]) {
			const { bytes } = await rendered(written(gif), query, "gif");
			const from = query.endsWith("frame=1") ? Math.min(1, shown.length - 1) : 0;
			const frames = await framesOf(bytes);
			expect([query, frames.length]).toEqual([query, query.includes("png") ? 1 : shown.length]);
			expect([query, frames.map((pixels, at) => differing(pixels, shown[from + at] ?? []))]).toEqual([
				query,
				frames.map(() => 0),
			]);
		}
	});
});

test.each(Object.entries(RIGHT))("a GIF with %s is given to the decoder as it is", (_, gif) => {
	const file = written(gif);
	expect(withClearGround(file)).toBe(file);
});

test("codes that stand for several pixels are followed: a colour of an encoder's image becomes another one, and no other changes", async () => {
	const size = { width: 96, height: 64 };
	const noise = Uint8Array.from({ length: 96 * 64 * 3 }, (_, at) => (Math.floor(at / 21) * 7919 + (at % 3) * 31) % 251);
	const raw = { ...size, channels: 3 } as const;
	const file = new Uint8Array(await sharp(noise, { raw }).gif({ dither: 0 }).toBuffer());
	const before = await sharp(file).removeAlpha().raw().toBuffer();
	const image = [...gifBlocks(file)].find((block) => block[0] === IMAGE) ?? new Uint8Array();
	const codes = image.subarray(imageHeadBytes(image) - 1);
	const [from = 0, to = 0, ...others] = coloursIn(codes);
	expect(others.length).toBeGreaterThan(100);
	recolour(codes, from, to);
	expect([...coloursIn(codes)].sort()).toEqual([to, ...others].sort());
	const table = image.length > 0 && (image[9] ?? 0) & 0x80 ? image.subarray(10) : globalColours(file);
	const rgb = (colour: number) => [...table.subarray(3 * colour, 3 * colour + 3)].join();
	const after = await sharp(file).removeAlpha().raw().toBuffer();
	const seen = (pixels: Uint8Array) =>
		Array.from({ length: 96 * 64 }, (_, at) => [...pixels.subarray(3 * at, 3 * at + 3)].join());
	expect(seen(after)).toEqual(seen(before).map((was) => (was === rgb(from) ? rgb(to) : was)));
});

/** As the standard and browsers have it: red, green, blue and alpha of each pixel, frame by frame. */
function shownBy({ colours = FOUR, screen = SCREEN, frames }: Case): readonly number[][] {
	let canvas = [...NOTHING(screen)];
	return frames.map((frame) => {
		const before = [...canvas];
		draw(canvas, frame, screen, (x, y) => {
			const colour = frame.colour(x, y);
			return colour === frame.transparent ? undefined : [...((frame.colours ?? colours)[colour] ?? []), 255];
		});
		const shown = canvas.flat();
		if (frame.disposal === 2) draw(canvas, frame, screen, () => CLEAR);
		if (frame.disposal === 3) canvas = before;
		return shown;
	});
}

const CLEAR = [0, 0, 0, 0];
const NOTHING = ({ width, height }: typeof SCREEN): readonly number[][] =>
	Array.from({ length: width * height }, () => CLEAR);

/** Puts pixels where the frame lies, as far as that is on the screen. */
function draw(
	canvas: number[][],
	{ left = 0, top = 0, width, height }: GifFrame,
	screen: typeof SCREEN,
	pixel: (x: number, y: number) => number[] | undefined,
): void {
	for (let at = 0; at < width * height; at++) {
		const [x, y] = [at % width, Math.floor(at / width)];
		const drawn = left + x < screen.width && top + y < screen.height ? pixel(x, y) : undefined;
		if (drawn) canvas[(top + y) * screen.width + left + x] = drawn;
	}
}

async function framesOf(bytes: Uint8Array): Promise<readonly number[][]> {
	const { data, info } = await sharp(bytes, { animated: true })
		.ensureAlpha()
		.raw()
		.toBuffer({ resolveWithObject: true });
	const { pages = 1 } = info;
	const length = data.length / pages;
	return Array.from({ length: pages }, (_, page) => [...data.subarray(page * length, (page + 1) * length)]);
}

/** How many pixels are not the same: palettes move colours a little, and what is transparent has none. */
function differing(pixels: readonly number[], expected: readonly number[]): number {
	let different = Math.abs(pixels.length - expected.length);
	for (let at = 0; at < expected.length; at += 4) {
		const [alpha, wanted] = [pixels[at + 3], expected[at + 3]];
		const near = [0, 1, 2].every(
			(channel) => Math.abs((pixels[at + channel] ?? 0) - (expected[at + channel] ?? 0)) < 9,
		);
		if (alpha !== wanted || (wanted !== 0 && !near)) different++;
	}
	return different;
}
