import type { Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { type Turn, turnedExtent } from "@svc/images/layout/turn";
import type { Mask } from "@svc/images/transform/analysis";
import { showsSubject } from "@svc/images/transform/analysis-needs";
import { EFFECTS } from "@svc/images/transform/limits";
import type { Transform } from "@svc/images/transform/transform";
import { sharp } from "../../sharp-settings.ts";
import { FREE } from "../cost.ts";
import { type Frames, inChunks } from "../frames.ts";
import { samePart } from "../part.ts";
import { framesOf, type RenderJob, type RenderStep } from "../step.ts";
import { blurred } from "./filters.ts";
import { applyTone, type Tone, toneOf } from "./tone.ts";

/** Sets the subject apart from what is behind it. */
export const subject = {
	of: {
		segment: { bytes: 16.5, ms: 80, decodes: true },
		fx: { bytes: 16.5, ms: 95, decodes: true },
		strength: FREE,
	},
	when: (job) => maskFor(job) !== undefined,
	run: async (picture, job) => {
		const { source, transform, layout, turn, timeoutSeconds } = job;
		const frame = await framesOf(picture, job);
		const mask = maskFor(job);
		if (!mask) return { frames: frame };
		const weights = await weightsOf(mask, source, layout, turn, timeoutSeconds);
		return { frames: await withSubject(frame, weights, transform, timeoutSeconds) };
	},
} as const satisfies RenderStep;

/** The mask is undefined where the subject makes no difference. */
function maskFor({ source, transform, aids }: RenderJob): Mask | undefined {
	if (source.frames > 1 || !showsSubject(transform)) return undefined;
	return aids.subject ?? undefined;
}

/** Leaves the subject or its background changed, in one frame. `weights` is one byte per pixel of it: 255 is subject. */
async function withSubject(
	frame: Frames,
	weights: Uint8Array,
	{ segment, fx, strength }: Transform,
	timeoutSeconds: number,
): Promise<Frames> {
	if (segment) return await weighted(frame, (index) => weights[index] ?? 0);
	if (fx === undefined || fx === "blur-faces") return frame;
	switch (fx) {
		case "blur-bg": {
			// Only background counts in the blur, so that the subject's colours do not shine around it.
			const radius = strength ?? EFFECTS[fx].usual;
			const background = await weighted(frame, (index) => 255 - (weights[index] ?? 0));
			return await mixed(frame, await blurred(background, radius, timeoutSeconds), weights);
		}
		case "color-pop":
			return await mixed(frame, await toned(frame, toneOf({ saturation: 0 })), weights);
		case "darken-bg":
			return await mixed(frame, await toned(frame, toneOf({ brightness: strength ?? EFFECTS[fx].usual })), weights);
	}
}

/** The mask of a whole upright picture as that of the part that the layout keeps, turned and resized like it; one byte per pixel. */
async function weightsOf(
	{ alpha, width, height }: Mask,
	upright: Extent,
	layout: Layout,
	turn: Turn,
	timeoutSeconds: number,
): Promise<Uint8Array> {
	const image = sharp(alpha, { raw: { width, height, channels: 1 }, limitInputPixels: false });
	const view = { image, size: { width, height }, turn };
	return await samePart(view, turnedExtent(upright, turn), layout, layout.keep ?? layout.resize)
		.toColourspace("b-w")
		.timeout({ seconds: timeoutSeconds })
		.raw()
		.toBuffer();
}

/** Adds an alpha channel where there is none, and leaves each pixel its weight's share of it. */
async function weighted(frame: Frames, weightAt: (index: number) => number): Promise<Frames> {
	const { pixels, channels, width, height } = frame;
	const result = new Uint8Array(width * height * 4);
	await inChunks(width * height, (from, to) => {
		for (let index = from; index < to; index++) {
			const at = index * channels;
			const alpha = channels === 4 ? (pixels[at + 3] ?? 0) : 255;
			result[index * 4] = pixels[at] ?? 0;
			result[index * 4 + 1] = pixels[at + 1] ?? 0;
			result[index * 4 + 2] = pixels[at + 2] ?? 0;
			result[index * 4 + 3] = Math.round((alpha * weightAt(index)) / 255);
		}
	});
	return { ...frame, pixels: result, channels: 4 };
}

/** Changes a copy of the frame. */
async function toned(frame: Frames, tone: Tone | undefined): Promise<Frames> {
	const pixels = new Uint8Array(frame.pixels);
	if (tone) await applyTone(pixels, frame.channels, tone);
	return { ...frame, pixels };
}

/** The subject over a background of the same size. The subject's transparency stays. */
async function mixed(subject: Frames, background: Frames, weights: Uint8Array): Promise<Frames> {
	const { channels } = subject;
	const pixels = new Uint8Array(subject.pixels);
	await inChunks(subject.width * subject.height, (from, to) => {
		for (let index = from; index < to; index++) {
			const at = index * channels;
			const behind = index * background.channels;
			// Nothing near this pixel is background, so there is no colour to mix in.
			if (background.channels === 4 && background.pixels[behind + 3] === 0) continue;
			const weight = (weights[index] ?? 0) / 255;
			for (let channel = 0; channel < 3; channel++) {
				const own = pixels[at + channel] ?? 0;
				pixels[at + channel] = Math.round(own * weight + (background.pixels[behind + channel] ?? 0) * (1 - weight));
			}
		}
	});
	return { ...subject, pixels };
}
