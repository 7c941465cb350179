import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { boundsOf } from "@svc/images/layout/bounds";
import type { Extent } from "@svc/images/layout/extent";
import { type Layout, layoutOf } from "@svc/images/layout/geometry";
import { turnedExtent, turnOf } from "@svc/images/layout/turn";
import type { RenderAids } from "@svc/images/ports";
import { JUDGED_PIXELS } from "@svc/images/transform/limits";
import { hasGainMap } from "@svc/images/transform/mends";
import { shrunkExtent, shrunkMasterFor } from "@svc/images/transform/shrunk-masters";
import { keepsLight, outputFormat, type Transform } from "@svc/images/transform/transform";
import type { Lane } from "../workers/line.ts";
import type { Price } from "../workers/price.ts";
import { mayBeClear } from "./backdrop.ts";
import type { Cost } from "./cost.ts";
import { keptBytes } from "./kept-pixels.ts";
import { PIPELINE } from "./pipeline.ts";
import { isExact, readingOf } from "./reading.ts";

/** What is known of a master before it is opened; its header may know more. */
export interface Priced extends Extent {
	readonly format: ImageFormat;
	/** Frames that are read: 1 for a still. */
	readonly frames?: number;
	/** What is held until the last scan of a JPEG of several has come, or of an interlaced PNG; 0 for others. */
	readonly scanBytes?: number;
	/** Bytes of a sample: 2 for pictures of 16 bits. */
	readonly sampleBytes?: number;
	/** Whether its header says that it may be transparent. */
	readonly hasAlpha?: boolean;
}

const MEGA = 1_000_000;
const MIB = 1_024 ** 2;

/** The most that cheap work takes. */
const CHEAP: Price = { bytes: 64 * MIB, cpuMs: 250 };
/** What any rendition takes: threads, tables, and lines of pixels on their way. */
const LEAST: Price = { bytes: 10 * MIB, cpuMs: 4 };

/**
 * Bytes for each pixel and milliseconds for each megapixel, as they were seen with photographs; the bytes are upper bounds. `read` is of
 * all pixels, `scaled` of those that are left when the decoder reads at a half, a quarter or an eighth.
 */
type Costs = Pick<Cost, "bytes" | "ms">;

const READ: Readonly<Record<OutputFormat, { readonly all: Costs; readonly scaled: Costs }>> = {
	jpg: { all: { bytes: 0.3, ms: 2 }, scaled: { bytes: 0.5, ms: 14 } },
	png: { all: { bytes: 2.1, ms: 12 }, scaled: { bytes: 0, ms: 0 } },
	webp: { all: { bytes: 0, ms: 8 }, scaled: { bytes: 7, ms: 5 } },
	avif: { all: { bytes: 19, ms: 48 }, scaled: { bytes: 0, ms: 0 } },
	gif: { all: { bytes: 7, ms: 5 }, scaled: { bytes: 0, ms: 0 } },
};
const WRITTEN: Readonly<Record<OutputFormat, Costs>> = {
	jpg: { bytes: 7, ms: 28 },
	png: { bytes: 4, ms: 50 },
	webp: { bytes: 6.5, ms: 42 },
	avif: { bytes: 23, ms: 62 },
	gif: { bytes: 14, ms: 400 },
};
/**
 * The same of what is transparent: alpha is written by an encoder of its own, which loses nothing. Rounded corners take 24 and 35 bytes; half as much
 * again, which a worker may take, is enough where each pixel's alpha is drawn by chance.
 */
