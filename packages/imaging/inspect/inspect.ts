import { readFile } from "node:fs/promises";
import type { OutputFormat, SourceFormat } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import type { Log, Staged } from "@svc/base/ports";
import type { Extent } from "@svc/images/layout/extent";
import type { Inspected, Inspector } from "@svc/images/ports";
import { ANALYSIS_SIDE } from "@svc/images/transform/analysis";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import type { Metadata } from "sharp";
import { isKeptAsIs, type KeptAsIs, measure } from "../as-is/kept-as-is.ts";
import { findHeifNumbers } from "../colours/heif-numbers.ts";
import { isBright } from "../colours/numbers.ts";
import { convertHeic } from "../heif/heic.ts";
import { underKnownBrand } from "../heif/heif-brands.ts";
import { type Bytes, copiesOf, copyingBytes, wholeBytes, wholeOf } from "../kept/copies.ts";
import { stripAvif } from "../metadata/strip-avif.ts";
import type { Pixels } from "../render/kept-pixels.ts";
import { sharp } from "../sharp-settings.ts";
import { acceptedFormat, NAMES } from "./accepted-format.ts";
import { avifChroma } from "./avif-header.ts";
import { coefficientBytes, type DecodingOptions, decodeInTurn, leastDecodingBytes, type Memory } from "./gate.ts";
import { gifScreen, isGifCutShort } from "./gif-blocks.ts";
import { decodedOrRefused, judged, type Suspect, undecodable } from "./judge.ts";

type Decoded = Exclude<SourceFormat, KeptAsIs>;

/** The bound covers all frames of an animation. AVIF and HEIC cannot be decoded in strips, so a pixel costs more memory. */
const MAX_PIXELS: Readonly<Record<Decoded, number>> = {
	jpg: 110_000_000,
	png: 110_000_000,
	webp: 110_000_000,
	gif: 110_000_000,
	avif: 50_000_000,
	heic: 50_000_000,
};
const MAX_FRAMES = 500;
const MIB = 1_048_576;
/** A decoder holds all of them until the last scan has come. Reached at 78 megapixels with colours at full resolution. */
const MAX_COEFFICIENT_MIB = 448;
/** The longest side that JPEG can hold, and so every rendition's fallback. */
const MAX_SIDE = 65_500;

/** How many times over the bytes of a file are held: to look through its structure, and to decode it again where that has failed. */
const READ_WHOLE: Readonly<Record<Decoded, number>> = { jpg: 1, png: 1, webp: 1, gif: 1, avif: 2, heic: 0 };

/** The decoder itself, and for each pixel its planes, the colours that it makes of them, and what is encoded. */
const HEIC_BYTES = 48_000_000;
const HEIC_BYTES_PER_PIXEL = 11;
/** More of a picture whose samples are read whole, of two bytes each, to be mapped to those that a screen shows. */
const HEIC_BRIGHT_BYTES_PER_PIXEL = 5;

/** The frames of an animation are decoded one and all, and only a strip of thumbnails is held. */
const FRAME_PIXELS = 64;
/** By the clock on the wall, so generous: the machine may be busy with others. */
const TIMEOUT_SECONDS = 60;

/** A master is not bound by the limit on uploads: 50 megapixels of transparent noise stay below this. */
const MASTER_MAX_BYTES = 210_000_000;

interface Header {
	/** Pixels, after orientation is applied; of one frame. */
	readonly width: number;
	readonly height: number;
	readonly frames: number;
	readonly metadata: Metadata;
	/** Whether it is a HEIC of PQ or HLG. */
	readonly isBright: boolean;
}

/** What says how much memory a file takes. */
interface Weighed {
	readonly header: Header;
	readonly format: Decoded;
	readonly fileBytes: number;
}

export interface InspectorOptions extends DecodingOptions {
	/** What the decoding of one file may take: what takes more is refused by its header. */
	readonly mostBytes: number;
	readonly log: Pick<Log, "warn">;
	/** Gets the pixels of a JPEG, and the smaller copies of one that has some, for which it is decoded then: that proves it as well. */
	readonly proven?: (proof: Proof) => Promise<void>;
}

/** What was made of a JPEG, all of which was read for it. */
interface Proof {
	readonly copies: ReadonlyMap<number, Bytes>;
	/** Its own, where they are few enough to be kept. */
	readonly pixels: Pixels | undefined;
}

