import { rgbaToThumbHash } from "thumbhash";
import { inSaidColours } from "../colours/said-colours.ts";
import { takenOf } from "../metadata/exif-date.ts";
import type { Pixels } from "../render/kept-pixels.ts";
import { type Header, inProfile, sharp } from "../sharp-settings.ts";
import type { AnalysisInput } from "./analysis.ts";

/** A ThumbHash has seven waves to a side at most, and the colour of most places needs no more. */
const SIDE = 64;
/** Where a picture is made smaller for it alone: of fewer, edges between two colours would become a third one. */
const RESIZED_SIDE = 100;
/** Of so many pixels by so many each place is the mean, where they are all there. */
const SAMPLES = 2;
const OPAQUE = 255;
const OPTIONS = { limitInputPixels: 110_000_000, failOn: "error" } as const;
const TIMEOUT_SECONDS = 15;
/** Shades of a channel that count as the same colour: 16. */
const SHADE_BITS = 4;
/** Below this alpha a place shows what is behind it. */
const SEEN = 128;
const WHITE = "#ffffff";
const COLOURS_MAX = 5;
/** Shades that are no further apart than this, of 442 from black to white, are one colour to the eye. */
const ALIKE = 48;

/** Rows of red, green, blue and alpha. */
export interface RgbaPixels {
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** @returns base64 */
export function thumbhashOf({ data, width, height }: RgbaPixels): string {
	return Buffer.from(rgbaToThumbHash(width, height, data)).toString("base64");
}

/** The mean of the shades that most places have; white where all is transparent. */
export function colourOf(pixels: RgbaPixels): string {
	const [most] = shadesOf(pixels);
	return most ? hexOf(most) : WHITE;
}

/** The means of the shades that most places have, those alone that the eye tells from one another; empty where all is transparent. */
export function coloursOf(pixels: RgbaPixels): readonly string[] {
	const groups: { readonly shade: Shade; places: number }[] = [];
	for (const shade of shadesOf(pixels)) {
		const alike = groups.find((group) => distance(group.shade, shade) < ALIKE);
		if (alike) alike.places += shade.places;
		else if (groups.length < COLOURS_MAX) groups.push({ shade, places: shade.places });
	}
	return groups.sort((one, other) => other.places - one.places).map(({ shade }) => hexOf(shade));
}

/** Places of about the same colour, and the sums of their channels. */
interface Shade {
	readonly places: number;
	readonly r: number;
	readonly g: number;
	readonly b: number;
}

/** The one of most places first. */
function shadesOf({ data }: RgbaPixels): readonly Shade[] {
	// Changed in place: an object for each of ten thousand places would cost more than the decoding.
	const counts = new Map<number, { -readonly [Field in keyof Shade]: number }>();
	const channel = (at: number) => data[at] ?? 0;
	for (let at = 0; at < data.length; at += 4) {
		if (channel(at + 3) < SEEN) continue;
		const [r, g, b] = [channel(at), channel(at + 1), channel(at + 2)];
		const key = ((r >> SHADE_BITS) << 8) | ((g >> SHADE_BITS) << 4) | (b >> SHADE_BITS);
		const count = counts.get(key);
		if (count) {
			count.places++;
			count.r += r;
			count.g += g;
			count.b += b;
		} else counts.set(key, { places: 1, r, g, b });
	}
	return [...counts.values()].sort((one, other) => other.places - one.places);
}

function distance(one: Shade, other: Shade): number {
	const difference = (channel: "r" | "g" | "b") => one[channel] / one.places - other[channel] / other.places;
	return Math.hypot(difference("r"), difference("g"), difference("b"));
}

function hexOf({ places, r, g, b }: Shade): string {
	const hex = (sum: number) =>
		Math.round(sum / places)
			.toString(16)
			.padStart(2, "0");
	return `#${hex(r)}${hex(g)}${hex(b)}`;
}

/** When a picture was taken, by its header, in milliseconds since 1970; null where that says nothing. */
export function takenMs({ exif }: Pick<Header, "exif">): number | null {
	return exif === undefined ? null : takenOf(exif);
}

/** What {@link fromAfar} shows, of pixels that have been decoded for something else. Loops alone: whatever makes a list costs more than the sums. */
export function afarOf({ data, width, height }: Pixels): RgbaPixels {
	const scale = Math.min(1, SIDE / Math.max(width, height));
	const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
	const [across, down] = [placesOf(columns, width), placesOf(rows, height)];
	const sums = new Uint16Array(columns * rows * 4);
	for (let y = 0; y < down.length; y++) {
		const start = Math.floor(y / SAMPLES) * columns;
		const row = (down[y] ?? 0) * width;
		for (let x = 0; x < across.length; x++) {
			const from = (row + (across[x] ?? 0)) * 3;
			const to = (start + Math.floor(x / SAMPLES)) * 4;
			add(sums, to, data[from]);
			add(sums, to + 1, data[from + 1]);
			add(sums, to + 2, data[from + 2]);
			add(sums, to + 3, OPAQUE);
		}
	}
	const seen = new Uint8Array(sums.length);
	for (let at = 0; at < seen.length; at++) seen[at] = Math.round((sums[at] ?? 0) / SAMPLES ** 2);
	return { data: seen, width: columns, height: rows };
}

function add(sums: Uint16Array, at: number, value = 0): void {
	sums[at] = (sums[at] ?? 0) + value;
}

/** Where the samples of `count` places lie along a side of `length` pixels. */
function placesOf(count: number, length: number): Uint16Array {
	const places = new Uint16Array(count * SAMPLES);
	for (let at = 0; at < places.length; at++) places[at] = Math.floor(((at + 0.5) * length) / places.length);
	return places;
}

/** The whole picture, 100 pixels at most to a side. */
export async function fromAfar(input: AnalysisInput): Promise<RgbaPixels> {
	const { input: readable, header } = await inSaidColours(input, await sharp(input, OPTIONS).metadata());
	const { data, info } = await inProfile(sharp(readable, OPTIONS), header)
		.autoOrient()
		.resize(RESIZED_SIDE, RESIZED_SIDE, { fit: "inside", withoutEnlargement: true })
		.toColourspace("srgb")
		.ensureAlpha()
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}
