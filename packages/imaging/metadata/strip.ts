import type { ImageFormat } from "@svc/base/enumerations";
import type { Master } from "@svc/images/ports";
import { equalBytes } from "../bytes.ts";
import { sharp } from "../sharp-settings.ts";
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
type Strip = (file: Uint8Array, orientation: number | undefined) => Uint8Array<ArrayBuffer>;

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
 * animation stay. Decodes nothing. Undefined where the stored bytes hold nothing to remove.
 */
export async function strip(master: Master): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const stripFormat = STRIPS[master.format];
	if (stripFormat === undefined) return undefined;
	const file = await master.blob.read();
	const stripped = stripFormat(file, await orientationOf(file));
	return equalBytes(file, stripped) ? undefined : stripped;
}

/** As for renditions, which are turned as the decoder says; undefined where it can say nothing. */
async function orientationOf(file: Uint8Array): Promise<number | undefined> {
	const header = await sharp(file, { limitInputPixels: false })
		.metadata()
		.catch(() => undefined);
	return header?.orientation;
}
