import type { Box, Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { bothTurns, inverse, type Turn, turnedBox, turnedExtent, turnOfOrientation } from "@svc/images/layout/turn";
import { shrunkExtent } from "@svc/images/transform/shrunk-masters";
import type { Sharp } from "sharp";
import { FREE } from "../cost.ts";
import { joined, readFrames } from "../frames.ts";
import { allPixels, isPlainJpeg, type KeptPixels, keptBytes, ofPixels } from "../kept-pixels.ts";
import { readingOf } from "../reading.ts";
import { decode, type Source } from "../source.ts";
import { eachFrame, imageOf, type Picture, type RenderJob, type RenderStep } from "../step.ts";
import { isSteady } from "../strips.ts";

/**
 * As {@link decode}, for a picture that is only resized, and of pixels that are there already where that makes no difference. All pixels are decoded at once, which costs more than one
 * rendition needs, where this is not the first one of its picture. `picture`: the path of its master.
 */
export async function decodeOnce(job: RenderJob, kept: KeptPixels, picture: string): Promise<Sharp> {
	const { source, timeoutSeconds } = job;
	const { name } = source;
	const isAgain = kept.isAgain(picture);
	if (name === undefined || !isReadWhole(job)) return decode(source);
	const pixels = kept.find(name) ?? (isAgain ? await allPixels(decode(source), timeoutSeconds) : undefined);
	if (!pixels) return decode(source);
	kept.keep(name, pixels);
	return ofPixels(pixels);
}

/** Whether the file is a JPEG of which this rendition takes all pixels as they are, no more than can be kept, and comes out the same of them. */
function isReadWhole({ source, layout, turn }: RenderJob): boolean {
	const { isCopy, factor, metadata, ownColours } = source;
	const { read, resize, keep } = layout;
	if (!isCopy && (ownColours || !isPlainJpeg(metadata))) return false;
	const there = shrunkExtent(source, factor);
	if (keptBytes(there) === undefined || keep || isTurned(turn)) return false;
	const cut = read ? reducedBox(read, source, factor) : there;
	const isShrunk = Math.min(cut.width / resize.width, cut.height / resize.height) >= 1;
	// A decoder that reads at a half gives other pixels; what is cut is cut from all of them.
	const isWhole = read !== undefined || readingOf({ ...source, ...there }, resize).scale === 1;
	return isShrunk && isWhole && isSteady(cut.height, resize.height);
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
} as const satisfies RenderStep;

/** Turns each frame of an animation alone. */
export const turnFrames = {
	of: { rotate: FREE, flip: FREE },
	when: ({ source, turn }) => source.frames > 1 && isTurned(turn),
	run: (picture, job) => eachTurned(picture, job, job.turn),
} as const satisfies RenderStep;

function eachTurned(picture: Picture, job: RenderJob, turn: Turn): Promise<Picture> {
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
	const there = shrunkExtent(source, source.factor);
	const unturned = turnedExtent(resize, turn);
	const { isFast } = readingOf({ ...source, ...there }, unturned);
	return cut.resize({ ...unturned, fit: "fill", fastShrinkOnLoad: isFast });
}

function kept(image: Sharp, { keep }: Layout): Sharp {
	return keep ? image.extract(keep) : image;
}
