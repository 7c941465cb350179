import { type Extent, inverse, type Plan, type Turn, turnedBox, turnedExtent } from "@svc/core/geometry";
import type { Metadata, Sharp, SharpOptions } from "sharp";
import { sharp } from "./sharp-settings.ts";

/** An untrusted header may claim anything; ingest refuses more than this, over all frames. */
const MAX_PIXELS = 110_000_000;
const MAX_FRAMES = 500;

/** A master that is about to be decoded. */
export interface Source extends Extent {
	readonly input: string | Uint8Array;
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
		metadata,
		width: metadata.autoOrient.width,
		height: metadata.autoOrient.height,
		frames: animated ? Math.min(metadata.pages ?? 1, MAX_FRAMES) : 1,
		// A profile for ink or greys says nothing about the RGB pixels that every rendition has.
		ownColours: options.ownColours && isRgb && metadata.icc !== undefined,
	};
}

/**
 * From the file to the picture that the plan keeps, turned unless it is animated: libvips turns an animation as one long strip.
 * Resizing comes first where it can, because JPEG and WebP decoders shrink while they read.
 */
export function decode(source: Source, plan: Plan, turn: Turn): Sharp {
	const image = sharp(source.input, inputOptions(source)).autoOrient();
	if (source.frames > 1) return unturned(image, source, plan, turn);
	if (plan.read) return kept(turned(image, turn).extract(plan.read).resize(exactly(plan.resize)), plan);
	return kept(turned(image.resize(exactly(turnedExtent(plan.resize, turn))), turn), plan);
}

export function turned(image: Sharp, { mirrored, degrees }: Turn): Sharp {
	const flopped = mirrored ? image.flop() : image;
	return degrees === 0 ? flopped : flopped.rotate(degrees);
}

/** The same part of the picture as the plan says, before it is turned. */
function unturned(image: Sharp, source: Source, plan: Plan, turn: Turn): Sharp {
	const back = inverse(turn);
	const cut = plan.read ? image.extract(turnedBox(plan.read, turnedExtent(source, turn), back)) : image;
	const resized = cut.resize(exactly(turnedExtent(plan.resize, turn)));
	return plan.keep ? resized.extract(turnedBox(plan.keep, plan.resize, back)) : resized;
}

function kept(image: Sharp, { keep }: Plan): Sharp {
	return keep ? image.extract(keep) : image;
}

function exactly({ width, height }: Extent): { width: number; height: number; fit: "fill" } {
	return { width, height, fit: "fill" };
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
