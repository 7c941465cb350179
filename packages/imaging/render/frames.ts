import { setImmediate } from "node:timers/promises";
import type { Extent } from "@svc/images/layout/extent";
import type { Sharp } from "sharp";
import { sharp } from "../sharp-settings.ts";

/** Decoded pictures of one size, one below the other: interleaved RGB or RGBA, 8 bits. A still is one frame. */
export interface Frames extends Extent {
	readonly pixels: Uint8Array;
	readonly channels: 3 | 4;
	readonly count: number;
}

export async function readFrames(image: Sharp, count: number, timeoutSeconds: number): Promise<Frames> {
	const { data, info } = await image
		.toColourspace("srgb")
		.timeout({ seconds: timeoutSeconds })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const channels = info.channels === 4 ? 4 : 3;
	return { pixels: data, width: info.width, height: info.height / count, channels, count };
}

/** All frames again as one image; `pageHeight` is what makes it an animation. */
export function joined({ pixels, width, height, channels, count }: Frames): Sharp {
	const raw = { width, height: height * count, channels, ...(count > 1 ? { pageHeight: height } : {}) };
	return sharp(pixels, { raw, limitInputPixels: false });
}

/** Applies an operation to each frame alone, since blurs and turns of the whole strip would mix frames. */
export async function mapFrames(frames: Frames, operation: (frame: Frames) => Promise<Frames>): Promise<Frames> {
	if (frames.count === 1) return await operation(frames);
	const bytes = frames.pixels.length / frames.count;
	const frameAt = (index: number): Frames => {
		return { ...frames, pixels: frames.pixels.subarray(index * bytes, (index + 1) * bytes), count: 1 };
	};
	const first = await operation(frameAt(0));
	// An animation may take hundreds of megabytes, so its frames are replaced in place where the new ones are as large.
	const inPlace = first.pixels.length === bytes;
	const pixels = inPlace ? frames.pixels : new Uint8Array(first.pixels.length * frames.count);
	pixels.set(first.pixels);
	for (let index = 1; index < frames.count; index++) {
		const done = await operation(frameAt(index));
		pixels.set(done.pixels, index * done.pixels.length);
	}
	return { ...first, pixels, count: frames.count };
}

/** These are a few milliseconds of work. */
const CHUNK_PIXELS = 250_000;

/** Goes through `count` pixels from the first to the last; others get their turn in between. */
export async function inChunks(count: number, work: (from: number, to: number) => void): Promise<void> {
	for (let from = 0; from < count; from += CHUNK_PIXELS) {
		work(from, Math.min(count, from + CHUNK_PIXELS));
		await setImmediate();
	}
}
