import { ascii, viewOf } from "../bytes.ts";

const HEADER_BYTES = 13;
export const EXTENSION = 0x21;
export const IMAGE = 0x2c;
export const TRAILER = 0x3b;

/** Signature, screen and global colours: all that comes before the blocks. */
export function gifHeader(file: Uint8Array): Uint8Array {
	return file.subarray(0, HEADER_BYTES + colourTableBytes(file[10] ?? 0));
}

/** The size that the header claims. Decoders go by the frames when the two disagree. */
export function gifScreen(file: Uint8Array): { readonly width: number; readonly height: number } {
	return { width: viewOf(file).getUint16(6, true), height: viewOf(file).getUint16(8, true) };
}

/** Whether the file ends inside a block. A missing trailer alone is common, and harmless. */
export function isGifCutShort(file: Uint8Array): boolean {
	let at = gifHeader(file).length;
	for (const block of gifBlocks(file)) at += block.length;
	return file[at] === EXTENSION || file[at] === IMAGE;
}

/** Introducer, label, size and name of the extension that says how often an animation is shown again; the count is at 16. */
const LOOP_HEAD = Uint8Array.of(EXTENSION, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1);

/** Overwrites how often an animation is shown again (0: without end), where it says so at all. */
export function setLoops(file: Uint8Array, count: number): void {
	for (const block of gifBlocks(file)) {
		// An image: what is about all of them stands before the first.
		if (block[0] === IMAGE) return;
		if (block.length === LOOP_HEAD.length + 3 && LOOP_HEAD.every((byte, at) => block[at] === byte)) {
			viewOf(block).setUint16(LOOP_HEAD.length, count, true);
		}
	}
}

/** Reads the length from the packed field of the screen or of an image. */
function colourTableBytes(packed: number): number {
	return packed & 0x80 ? 3 * 2 ** ((packed & 0x07) + 1) : 0;
}

/** What an image has before its sub-blocks: a descriptor, perhaps colours, and a code size. */
export function imageHeadBytes(image: Uint8Array): number {
	return 10 + colourTableBytes(image[9] ?? 0) + 1;
}

/** The colours of all images that have none of their own: three bytes each. */
export function globalColours(file: Uint8Array): Uint8Array {
	return gifHeader(file).subarray(HEADER_BYTES);
}

/** Every whole block. Ends at the trailer, or where the structure does. */
export function* gifBlocks(file: Uint8Array): Generator<Uint8Array> {
	let at = gifHeader(file).length;
	for (;;) {
		const introducer = file[at];
		if (introducer !== EXTENSION && introducer !== IMAGE) return;
		// An extension has only its label before them.
		const head = introducer === IMAGE ? imageHeadBytes(file.subarray(at, at + 10)) : 2;
		const end = endOfSubBlocks(file, at + head);
		if (end > file.length) return;
		yield file.subarray(at, end);
		at = end;
	}
}

function endOfSubBlocks(file: Uint8Array, start: number): number {
	let at = start;
	for (let size = file[at]; size !== undefined && size !== 0; size = file[at]) at += 1 + size;
	return at + 1;
}
