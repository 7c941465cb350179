import { crc32, inflateSync } from "node:zlib";
import { ascii, concat, latin1, startsWith, viewOf } from "../bytes.ts";
import { copyrightExif } from "./exif.ts";
import { copyrightXmp } from "./xmp.ts";

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const CHUNK_FRAME_BYTES = 12;

/** Pixels, palette, transparency, colour and animation (PNG, third edition). Texts, times and everything unknown are left out. */
const KEPT = new Set("IHDR PLTE IDAT tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT".split(" "));

const XMP_KEYWORD = "XML:com.adobe.xmp\0";
const MAX_XMP_BYTES = 256_000;

export function stripPng(file: Uint8Array, orientation: number | undefined): Uint8Array<ArrayBuffer> {
	const kept: Uint8Array[] = [file.subarray(0, SIGNATURE_BYTES)];
	const described = new Set<string>();
	for (const chunk of chunks(file)) {
		// Browsers refuse a picture whose numbers are said to be of other colours than red, green and blue.
		if (chunk.type === "cICP" && chunk.payload[2] !== 0) continue;
		if (KEPT.has(chunk.type)) {
			kept.push(chunk.bytes);
			continue;
		}
		// A description counts once, as for every reader.
		const kind = chunk.type === "eXIf" ? "exif" : "xmp";
		const rewritten = described.has(kind) ? undefined : describe(chunk, orientation);
		if (rewritten === undefined) continue;
		described.add(kind);
		kept.push(rewritten);
	}
	// Written anew, because decoders accept a file whose last bytes are missing.
	kept.push(chunk("IEND", new Uint8Array()));
	return concat(kept);
}

/** A part of a file, and what is in it. */
export interface Chunk {
	readonly type: string;
	readonly bytes: Uint8Array;
	readonly payload: Uint8Array;
}

function* chunks(file: Uint8Array): Generator<Chunk> {
	const view = viewOf(file);
	let at = SIGNATURE_BYTES;
	while (at + CHUNK_FRAME_BYTES <= file.length) {
		const type = latin1(file.subarray(at + 4, at + 8));
		const end = at + CHUNK_FRAME_BYTES + view.getUint32(at);
		// Whatever follows the end is not part of the picture.
		if (end > file.length || type === "IEND") return;
		yield { type, bytes: file.subarray(at, end), payload: file.subarray(at + 8, end - 4) };
		at = end;
	}
}

/** EXIF or XMP with the copyright alone, in the chunk that the standard gives it. */
function describe({ type, payload }: Chunk, orientation: number | undefined): Uint8Array | undefined {
	if (type === "eXIf") {
		const exif = copyrightExif(payload, { orientation });
		return exif && chunk("eXIf", exif);
	}
	const readText = TEXTS[type];
	if (readText === undefined || !startsWith(payload, XMP_KEYWORD)) return undefined;
	const xmp = copyrightXmp(readText(payload.subarray(XMP_KEYWORD.length)));
	// Uncompressed, without language and translated keyword.
	return xmp && chunk("iTXt", concat([ascii(XMP_KEYWORD), new Uint8Array(4), xmp]));
}

/** Reads the text behind the keyword, by chunk type. Writers put XMP into any of the three. Empty when it cannot be read. */
const TEXTS: Readonly<Partial<Record<string, (rest: Uint8Array) => Uint8Array>>> = {
	tEXt: (rest) => rest,
	zTXt: (rest) => inflate(rest.subarray(1)),
	iTXt: internationalText,
};

/** Compression flag and method, language, translated keyword, text. */
function internationalText(rest: Uint8Array): Uint8Array {
	const language = rest.indexOf(0, 2);
	const keyword = language === -1 ? -1 : rest.indexOf(0, language + 1);
	if (keyword === -1) return new Uint8Array();
	const text = rest.subarray(keyword + 1);
	return rest[0] === 0 ? text : inflate(text);
}

function inflate(text: Uint8Array): Uint8Array {
	try {
		return inflateSync(text, { maxOutputLength: MAX_XMP_BYTES });
	} catch {
		// Damaged, or a bomb: no notice that could be kept.
		return new Uint8Array();
	}
}

function chunk(type: string, payload: Uint8Array): Uint8Array {
	const bytes = concat([new Uint8Array(4), ascii(type), payload, new Uint8Array(4)]);
	const view = viewOf(bytes);
	view.setUint32(0, payload.length);
	view.setUint32(bytes.length - 4, crc32(bytes.subarray(4, bytes.length - 4)));
	return bytes;
}
