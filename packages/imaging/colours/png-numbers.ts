import { latin1, viewOf } from "../bytes.ts";
import type { BytesAt } from "./bytes-at.ts";
import { BT709, type ColourNumbers, ofPngNumbers, type Primaries, power } from "./numbers.ts";

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const FRAME_BYTES = 12;
/** As many as any program writes before the pixels, many times over. */
const MAX_CHUNKS = 200;
/** The longest that says colours by numbers is cHRM. */
const BODY_BYTES = 32;

/** How far from 2.2 an exponent alone still is sRGB's, as in browsers. */
const NEARLY = 0.05;
/** What a table of colours can hold. */
const MOST = 255;

/**
 * The numbers by which a PNG says what its colours are, where those count: cICP comes before a profile, a profile before sRGB, and that before
 * gAMA and cHRM (PNG, third edition, 4.3). Reads nothing behind the first of its pixels.
 */
export async function pngNumbers(at: BytesAt): Promise<ColourNumbers | undefined> {
	const found = new Map<string, DataView>();
	let offset = SIGNATURE_BYTES;
	for (let count = 0; count < MAX_CHUNKS; count++) {
		const head = await at(offset, 8 + BODY_BYTES);
		const type = latin1(head.subarray(4, 8));
		if (head.length < FRAME_BYTES || type === "IDAT") break;
		const length = viewOf(head).getUint32(0);
		if (!found.has(type)) found.set(type, viewOf(head.subarray(8, 8 + length)));
		offset += FRAME_BYTES + length;
	}
	const numbers = codePoints(found.get("cICP"));
	if (numbers) return numbers;
	return found.has("iCCP") || found.has("sRGB") ? undefined : ofLight(found.get("gAMA"), found.get("cHRM"));
}

/** @param body - primaries, transfer, matrix, whether all of the range is used */
function codePoints(body: DataView | undefined): ColourNumbers | undefined {
	const isWhole = body !== undefined && body.byteLength >= 4 && body.getUint8(2) === 0 && body.getUint8(3) === 1;
	return isWhole ? ofPngNumbers(body.getUint8(0), body.getUint8(1)) : undefined;
}

/** Primaries say nothing without a curve, as in browsers. */
function ofLight(gamma: DataView | undefined, primaries: DataView | undefined): ColourNumbers | undefined {
	const value = gamma && gamma.byteLength >= 4 ? gamma.getUint32(0) : 0;
	if (value === 0) return undefined;
	const transfer = power(Math.min(MOST, 100_000 / value));
	if (primaries && primaries.byteLength >= BODY_BYTES) {
		const numbers = Array.from({ length: 8 }, (_, index) => primaries.getUint32(4 * index) / 100_000);
		return { primaries: numbers as unknown as Primaries, transfer };
	}
	return Math.abs(transfer.exponent - 2.2) < NEARLY ? undefined : { primaries: BT709, transfer };
}
