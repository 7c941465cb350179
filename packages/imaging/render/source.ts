import { readFile } from "node:fs/promises";
import type { Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { type Turn, turnedExtent } from "@svc/images/layout/turn";
import type { Master } from "@svc/images/ports";
import { shrunkMasterFor } from "@svc/images/transform/shrunk-masters";
import type { Sharp, SharpOptions } from "sharp";
import { inSaidColours } from "../colours/said-colours.ts";
import { decodable } from "../decodable.ts";
import { gifXmp } from "../metadata/strip-gif.ts";
import { type Header, inProfile, sharp } from "../sharp-settings.ts";

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
	/** Of the bytes of `input`. */
	readonly format: string;
	/** Whether the rendition shows all that it is made of, so that the decoder leaves out less. */
	readonly isExact: boolean;
}

interface SourceOptions extends Pick<Source, "name">, Pick<Master, "format"> {
	/** The one frame that is to be read; undefined for all of an animation, and for the first where a still is made. */
	readonly frame?: number | undefined;
	readonly animated: boolean;
	readonly ownColours: boolean;
	readonly isExact: boolean;
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
		format: options.format,
		isExact: options.isExact,
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
	return copy && input ? { ...source, input, name: input, isCopy: true, format: "jpg", factor: copy.factor } : source;
}

/** The upright picture; frames of an animation are as they are stored. Nothing is read yet. */
export function decode(source: Source): Sharp {
	const image = sharp(source.input, inputOptions(source));
	const coloured = source.isCopy ? image : inProfile(image, source.metadata);
	// Frames would be turned as one long strip.
	return source.frames > 1 ? coloured : coloured.autoOrient();
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
