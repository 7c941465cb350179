import type { Extent } from "@svc/images/layout/extent";
import { startsWith, viewOf } from "../bytes.ts";

/* Windows bitmaps, in files and in icons: headers only. Source: Microsoft, "Bitmap Storage" and BITMAPV5HEADER. */

/** The file header and the longest of the others. */
export const BMP_HEAD_BYTES = 14 + 124;

/** The message follows the words "is a BMP file but". */
export class BitmapFault extends Error {
	override readonly name = "BitmapFault";
}

/** A device-independent bitmap, as its own header describes it. */
export interface Bitmap extends Extent {
	/** Length of the header. */
	readonly headerBytes: number;
	readonly bitsPerPixel: number;
	readonly compression: number;
	readonly topDown: boolean;
	/** Bytes of the colours that follow the header, masks included. */
	readonly paletteBytes: number;
}

const FILE_HEADER_BYTES = 14;
const CORE_HEADER_BYTES = 12;
/** BITMAPINFOHEADER, its two undocumented extensions, V4 and V5. */
const HEADERS: readonly number[] = [CORE_HEADER_BYTES, 40, 52, 56, 108, 124];

const RGB = 0;
const RLE8 = 1;
const RLE4 = 2;
const BITFIELDS = 3;
const ALPHA_BITFIELDS = 6;

/** Bits per pixel of each compression. JPEG and PNG inside of a bitmap (4, 5) are for printers; no browser shows them. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
	[RGB]: [1, 4, 8, 16, 24, 32],
	[RLE8]: [8],
	[RLE4]: [4],
	[BITFIELDS]: [16, 32],
	[ALPHA_BITFIELDS]: [16, 32],
};

/**
 * Whether a file of this length can hold what its header says, and how large the picture is.
 * @throws BitmapFault
 */
export function readBmp(head: Uint8Array, fileBytes: number): Extent {
	if (!startsWith(head, "BM") || head.length < FILE_HEADER_BYTES + CORE_HEADER_BYTES) {
		throw new BitmapFault("it ends inside its header");
	}
	const bitmap = readBitmap(head.subarray(FILE_HEADER_BYTES));
	const pixelsAt = viewOf(head).getUint32(10, true);
	if (pixelsAt < FILE_HEADER_BYTES + bitmap.headerBytes + bitmap.paletteBytes) {
		throw new BitmapFault("its pixels begin inside its header");
	}
	// Only a decoder knows how many bytes compressed pixels take.
	const least = isRunLength(bitmap) ? 1 : rowBytes(bitmap) * bitmap.height;
	if (pixelsAt + least > fileBytes) throw new BitmapFault("it is too short for the pixels that its header tells of");
	return { width: bitmap.width, height: bitmap.height };
}

/** @throws BitmapFault */
export function readBitmap(head: Uint8Array): Bitmap {
	const view = viewOf(head);
	const headerBytes = head.length < CORE_HEADER_BYTES ? 0 : view.getUint32(0, true);
	if (!HEADERS.includes(headerBytes)) throw new BitmapFault("its header is of no known kind");
	if (head.length < headerBytes) throw new BitmapFault("it ends inside its header");
	const bitmap = headerBytes === CORE_HEADER_BYTES ? coreBitmap(view) : infoBitmap(view, headerBytes);
	if (!DEPTHS[bitmap.compression]?.includes(bitmap.bitsPerPixel)) {
		throw new BitmapFault(
			`no browser shows ${bitmap.bitsPerPixel} bits per pixel with compression ${bitmap.compression}`,
		);
	}
	if (bitmap.topDown && isRunLength(bitmap)) throw new BitmapFault("its compressed rows are upside down");
	return bitmap;
}

/** Bytes of a row of uncompressed pixels; rows are padded to four bytes. */
export function rowBytes({ width, bitsPerPixel }: Pick<Bitmap, "width" | "bitsPerPixel">): number {
	return Math.ceil((width * bitsPerPixel) / 32) * 4;
}

function isRunLength({ compression }: Bitmap): boolean {
	return compression === RLE8 || compression === RLE4;
}

function coreBitmap(view: DataView): Bitmap {
	requireOnePlane(view.getUint16(8, true));
	const bitsPerPixel = view.getUint16(10, true);
	return {
		headerBytes: CORE_HEADER_BYTES,
		width: view.getUint16(4, true),
		height: view.getUint16(6, true),
		bitsPerPixel,
		compression: RGB,
		topDown: false,
		paletteBytes: bitsPerPixel <= 8 ? 2 ** bitsPerPixel * 3 : 0,
	};
}

function infoBitmap(view: DataView, headerBytes: number): Bitmap {
	requireOnePlane(view.getUint16(12, true));
	const height = view.getInt32(8, true);
	const bitsPerPixel = view.getUint16(14, true);
	const compression = view.getUint32(16, true);
	return {
		headerBytes,
		width: Math.max(0, view.getInt32(4, true)),
		height: Math.abs(height),
		bitsPerPixel,
		compression,
		topDown: height < 0,
		paletteBytes: coloursOf(bitsPerPixel, view.getUint32(32, true)) * 4 + maskBytes(headerBytes, compression),
	};
}

/** Colours beyond those that the pixels can name are not read. */
function coloursOf(bitsPerPixel: number, said: number): number {
	if (bitsPerPixel > 8) return 0;
	const most = 2 ** bitsPerPixel;
	return said === 0 ? most : Math.min(said, most);
}

/** Later headers hold the masks themselves. */
function maskBytes(headerBytes: number, compression: number): number {
	if (headerBytes > 40) return 0;
	if (compression === BITFIELDS) return 12;
	return compression === ALPHA_BITFIELDS ? 16 : 0;
}

function requireOnePlane(planes: number): void {
	if (planes !== 1) throw new BitmapFault(`it has ${planes} planes`);
}
