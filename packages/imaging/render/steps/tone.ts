import { toneTable } from "@svc/images/transform/colours/tone-table";
import type { Transform } from "@svc/images/transform/transform";
import { LOOK } from "../cost.ts";
import { inChunks } from "../frames.ts";
import { framesOf, type RenderStep } from "../step.ts";

/** What happens to the colour of each pixel, whatever lies around it. */
export interface Tone {
	/** Holds for each value of a channel the value that it becomes. Without a table values stay. */
	readonly table: Uint8Array | undefined;
	/** 0 is grey, 1 changes nothing. */
	readonly saturation: number;
}

/** Weights of Rec. 709 luma. */
const RED = 0.2126;
const GREEN = 0.7152;
const BLUE = 0.0722;

/** Changes all frames at once, since no pixel depends on another. */
export const tone = {
	of: { brightness: LOOK, contrast: LOOK, gamma: LOOK, saturation: LOOK },
	run: async (picture, job) => {
		const frames = await framesOf(picture, job);
		const asked = toneOf(job.transform);
		if (asked) await applyTone(frames.pixels, frames.channels, asked);
		return { frames };
	},
} as const satisfies RenderStep;

/** The tone is undefined when no colour changes. */
export function toneOf({ saturation = 1, ...transform }: Transform): Tone | undefined {
	const { brightness = 1, contrast = 1, gamma = 1 } = transform;
	const isPlain = brightness === 1 && contrast === 1 && gamma === 1;
	if (isPlain && saturation === 1) return undefined;
	return { table: isPlain ? undefined : toneTable(transform), saturation };
}

/** Changes interleaved RGB or RGBA pixels in place; alpha stays. */
export async function applyTone(pixels: Uint8Array, channels: number, tone: Tone): Promise<void> {
	await inChunks(pixels.length / channels, (from, to) => {
		const chunk = pixels.subarray(from * channels, to * channels);
		if (tone.table) applyTable(chunk, channels, tone.table);
		if (tone.saturation !== 1) saturate(chunk, channels, tone.saturation);
	});
}

function applyTable(pixels: Uint8Array, channels: number, table: Uint8Array): void {
	for (let at = 0; at < pixels.length; at += channels) {
		pixels[at] = table[pixels[at] ?? 0] ?? 0;
		pixels[at + 1] = table[pixels[at + 1] ?? 0] ?? 0;
		pixels[at + 2] = table[pixels[at + 2] ?? 0] ?? 0;
	}
}

function saturate(pixels: Uint8Array, channels: number, saturation: number): void {
	// Rounds to the nearest and clips at both ends, where plain bytes would wrap around.
	const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
	for (let at = 0; at < clamped.length; at += channels) {
		const red = clamped[at] ?? 0;
		const green = clamped[at + 1] ?? 0;
		const blue = clamped[at + 2] ?? 0;
		const grey = (red * RED + green * GREEN + blue * BLUE) * (1 - saturation);
		clamped[at] = grey + red * saturation;
		clamped[at + 1] = grey + green * saturation;
		clamped[at + 2] = grey + blue * saturation;
	}
}