const WRITTEN_CLEAR: Readonly<Partial<Record<OutputFormat, Costs>>> = {
	webp: { bytes: 27, ms: 105 },
	avif: { bytes: 27, ms: 125 },
};
/** How many times the time of an encoder its dearer settings take; those of a JPEG hold all its coefficients. */
const COMPACT: Readonly<Partial<Record<OutputFormat, Costs>>> = {
	jpg: { bytes: 6, ms: 9 },
	webp: { bytes: 0, ms: 5 },
	avif: { bytes: 0, ms: 7 },
};
const LOSSLESS: Costs = { bytes: 24, ms: 50 };
/** The brightness of two pictures, and how alike they are. */
const JUDGED: Costs = { bytes: 14, ms: 30 };
const TRIES = 3;
/** Reading all of a master, and writing a copy of half its sides. */
const SHRUNK: Readonly<Record<OutputFormat, Costs>> = {
	jpg: { bytes: 2.5, ms: 30 },
	png: { bytes: 3.5, ms: 30 },
	webp: { bytes: 6.5, ms: 25 },
	avif: { bytes: 20.5, ms: 60 },
	gif: { bytes: 8.5, ms: 30 },
};
/** For a pixel of the picture. */
const LIGHT: Costs = { bytes: 0.7, ms: 1.5 };
/** For a megapixel of several scans. */
const SCANS_MS = 6;
/** Frames go through an encoder one by one. */
const FRAME_BYTES = 4;
/** Between steps that see decoded pixels two pictures are held. */
const PIXELS: Costs = { bytes: 5.5, ms: 5 };
/** Of the steps that name one parameter the dearest counts. */
const OF_PARAMETERS: ReadonlyMap<string, Cost> = new Map(
	PIPELINE.flatMap(({ of }) => Object.entries(of)).sort(([, one], [, other]) => one.ms - other.ms),
);

/** How many times more or less than expected the work of a format has been, lately. */
export type Correction = (format: OutputFormat) => number;

/** `factors` are those of the smaller copies that are there. */
export function renderPrice(
	master: Priced,
	transform: Transform,
	{ tile, overlay, isCompact, ...facts }: RenderAids,
	factors: readonly number[],
	correction: Correction = () => 1,
): Price {
	const format = outputFormat(transform, master.format);
	const { width, height, frames = 1 } = master;
	const layout = layoutOf({ ...facts, width, height }, transform, boundsOf(format, frames, transform));
	const pixels = pixelsOf(layout.output) * frames;
	const costs = costsOf(transform);
	const isClear = mayBeClear(transform, layout, format, master.hasAlpha);
	const encoding = writtenCosts(format, transform, { isCompact, isClear });
	const written = { ...encoding, ...(frames > 1 && { bytes: FRAME_BYTES }) };
	const parts = [
		LEAST,
		readCosts(master, layout, transform, frames > 1 || transform.metadata === "keep" || transform.frame ? [] : factors),
		times(oneAfterTheOther([written, ...costs]), pixels),
		transform.q === "auto" || costs.some(({ decodes }) => decodes) ? times(PIXELS, pixels) : NOTHING,
		judgedCosts(format, transform, layout),
		heldWhole(layout, transform, frames),
		lightCosts(master, transform, facts),
		layerCosts(tile),
		layerCosts(overlay),
	];
	const cpuMs = parts.reduce((sum, part) => sum + part.cpuMs, 0) * correction(format);
	return { bytes: Math.ceil(parts.reduce((sum, part) => sum + part.bytes, 0)), cpuMs: Math.ceil(cpuMs) };
}

function writtenCosts(
	format: OutputFormat,
	{ lossless }: Transform,
	{ isCompact = false, isClear }: { readonly isCompact: boolean | undefined; readonly isClear: boolean },
): Costs {
	if (lossless && format === "webp") return LOSSLESS;
	const written = (isClear ? WRITTEN_CLEAR[format] : undefined) ?? WRITTEN[format];
	const more = isCompact && !isClear ? COMPACT[format] : undefined;
	return more ? { bytes: written.bytes + more.bytes, ms: written.ms * more.ms } : written;
}

/** With `q=auto` the picture, or a sample of it, is encoded and looked at a few times before. */
function judgedCosts(format: OutputFormat, { q }: Transform, { output }: Layout): Price {
	if (q !== "auto") return NOTHING;
	const written = WRITTEN[format];
	// Not all of what one encode took is free again when the next one begins.
	const each = { bytes: JUDGED.bytes + 2 * written.bytes, ms: TRIES * (written.ms + JUDGED.ms) };
	const tried = times(each, Math.min(pixelsOf(output), JUDGED_PIXELS));
	return { ...tried, bytes: Math.max(0, tried.bytes - written.bytes * pixelsOf(output)) };
}

