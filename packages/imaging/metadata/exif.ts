import { latin1 } from "../bytes.ts";

/** Tags that outlive every removal; all of them live in the first directory (Exif 2.32, section 4.6.5). */
const ORIENTATION = 0x0112;
const ARTIST = 0x013b;
const COPYRIGHT = 0x8298;
/** Where the directory with how a picture was taken begins. */
const PHOTO_DIRECTORY = 0x8769;

const TYPE_ASCII = 2;
const TYPE_SHORT = 3;
/** Exif 3.0 text. Copied under its own type. */
const TYPE_UTF8 = 129;

/** A real file has some forty entries; a hostile one may claim 65,535. */
const MAX_ENTRIES = 1_000;
/** A notice, not a place to smuggle a file through. */
const MAX_TEXT_BYTES = 4_096;

const ENTRY_BYTES = 12;

interface Entry {
	readonly tag: number;
	readonly type: number;
	readonly count: number;
	readonly value: Uint8Array;
}

interface ExifOptions {
	/**
	 * Says so as well, where it is not the default. Needed wherever the pixels stay as they were stored. What the decoder takes it for:
	 * writers store it in more ways than the standard knows, and every reader understands others of them.
	 */
	readonly orientation?: number | undefined;
}

/**
 * A minimal, little-endian TIFF block that holds Copyright and Artist and nothing else, made from any EXIF block with or without
 * its `Exif\0\0` prefix. The result has no prefix. Undefined when there is nothing to keep, or nothing that can be read.
 */
export function copyrightExif(
	exif: Uint8Array,
	{ orientation = 1 }: ExifOptions = {},
): Uint8Array<ArrayBuffer> | undefined {
	const turned =
		orientation > 1 ? [{ tag: ORIENTATION, type: TYPE_SHORT, count: 1, value: Uint8Array.of(orientation, 0) }] : [];
	const wanted = [...turned, ...readEntries(exif)].sort((a, b) => a.tag - b.tag);
	return wanted.length === 0 ? undefined : writeTiff(wanted);
}

/** A copy of a whole block, without prefix, that says the pixels are upright: for pixels that were turned while decoding. */
export function uprightExif(exif: Uint8Array): Uint8Array<ArrayBuffer> {
	const tiff = Uint8Array.from(withoutExifPrefix(exif));
	const view = new DataView(tiff.buffer);
	for (const { at, little, tag } of directoryEntries(tiff)) {
		if (tag !== ORIENTATION) continue;
		view.setUint16(at + 2, TYPE_SHORT, little);
		view.setUint32(at + 4, 1, little);
		view.setUint16(at + 8, 1, little);
	}
	return tiff;
}

/** The ASCII texts of these tags in the directory that EXIF keeps of how a picture was taken, without what pads them. */
export function photoTexts(exif: Uint8Array, tags: readonly number[]): ReadonlyMap<number, string> {
	const tiff = withoutExifPrefix(exif);
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	const texts = new Map<number, string>();
	for (const { at, little, tag } of directoryEntries(tiff)) {
		if (tag !== PHOTO_DIRECTORY) continue;
		for (const place of entriesAt(tiff, view.getUint32(at + 8, little), little)) {
			const text = tags.includes(place.tag) && !texts.has(place.tag) ? asciiAt(tiff, place) : undefined;
			if (text !== undefined) texts.set(place.tag, text);
		}
		break;
	}
	return texts;
}

function asciiAt(tiff: Uint8Array, { at, little }: Place): string | undefined {
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	const count = view.getUint32(at + 4, little);
	const start = count <= 4 ? at + 8 : view.getUint32(at + 8, little);
	if (view.getUint16(at + 2, little) !== TYPE_ASCII || count > MAX_TEXT_BYTES || start + count > tiff.length)
		return undefined;
	return latin1(tiff.subarray(start, start + count)).replace(/[\0 ]+$/, "");
}

