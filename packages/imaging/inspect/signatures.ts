import type { SourceFormat } from "@svc/base/enumerations";
import { latin1 } from "../bytes.ts";

/** How many bytes from the start of a file `recognise` wants to see. */
export const SIGNATURE_BYTES = 4_096;

export interface Recognised {
	/** Undefined for what is known by name only. */
	readonly format: SourceFormat | undefined;
	/** A name for people, as `a TIFF file`. */
	readonly kind: string;
}

interface Signature extends Recognised {
	matches(head: Uint8Array, text: string): boolean;
}

const at0 = (...marks: readonly string[]) => {
	return (_: Uint8Array, text: string) => marks.some((mark) => text.startsWith(mark));
};

/** The first that matches wins; marks of a single meaning come before guesses. */
const SIGNATURES: readonly Signature[] = [
	{ format: "jpg", kind: "a JPEG file", matches: at0("\xff\xd8\xff") },
	{ format: "png", kind: "a PNG file", matches: at0("\x89PNG\r\n\x1a\n") },
	{ format: "gif", kind: "a GIF file", matches: at0("GIF87a", "GIF89a") },
	{
		format: "webp",
		kind: "a WebP file",
		matches: (_, text) => text.startsWith("RIFF") && text.startsWith("WEBP", 8),
	},
	{ format: "avif", kind: "an AVIF file", matches: hasBrand("avif", "avis") },
	{
		format: "heic",
		kind: "a HEIC file",
		matches: hasBrand("heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"),
	},
	{ format: undefined, kind: "a HEIF file without HEVC pictures", matches: hasBrand("mif1", "mif2", "msf1") },
	{ format: undefined, kind: "a JPEG XL file", matches: at0("\xff\x0a", "\0\0\0\x0cJXL ") },
	{ format: undefined, kind: "a JPEG 2000 file", matches: at0("\0\0\0\x0cjP  ", "\xff\x4f\xff\x51") },
	{ format: undefined, kind: "a TIFF file", matches: at0("II*\0", "MM\0*", "II+\0", "MM\0+") },
	{ format: undefined, kind: "a PDF file", matches: at0("%PDF-") },
	{ format: undefined, kind: "a Photoshop file", matches: at0("8BPS") },
	{ format: undefined, kind: "a ZIP archive", matches: at0("PK\x03\x04") },
	{ format: undefined, kind: "a video", matches: (_, text) => text.startsWith("ftyp", 4) },
	// Two letters are also how a text may begin; the reserved zeros of the header tell them apart.
	{ format: "bmp", kind: "a BMP file", matches: (_, text) => text.startsWith("BM") && text.startsWith("\0\0\0\0", 6) },
	{ format: "ico", kind: "an ICO file", matches: isDirectory(1) },
	{ format: undefined, kind: "a cursor", matches: isDirectory(2) },
	{ format: "svg", kind: "an SVG file", matches: isSvg },
];

/** The format by the first bytes of a file; names and declared types play no part. Undefined when no signature matches. */
export function recognise(head: Uint8Array): Recognised | undefined {
	const text = latin1(head.subarray(0, SIGNATURE_BYTES));
	return SIGNATURES.find(({ matches }) => matches(head, text));
}

/**
 * The major brand of an ISO media file, or else a compatible one: cameras also write `mif1` first and say what it really is
 * among the compatible brands.
 */
function hasBrand(...wanted: readonly string[]): Signature["matches"] {
	return (head, text) => {
		if (!text.startsWith("ftyp", 4) || head.length < 16) return false;
		const box = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
		const brands = [text.slice(8, 12)];
		for (let at = 16; at + 4 <= Math.min(box, head.length); at += 4) brands.push(text.slice(at, at + 4));
		const [major = ""] = brands;
		if (PICTURE_BRANDS.test(major)) return wanted.includes(major);
		return brands.some((brand) => wanted.includes(brand));
	};
}

/** Major brands that decide the format by themselves. */
const PICTURE_BRANDS = /^(avi[fs]|he[iv][cxms])$/;

/** Recognises a directory of icons (1) or of cursors (2). */
function isDirectory(type: number): Signature["matches"] {
	return (_, text) => {
		const count = text.charCodeAt(4) + text.charCodeAt(5) * 256;
		// The fourth byte of an entry is reserved as zero.
		return text.startsWith(`\0\0${String.fromCharCode(type)}\0`) && count > 0 && text[9] === "\0";
	};
}

function isSvg(_: Uint8Array, text: string): boolean {
	const start = text.replace(/^\xef\xbb\xbf/, "").trimStart();
	return start.startsWith("<") && /<(?:[\w.-]+:)?svg[\s>/]/i.test(start);
}
