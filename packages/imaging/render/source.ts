import { readFile } from "node:fs/promises";
import type { Box, Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { bothTurns, inverse, type Turn, turnedBox, turnedExtent, turnOfOrientation } from "@svc/images/layout/turn";
import type { Master } from "@svc/images/ports";
import { DECODED_FACTOR, shrunkExtent, shrunkMasterFor } from "@svc/images/transform/shrunk-masters";
import type { Sharp, SharpOptions } from "sharp";
import { inSaidColours } from "../colours/said-colours.ts";
import { decodable } from "../decodable.ts";
import { gifXmp } from "../metadata/strip-gif.ts";
import { type Header, inProfile, sharp } from "../sharp-settings.ts";
import { FREE } from "./cost.ts";
import { joined, readFrames } from "./frames.ts";
import { allPixels, isPlainJpeg, type KeptPixels, keptBytes, ofPixels } from "./kept-pixels.ts";
import { eachFrame, imageOf, type Job, type Picture, type Step } from "./step.ts";
import { isSteady } from "./strips.ts";

/** An untrusted header may claim anything; ingest refuses more than this, over all frames. */
const MAX_PIXELS = 110_000_000;
const MAX_FRAMES = 500;

/** A master that is about to be decoded. */
export interface Source extends Extent {
	readonly input: string | Uint8Array;
	/** Stands for the bytes of `input`, wherever they lie. */
	readonly name?: string | undefined;
	/** Whether `input` is a copy, in sRGB. */
	readonly isCopy: boolean;
	/** The factor by which the sides of `input` are smaller than the master's. */
	readonly factor: number;
	readonly metadata: Header;
	/** The first frame that is read. */
	readonly page: number;
	/** How many frames are read. A still is made from the first one. */
	readonly frames: number;
	/** The pixels stay in the colour space of the embedded profile, which then has to go with them. */
	readonly ownColours: boolean;
}

interface SourceOptions extends Pick<Source, "name">, Pick<Master, "format"> {
	/** The one frame that is to be read; undefined for all of an animation, and for the first where a still is made. */
	readonly frame?: number | undefined;
	readonly animated: boolean;
	readonly ownColours: boolean;
}

/** Reads no more than the header. Width and height are those of one upright frame. */
export async function openSource(file: string | Uint8Array, options: SourceOptions): Promise<Source> {
	const isGif = options.format === "gif";
	const stored = isGif && typeof file === "string" ? await readFile(file) : file;
	const input = await decodable(stored, options.format);
	const asStored = await sharp(input, { limitInputPixels: MAX_PIXELS }).metadata();
	const { input: readable, header } = await inSaidColours(input, asStored);
	// The decoder reads nothing that a GIF says about itself.
	const xmp = isGif && typeof stored !== "string" ? gifXmp(stored) : undefined;
	const metadata = xmp ? { ...header, xmp: Buffer.from(xmp) } : header;
	const pages = Math.min(metadata.pages ?? 1, MAX_FRAMES);
	const animated = options.animated && options.frame === undefined;
	const isRgb = metadata.space === "srgb" || metadata.space === "rgb16";
	return {
		input: readable,
		name: options.name,
		isCopy: false,
		factor: 1,
		metadata,
		width: metadata.autoOrient.width,
		height: metadata.autoOrient.height,
		page: Math.min(options.frame ?? 0, pages - 1),
		frames: animated ? pages : 1,
		// A profile for ink or greys says nothing about the RGB pixels that every rendition has.
		ownColours: options.ownColours && isRgb && metadata.icc !== undefined,
	};
}

/** Takes the smallest copy of the picture that is still large enough for the layout, or the master where there is none. */
export async function smallest(
	source: Source,
	layout: Layout,
	turn: Turn,
	{ format, shrunkMasters = [] }: Pick<Master, "format" | "shrunkMasters">,
): Promise<Source> {
	// A copy holds the first frame, in sRGB and opaque.
	if (source.frames > 1 || source.page > 0 || source.ownColours || source.metadata.hasAlpha) return source;
	const read = layout.read ?? turnedExtent(source, turn);
	const factors = shrunkMasters.map((copy) => copy.factor);
	const factor = shrunkMasterFor(read, layout.resize, { format, factors });
	const copy = shrunkMasters.find((one) => one.factor === factor);
	const input = await copy?.path();
	return copy && input ? { ...source, input, name: input, isCopy: true, factor: copy.factor } : source;
}

/**
 * As {@link decode}, for a picture that is only resized, and of pixels that are there already where that makes no difference. All pixels are decoded at once, which costs more than one
 * rendition needs, where this is not the first one of its picture. `picture`: the path of its master.
 */
export async function decodeOnce(job: Job, kept: KeptPixels, picture: string): Promise<Sharp> {
	const { source, timeoutSeconds } = job;
	const { name } = source;
	const isAgain = kept.isAgain(picture);
	if (name === undefined || !isReadWhole(job)) return decode(source);
	const pixels = kept.find(name) ?? (isAgain ? await allPixels(decode(source), timeoutSeconds) : undefined);
	if (!pixels) return decode(source);
	kept.keep(name, pixels);
	return ofPixels(pixels);
}

/** The upright picture; frames of an animation are as they are stored. Nothing is read yet. */
export function decode(source: Source): Sharp {
	const image = sharp(source.input, inputOptions(source));
	const coloured = source.isCopy ? image : inProfile(image, source.metadata);
	// Frames would be turned as one long strip.
	return source.frames > 1 ? coloured : coloured.autoOrient();
}

/** From there on a decoder of JPEGs reads at a half, which gives other pixels. */
const SCALED_FROM = 3;

/** Whether the file is a JPEG of which this rendition takes all pixels as they are, no more than can be kept, and comes out the same of them. */
function isReadWhole({ source, layout, turn }: Job): boolean {
	const { isCopy, factor, metadata, ownColours } = source;
	const { read, resize, keep } = layout;
	if (isCopy ? factor >= DECODED_FACTOR : ownColours || !isPlainJpeg(metadata)) return false;
	const there = shrunkExtent(source, factor);
	if (keptBytes(there) === undefined || keep || isTurned(turn)) return false;
	const cut = read ? reducedBox(read, source, factor) : there;
	const shrink = Math.min(cut.width / resize.width, cut.height / resize.height);
	return shrink >= 1 && (read !== undefined || shrink < SCALED_FROM) && isSteady(cut.height, resize.height);
}

/**
 * Cuts, resizes and turns as the layout says. Resizing comes first where it can, because JPEG and WebP decoders shrink while they
 * read. An animation is not turned yet: libvips would turn it as one long strip.
 */
export const layOut = {
	of: {
		size: FREE,
		w: FREE,
		h: FREE,
		dpr: FREE,
		fit: FREE,
		gravity: FREE,
		zoom: FREE,
		focus: FREE,
		crop: FREE,
		frame: FREE,
		trim: FREE,
		rotate: { bytes: 0, ms: 8, decodes: true },
		flip: { bytes: 0, ms: 4, decodes: false },
	},
	when: () => true,
	run: (picture, job) => {
		const { source, layout, turn } = job;
		const toUpright = turnOfOrientation(source.metadata.orientation);
		if (source.frames === 1 || !isTurned(toUpright)) return { image: laidOut(imageOf(picture), source, layout, turn) };
		const stored = { ...source, ...turnedExtent(source, inverse(toUpright)) };
		const image = laidOut(imageOf(picture), stored, layout, bothTurns(toUpright, turn));
		return eachTurned({ image }, job, toUpright);
	},
} as const satisfies Step;

/** Turns each frame of an animation alone. */
export const turnFrames = {
	of: { rotate: FREE, flip: FREE },
	when: ({ source, turn }) => source.frames > 1 && isTurned(turn),
	run: (picture, job) => eachTurned(picture, job, job.turn),
} as const satisfies Step;

function eachTurned(picture: Picture, job: Job, turn: Turn): Promise<Picture> {
	return eachFrame(picture, job, (frame) => readFrames(turned(joined(frame), turn), 1, job.timeoutSeconds));
}

function isTurned({ mirrored, degrees }: Turn): boolean {
	return mirrored || degrees !== 0;
}

export function laidOut(image: Sharp, source: Source, layout: Layout, turn: Turn): Sharp {
	if (source.frames > 1) return unturned(image, source, layout, turn);
	return kept(turned(readPart(image, source, layout, turn), turn), layout);
}

export function turned(image: Sharp, { mirrored, degrees }: Turn): Sharp {
	const flopped = mirrored ? image.flop() : image;
	return degrees === 0 ? flopped : flopped.rotate(degrees);
}

/** The same part of a copy: it may be off by half of one of the copy's pixels, never outside. */
function reducedBox(box: Box, within: Extent, factor: number): Box {
	if (factor === 1) return box;
	const whole = shrunkExtent(within, factor);
	const { width, height } = shrunkExtent(box, factor);
	return {
		left: Math.min(Math.round(box.left / factor), whole.width - width),
		top: Math.min(Math.round(box.top / factor), whole.height - height),
		width,
		height,
	};
}

/** Cuts the same part of the picture as the layout says, before it is turned. */
function unturned(image: Sharp, source: Source, layout: Layout, turn: Turn): Sharp {
	const resized = readPart(image, source, layout, turn);
	return layout.keep ? resized.extract(turnedBox(layout.keep, layout.resize, inverse(turn))) : resized;
}

/** What the layout reads, resized but not turned yet: sharp mirrors after it has cut, however the two are called. */
function readPart(image: Sharp, source: Source, { read, resize }: Layout, turn: Turn): Sharp {
	const box = read && turnedBox(read, turnedExtent(source, turn), inverse(turn));
	const cut = box ? image.extract(reducedBox(box, source, source.factor)) : image;
	return cut.resize(exactly(turnedExtent(resize, turn)));
}

function kept(image: Sharp, { keep }: Layout): Sharp {
	return keep ? image.extract(keep) : image;
}

function exactly({ width, height }: Extent): { width: number; height: number; fit: "fill" } {
	return { width, height, fit: "fill" };
}

function inputOptions({ page, frames, ownColours }: Source): SharpOptions {
	return {
		limitInputPixels: MAX_PIXELS,
		pages: frames,
		...(page > 0 && { page }),
		ignoreIcc: ownColours,
		// The same as at ingest, which proved that this file decodes: a milder choice would paint a damaged disk grey, a stricter
		// one would refuse masters that were accepted.
		failOn: "error",
	};
}
