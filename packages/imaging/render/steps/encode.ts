import type { Extent } from "@svc/images/layout/extent";
import { DEFAULT_QUALITY } from "@svc/images/transform/transform";
import type { GifOptions, Metadata, Sharp } from "sharp";
import { setLoops } from "../../inspect/gif-blocks.ts";
import { sharp } from "../../sharp-settings.ts";
import { type Descriptions, described } from "../container.ts";
import { FREE } from "../cost.ts";
import { joined } from "../frames.ts";
import { framesOf, imageOf, type Picture, type RenderJob, type RenderStep } from "../step.ts";
import { lowestQuality } from "./quality.ts";

/** Up to this size a JPEG arrives before a person could see it grow. */
const JPEG_BASELINE_PIXELS = 1_000_000;

/**
 * The most that a GIF or a WebP can say, and what many writers take for "without end". A GIF counts how often its animation is shown
 * again, and a WebP and libvips how often it is shown: the most of a GIF is read as one more than any encoder takes.
 */
const MAX_LOOP = 65_535;

/** The longest that a frame can be said to be shown: a minute. A GIF can ask for ten of them, and a WebP for hours. */
const MAX_DELAY_MS = 65_535;

/** Says how the picture is to be written. */
export const encode = {
	of: { format: FREE, q: FREE, lossless: FREE, metadata: FREE },
	when: () => true,
	run: async (picture, job) => {
		const { transform, descriptions, format, layout, timeoutSeconds } = job;
		const { image, quality } =
			transform.q === "auto"
				? await likest(picture, job)
				: { image: imageOf(picture), quality: transform.q ?? DEFAULT_QUALITY[format] ?? 100 };
		image.timeout({ seconds: timeoutSeconds });
		if (!descriptions || format !== "avif") return { image: encoded(image, quality, job) };
		const carrier = (await carrierOf(image, descriptions, layout.output)).timeout({ seconds: timeoutSeconds });
		return { image: encoded(carrier, quality, job) };
	},
} as const satisfies RenderStep;

/** The picture, and the lowest quality at which it still looks like itself. */
async function likest(picture: Picture, job: RenderJob): Promise<{ image: Sharp; quality: number }> {
	const frames = await framesOf(picture, job);
	// Of an animation one frame is judged.
	const still = { ...job, source: { ...job.source, frames: 1 } };
	const quality = await lowestQuality(frames, (image, tried) => encoded(image, tried, still), job.timeoutSeconds);
	return { image: joined(frames), quality };
}

/** The file, with what it says about itself. */
export async function writtenBytes(
	image: Sharp,
	{ format, layout, descriptions, source }: RenderJob,
): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = await image.toBuffer();
	if (format === "gif" && loopOf(source.metadata) === MAX_LOOP) setLoops(bytes, MAX_LOOP);
	// Of masters of other formats nothing was ever said in a GIF, and what is kept of them stays what is made of them.
	const isSaid = format !== "gif" || source.metadata.format === "gif";
	return owned(descriptions && isSaid ? described(bytes, format, descriptions, layout.output) : bytes);
}

/** A PNG that carries the descriptions: libvips copies them from there, and nothing else can put them into an AVIF. */
async function carrierOf(image: Sharp, descriptions: Descriptions, size: Extent): Promise<Sharp> {
	const plain = await image.png({ compressionLevel: 0 }).toBuffer();
	const carrier = sharp(described(plain, "png", descriptions, size), { limitInputPixels: false });
	if (descriptions.exif) carrier.keepExif();
	if (descriptions.xmp) carrier.keepXmp();
	if (descriptions.icc) carrier.keepIccProfile();
	return carrier;
}

function encoded(image: Sharp, quality: number, { source, transform, format, layout }: RenderJob): Sharp {
	const { output } = layout;
	const lossy = { quality };
	const animation = source.frames > 1 ? timesOf(source.metadata) : {};
	switch (format) {
		case "jpg":
			// mozjpeg saves a fifth of the bytes for nine times the time. Progressive shows a large picture early, and costs a small one
			// a sixth of its time for 3 % of its bytes. Tables of its own cost twice the encoding for 2 %; progressive always has them.
			return image.jpeg({
				...lossy,
				progressive: output.width * output.height > JPEG_BASELINE_PIXELS,
				optimiseCoding: false,
			});
		case "png":
			return image.png({ compressionLevel: 6 });
		case "webp":
			// More effort saves a tenth of the bytes and takes four times as long.
			return transform.lossless
				? image.webp({ lossless: true, exact: true, effort: 0, quality: 1, ...animation })
				: image.webp({ ...lossy, effort: 2, ...animation });
		case "avif":
			// The next effort costs four times as much for a twentieth of the bytes, at the same likeness.
			return image.avif({ ...lossy, effort: 0, chromaSubsampling: "4:2:0" });
		case "gif":
			// Frames that have become equal are still the animation's frames.
			return image.gif({ effort: 1, keepDuplicateFrames: true, ...animation });
	}
}

/** How long each frame is shown, in milliseconds, and how often all of them are: what a file says, as far as an encoder can say it. */
function timesOf(metadata: Metadata): Pick<GifOptions, "delay" | "loop"> {
	const { delay } = metadata;
	return delay ? { delay: delay.map((ms) => within(ms, MAX_DELAY_MS)), loop: loopOf(metadata) } : {};
}

/** How often an animation is shown; 0: without end. */
function loopOf({ loop = 0 }: Metadata): number {
	return within(loop, MAX_LOOP);
}

function within(number: number, most: number): number {
	return Math.min(most, Math.max(0, number));
}

/** Buffers come with a type that allows shared memory, which sharp never hands out. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return bytes.buffer instanceof ArrayBuffer
		? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
		: new Uint8Array(bytes);
}
