import { JUDGED_PIXELS } from "@svc/images/transform/limits";
import type { Sharp } from "sharp";
import { sharp } from "../../sharp-settings.ts";
import { type Frames, joined, readFrames } from "../frames.ts";
import { likeness, lumaOf } from "./likeness.ts";

/** About 70 of SSIMULACRA2 in all formats, which is high: who compares both at full size may see a difference, and who looks at a page does not. */
export const ALIKE = 0.96;
const LOWEST = 40;
const HIGHEST = 90;
/** The picture itself is the fourth encode. */
const TRIES = 3;

/** A multiple of what codecs take as a block, so that the seams of a sample lie between blocks. */
const SAMPLE_SIDE = 256;
const SAMPLES_ALONG = 4;

/** The lowest quality from 40 to 90 with which what is encoded is still alike, as nearly as three tries can tell; 90 where none is. */
export async function lowestQuality(
	frames: Frames,
	encoded: (image: Sharp, quality: number) => Sharp,
	timeoutSeconds: number,
): Promise<number> {
	const judged = sampleOf(frames);
	const luma = await lumaOf(judged);
	let failed: Tried | undefined;
	let passed: Tried | undefined;
	for (let tries = 0; tries < TRIES; tries++) {
		const quality = nextQuality(failed, passed);
		if (quality === undefined) break;
		const bytes = await encoded(joined(judged), quality).timeout({ seconds: timeoutSeconds }).toBuffer();
		const seen = await readFrames(sharp(bytes), 1, timeoutSeconds);
		const alike = likeness(luma, await lumaOf(seen), judged.width, judged.height);
		if (alike >= ALIKE) passed = { quality, alike };
		else failed = { quality, alike };
	}
	return passed?.quality ?? HIGHEST;
}

interface Tried {
	readonly quality: number;
	readonly alike: number;
}

/** Between what failed and what passed; where one side was not tried yet, towards it. Undefined when there is nothing left between. */
function nextQuality(failed: Tried | undefined, passed: Tried | undefined): number | undefined {
	if (!failed && !passed) return 66;
	const low = failed ? failed.quality + 1 : LOWEST;
	const high = passed ? passed.quality - 1 : HIGHEST;
	if (low > high) return undefined;
	if (!failed || !passed) return Math.round((low + high) / 2);
	// Likeness grows evenly enough over a short way. A little more than what is expected to do passes more often.
	const share = (ALIKE - failed.alike) / (passed.alike - failed.alike);
	return Math.min(high, Math.max(low, Math.ceil(failed.quality + share * (passed.quality - failed.quality)) + 1));
}

/** The picture itself, or pieces of a large one from all over it, as one picture. Of an animation, its middle frame. */
function sampleOf(frames: Frames): Frames {
	const { width, height, channels, count } = frames;
	const bytes = width * height * channels;
	const middle = Math.floor(count / 2);
	const frame = { ...frames, pixels: frames.pixels.subarray(middle * bytes, (middle + 1) * bytes), count: 1 };
	const along = (length: number) => Math.min(SAMPLES_ALONG, Math.floor(length / SAMPLE_SIDE));
	const [across, down] = [along(width), along(height)];
	if (width * height <= JUDGED_PIXELS || across * down === 0) return frame;
	const sample = { ...frame, width: across * SAMPLE_SIDE, height: down * SAMPLE_SIDE };
	const pixels = new Uint8Array(sample.width * sample.height * channels);
	for (let y = 0; y < sample.height; y++) {
		const fromY = placeOf(y, down, height);
		for (let column = 0; column < across; column++) {
			const from = (fromY * width + placeOf(column * SAMPLE_SIDE, across, width)) * channels;
			const row = frame.pixels.subarray(from, from + SAMPLE_SIDE * channels);
			pixels.set(row, (y * sample.width + column * SAMPLE_SIDE) * channels);
		}
	}
	return { ...sample, pixels };
}

/** Where a line of the sample is taken from: the pieces lie in the middles of equal parts of the picture. */
function placeOf(at: number, pieces: number, length: number): number {
	const piece = Math.floor(at / SAMPLE_SIDE);
	return Math.floor((length * (piece + 0.5)) / pieces - SAMPLE_SIDE / 2) + (at % SAMPLE_SIDE);
}