/** The memory of one step is free again when the next one begins. */
function oneAfterTheOther(steps: readonly Costs[]): Costs {
	return {
		bytes: Math.max(...steps.map(({ bytes }) => bytes)),
		ms: steps.reduce((sum, { ms }) => sum + ms, 0),
	};
}

/** Smaller copies are half as large at most, or take the decoder's place when it is done. A header that says otherwise is asked before anything is decoded. */
export function shrinkPrice(master: Priced): Price {
	const read = times(SHRUNK[outputFormat({}, master.format)], pixelsOf(master));
	return { bytes: Math.ceil(LEAST.bytes + read.bytes), cpuMs: Math.ceil(LEAST.cpuMs + read.cpuMs) };
}

export function laneOf({ bytes, cpuMs }: Price): Extract<Lane, "cheap" | "dear"> {
	return bytes <= CHEAP.bytes && cpuMs <= CHEAP.cpuMs ? "cheap" : "dear";
}

function readCosts(master: Priced, layout: Layout, transform: Transform, factors: readonly number[]): Price {
	const turn = turnOf(transform);
	const read = layout.read ?? turnedExtent(master, turn);
	const copy = shrunkMasterFor(read, layout.resize, { format: master.format, factors });
	const factor = copy ?? 1;
	const format = copy === undefined ? outputFormat({}, master.format) : "jpg";
	const { all, scaled } = READ[format];
	const { frames = 1, scanBytes = 0, sampleBytes = 1 } = copy === undefined ? master : {};
	const pixels = pixelsOf(shrunkExtent(master, factor)) * frames;
	const exact = isExact(outputFormat(transform, master.format), transform);
	const { scale } = readingOf({ ...shrunkExtent(read, factor), format, frames, isExact: exact }, layout.resize);
	const left = pixels / scale ** 2;
	// Of a JPEG that is read whole the lines go by.
	const there = format === "jpg" && scale === 1 && layout.resize.width * 2 <= read.width ? left / 4 : left;
	const kept = format === "jpg" && scale <= 2 ? (keptBytes(shrunkExtent(master, factor)) ?? 0) : 0;
	// One frame after the other is held.
	const held = times(all, pixels);
	const bytes = (held.bytes / frames) * sampleBytes;
	const scans = { bytes: scanBytes, cpuMs: scanBytes > 0 ? (SCANS_MS * pixels) / MEGA : 0 };
	// Most frames are changes of the one before.
	const before = times({ bytes: 0, ms: all.ms }, pixels * (transform.frame ?? 0));
	const scaledCosts = { bytes: (scaled.bytes * there) / frames, cpuMs: times(scaled, left).cpuMs };
	return {
		bytes: bytes + scaledCosts.bytes + scans.bytes + kept,
		cpuMs: held.cpuMs + before.cpuMs + scaledCosts.cpuMs + scans.cpuMs,
	};
}

function layerCosts(layer: Priced | undefined): Price {
	return layer ? times(READ[outputFormat({}, layer.format)].all, pixelsOf(layer)) : NOTHING;
}

/** A file that is looked through, and a second picture in it, most often of a quarter of the sides. */
function lightCosts(master: Priced, transform: Transform, { mends }: RenderAids): Price {
	const isBright = hasGainMap(mends) && keepsLight(transform, master.format);
	return isBright ? times(LIGHT, pixelsOf(master)) : NOTHING;
}

const NOTHING: Price = { bytes: 0, cpuMs: 0 };

function costsOf(transform: Transform): readonly Cost[] {
	return Object.keys(transform)
		.map((name) => OF_PARAMETERS.get(name))
		.filter((cost) => cost !== undefined);
}

/** A picture that is turned, or an animation whose frames are worked on alone, is held as a whole at the size to which it was resized. */
function heldWhole({ resize, output }: Layout, transform: Transform, frames: number): Price {
	const isHeld = transform.rotate !== undefined || transform.flip !== undefined;
	const bytes = isHeld ? Math.max(0, pixelsOf(resize) - pixelsOf(output)) * 4 : 0;
	return { bytes: bytes * frames, cpuMs: 0 };
}

function pixelsOf({ width, height }: Extent): number {
	return width * height;
}

function times({ bytes, ms }: Costs, pixels: number): Price {
	return { bytes: bytes * pixels, cpuMs: (ms * pixels) / MEGA };
}
