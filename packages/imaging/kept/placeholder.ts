import { rgbaToThumbHash } from "thumbhash";
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

/** Rows of red, green, blue and alpha. */
export interface Pixels {
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** @returns base64 */
export function thumbhashOf({ data, width, height }: Pixels): string {
	return Buffer.from(rgbaToThumbHash(width, height, data)).toString("base64");
}

/** The mean of the shades that most places have; white where all is transparent. */
export function colourOf({ data }: Pixels): string {
	const counts = new Map<number, { places: number; r: number; g: number; b: number }>();
	for (let at = 0; at < data.length; at += 4) {
		const [r = 0, g = 0, b = 0, alpha = 0] = data.subarray(at, at + 4);
		if (alpha < SEEN) continue;
		const shade = ((r >> SHADE_BITS) << 8) | ((g >> SHADE_BITS) << 4) | (b >> SHADE_BITS);
		const count = counts.get(shade) ?? { places: 0, r: 0, g: 0, b: 0 };
		counts.set(shade, { places: count.places + 1, r: count.r + r, g: count.g + g, b: count.b + b });
	}
	const [most] = [...counts.values()].sort((one, other) => other.places - one.places);
	if (!most) return WHITE;
	const hex = (sum: number) =>
		Math.round(sum / most.places)
			.toString(16)
			.padStart(2, "0");
	return `#${hex(most.r)}${hex(most.g)}${hex(most.b)}`;
}

/** The whole picture, a hundred pixels at most to a side. */
export async function fromAfar(input: AnalysisInput): Promise<Pixels> {
	const header = await sharp(input, OPTIONS).metadata();
	const { data, info } = await inProfile(sharp(input, OPTIONS), header)
		.autoOrient()
		.resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true })
		.toColourspace("srgb")
		.ensureAlpha()
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}
