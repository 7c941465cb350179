import type { Extent } from "@svc/images/layout/extent";
import { startsWith, viewOf } from "../bytes.ts";
import { BitmapFault, readBitmap, rowBytes } from "./bmp-header.ts";

/* Windows icons: a directory of pictures, each of them a PNG or a bitmap without its file header. */

/** Bytes of a file, fewer where it ends. */
export type ReadAt = (position: number, bytes: number) => Promise<Uint8Array>;

/** The message follows the words "is an ICO file but". */
export class IconFault extends Error {
	override readonly name = "IconFault";
}

interface Entry extends Extent {
	readonly bytes: number;
	readonly at: number;
}

const HEAD_BYTES = 6;
const ENTRY_BYTES = 16;
/** Real icons have ten or so. Each is looked at, so their number is bounded. */
const MAX_ENTRIES = 256;
/** The longest header of a bitmap; of a PNG less is enough. */
const PICTURE_HEAD_BYTES = 124;
const PNG_MARK = "\x89PNG\r\n\x1a\n";
const MAX_PNG_SIDE = 65_500;

/**
 * Whether each picture of the directory lies inside the file and begins like one; the size of the largest.
 * @throws IconFault
 */
export async function readIco(readAt: ReadAt, fileBytes: number): Promise<Extent> {
	const entries = await readDirectory(readAt);
	for (const [place, entry] of entries.entries()) {
		const { at, bytes } = entry;
		if (at < HEAD_BYTES + entries.length * ENTRY_BYTES || at + bytes > fileBytes) {
			throw new IconFault(`its picture ${place + 1} lies outside of the file`);
		}
		const head = await readAt(at, Math.min(bytes, PICTURE_HEAD_BYTES));
		if (!isPng(head) && !isBitmap(head, bytes)) throw new IconFault(`its picture ${place + 1} is none`);
	}
	const [largest] = entries.toSorted((one, other) => other.width * other.height - one.width * one.height);
	return { width: largest?.width ?? 0, height: largest?.height ?? 0 };
}

async function readDirectory(readAt: ReadAt): Promise<readonly Entry[]> {
	const head = await readAt(0, HEAD_BYTES);
	if (head.length < HEAD_BYTES) throw new IconFault("it ends inside its directory");
	const [type, count] = [viewOf(head).getUint16(2, true), viewOf(head).getUint16(4, true)];
	if (type !== 1) throw new IconFault("it is a cursor");
	if (count < 1 || count > MAX_ENTRIES) throw new IconFault(`it has ${count} pictures; 1 to ${MAX_ENTRIES} are taken`);
	const directory = await readAt(HEAD_BYTES, count * ENTRY_BYTES);
	if (directory.length < count * ENTRY_BYTES) throw new IconFault("it ends inside its directory");
	const view = viewOf(directory);
	return Array.from({ length: count }, (_, place) => entryAt(view, place * ENTRY_BYTES));
}

function entryAt(view: DataView, at: number): Entry {
	return {
		// One byte cannot hold 256, so 0 stands for it.
		width: view.getUint8(at) || 256,
		height: view.getUint8(at + 1) || 256,
		bytes: view.getUint32(at + 8, true),
		at: view.getUint32(at + 12, true),
	};
}

function isPng(head: Uint8Array): boolean {
	if (!startsWith(head, PNG_MARK) || head.length < 24 || !startsWith(head.subarray(12), "IHDR")) return false;
	const sides = [viewOf(head).getUint32(16), viewOf(head).getUint32(20)];
	return sides.every((side) => side >= 1 && side <= MAX_PNG_SIDE);
}

/** Its height counts the mask of transparent pixels below as well, which not all writers care to write. */
function isBitmap(head: Uint8Array, bytes: number): boolean {
	try {
		const bitmap = readBitmap(head);
		const rows = Math.floor(bitmap.height / 2);
		const { headerBytes, paletteBytes, width } = bitmap;
		return width >= 1 && rows >= 1 && headerBytes + paletteBytes + rowBytes(bitmap) * rows <= bytes;
	} catch (error) {
		if (error instanceof BitmapFault) return false;
		throw error;
	}
}
