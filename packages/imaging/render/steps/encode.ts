import type { Extent } from "@svc/images/layout/extent";
import { DEFAULT_QUALITY } from "@svc/images/transform/transform";
import type { GifOptions, Metadata, Sharp } from "sharp";
import { setLoops } from "../../inspect/gif-blocks.ts";
import { sharp } from "../../sharp-settings.ts";
import { mayBeClear } from "../backdrop.ts";
import { type Descriptions, described } from "../container.ts";
import { FREE } from "../cost.ts";
import { joined } from "../frames.ts";
import { framesOf, imageOf, type Picture, type RenderJob, type RenderStep } from "../step.ts";
import { lowestQuality } from "./quality.ts";

/**
 * What looks alike, by SSIMULACRA2 of 17 photographs: a quality by the tables of the JPEG standard, and that by the tables that are used
 * here, which weigh what people see and take 5 to 8 % fewer bytes (libvips: `quant_table`; ImageMagick's, of N. Robidoux). Between two
 * pairs it goes evenly.
 */
const JPEG_TABLES = 3;
const JPEG_LOOKS = [
	[1, 1],
	[30, 34],
	[45, 48],
	[60, 61],
	[75, 73],
	[85, 84],
	[100, 100],
] as const;

/** Filters make a photograph a third smaller, and a drawing up to a quarter larger. Higher levels save a fiftieth, and take a third more. */
const FILTERED = { compressionLevel: 3, adaptiveFiltering: true };
const UNFILTERED = { compressionLevel: 6, adaptiveFiltering: false };
/** Bytes for each pixel above which a filtered PNG most likely is a photograph's. */
const PHOTOGRAPH_DENSITY = 1;
/** The share of the rows of such a picture that are tried without filters. */
const TRIED_SHARE = 1 / 8;

/**
 * The most that a GIF or a WebP can say, and what many writers take for "without end". A GIF counts how often its animation is shown
 * again, and a WebP and libvips how often it is shown: the most of a GIF is read as one more than any encoder takes.
 */
const MAX_LOOP = 65_535;

/** The longest that a frame can be said to be shown: a minute. A GIF can ask for ten of them, and a WebP for hours. */
const MAX_DELAY_MS = 65_535;

/** Says how the picture is to be written. */
export const encode = {
	of: { format: FREE, q: FREE, lossless: FREE, metadata: FREE, hdr: FREE },
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
	{ format, layout, descriptions, source, timeoutSeconds }: RenderJob,
): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = format === "png" ? await smallerPng(image, layout.output, timeoutSeconds) : await image.toBuffer();
	if (format === "gif" && loopOf(source.metadata) === MAX_LOOP) setLoops(bytes, MAX_LOOP);
	// Of masters of other formats nothing was ever said in a GIF, and what is kept of them stays what is made of them.
	const isSaid = format !== "gif" || source.metadata.format === "gif";
	return owned(descriptions && isSaid ? described(bytes, format, descriptions, layout.output) : bytes);
}

/** Without filters, where that is smaller: by all of what may be a drawing, and by the middle of what looks like a photograph. */
async function smallerPng(image: Sharp, { width, height }: Extent, timeoutSeconds: number): Promise<Uint8Array> {
	const filtered = await image.toBuffer();
	const written = (piece: Sharp) => piece.timeout({ seconds: timeoutSeconds }).toBuffer();
	const whole = sharp(filtered, { limitInputPixels: false });
	if (filtered.length > PHOTOGRAPH_DENSITY * width * height) {
		const rows = Math.ceil(height * TRIED_SHARE);
		const strip = whole.clone().extract({ left: 0, top: Math.floor((height - rows) / 2), width, height: rows });
		const [one, other] = [await written(strip.clone().png(FILTERED)), await written(strip.png(UNFILTERED))];
		if (one.length <= other.length) return filtered;
	}
	const plain = await written(whole.png(UNFILTERED));
	return plain.length < filtered.length ? plain : filtered;
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

/** A format whose encoder has dearer settings at the same quality. */
type Compactable = "jpg" | "webp" | "avif";

/**
 * The same quality in fewer bytes: JPEG 18 % for 9 times the time, WebP 8 % for 5, AVIF 6 % for 7, at 800 pixels. The next two efforts of AVIF are
 * 4 % more for 46 times.
 */
function compact(image: Sharp, quality: number, format: Compactable): Sharp {
	switch (format) {
		case "jpg":
			return image.jpeg({ quality: alikeBetween(JPEG_LOOKS, quality), mozjpeg: true });
		case "webp":
			return image.webp({ quality, effort: 6 });
		case "avif":
			return image.avif({ quality, effort: 2, chromaSubsampling: "4:2:0" });
	}
}

function encoded(image: Sharp, quality: number, { source, transform, format, aids, layout }: RenderJob): Sharp {
	// Of what is transparent the dearer settings try for seconds to make the alpha smaller.
	const isClear = mayBeClear(transform, layout, format, source.metadata.hasAlpha);
	if (aids.isCompact && !isClear) return compact(image, quality, format as Compactable);
	const lossy = { quality };
	const animation = source.frames > 1 ? timesOf(source.metadata) : {};
	switch (format) {
		case "jpg":
			// At an equal score, tables of its own for the code take 2 % of the bytes and twice the time, progressive scans 4 % and five
			// times, and the settings of mozjpeg 12 % and ten times.
			return image.jpeg({
				quality: alikeBetween(JPEG_LOOKS, quality),
				quantisationTable: JPEG_TABLES,
				progressive: false,
				optimiseCoding: false,
			});
		case "png":
			return image.png(FILTERED);
		case "webp":
			// At an equal score, effort 4 saves a twentieth of the bytes and takes twice as long.
			return transform.lossless
				? image.webp({ lossless: true, exact: true, effort: 0, quality: 1, ...animation })
				: image.webp({ ...lossy, effort: 2, ...animation });
		case "avif":
			// At an equal score, the next effort saves a tenth of the bytes and takes three and a half times as long.
			return image.avif({ ...lossy, effort: 0, chromaSubsampling: "4:2:0" });
		case "gif":
			// Frames that have become equal are still the animation's frames.
			return image.gif({ effort: 1, keepDuplicateFrames: true, ...animation });
	}
}

function alikeBetween(pairs: readonly (readonly [number, number])[], asked: number): number {
	const after = pairs.findIndex(([from]) => from >= asked);
	const [[from, alike] = [asked, asked], [to, alikeAfter] = [asked, asked]] = [pairs[after - 1], pairs[after]];
	return Math.round(alike + ((asked - from) / Math.max(1, to - from)) * (alikeAfter - alike));
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
