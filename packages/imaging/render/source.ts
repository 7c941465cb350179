import type { Reduction } from "@svc/images/ports";
import {
	type Box,
	type Extent,
	inverse,
	type Plan,
	type Turn,
	turnedBox,
	turnedExtent,
} from "@svc/images/transform/geometry";
import { reducedExtent, reductionFor } from "@svc/images/transform/reductions";
import type { Metadata, Sharp, SharpOptions } from "sharp";
import { sharp } from "../sharp-settings.ts";
import { inProfile } from "./deep-colours.ts";

/** An untrusted header may claim anything; ingest refuses more than this, over all frames. */
const MAX_PIXELS = 110_000_000;
const MAX_FRAMES = 500;

/** A master that is about to be decoded. */
export interface Source extends Extent {
	readonly input: string | Uint8Array;
	/** By how much the sides of `input` are smaller than the master's. */
	readonly factor: number;
	readonly metadata: Metadata;
	/** More than 1: all of them are wanted. Without it the first one is. */
	readonly frames: number;
	/** The pixels stay in the colour space of the embedded profile, which then has to go with them. */
	readonly ownColours: boolean;
}

interface SourceOptions {
	readonly animated: boolean;
	readonly ownColours: boolean;
}

/** Reads the header only. Width and height are those of one upright frame. */
export async function openSource(input: string | Uint8Array, options: SourceOptions): Promise<Source> {
	const metadata = await sharp(input, { limitInputPixels: MAX_PIXELS }).metadata();
	// An orientation on an animation would need every frame turned; nobody writes such files, so it is shown as a still.
	const animated = options.animated && (metadata.orientation ?? 1) === 1;
	const isRgb = metadata.space === "srgb" || metadata.space === "rgb16";
	return {
		input,
		factor: 1,
		metadata,
		width: metadata.autoOrient.width,
		height: metadata.autoOrient.height,
		frames: animated ? Math.min(metadata.pages ?? 1, MAX_FRAMES) : 1,
		// A profile for ink or greys says nothing about the RGB pixels that every rendition has.
		ownColours: options.ownColours && isRgb && metadata.icc !== undefined,
	};
}

/** The same picture from the smallest copy that is still large enough for the plan; from the master where there is none. */
export async function smallest(source: Source, plan: Plan, turn: Turn, copies: readonly Reduction[]): Promise<Source> {
	// A copy holds one frame, in sRGB.
	if (source.frames > 1 || source.ownColours) return source;
	const read = plan.read ?? turnedExtent(source, turn);
	const factor = reductionFor(
		read,
		plan.resize,
		copies.map((copy) => copy.factor),
	);
	const copy = copies.find((one) => one.factor === factor);
	const input = await copy?.read();
	return copy && input ? { ...source, input, factor: copy.factor } : source;
}

/**
 * From the file to the picture that the plan keeps, turned unless it is animated: libvips turns an animation as one long strip.
 * Resizing comes first where it can, because JPEG and WebP decoders shrink while they read.
 */
export function decode(source: Source, plan: Plan, turn: Turn): Sharp {
	const image = opened(source).autoOrient();
	if (source.frames > 1) return unturned(image, source, plan, turn);
	return kept(turned(readPart(image, source, plan, turn), turn), plan);
}

/** The same part of a copy: it may be off by half of one of the copy's pixels, never outside. */
function reducedBox(box: Box, within: Extent, factor: number): Box {
	if (factor === 1) return box;
	const whole = reducedExtent(within, factor);
	const { width, height } = reducedExtent(box, factor);
	return {
		left: Math.min(Math.round(box.left / factor), whole.width - width),
		top: Math.min(Math.round(box.top / factor), whole.height - height),
		width,
		height,
	};
}

export function turned(image: Sharp, { mirrored, degrees }: Turn): Sharp {
	const flopped = mirrored ? image.flop() : image;
	return degrees === 0 ? flopped : flopped.rotate(degrees);
}

/** The same part of the picture as the plan says, before it is turned. */
function unturned(image: Sharp, source: Source, plan: Plan, turn: Turn): Sharp {
	const resized = readPart(image, source, plan, turn);
	return plan.keep ? resized.extract(turnedBox(plan.keep, plan.resize, inverse(turn))) : resized;
}

/** What the plan reads, resized but not turned yet: sharp mirrors after it has cut, however the two are called. */
function readPart(image: Sharp, source: Source, { read, resize }: Plan, turn: Turn): Sharp {
	const box = read && turnedBox(read, turnedExtent(source, turn), inverse(turn));
	const cut = box ? image.extract(reducedBox(box, source, source.factor)) : image;
	return cut.resize(exactly(turnedExtent(resize, turn)));
}

function kept(image: Sharp, { keep }: Plan): Sharp {
	return keep ? image.extract(keep) : image;
}

function exactly({ width, height }: Extent): { width: number; height: number; fit: "fill" } {
	return { width, height, fit: "fill" };
}

function opened(source: Source): Sharp {
	const image = sharp(source.input, inputOptions(source));
	// A copy is in sRGB already.
	return source.factor === 1 ? inProfile(image, source.metadata) : image;
}

function inputOptions({ frames, ownColours }: Source): SharpOptions {
	return {
		limitInputPixels: MAX_PIXELS,
		pages: frames,
		ignoreIcc: ownColours,
		// As at ingest, which proved that this file decodes: milder would paint a damaged disk grey, stricter would refuse
		// masters that were accepted.
		failOn: "error",
	};
}
