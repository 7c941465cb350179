import type { ImageFormat } from "@svc/base/enumerations";
import type { Extent } from "@svc/images/layout/extent";
import type { Master } from "@svc/images/ports";
import type { Metadata } from "sharp";
import { equalBytes } from "../bytes.ts";
import { sharp } from "../sharp-settings.ts";
import { findGainMap, type GainMap } from "./gain-map.ts";
import { stripAvif } from "./strip-avif.ts";
import { stripGif } from "./strip-gif.ts";
import { stripJpeg } from "./strip-jpeg.ts";
import { stripPng } from "./strip-png.ts";
import { stripWebp } from "./strip-webp.ts";

/*
 * All of these copy what a decoder needs and leave out the rest, so that segments and chunks of an unknown kind are left out too.
 * A structure that cannot be followed to its end is cut where it stops making sense: these files have been decoded once, so that
 * only bytes which no decoder reached are lost.
 */
type Strip = (file: Uint8Array, orientation: number | undefined, gainMap?: GainMap) => Uint8Array<ArrayBuffer>;

const THUMBNAIL = 16;

const STRIPS: Readonly<Record<ImageFormat, Strip | undefined>> = {
	jpg: stripJpeg,
	png: stripPng,
	webp: stripWebp,
	gif: stripGif,
	avif: stripAvif,
	// BMP and ICO have no place for descriptions; SVG is text that its author wrote.
	bmp: undefined,
	ico: undefined,
	svg: undefined,
};

/**
 * The master's own container and pixels without GPS, device data, comments and thumbnails; copyright, orientation, profile and
 * animation stay, and so does a gain map. Decodes nothing but the latter. Undefined where the stored bytes hold nothing to remove.
 */
export async function strip(master: Master): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const file = await master.blob.read();
	return await stripped(file, master, await findHeader(file));
}

/** The same of a file that is in memory, with what {@link findHeader} finds. */
export async function stripped(
	file: Uint8Array<ArrayBuffer>,
	master: Extent & Pick<Master, "format">,
	header: Metadata | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const stripFormat = STRIPS[master.format];
	if (stripFormat === undefined) return undefined;
	const gainMap = master.format === "jpg" ? await wholeGainMap(file, master) : undefined;
	const rest = stripFormat(file, header?.orientation, gainMap);
	return equalBytes(file, rest) ? undefined : rest;
}

/**
 * The gain map, if every pixel of it can be decoded: what follows a picture was never looked at, and could be anything that begins like
 * one. It is never larger than the picture. A decoder only warns of pixels that it made up.
 */
async function wholeGainMap(file: Uint8Array, { width, height }: Extent): Promise<GainMap | undefined> {
	const gainMap = findGainMap(file);
	if (!gainMap) return undefined;
	const image = sharp(gainMap.bytes, {
		failOn: "warning",
		limitInputPixels: Math.max(1, width * height),
		sequentialRead: true,
	});
	const decoded = image.resize(THUMBNAIL, THUMBNAIL, { fit: "fill" }).raw().toBuffer();
	return await decoded.then(
		() => gainMap,
		() => undefined,
	);
}

/** As for renditions, which are turned as the decoder says; undefined where it can say nothing. */
export async function findHeader(file: Uint8Array): Promise<Metadata | undefined> {
	return await sharp(file, { limitInputPixels: false })
		.metadata()
		.catch(() => undefined);
}
