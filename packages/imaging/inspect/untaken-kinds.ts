import type { SourceFormat } from "@svc/base/enumerations";
import { latin1, viewOf } from "../bytes.ts";
import { type BytesAt, withBytesOf } from "../colours/bytes-at.ts";

/*
 * Whole files of a format that is taken, in a form that is not: no decoder here reads it, or no browser shows it. Their headers say so, and who
 * sends one is told that, and nothing of damage.
 */

const BROWSERS = "which browsers do not show";
const HIERARCHICAL = `a hierarchical JPEG file, ${BROWSERS}`;
const LOSSLESS = `a lossless JPEG file, ${BROWSERS}`;

/** Kinds of JPEG by the second byte of the marker of their frame (ITU-T T.81, table B.1; T.87 for JPEG-LS). */
const FRAMES: ReadonlyMap<number, string | undefined> = new Map([
	// Huffman codes and arithmetic, at once or in several scans.
	...[0xc0, 0xc1, 0xc2, 0xc9, 0xca].map((marker) => [marker, undefined] as const),
	...[0xc3, 0xcb].map((marker) => [marker, LOSSLESS] as const),
	...[0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf, 0xde].map((marker) => [marker, HIERARCHICAL] as const),
	[0xf7, `a JPEG-LS file, ${BROWSERS}`],
]);
const SCAN = 0xda;
const END = 0xd9;
const WINDOW_BYTES = 65_536;
/** Programs write profiles and previews of some megabytes in front of a frame. */
const MOST_SEGMENTS = 2_000;

/** The form of a file, for people, as `a lossless JPEG file`; undefined where it is taken. */
export async function untakenKind(format: SourceFormat, head: Uint8Array, path: string): Promise<string | undefined> {
	if (format === "png") return pngKind(head);
	return format === "jpg" ? await withBytesOf(path, jpegKind) : undefined;
}

async function jpegKind(at: BytesAt): Promise<string | undefined> {
	const frame = await findFrame(at);
	if (!frame) return undefined;
	const { marker, precision, height } = frame;
	const kind = FRAMES.get(marker);
	if (kind) return kind;
	if (precision !== 8) return `a JPEG file of ${precision} bits a sample, of which browsers show 8`;
	return height === 0 ? `a JPEG file that says its height behind its picture, ${BROWSERS}` : undefined;
}

interface Frame {
	readonly marker: number;
	/** Bits of a sample. */
	readonly precision: number;
	readonly height: number;
}

async function findFrame(at: BytesAt): Promise<Frame | undefined> {
	let window = { start: 0, bytes: await at(0, WINDOW_BYTES) };
	let place = 2;
	for (let segment = 0; segment < MOST_SEGMENTS; segment++) {
		if (place + 10 > window.start + window.bytes.length)
			window = { start: place, bytes: await at(place, WINDOW_BYTES) };
		const bytes = window.bytes.subarray(place - window.start);
		const [prefix, marker = END] = bytes;
		if (bytes.length < 10 || prefix !== 0xff || marker === SCAN || marker === END) return undefined;
		const view = viewOf(bytes);
		if (FRAMES.has(marker)) return { marker, precision: view.getUint8(4), height: view.getUint16(5) };
		// Any number of these may stand in front of a marker.
		place += marker === 0xff ? 1 : 2 + view.getUint16(2);
	}
	return undefined;
}

/** Parts that a reader of PNG has to know begin with a capital (PNG, third edition, section 5.4). */
const KNOWN_PARTS = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
const PNG_SIGNATURE_BYTES = 8;

function pngKind(head: Uint8Array): string | undefined {
	const view = viewOf(head);
	for (let at = PNG_SIGNATURE_BYTES; at + 8 <= head.length; at += 12 + view.getUint32(at)) {
		const part = latin1(head.subarray(at + 4, at + 8));
		if (part === "CgBI") return `a PNG file in Apple's form for apps (CgBI), ${BROWSERS}`;
		if (part === "IDAT" || !/^[A-Za-z]{4}$/.test(part)) return undefined;
		if (/^[A-Z]/.test(part) && !KNOWN_PARTS.has(part)) return `a PNG file with a part ${part}, ${BROWSERS}`;
	}
	return undefined;
}
