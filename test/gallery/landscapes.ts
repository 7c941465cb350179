import sharp from "sharp";
import { fromSvg } from "./svg.ts";

/* Landscapes drawn by numbers, for pictures of the console: nobody else's, and each another. */

export interface Landscape {
	readonly filename: string;
	readonly caption: string;
	readonly labels: Readonly<Record<string, string>>;
	draw(): Promise<Buffer>;
}

interface Palette {
	/** From the top of the sky to its edge. */
	readonly sky: readonly [string, string, string];
	readonly sun: string;
	/** The farthest layer and the nearest; those between are mixed. */
	readonly far: string;
	readonly near: string;
}

const DAWN: Palette = { sky: ["#35477d", "#c9839b", "#ffd9b0"], sun: "#fff1cf", far: "#a77a96", near: "#2a2447" };
const NOON: Palette = { sky: ["#4b9bc9", "#9fd0e2", "#eef4e4"], sun: "#fffdf0", far: "#9dbfb4", near: "#1f4a43" };
const DUSK: Palette = { sky: ["#1f2a52", "#7a4a7c", "#f08a5d"], sun: "#ffd79a", far: "#77507d", near: "#17142e" };
const NIGHT: Palette = { sky: ["#070d22", "#142249", "#2f4a7d"], sun: "#eef2ff", far: "#32497a", near: "#060a18" };
const DESERT: Palette = { sky: ["#5aa0b8", "#e8cfa6", "#f7e6c4"], sun: "#fff6dd", far: "#e0ac74", near: "#8c4a2b" };
const FROST: Palette = { sky: ["#7d97b8", "#c4d3e2", "#f4f6f8"], sun: "#ffffff", far: "#c3d2de", near: "#44607c" };
const MOSS: Palette = { sky: ["#7fa08a", "#c4d5b4", "#f1f0d8"], sun: "#fdfbe6", far: "#93b08a", near: "#1d3a26" };

type Sort = "hills" | "sea" | "pines";

/** What is drawn: a name and words, of which sort, in which colours, width by height. */
const DRAWN: readonly (readonly [string, string, Sort, Palette, number, number, string])[] = [
	["first-light.jpg", "First light over the eastern ridge", "hills", DAWN, 1200, 800, "ridge"],
	["tarn.jpg", "The tarn below the pass, without wind", "sea", FROST, 1200, 800, "lakes"],
	["spruce.jpg", "Spruces at the edge of the bog", "pines", MOSS, 800, 1200, "forest"],
	["harbour-at-dusk.jpg", "The harbour, when the boats are in", "sea", DUSK, 1200, 800, "coast"],
	["red-valley.jpg", "Red valley in the afternoon", "hills", DESERT, 1200, 800, "south"],
	["moonrise.jpg", "Moonrise from the hut", "hills", NIGHT, 1200, 900, "ridge"],
	["north-shore.jpg", "North shore at noon", "sea", NOON, 1400, 788, "coast"],
	["snow-line.jpg", "Just below the snow line", "pines", FROST, 1200, 800, "ridge"],
	["long-evening.jpg", "A long evening in June", "pines", DUSK, 1200, 800, "forest"],
	["meadow.jpg", "Meadows above the village", "hills", MOSS, 1200, 800, "forest"],
	["dunes.jpg", "Dunes, an hour before sunset", "hills", DESERT, 1000, 1000, "south"],
	["blue-hour.jpg", "Blue hour at the lake", "sea", NIGHT, 1200, 800, "lakes"],
	["ferry.jpg", "From the first ferry", "sea", DAWN, 1200, 800, "coast"],
	["clearing.jpg", "The clearing where we had lunch", "pines", NOON, 1200, 800, "forest"],
	["winter-camp.jpg", "Winter camp", "hills", FROST, 1200, 800, "ridge"],
	["salt-lake.jpg", "Salt lake in the heat", "sea", DESERT, 1200, 800, "south"],
	["night-walk.jpg", "Night walk through the firs", "pines", NIGHT, 900, 1200, "forest"],
	["seven-hills.jpg", "Seven hills, counted twice", "hills", NOON, 1200, 800, "lakes"],
	["cove.jpg", "The cove that is on no map", "sea", MOSS, 1200, 800, "coast"],
	["last-ridge.jpg", "The last ridge", "hills", DUSK, 1200, 800, "ridge"],
	["morning-firs.jpg", "Firs in the morning", "pines", DAWN, 1200, 800, "forest"],
];

export const LANDSCAPES: readonly Landscape[] = DRAWN.map(
	([filename, caption, sort, palette, width, height, place], at) => ({
		filename,
		caption,
		labels: { place, season: palette === FROST || palette === NIGHT ? "winter" : "summer" },
		draw: async () => await drawn(svgOf(sort, palette, width, height, at + 7)),
	}),
);

async function drawn(svg: string): Promise<Buffer> {
	return await sharp(await fromSvg(svg).toBuffer())
		.jpeg({ quality: 88 })
		.toBuffer();
}

