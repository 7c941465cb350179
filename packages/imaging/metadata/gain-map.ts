import { ascii, concat, startsWith, viewOf } from "../bytes.ts";
import { endOfImage, type JpegPiece, pieces } from "../jpeg/pieces.ts";
import { MARKER, segment, XMP_MARK } from "../jpeg/segments.ts";
import { containerOf, describeProperties, type GainMapProperty, gainMapProperties } from "./gain-map-xmp.ts";
import { packet } from "./xmp.ts";

/*
 * A photo with a high dynamic range is an ordinary JPEG with a second, small one behind it, the gain map: how much brighter each place may
 * become. The second is found by an index (CIPA DC-007, "MPF") and announced by XMP (Ultra HDR, Apple) or by ISO 21496-1.
 */

/** ISO 21496-1, annex C: in the picture the version, in the gain map its numbers. */
export const GAIN_MAP_MARK = "urn:iso:std:iso:ts:21496:-1\0";
const INDEX_MARK = "MPF\0";

export interface GainMap {
	/** The second image, without all that is not needed to apply it. */
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** What the XMP of the picture says about it. */
	readonly announcement: readonly string[];
}

/** More than the numbers of three channels take. */
const MAX_NUMBERS_BYTES = 512;
const MAX_PIECES = 5_000;
const SEQUENTIAL_FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1]);

/** The gain map of a JPEG, wherever its index says, or else right behind the picture. Bounded, and decodes nothing. */
export function findGainMap(file: Uint8Array): GainMap | undefined {
	if (!mayHoldAnother(file)) return undefined;
	const end = endOfImage(file);
	// Most pictures end with their file.
	if (end + 4 > file.length) return undefined;
	for (const image of imagesBehind(file, end)) {
		const map = readMap(image);
		if (map) return { bytes: map, announcement: announcementIn(file, map.length) };
	}
	return undefined;
}

const START_OF_IMAGE = Uint8Array.of(0xff, MARKER.startOfImage, 0xff);

/** Among coded pixels no image begins, so that most files are known to hold no second one before their pixels are looked through. */
function mayHoldAnother(file: Uint8Array): boolean {
	let pixelsAt = 0;
	for (const { marker, bytes } of pieces(file)) {
		pixelsAt = bytes.byteOffset - file.byteOffset;
		if (isFrame(marker)) break;
	}
	return Buffer.from(file.buffer, file.byteOffset, file.byteLength).includes(START_OF_IMAGE, pixelsAt);
}

function announcementIn(file: Uint8Array, mapBytes: number): readonly string[] {
	const properties = propertiesIn(pieces(file));
	if (properties.length === 0) return [];
	const described = describeProperties(properties);
	return properties.some(({ prefix }) => prefix === "hdrgm") ? [described, containerOf(mapBytes)] : [described];
}

function propertiesIn(all: Iterable<JpegPiece>): readonly GainMapProperty[] {
	const xmp = find(all, MARKER.app1, XMP_MARK);
	return xmp ? gainMapProperties(xmp.payload.subarray(XMP_MARK.length)) : [];
}

/** The first of that kind. A hostile file has millions of pieces, which are not all held. */
function find(all: Iterable<JpegPiece>, marker: number, mark: string): JpegPiece | undefined {
	for (const piece of all) {
		if (piece.marker === marker && startsWith(piece.payload, mark)) return piece;
	}
	return undefined;
}

/** Undefined unless the image says that it is a gain map, and is one that takes little memory to decode. */
function readMap(image: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	const all: JpegPiece[] = [];
	for (const piece of pieces(image)) {
		if (all.push(piece) > MAX_PIECES) return undefined;
	}
	const properties = propertiesIn(all);
	const numbers = all.find(isNumbers);
	if (properties.length === 0 && !numbers) return undefined;
	if (!isSequential(all)) return undefined;
	const kept: Uint8Array[] = [image.subarray(0, 2)];
	if (numbers) kept.push(numbers.bytes);
	if (properties.length > 0) kept.push(segment(MARKER.app1, ascii(XMP_MARK), packet([describeProperties(properties)])));
	kept.push(...all.filter(isPicture).map(({ bytes }) => bytes), Uint8Array.of(0xff, MARKER.endOfImage));
	return concat(kept);
}

/** One frame of one scan: a decoder holds a few lines of it. */
function isSequential(all: readonly JpegPiece[]): boolean {
	const frames = all.filter(({ marker }) => isFrame(marker));
	const scans = all.filter(({ marker }) => marker === MARKER.startOfScan);
	return frames.length === 1 && scans.length === 1 && frames.every(({ marker }) => SEQUENTIAL_FRAMES.has(marker));
}

function isNumbers({ marker, payload }: JpegPiece): boolean {
	return marker === MARKER.app2 && startsWith(payload, GAIN_MAP_MARK) && payload.length <= MAX_NUMBERS_BYTES;
}

/** Frames but no Huffman tables, extensions or arithmetic conditions, which lie between. */
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Frames, tables, scans, and what colours are meant. */
function isPicture({ marker, payload }: JpegPiece): boolean {
	if ((marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdf)) return true;
	if (marker === MARKER.app2) return startsWith(payload, "ICC_PROFILE\0");
	return marker === MARKER.app14 && startsWith(payload, "Adobe");
}