/** The TIFF part of an EXIF block: JPEG and some WebP writers put `Exif\0\0` before it. */
function withoutExifPrefix(exif: Uint8Array): Uint8Array {
	const prefixed = exif.length >= 6 && latin1(exif.subarray(0, 6)) === "Exif\0\0";
	return prefixed ? exif.subarray(6) : exif;
}

function readEntries(exif: Uint8Array): Entry[] {
	const tiff = withoutExifPrefix(exif);
	// The first of each tag counts, so that repeats cannot multiply the output.
	const found = new Map<number, Entry>();
	for (const place of directoryEntries(tiff)) {
		if (found.has(place.tag)) continue;
		const entry = readEntry(tiff, place);
		if (entry !== undefined) found.set(place.tag, entry);
	}
	return [...found.values()];
}

/** Where an entry of the first directory lies; all of its twelve bytes are inside the block. */
interface Place {
	readonly at: number;
	readonly little: boolean;
	readonly tag: number;
}

function* directoryEntries(tiff: Uint8Array): Generator<Place> {
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	const little = isLittleEndian(tiff);
	if (little === undefined || tiff.length < 8 || view.getUint16(2, little) !== 42) return;
	yield* entriesAt(tiff, view.getUint32(4, little), little);
}

function* entriesAt(tiff: Uint8Array, directory: number, little: boolean): Generator<Place> {
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	if (directory + 2 > tiff.length) return;
	const count = Math.min(view.getUint16(directory, little), MAX_ENTRIES);
	for (let index = 0; index < count; index++) {
		const at = directory + 2 + index * ENTRY_BYTES;
		if (at + ENTRY_BYTES > tiff.length) return;
		yield { at, little, tag: view.getUint16(at, little) };
	}
}

function isLittleEndian(tiff: Uint8Array): boolean | undefined {
	const mark = latin1(tiff.subarray(0, 2));
	if (mark === "II") return true;
	return mark === "MM" ? false : undefined;
}

function readEntry(tiff: Uint8Array, { at, little, tag }: Place): Entry | undefined {
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	const type = view.getUint16(at + 2, little);
	const count = view.getUint32(at + 4, little);
	if (tag !== COPYRIGHT && tag !== ARTIST) return undefined;
	if (type !== TYPE_ASCII && type !== TYPE_UTF8) return undefined;
	const start = count <= 4 ? at + 8 : view.getUint32(at + 8, little);
	if (start + count > tiff.length) return undefined;
	return textEntry(tag, type, tiff.subarray(start, start + Math.min(count, MAX_TEXT_BYTES)));
}

function textEntry(tag: number, type: number, text: Uint8Array): Entry | undefined {
	let end = text.length;
	// Writers pad with NULs and blanks; a Copyright of only these says nothing.
	while (end > 0 && (text[end - 1] === 0 || text[end - 1] === 0x20)) end--;
	if (end === 0) return undefined;
	const value = new Uint8Array(end + 1);
	value.set(text.subarray(0, end));
	return { tag, type, count: value.length, value };
}

function writeTiff(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
	const heapStart = 8 + 2 + entries.length * ENTRY_BYTES + 4;
	const heapBytes = entries.reduce(
		(sum, { value }) => sum + (value.length > 4 ? value.length + (value.length % 2) : 0),
		0,
	);
	const tiff = new Uint8Array(heapStart + heapBytes);
	const view = new DataView(tiff.buffer);
	tiff.set([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
	view.setUint16(8, entries.length, true);
	let heap = heapStart;
	for (const [index, { tag, type, count, value }] of entries.entries()) {
		const at = 10 + index * ENTRY_BYTES;
		view.setUint16(at, tag, true);
		view.setUint16(at + 2, type, true);
		view.setUint32(at + 4, count, true);
		if (value.length <= 4) {
			tiff.set(value, at + 8);
			continue;
		}
		view.setUint32(at + 8, heap, true);
		tiff.set(value, heap);
		heap += value.length + (value.length % 2);
	}
	return tiff;
}