const LAYERS = 6;

function svgOf(sort: Sort, palette: Palette, width: number, height: number, seed: number): string {
	const next = numbers(seed);
	const [top, middle, edge] = palette.sky;
	const isNight = palette === NIGHT;
	const horizon = height * (sort === "sea" ? 0.56 : 0.42);
	const sunX = width * (0.25 + next() * 0.5);
	const sunY = horizon * (0.55 + next() * 0.3);
	const radius = Math.min(width, height) * (isNight ? 0.055 : 0.085);
	const stars = isNight
		? Array.from(
				{ length: 90 },
				() => `<circle cx="${n(next() * width)}" cy="${n(next() * horizon)}" r="${n(0.6 + next() * 1.6)}"/>`,
			)
		: [];
	const layers = Array.from({ length: LAYERS }, (_, layer) => {
		const share = layer / (LAYERS - 1);
		const fill = mixed(palette.far, palette.near, share ** 1.2);
		const base = horizon + (height - horizon) * share * (sort === "sea" ? 0.12 : 0.72);
		const rise = height * (sort === "sea" ? 0.1 : 0.16) * (1 - share * 0.45);
		const ridge = ridgeOf(next, width, base, rise, sort === "pines" && layer > 1 ? height * (0.03 + share * 0.1) : 0);
		return sort === "sea" && layer > 2 ? "" : `<path fill="${fill}" d="${ridge}V${height}H0Z"/>`;
	});
	const water = sort === "sea" ? waterOf(next, palette, { width, height, top: horizon + height * 0.04, sunX }) : "";
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset=".34" stop-color="${middle}"/><stop offset=".6" stop-color="${edge}"/></linearGradient>
<radialGradient id="g"><stop offset="0" stop-color="${palette.sun}" stop-opacity=".75"/><stop offset="1" stop-color="${palette.sun}" stop-opacity="0"/></radialGradient></defs>
<rect width="${width}" height="${height}" fill="url(#s)"/><g fill="#fff" opacity=".8">${stars.join("")}</g>
<circle cx="${n(sunX)}" cy="${n(sunY)}" r="${n(radius * 4)}" fill="url(#g)"/><circle cx="${n(sunX)}" cy="${n(sunY)}" r="${n(radius)}" fill="${palette.sun}"/>
${layers.join("\n")}${water}</svg>`;
}

/** A line of tops from the left to the right; with `trees` above 0 each step is a tree of about this height. */
function ridgeOf(next: () => number, width: number, base: number, rise: number, trees: number): string {
	const waves = Array.from({ length: 4 }, (_, of) => ({
		length: (1.2 + of * 1.7 + next()) / width,
		shift: next() * 9,
		height: rise / (of + 1),
	}));
	const yAt = (x: number) =>
		base - waves.reduce((sum, wave) => sum + Math.sin(x * wave.length * Math.PI + wave.shift) * wave.height * 0.6, 0);
	const step = trees > 0 ? trees * 0.34 : width / 60;
	const points: string[] = [];
	for (let x = 0; x <= width + step; x += step) {
		if (trees > 0) points.push(`${n(x)} ${n(yAt(x))}L${n(x + step / 2)} ${n(yAt(x) - trees * (0.5 + next()))}`);
		else points.push(`${n(x)} ${n(yAt(x))}`);
	}
	return `M0 ${n(yAt(0))}L${points.join("L")}`;
}

interface Water {
	readonly width: number;
	readonly height: number;
	readonly top: number;
	readonly sunX: number;
}

function waterOf(next: () => number, { sky, sun, near }: Palette, { width, height, top, sunX }: Water): string {
	const glints = Array.from({ length: 26 }, (_, at) => {
		const y = top + 6 + ((height - top) * at) / 30;
		const long = width * (0.05 + next() * 0.16) * (0.5 + at / 26);
		return `<rect x="${n(sunX - long / 2 + (next() - 0.5) * long * 0.4)}" y="${n(y)}" width="${n(long)}" height="${n(2 + at / 7)}" rx="2"/>`;
	});
	return `<defs><linearGradient id="w" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${mixed(sky[2], sky[1], 0.5)}"/><stop offset="1" stop-color="${mixed(sky[0], near, 0.5)}"/></linearGradient></defs>
<rect y="${n(top)}" width="${width}" height="${n(height - top)}" fill="url(#w)"/><g fill="${sun}" opacity=".42">${glints.join("")}</g>`;
}

/** The same numbers from 0 up to 1 for the same seed. */
function numbers(seed: number): () => number {
	let state = seed * 2_654_435_761;
	return () => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
		return state / 2 ** 32;
	};
}

function mixed(from: string, to: string, share: number): string {
	const parts = [1, 3, 5].map((at) => {
		const [a, b] = [from, to].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
		return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * share);
	});
	return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const n = (value: number) => String(Math.round(value * 10) / 10);
