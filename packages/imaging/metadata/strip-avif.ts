import { latin1, viewOf } from "../bytes.ts";
import { leaveOutForeignColours } from "../colours/foreign-colours.ts";
import { boxes, type HeifBox, numbersOf } from "../heif/boxes.ts";
import { copyrightExif } from "./exif.ts";
import { copyrightXmp } from "./xmp.ts";

/*
 * An AVIF says where its parts lie by absolute offsets, so nothing may move: the EXIF and XMP items are overwritten where they are,
 * by a block with the copyright alone if that fits, and by zeros or blanks. Orientation is the container's own property in AVIF.
 */

/** Boxes of a whole file; everything else at the top may hold anything and is zeroed. */
const KEPT_BOXES = new Set(["ftyp", "meta", "mdat", "moov"]);
const MAX_EXTENTS = 20_000;

interface Extent {
	readonly start: number;
	readonly end: number;
}

/** Of a moving picture, and of each of its tracks; a box `meta` describes either. */
const KEPT_IN_MOVIE = new Set(["mvhd", "mvex", "iods", "trak", "meta"]);
const KEPT_IN_TRACK = new Set(["tkhd", "edts", "tref", "mdia", "meta"]);

/** @throws RangeError when the boxes cannot be followed: unlike the others, such a file cannot be made safe by leaving out. */
export function stripAvif(file: Uint8Array): Uint8Array<ArrayBuffer> {
	const copy = Uint8Array.from(file);
	const blanked = (all: Iterable<HeifBox>, kept: ReadonlySet<string>) =>
		[...all].filter((box) => kept.has(box.type) || !copy.fill(0, box.start, box.end));
	const inside = (outer: readonly HeifBox[], type: string, kept: ReadonlySet<string>) =>
		outer.filter((box) => box.type === type).flatMap((box) => blanked(boxes(file, box.start, box.end), kept));
	const top = blanked(boxes(file, 0, file.length), KEPT_BOXES);
	const movies = inside(top, "moov", KEPT_IN_MOVIE);
	const tracks = inside(movies, "trak", KEPT_IN_TRACK);
	let bytesLeft = file.length;
	for (const meta of [...top, ...movies, ...tracks].filter(({ type }) => type === "meta")) {
		const parts = [...boxes(file, meta.start + 4, meta.end)];
		const descriptions = readDescriptions(file, parts);
		for (const { id, extents } of readLocations(file, parts)) {
			const rewrite = descriptions.get(id);
			if (rewrite === undefined) continue;
			// Items do not overlap in honest files; in others they could make this take hours.
			bytesLeft -= extents.reduce((sum, { start, end }) => sum + end - start, 0);
			if (bytesLeft < 0 || extents.some(({ end }) => end > file.length))
				throw new RangeError("items overlap or lie outside");
			scatter(copy, extents, rewrite(gather(file, extents)));
		}
	}
	const described = top.find(({ type }) => type === "meta");
	if (described) leaveOutForeignColours(copy.subarray(described.from, described.end));
	return copy;
}

type Rewrite = (content: Uint8Array) => Uint8Array;

/** How each item that describes the picture is to be rewritten, by item id. */
function readDescriptions(file: Uint8Array, parts: readonly HeifBox[]): Map<number, Rewrite> {
	const list = parts.find(({ type }) => type === "iinf");
	if (list === undefined) return new Map();
	const entries = [...boxes(file, list.start + (file[list.start] === 0 ? 6 : 8), list.end)];
	return new Map(
		entries.flatMap(({ start }) => {
			// Version 3 has wide ids; two bytes of protection follow.
			const idBytes = file[start] === 3 ? 4 : 2;
			const id = idBytes === 4 ? viewOf(file).getUint32(start + 4) : viewOf(file).getUint16(start + 4);
			const rewrite = REWRITES[latin1(file.subarray(start + 4 + idBytes + 2, start + 4 + idBytes + 6))];
			return rewrite === undefined ? [] : [[id, rewrite] as const];
		}),
	);
}

/** Replacements by item type. XMP is a MIME item; any other MIME or URI item beside the picture is removed with it. */
const REWRITES: Readonly<Partial<Record<string, Rewrite>>> = {
	Exif: rewriteExif,
	mime: rewriteXmp,
	"uri ": rewriteXmp,
};

function rewriteExif(content: Uint8Array): Uint8Array {
	const blank = new Uint8Array(content.length);
	// Four bytes say how far behind them the TIFF header begins.
	const skipped = content.length < 4 ? content.length : 4 + viewOf(content).getUint32(0);
	const exif = copyrightExif(content.subarray(skipped));
	if (exif !== undefined && exif.length + 4 <= blank.length) blank.set(exif, 4);
	return blank;
}

function rewriteXmp(content: Uint8Array): Uint8Array {
	const blank = new Uint8Array(content.length).fill(0x20);
	const xmp = copyrightXmp(content);
	if (xmp !== undefined && xmp.length <= blank.length) blank.set(xmp);
	return blank;
}

/** Reads the `iloc` box (ISO/IEC 14496-12, section 8.11.3). */
function* readLocations(file: Uint8Array, parts: readonly HeifBox[]): Generator<{ id: number; extents: Extent[] }> {
	const box = parts.find(({ type }) => type === "iloc");
	if (box === undefined) return;
	const idat = parts.find(({ type }) => type === "idat");
	const read = numbersOf(file, box);
	const version = read(1);
	read(3);
	const sizes = read(2);
	const [offsetBytes, lengthBytes, baseBytes] = [(sizes >> 12) & 15, (sizes >> 8) & 15, (sizes >> 4) & 15];
	const indexBytes = version === 0 ? 0 : sizes & 15;
	const wide = version === 2 ? 4 : 2;
	const count = read(wide);
	let extentsLeft = MAX_EXTENTS;
	for (let item = 0; item < count; item++) {
		const id = read(wide);
		const inIdat = version > 0 && (read(2) & 15) === 1;
		read(2);
		const origin = (inIdat ? (idat?.start ?? 0) : 0) + read(baseBytes);
		const extentCount = read(2);
		extentsLeft -= extentCount;
		// An extent may be described by no bytes at all, so their number is not bounded by the file's size.
		if (extentsLeft < 0) throw new RangeError("too many extents");
		const extents = Array.from({ length: extentCount }, () => {
			read(indexBytes);
			const start = origin + read(offsetBytes);
			const length = read(lengthBytes);
			// No length means up to the end of what it lies in.
			return { start, end: length === 0 ? ((inIdat ? idat?.end : undefined) ?? file.length) : start + length };
		});
		yield { id, extents };
	}
}

function gather(file: Uint8Array, extents: readonly Extent[]): Uint8Array {
	const content = new Uint8Array(extents.reduce((sum, { start, end }) => sum + end - start, 0));
	let at = 0;
	for (const { start, end } of extents) {
		content.set(file.subarray(start, end), at);
		at += end - start;
	}
	return content;
}

function scatter(file: Uint8Array, extents: readonly Extent[], content: Uint8Array): void {
	let at = 0;
	for (const { start, end } of extents) {
		file.set(content.subarray(at, at + end - start), start);
		at += end - start;
	}
}
