import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ANALYSIS_SIDE, type Mask } from "./transform/analysis.ts";

const VERSION = 1;
const HEADER_BYTES = 5;

/**
 * A few thousand bytes, without loss: a version, the width and the height (two bytes each, big-endian), then the deflated difference of
 * every row to the one above.
 */
export function encodeMask({ width, height, alpha }: Mask): Uint8Array<ArrayBuffer> {
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
export function decodeMask(bytes: Uint8Array): Mask {
	if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) throw new RangeError("these bytes are no mask");
	const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
	const width = header.getUint16(1);
	const height = header.getUint16(3);
	const alpha = unpacked(bytes.subarray(HEADER_BYTES), width, height);
	// Sums of bytes, which wrap around as the differences did.
	for (let index = width; index < alpha.length; index++)
		alpha[index] = (alpha[index] ?? 0) + (alpha[index - width] ?? 0);
	return { width, height, alpha };
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