/** Only the file's own faults are `validation_error`; what fails for the machine's sake is thrown as it is. */
export function sharpInspector({ stage, memory, mostBytes, log, proven }: InspectorOptions): Inspector {
	return {
		inspect: async (staged, hints, rules) => {
			const format = await acceptedFormat(staged, hints, rules);
			const queued = rules.queued?.has(format) ?? false;
			if (isKeptAsIs(format)) return keepAsIs(staged, format, queued);
			const suspect: Suspect = { path: staged.path, kind: NAMES[format], log };
			const header = await decodedOrRefused(suspect, async (input) =>
				readHeader(await underKnownBrand(input, format), format),
			);
			checkLimits(header, format);
			const pixels = { header, format, fileBytes: staged.bytes };
			const needed = neededBytes(pixels);
			checkMemory(needed, mostBytes, pixels);
			if (queued) return { master: staged, format: masterFormat(format, header), ...extentOf(header), queued };
			if (format === "heic") return memory(needed, () => converted(staged, suspect, stage));
			// Where there is no sequential copy after all it takes more.
			const within: Memory = (bytes, work) => {
				checkMemory(bytes, mostBytes, pixels);
				return memory(bytes, work);
			};
			const readBytes = READ_WHOLE[format] * staged.bytes;
			const plan = proven && format === "jpg" ? planWithin(pixels, mostBytes - readBytes) : NOTHING_MADE;
			const moreBytes = readBytes + plan.bytes;
			await decodeInTurn(
				{ stage, memory: within },
				{ input: staged.path, header: header.metadata, moreBytes },
				async (input) => {
					if (format === "gif") await checkGif(staged.path, header);
					if (proven && plan.bytes > 0) await proven(await provenInFull(input, suspect, header, plan));
					else await provenDecodable(input, suspect, { format, animated: header.frames > 1 });
					if (format === "avif") await checkAvif(staged.path);
				},
			);
			return { master: staged, format, width: header.width, height: header.height };
		},
	};
}

async function keepAsIs(staged: Staged, format: KeptAsIs, queued: boolean): Promise<Inspected> {
	const extent = await measure(staged.path, staged.bytes, format, !queued);
	return { master: staged, format, ...extent, queued };
}

/**
 * The format that the master of a queued file will have, as far as its header tells. What says that it is transparent may turn out
 * not to be; its address goes on working then, since each extension is served.
 */
function masterFormat(format: Decoded, { metadata }: Header): OutputFormat {
	if (format !== "heic") return format;
	return metadata.hasAlpha ? "png" : "jpg";
}

function extentOf({ width, height }: Header): Extent {
	return { width, height };
}

async function readHeader(input: string | Uint8Array, format: Decoded): Promise<Header> {
	// The limit is ours to check: the library's own message would not say what is allowed.
	const metadata = await sharp(input, { limitInputPixels: false }).metadata();
	const { autoOrient, pages } = metadata;
	// The pages of an AVIF or HEIC are further pictures, not frames; only the primary one is ever decoded.
	const frames = format === "gif" || format === "webp" ? (pages ?? 1) : 1;
	// The library only says it of a JPEG.
	const chroma = format === "avif" ? { chromaSubsampling: await avifChroma(input) } : {};
	const { width, height } = autoOrient;
	const numbers = format === "heic" ? await findHeifNumbers(input) : undefined;
	return { width, height, frames, metadata: { ...metadata, ...chroma }, isBright: !!numbers && isBright(numbers) };
}

function checkLimits({ width, height, frames, metadata }: Header, format: Decoded): void {
	if (width < 1 || height < 1) throw invalid("file", "has no pixels");
	if (width > MAX_SIDE || height > MAX_SIDE) {
		throw invalid("file", `is ${width}×${height} pixels; at most ${MAX_SIDE} to a side`);
	}
	if (frames > MAX_FRAMES) throw invalid("file", `has ${frames} frames; at most ${MAX_FRAMES}`);
	const pixels = width * height * frames;
	if (pixels > MAX_PIXELS[format]) {
		const most = MAX_PIXELS[format] / 1_000_000;
		throw invalid("file", `has ${Math.ceil(pixels / 1_000_000)} megapixels; at most ${most} for ${NAMES[format]}`);
	}
	const coefficients = Math.ceil(coefficientBytes(metadata) / MIB);
	if (coefficients > MAX_COEFFICIENT_MIB) {
		const what = "is a progressive JPEG whose coefficients (2 bytes a sample) take";
		throw invalid("file", `${what} ${coefficients} MiB; at most ${MAX_COEFFICIENT_MIB}. Send it as a baseline JPEG`);
	}
	if (format === "heic" && metadata.compression !== "hevc") {
		throw invalid("file", `holds ${metadata.compression ?? "unknown"} pictures; a HEIC file must hold HEVC pictures`);
	}
}

/** What a file takes to be decoded. */
function neededBytes({ header, format, fileBytes }: Weighed): number {
	const { width, height, metadata } = header;
	const ofPixel = HEIC_BYTES_PER_PIXEL + (header.isBright ? HEIC_BRIGHT_BYTES_PER_PIXEL : 0);
	if (format === "heic") return HEIC_BYTES + ofPixel * width * height;
	return leastDecodingBytes(metadata, READ_WHOLE[format] * fileBytes);
}

