import { ascii, concat, startsWith, viewOf } from "../bytes.ts";
import { type JpegPiece, pieces } from "../jpeg/pieces.ts";
import { EXIF_MARK, ICC_MARK, MARKER, segment, XMP_MARK } from "../jpeg/segments.ts";
import { copyrightExif } from "./exif.ts";
import { GAIN_MAP_MARK, type GainMap, indexed } from "./gain-map.ts";
import { copyrightXmp } from "./xmp.ts";

const PHOTOSHOP_MARK = "Photoshop 3.0\0";
const JFIF_MARK = "JFIF\0";
/** The mark, version, density, and the size of a thumbnail that is left out. */
const JFIF_BYTES = 14;
const ADOBE_BYTES = 12;
/** Two numbers behind the mark say by which version of ISO 21496-1 the gain map is to be read. */
const MAX_GAIN_MAP_VERSION = 64;

/** What the description of a picture depends on besides the picture. */
interface Situation {
	readonly orientation: number | undefined;
	readonly gainMap: GainMap | undefined;
}

/**
 * Frames, tables and scans as they are; described anew: EXIF, XMP and IPTC. What follows the end of the image is left out, but for its
 * gain map, which is found by a new index.
 */
export function stripJpeg(
	file: Uint8Array,
	orientation: number | undefined,
	gainMap?: GainMap,
): Uint8Array<ArrayBuffer> {
	const descriptions: Uint8Array[] = [file.subarray(0, 2)];
	const picture: Uint8Array[] = [];
	const seen = new Set<string>();
	for (const piece of pieces(file)) {
		const bytes = keep(piece, seen, { orientation, gainMap });
		if (bytes === undefined) continue;
		const describes = picture.length === 0 && isApplication(piece.marker);
		(describes ? descriptions : picture).push(bytes);
	}
	picture.push(Uint8Array.of(0xff, MARKER.endOfImage));
	return gainMap ? indexed(descriptions, picture, gainMap) : concat([...descriptions, ...picture]);
}

function isApplication(marker: number): boolean {
	return marker >= MARKER.app0 && marker <= 0xef;
}

function keep(piece: JpegPiece, seen: Set<string>, situation: Situation): Uint8Array | undefined {
	const { marker, bytes } = piece;
	// Frames and Huffman tables, then scans, quantisation tables, lines, restart intervals and hierarchies.
	if ((marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdf)) return bytes;
	const application = APPLICATIONS.find((known) => known.marker === marker && startsWith(piece.payload, known.mark));
	if (application === undefined) return undefined;
	// A description counts once, as for every reader; a profile comes in many pieces.
	if (!application.repeats && seen.has(application.mark)) return undefined;
	seen.add(application.mark);
	return application.keep(piece, situation);
}

interface Application {
	readonly marker: number;
	readonly mark: string;
	readonly repeats: boolean;
	keep(piece: JpegPiece, situation: Situation): Uint8Array | undefined;
}

const APPLICATIONS: readonly Application[] = [
	{ marker: MARKER.app0, mark: JFIF_MARK, repeats: false, keep: keepJfif },
	{ marker: MARKER.app1, mark: EXIF_MARK, repeats: false, keep: keepExif },
	{ marker: MARKER.app1, mark: XMP_MARK, repeats: false, keep: keepXmp },
	{ marker: MARKER.app2, mark: ICC_MARK, repeats: true, keep: ({ bytes }) => bytes },
	{ marker: MARKER.app2, mark: GAIN_MAP_MARK, repeats: false, keep: keepGainMapVersion },
	{ marker: MARKER.app13, mark: PHOTOSHOP_MARK, repeats: false, keep: keepIptc },
	// Says whether the colours are YCbCr, RGB or CMYK: without it they come out wrong.
	{
		marker: MARKER.app14,
		mark: "Adobe",
		repeats: false,
		keep: ({ payload }) => segment(MARKER.app14, payload.subarray(0, ADOBE_BYTES)),
	},
];

