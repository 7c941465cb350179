import { ANALYSIS_SIDE, type FileHead, type Region, type Spot } from "@svc/images/transform/analysis";
import type { Sharp } from "sharp";
import { inSaidColours, type Readable } from "../colours/said-colours.ts";
import type { Edges } from "../edges.ts";
import { inProfile, sharp } from "../sharp-settings.ts";
import type { AnalysisPicture } from "./analyser.ts";

export type AnalysisInput = string | Uint8Array;

/** An untrusted header may claim anything; ingest refuses more than this. */
const MAX_PIXELS = 110_000_000;
const TIMEOUT_SECONDS = 15;
/** How far a channel may be from the border's colour and still belong to the border. */
const TOLERANCE = 25;
/** Below this libvips does not look for a border. */
const MIN_SIDE = 3;
/** A boundary of the analysis picture can be off by this many of its pixels. */
const DOUBT = 2;

/** The whole picture with 640 pixels at most to a side, three bytes per pixel; what is transparent shows white. */
export async function analysisPicture(input: AnalysisInput, frame = 0): Promise<AnalysisPicture> {
	const { data, info } = await analysed(await readableOf(input), frame)
		.flatten({ background: "#ffffff" })
		.toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}

/**
 * What lies inside a uniform border, right to the pixel of the master. Null when there is no border, or nothing else: a border that
 * is thinner than a pixel of the analysis picture on all sides counts as none.
 */
export async function findContent(input: AnalysisInput, frame = 0): Promise<Region | null> {
	const readable = await readableOf(input);
	const { width, height } = readable.header.autoOrient;
	const { data, info } = await analysed(readable, frame).ensureAlpha().toBuffer({ resolveWithObject: true });
	const rough = await edgesOf(sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } }), info);
	if (!rough) return null;
	const scales = { x: width / info.width, y: height / info.height };
	if (scales.x <= 1 && scales.y <= 1) return regionOf(rough, { width, height });
	return regionOf(await refined(readable, rough, { width, height, scales, frame, border: [...data.subarray(0, 4)] }), {
		width,
		height,
	});
}

/** Reads no pixels. */
export async function headerOf(input: AnalysisInput): Promise<FileHead> {
	const { pages = 1, hasAlpha } = await sharp(input, { limitInputPixels: MAX_PIXELS }).metadata();
	return { frames: pages, alpha: hasAlpha };
}

/** Where the eye goes: light, saturated and skin-coloured places draw it. */
export async function findFocus({ data, width, height }: AnalysisPicture): Promise<Spot> {
	const side = Math.min(width, height);
	// sharp reports it only with a crop that cuts something away.
	const crop = width === height ? { width: side, height: Math.ceil(side / 2) } : { width: side, height: side };
	const { info } = await sharp(data, { raw: { width, height, channels: 3 } })
		.resize({ ...crop, fit: "cover", position: "attention" })
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { x: shareOf(info.attentionX, width), y: shareOf(info.attentionY, height) };
}

function shareOf(place: number | undefined, length: number): number {
	return place === undefined ? 0.5 : Math.min(1, Math.max(0, (place + 0.5) / length));
}

async function readableOf(input: AnalysisInput): Promise<Readable> {
	return await inSaidColours(input, await sharp(input, { limitInputPixels: MAX_PIXELS }).metadata());
}

function opened({ input, header }: Readable, frame: number): Sharp {
	// The same bounds as at ingest and for renditions: an image that they accept is analysed, and no other.
	const options = { limitInputPixels: MAX_PIXELS, failOn: "error", ...(frame > 0 && { page: frame }) } as const;
	return inProfile(sharp(input, options), header).autoOrient().timeout({ seconds: TIMEOUT_SECONDS });
}

function analysed(readable: Readable, frame: number): Sharp {
	return opened(readable, frame)
		.resize(ANALYSIS_SIDE, ANALYSIS_SIDE, { fit: "inside", withoutEnlargement: true })
		.toColourspace("srgb")
		.raw();
}

/** The box in pixels of the picture; undefined when nothing is cut, and for a picture of one colour, of which nothing would be left. */
async function edgesOf(
	image: Sharp,
	{ width, height }: { readonly width: number; readonly height: number },
	background?: readonly number[],
): Promise<Edges | undefined> {
	if (Math.max(width, height) < MIN_SIDE) return undefined;
	const [r = 0, g = 0, b = 0, alpha = 255] = background ?? [];
	const { info } = await image
		.trim({ threshold: TOLERANCE, ...(background && { background: { r, g, b, alpha: alpha / 255 } }) })
		.raw()
		.toBuffer({ resolveWithObject: true });
	if (info.width === width && info.height === height) return undefined;
	const left = -(info.trimOffsetLeft ?? 0);
	const top = -(info.trimOffsetTop ?? 0);
	return { left, top, right: left + info.width, bottom: top + info.height };
}

interface Refinement {
	readonly width: number;
	readonly height: number;
	readonly frame: number;
	/** Pixels of the master to one of the analysis picture. */
	readonly scales: { readonly x: number; readonly y: number };
	/** The colour of the border: red, green, blue, alpha. */
	readonly border: readonly number[];
}

/** Looks at each boundary again, in a strip of the master around the place where it should be. */
async function refined(
	readable: Readable,
	rough: Edges,
	{ width, height, scales, frame, border }: Refinement,
): Promise<Edges> {
	const whole = { left: 0, top: 0, width, height };
	const at = async (edge: keyof Edges) => {
		const lies = edge === "left" || edge === "right";
		const [scale, length] = lies ? [scales.x, width] : [scales.y, height];
		const from = Math.max(0, Math.floor((rough[edge] - DOUBT) * scale));
		const size = Math.min(length, Math.ceil((rough[edge] + DOUBT) * scale)) - from;
		const box = { ...whole, ...(lies ? { left: from, width: size } : { top: from, height: size }) };
		const found = await edgesOf(await cut(readable, frame, box), box, border);
		return found ? from + found[edge] : Math.round(rough[edge] * scale);
	};
	// The strips come one after the other: each decodes the master again, and this is done only once, so memory counts for more than time.
	return { left: await at("left"), top: await at("top"), right: await at("right"), bottom: await at("bottom") };
}

/** Pixels rather than an open pipeline: sharp would trim before it extracts. */
async function cut(
	readable: Readable,
	frame: number,
	box: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): Promise<Sharp> {
	const { data, info } = await opened(readable, frame)
		.extract(box)
		.toColourspace("srgb")
		.ensureAlpha()
		.raw()
		.toBuffer({ resolveWithObject: true });
	return sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } });
}

function regionOf(
	{ left, top, right, bottom }: Edges,
	{ width, height }: { readonly width: number; readonly height: number },
): Region | null {
	if (right - left >= width && bottom - top >= height) return null;
	return {
		left: left / width,
		top: top / height,
		width: (right - left) / width,
		height: (bottom - top) / height,
	};
}