/** What takes more memory than all pictures together have here could never be made into anything else. */
function checkMemory(bytes: number, mostBytes: number, weighed: Weighed): void {
	if (bytes <= mostBytes) return;
	const { header, format } = weighed;
	const { width, height, frames, metadata } = header;
	const none = { width: 0, height: 0 };
	const fixed = neededBytes({ ...weighed, header: { ...header, ...none, metadata: { ...metadata, ...none } } });
	const pixels = width * height;
	const most = Math.max(0, Math.floor((pixels * (mostBytes - fixed)) / (bytes - fixed) / 1_000_000));
	const what = frames > 1 ? "megapixels a frame" : "megapixels";
	const has = Math.ceil(pixels / 1_000_000);
	throw invalid("file", `has ${has} ${what}; at most ${most} for ${NAMES[format]} of this kind here`);
}

/**
 * The decoder is lenient with two things that a GIF can do: it drops the frames of a file that was cut short, and it overrules an
 * absurd screen size, with which a script can be made to look like a picture.
 */
async function checkGif(path: string, { width, height }: Header): Promise<void> {
	const file = await readFile(path);
	const screen = gifScreen(file);
	if (isGifCutShort(file)) throw undecodable(NAMES.gif, new Error("ends inside a block"));
	if (screen.width > width || screen.height > height) throw undecodable(NAMES.gif, new Error("lies about its size"));
}

/** The decoder takes boxes that end behind the file. It is unknown what else such boxes hold, so the file could never be served. */
async function checkAvif(path: string): Promise<void> {
	const file = await readFile(path);
	try {
		stripAvif(file);
	} catch (error) {
		throw undecodable(NAMES.avif, error);
	}
}

/** What is made of a JPEG while it is proven, and the bytes that this takes. */
interface Plan {
	readonly factors: readonly number[];
	/** Whether all of its pixels are to be held. */
	readonly isWhole: boolean;
	readonly bytes: number;
}

const NOTHING_MADE: Plan = { factors: [], isWhole: false, bytes: 0 };

/** Nothing where that takes more than there is. */
function planWithin({ header }: Weighed, mostBytes: number): Plan {
	const factors = shrunkFactorsOf({ ...extentOf(header), format: "jpg" });
	const ofPixels = wholeBytes(header.metadata, factors);
	const bytes = ofPixels + (factors.length > 0 ? copyingBytes(header) : 0);
	const isWhole = ofPixels > 0;
	return leastDecodingBytes(header.metadata, bytes) <= mostBytes ? { factors, isWhole, bytes } : NOTHING_MADE;
}

async function provenInFull(
	input: string | Uint8Array,
	suspect: Suspect,
	header: Header,
	{ factors, isWhole }: Plan,
): Promise<Proof> {
	const { metadata } = header;
	const make = async (one: string | Uint8Array) => {
		const pixels = isWhole ? await wholeOf(one, metadata) : undefined;
		return { pixels, copies: await copiesOf(pixels ?? one, extentOf(header), factors, metadata) };
	};
	return typeof input === "string" ? await decodedOrRefused({ ...suspect, path: input }, make) : await make(input);
}

/**
 * Decodes every pixel of every frame. Shrinking while loading skips arithmetic, never input: a JPEG that ends early, or whose
 * entropy-coded part is damaged, fails all the same.
 */
async function provenDecodable(input: string | Uint8Array, suspect: Suspect, kind: Kind): Promise<void> {
	if (typeof input === "string") await decodedOrRefused({ ...suspect, path: input }, (one) => decodeAll(one, kind));
	else await decodeAll(input, kind);
}

interface Kind {
	readonly format: Decoded;
	readonly animated: boolean;
}

async function decodeAll(file: string | Uint8Array, { format, animated }: Kind): Promise<void> {
	const input = await underKnownBrand(file, format);
	const side = animated ? FRAME_PIXELS : ANALYSIS_SIDE;
	await sharp(input, { failOn: "error", limitInputPixels: false, sequentialRead: true, animated })
		.resize(side, side, { fit: "inside", withoutEnlargement: true })
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer();
}

async function converted(staged: Staged, suspect: Suspect, stage: DecodingOptions["stage"]): Promise<Inspected> {
	const { bytes, ...facts } = await convertHeic({ path: staged.path, maxPixels: MAX_PIXELS.heic }).catch((error) => {
		throw judged(suspect, error);
	});
	const master = await stage(once(bytes), MASTER_MAX_BYTES);
	await staged.discard();
	return { master, ...facts };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}
