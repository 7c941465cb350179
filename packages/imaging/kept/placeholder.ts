import { rgbaToThumbHash } from "thumbhash";
import { inSaidColours } from "../colours/said-colours.ts";
import { takenOf } from "../metadata/exif-date.ts";
import { inProfile, sharp } from "../sharp-settings.ts";
import type { AnalysisInput } from "./analysis.ts";

/** More pixels than this a ThumbHash does not take; the colour of most places needs no more. */
const SIDE = 100;
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

/** When a picture was taken, by its EXIF data, in milliseconds since 1970; null where that says nothing. */
export async function takenMs(input: AnalysisInput): Promise<number | null> {
	const { exif } = await sharp(input, OPTIONS).metadata();
	return exif === undefined ? null : takenOf(exif);
}

/** The whole picture, a hundred pixels at most to a side. */
export async function fromAfar(input: AnalysisInput): Promise<RgbaPixels> {
	const { input: readable, header } = await inSaidColours(input, await sharp(input, OPTIONS).metadata());
	const { data, info } = await inProfile(sharp(readable, OPTIONS), header)
		.autoOrient()
		.resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true })
		.toColourspace("srgb")
		.ensureAlpha()
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}
