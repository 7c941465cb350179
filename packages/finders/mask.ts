import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ANALYSIS_SIDE } from "./picture.ts";

/** Which part of a picture is its subject. */
export interface SubjectMask {
	/** Of the analysis picture. */
	readonly width: number;
	readonly height: number;
	/** 0 (background) to 255 (subject), one byte per pixel, rows without padding. */
	readonly alpha: Uint8Array;
	/** The subject's share of the area, 0 to 1. */
	readonly share: number;
}

const VERSION = 1;
const HEADER_BYTES = 5;

export function maskOf(alpha: Uint8Array, width: number, height: number): SubjectMask {
	const sum = alpha.reduce((total, value) => total + value, 0);
	return { width, height, alpha, share: sum / (255 * alpha.length) };
}

/**
 * A few thousand bytes, without loss: a version, the width and the height (two bytes each, big-endian), then the deflated difference of
 * every row to the one above.
 */
export function encodeMask({ width, height, alpha }: SubjectMask): Uint8Array {
	const rows = alpha.map((value, index) => value - (alpha[index - width] ?? 0));
	const packed = deflateRawSync(rows, { level: 9 });
	const bytes = new Uint8Array(HEADER_BYTES + packed.length);
	const header = new DataView(bytes.buffer);
	header.setUint8(0, VERSION);
	header.setUint16(1, width);
	header.setUint16(3, height);
	bytes.set(packed, HEADER_BYTES);
	return bytes;
}

/** @throws RangeError for anything that `encodeMask` has not made. */
export function decodeMask(bytes: Uint8Array): SubjectMask {
	if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) throw new RangeError("these bytes are no mask");
	const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
	const width = header.getUint16(1);
	const height = header.getUint16(3);
	const alpha = unpacked(bytes.subarray(HEADER_BYTES), width, height);
	// Sums of bytes, which wrap around as the differences did.
	for (let index = width; index < alpha.length; index++)
		alpha[index] = (alpha[index] ?? 0) + (alpha[index - width] ?? 0);
	return maskOf(alpha, width, height);
}

function unpacked(packed: Uint8Array, width: number, height: number): Uint8Array {
	const length = width * height;
	if (length === 0 || Math.max(width, height) > ANALYSIS_SIDE)
		throw new RangeError(`a mask is not ${width} by ${height}`);
	try {
		const rows = new Uint8Array(inflateRawSync(packed, { maxOutputLength: length }));
		if (rows.length === length) return rows;
	} catch (error) {
		throw new RangeError("a mask is damaged", { cause: error });
	}
	throw new RangeError("a mask is cut short");
}