/** Tags of the index (CIPA DC-007, section 5.2.3). */
const VERSION = 0xb000;
const COUNT = 0xb001;
const ENTRIES = 0xb002;
const ENTRY_BYTES = 16;
/** Cameras write up to four; more are not looked at. */
const MAX_IMAGES = 8;
const MAX_TAGS = 16;

/** The images that may lie behind the first one; each begins as a JPEG does. */
function* imagesBehind(file: Uint8Array, end: number): Generator<Uint8Array> {
	for (const { start, bytes } of readIndex(file)) {
		const inside = start >= end && start + bytes <= file.length;
		if (inside && isJpeg(file, start)) yield file.subarray(start, start + bytes);
	}
	// Some writers count on readers that look for the next image themselves.
	if (isJpeg(file, end)) yield file.subarray(end);
}

function isJpeg(file: Uint8Array, at: number): boolean {
	return file[at] === 0xff && file[at + 1] === MARKER.startOfImage && file[at + 2] === 0xff;
}

function readIndex(file: Uint8Array): { readonly start: number; readonly bytes: number }[] {
	const index = find(pieces(file), MARKER.app2, INDEX_MARK);
	if (!index) return [];
	const tiff = index.payload.subarray(INDEX_MARK.length);
	const entries = entriesIn(tiff);
	const base = tiff.byteOffset - file.byteOffset;
	const view = viewOf(tiff);
	const little = tiff[0] === 0x49;
	const found: { start: number; bytes: number }[] = [];
	// The first entry is the picture itself.
	for (let at = entries.start + ENTRY_BYTES; at + ENTRY_BYTES <= entries.end; at += ENTRY_BYTES) {
		found.push({ start: base + view.getUint32(at + 8, little), bytes: view.getUint32(at + 4, little) });
	}
	return found;
}

/** Where the entries of the index lie; nowhere when they do not lie in it. */
function entriesIn(tiff: Uint8Array): { readonly start: number; readonly end: number } {
	const nowhere = { start: 0, end: 0 };
	const view = viewOf(tiff);
	const little = tiff[0] === 0x49;
	if (tiff.length < 10 || view.getUint16(2, little) !== 42) return nowhere;
	const directory = view.getUint32(4, little);
	if (directory + 2 > tiff.length) return nowhere;
	const count = Math.min(view.getUint16(directory, little), MAX_TAGS);
	for (let at = directory + 2; at < directory + 2 + count * 12 && at + 12 <= tiff.length; at += 12) {
		if (view.getUint16(at, little) !== ENTRIES) continue;
		const start = view.getUint32(at + 8, little);
		const bytes = Math.min(view.getUint32(at + 4, little), MAX_IMAGES * ENTRY_BYTES);
		return { start, end: Math.min(tiff.length, start + bytes) };
	}
	return nowhere;
}

/** The picture, the index that finds both images by where they are now, and the gain map. */
export function indexed(
	descriptions: readonly Uint8Array[],
	picture: readonly Uint8Array[],
	{ bytes: map }: Pick<GainMap, "bytes">,
): Uint8Array<ArrayBuffer> {
	const before = descriptions.reduce((sum, { length }) => sum + length, 0);
	const after = picture.reduce((sum, { length }) => sum + length, 0);
	// The segment's marker and length, and the mark, stand before what offsets count from.
	const base = before + 4 + INDEX_MARK.length;
	const pictureBytes = before + indexSegment(0, 0, 0).length + after;
	const index = indexSegment(pictureBytes, map.length, pictureBytes - base);
	return concat([...descriptions, index, ...picture, map]);
}

/** Says that the picture is the primary image. */
const PRIMARY = 0x030000;

function indexSegment(pictureBytes: number, mapBytes: number, mapOffset: number): Uint8Array {
	const directory = 2 + 3 * 12 + 4;
	const tiff = new Uint8Array(8 + directory + 2 * ENTRY_BYTES);
	const view = viewOf(tiff);
	tiff.set([...ascii("MM"), 0, 42, 0, 0, 0, 8, 0, 3]);
	const tags = [
		[VERSION, 7, 4, 0x30313030],
		[COUNT, 4, 1, 2],
		[ENTRIES, 7, 2 * ENTRY_BYTES, 8 + directory],
	] as const;
	for (const [place, [tag, type, count, value]] of tags.entries()) {
		const at = 10 + place * 12;
		view.setUint16(at, tag);
		view.setUint16(at + 2, type);
		view.setUint32(at + 4, count);
		view.setUint32(at + 8, value);
	}
	const entries = [
		[PRIMARY, pictureBytes, 0],
		[0, mapBytes, mapOffset],
	] as const;
	for (const [place, fields] of entries.entries()) {
		for (const [field, value] of fields.entries())
			view.setUint32(8 + directory + place * ENTRY_BYTES + field * 4, value);
	}
	return segment(MARKER.app2, ascii(INDEX_MARK), tiff);
}
