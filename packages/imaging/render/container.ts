import { crc32, deflateSync } from "node:zlib";
import type { OutputFormat } from "@svc/base/enumerations";
import type { Extent } from "@svc/images/layout/extent";
import { ascii, concat, viewOf } from "../bytes.ts";
import { describeJpeg, endOfApplications, MARKER, MAX_PAYLOAD, segment } from "../jpeg/segments.ts";
import { withXmp } from "../metadata/strip-gif.ts";

/* Freshly encoded files get their descriptions put into the container afterwards. libvips could write them too, but it rewrites
   EXIF on the way: accents are lost, tags are added, and the original's thumbnail comes along. */

export interface Descriptions {
	/** A TIFF block without prefix. */
	readonly exif?: Uint8Array | undefined;
	readonly xmp?: Uint8Array | undefined;
	/** Photoshop resources, as a JPEG's APP13 holds them; other containers have no place for them. */
	readonly iptc?: Uint8Array | undefined;
	readonly icc?: Uint8Array | undefined;
}

/** `size` is that of the picture. A GIF has a place for XMP alone, and AVIF none that can be patched: it comes back as it is. */
export function described(
	file: Uint8Array,
	format: OutputFormat,
	descriptions: Descriptions,
	size: Extent,
): Uint8Array {
	switch (format) {
		case "jpg":
			return describedJpeg(file, descriptions);
		case "png":
			return describedPng(file, descriptions);
		case "webp":
			return describedWebp(file, descriptions, size);
		case "gif":
			return descriptions.xmp ? withXmp(file, descriptions.xmp) : file;
		case "avif":
			return file;
	}
}

function describedJpeg(file: Uint8Array, { exif, xmp, iptc, icc }: Descriptions): Uint8Array {
	const jpeg = describeJpeg(file, { exif, xmp, icc });
	if (iptc === undefined || iptc.length > MAX_PAYLOAD) return jpeg;
	// Before the first quantisation table every order is allowed.
	const table = endOfApplications(jpeg);
	return concat([jpeg.subarray(0, table), segment(MARKER.app13, iptc), jpeg.subarray(table)]);
}

/** The signature and the header chunk, which has to come first. */
const PNG_HEAD_BYTES = 8 + 25;

function describedPng(file: Uint8Array, { exif, xmp, icc }: Descriptions): Uint8Array {
	const chunks: Uint8Array[] = [];
	if (icc) chunks.push(pngChunk("iCCP", ascii("icc\0\0"), deflateSync(icc)));
	if (exif) chunks.push(pngChunk("eXIf", exif));
	if (xmp) chunks.push(pngChunk("iTXt", ascii("XML:com.adobe.xmp\0\0\0\0\0"), xmp));
	return concat([file.subarray(0, PNG_HEAD_BYTES), ...chunks, file.subarray(PNG_HEAD_BYTES)]);
}

function pngChunk(name: string, ...parts: readonly Uint8Array[]): Uint8Array {
	const body = concat([ascii(name), ...parts]);
	const frame = new Uint8Array(body.length + 8);
	viewOf(frame).setUint32(0, body.length - 4);
	frame.set(body, 4);
	viewOf(frame).setUint32(body.length + 4, crc32(body));
	return frame;
}

/** Flags of the extended header (WebP container specification, "Extended File Format"). */
const WEBP_ALPHA = 0x10;
const WEBP_ICC = 0x20;
const WEBP_EXIF = 0x08;
const WEBP_XMP = 0x04;

function describedWebp(file: Uint8Array, { exif, xmp, icc }: Descriptions, size: Extent): Uint8Array {
	const extended = file[15] === 0x58; // An X here means a VP8X chunk.
	const header = extended ? file.slice(12, 30) : webpHeader(size);
	const flags =
		(hasLosslessAlpha(file) ? WEBP_ALPHA : 0) | (icc ? WEBP_ICC : 0) | (exif ? WEBP_EXIF : 0) | (xmp ? WEBP_XMP : 0);
	header[8] = (header[8] ?? 0) | flags;
	const chunks = [
		header,
		...(icc ? [riffChunk("ICCP", icc)] : []),
		file.subarray(extended ? 30 : 12),
		...(exif ? [riffChunk("EXIF", exif)] : []),
		...(xmp ? [riffChunk("XMP ", xmp)] : []),
	];
	return riff(concat(chunks));
}

/** Our encoder writes a file with alpha without such a header only where nothing is lost: then the pixels' own chunk says it. */
function hasLosslessAlpha(file: Uint8Array): boolean {
	const isLossless = file[15] === 0x4c; // An L: the chunk is VP8L, whose 29th bit after the signature stands for alpha.
	return isLossless && ((file[24] ?? 0) & 0x10) !== 0;
}

function webpHeader({ width, height }: Extent): Uint8Array {
	const chunk = riffChunk("VP8X", new Uint8Array(10));
	const view = viewOf(chunk);
	view.setUint16(12, (width - 1) & 0xffff, true);
	view.setUint8(14, (width - 1) >> 16);
	view.setUint16(15, (height - 1) & 0xffff, true);
	view.setUint8(17, (height - 1) >> 16);
	return chunk;
}

function riff(chunks: Uint8Array): Uint8Array {
	const head = concat([ascii("RIFF"), new Uint8Array(4), ascii("WEBP")]);
	viewOf(head).setUint32(4, chunks.length + 4, true);
	return concat([head, chunks]);
}

function riffChunk(name: string, body: Uint8Array): Uint8Array {
	const chunk = new Uint8Array(8 + body.length + (body.length % 2));
	chunk.set(ascii(name));
	viewOf(chunk).setUint32(4, body.length, true);
	chunk.set(body, 8);
	return chunk;
}
