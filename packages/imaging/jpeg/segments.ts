import { ascii, concat, startsWith, viewOf } from "../bytes.ts";

/** Second byte of each marker (ITU-T T.81, table B.1). */
export const MARKER = {
	tem: 0x01,
	startOfImage: 0xd8,
	endOfImage: 0xd9,
	startOfScan: 0xda,
	app0: 0xe0,
	app1: 0xe1,
	app2: 0xe2,
	app13: 0xed,
	app14: 0xee,
} as const;

export const EXIF_MARK = "Exif\0\0";
export const XMP_MARK = "http://ns.adobe.com/xap/1.0/\0";
export const ICC_MARK = "ICC_PROFILE\0";

/** The two length bytes count themselves. */
export const MAX_PAYLOAD = 0xffff - 2;

/** A profile is cut into pieces that carry their number and the count, one byte each. */
const ICC_PIECE = MAX_PAYLOAD - ICC_MARK.length - 2;

export function segment(marker: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const payload = concat(parts);
	const head = Uint8Array.of(0xff, marker, 0, 0);
	viewOf(head).setUint16(2, payload.length + 2);
	return concat([head, payload]);
}

/** Where the application segments of a freshly encoded JPEG end. */
export function endOfApplications(jpeg: Uint8Array): number {
	const view = viewOf(jpeg);
	let at = 2;
	while (at + 4 <= jpeg.length && view.getUint8(at + 1) >= MARKER.app0 && view.getUint8(at + 1) <= 0xef) {
		at += 2 + view.getUint16(at + 2);
	}
	return at;
}

interface Descriptions {
	/** TIFF data, without prefix. */
	readonly exif: Uint8Array | undefined;
	readonly xmp: Uint8Array | undefined;
	readonly icc: Uint8Array | undefined;
}

/** A freshly encoded JPEG with descriptions put where readers look for them. What does not fit into its segment is left out. */
export function describeJpeg(jpeg: Uint8Array, { exif, xmp, icc }: Descriptions): Uint8Array<ArrayBuffer> {
	const segments: Uint8Array[] = [];
	if (exif !== undefined && exif.length <= MAX_PAYLOAD - EXIF_MARK.length) {
		segments.push(segment(MARKER.app1, ascii(EXIF_MARK), exif));
	}
	if (xmp !== undefined && xmp.length <= MAX_PAYLOAD - XMP_MARK.length) {
		segments.push(segment(MARKER.app1, ascii(XMP_MARK), xmp));
	}
	if (icc !== undefined) segments.push(...iccSegments(icc));
	// JFIF wants to be first of all.
	const start = jpeg[3] === MARKER.app0 && startsWith(jpeg.subarray(6), "JFIF\0") ? 4 + viewOf(jpeg).getUint16(4) : 2;
	return concat([jpeg.subarray(0, start), ...segments, jpeg.subarray(start)]);
}

function iccSegments(icc: Uint8Array): Uint8Array[] {
	const count = Math.ceil(icc.length / ICC_PIECE);
	if (count > 255) return [];
	return Array.from({ length: count }, (_, index) => {
		const piece = icc.subarray(index * ICC_PIECE, (index + 1) * ICC_PIECE);
		return segment(MARKER.app2, ascii(ICC_MARK), Uint8Array.of(index + 1, count), piece);
	});
}
