import { latin1 } from "../bytes.ts";
import { type Recognised, recogniseHeif } from "../heif/heif-brands.ts";

/** How many bytes from the start of a file `recognise` wants to see: pictures in boxes are described there. */
export const SIGNATURE_BYTES = 65_536;
/** Of what is no such picture. */
const TEXT_BYTES = 4_096;

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
	const text = latin1(head.subarray(0, TEXT_BYTES));
	return recogniseHeif(head) ?? SIGNATURES.find(({ matches }) => matches(head, text));
}

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
