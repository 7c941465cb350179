import { PNG } from "pngjs";
import type { Picture } from "./picture.ts";

/** The bytes are not a PNG that can be shown; the message says why. */
export class PngError extends Error {
	override readonly name = "PngError";
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The signature, and the whole chunk IHDR behind it. */
const HEADER_BYTES = 33;
/** A header of a few bytes must not make this process ask for gigabytes. */
const MAX_PIXELS = 25_000_000;

export function isPng(bytes: Uint8Array): boolean {
	return SIGNATURE.every((byte, index) => bytes[index] === byte);
}

/**
 * How large a PNG is that can be shown, in pixels; its pixels are not looked at. Source: PNG (Third Edition), 11.2.1.
 * @throws PngError
 */
export function pngSize(bytes: Uint8Array): Pick<Picture, "width" | "height"> {
	if (!isPng(bytes)) throw new PngError("It is no PNG.");
	if (bytes.length < HEADER_BYTES) throw new PngError("It has no header.");
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const [width, height, interlace] = [view.getUint32(16), view.getUint32(20), view.getUint8(28)];
	if (width === 0 || height === 0) throw new PngError("Its header makes no sense.");
	if (width * height > MAX_PIXELS) throw new PngError("It has too many pixels.");
	// Of these pngjs does not bound what they unpack to; of others it takes what the header says.
	if (interlace !== 0) throw new PngError("It is interlaced.");
	return { width, height };
}

/**
 * The pixels of a PNG that is not interlaced, as the transform host makes them.
 * @throws PngError
 */
export function decodePng(bytes: Uint8Array): Picture {
	const size = pngSize(bytes);
	try {
		const { data } = PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
			// Checksums are the affair of the transport.
			checkCRC: false,
		});
		return { ...size, rgba: data };
	} catch (cause) {
		throw new PngError("Its pixels cannot be read.", { cause });
	}
}