function keepJfif({ payload }: JpegPiece): Uint8Array | undefined {
	if (payload.length < JFIF_BYTES) return undefined;
	return segment(MARKER.app0, payload.subarray(0, JFIF_BYTES - 2), Uint8Array.of(0, 0));
}

function keepExif({ payload }: JpegPiece, { orientation }: Situation): Uint8Array | undefined {
	const exif = copyrightExif(payload, { orientation });
	return exif && segment(MARKER.app1, ascii(EXIF_MARK), exif);
}

function keepXmp({ payload }: JpegPiece, { gainMap }: Situation): Uint8Array | undefined {
	const xmp = copyrightXmp(payload.subarray(XMP_MARK.length), gainMap?.announcement);
	return xmp && segment(MARKER.app1, ascii(XMP_MARK), xmp);
}

function keepGainMapVersion({ bytes }: JpegPiece, { gainMap }: Situation): Uint8Array | undefined {
	return gainMap && bytes.length <= MAX_GAIN_MAP_VERSION ? bytes : undefined;
}

function keepIptc({ payload }: JpegPiece): Uint8Array | undefined {
	const iptc = copyrightIptc(payload.subarray(PHOTOSHOP_MARK.length));
	return iptc && segment(MARKER.app13, ascii(PHOTOSHOP_MARK), iptc);
}

/** Photoshop's image resource that holds IPTC datasets. */
const IPTC_RESOURCE = 0x0404;
const RESOURCE_MARK = "8BIM";
const DATASET_MARK = 0x1c;

/** Record and dataset numbers (IPTC-IIM 4.2): coded character set, by-line, copyright notice. */
const CHARACTER_SET = 0x015a;
const KEPT = new Set([CHARACTER_SET, 0x0250, 0x0274]);
const MAX_DATASETS = 20;
const MAX_DATASET_BYTES = 2_000;

/** Photoshop resources with only the by-lines and the copyright notice of others. Undefined when there are none. */
function copyrightIptc(resources: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	const datasets = [...readDatasets(findIptc(resources))].slice(0, MAX_DATASETS);
	if (!datasets.some(({ id }) => id !== CHARACTER_SET)) return undefined;
	const iptc = concat(datasets.map(({ bytes }) => bytes));
	// Mark, number, an empty name of two bytes, and the length of the datasets, which are padded to an even number.
	const head = concat([ascii(RESOURCE_MARK), new Uint8Array(8)]);
	viewOf(head).setUint16(4, IPTC_RESOURCE);
	viewOf(head).setUint32(8, iptc.length);
	return concat([head, iptc, new Uint8Array(iptc.length % 2)]);
}

function findIptc(resources: Uint8Array): Uint8Array {
	const view = viewOf(resources);
	let at = 0;
	while (at + 12 <= resources.length && startsWith(resources.subarray(at, at + 4), RESOURCE_MARK)) {
		const nameBytes = 1 + (resources[at + 6] ?? 0);
		const sizeAt = at + 6 + nameBytes + (nameBytes % 2);
		if (sizeAt + 4 > resources.length) break;
		const size = view.getUint32(sizeAt);
		const start = sizeAt + 4;
		if (view.getUint16(at + 4) === IPTC_RESOURCE) return resources.subarray(start, start + size);
		at = start + size + (size % 2);
	}
	return new Uint8Array();
}

function* readDatasets(iptc: Uint8Array): Generator<{ readonly id: number; readonly bytes: Uint8Array }> {
	const view = viewOf(iptc);
	let at = 0;
	while (at + 5 <= iptc.length && iptc[at] === DATASET_MARK) {
		const id = view.getUint16(at + 1);
		// The top bit would announce an extended length; no notice is that long, and the end check stops there.
		const end = at + 5 + view.getUint16(at + 3);
		if (end > iptc.length) return;
		if (KEPT.has(id) && end - at <= MAX_DATASET_BYTES) yield { id, bytes: iptc.subarray(at, end) };
		at = end;
	}
}
