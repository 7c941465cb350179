import type { Transform } from "@svc/images/transform/transform";
import { viewOf } from "../bytes.ts";
import { copyrightExif, uprightExif } from "../metadata/exif.ts";
import { withoutGainMap } from "../metadata/gain-map-xmp.ts";
import { copyrightXmp } from "../metadata/xmp.ts";
import type { Descriptions } from "./container.ts";
import type { Source } from "./source.ts";

const THUMBNAIL_START = 0x0201;
const THUMBNAIL_BYTES = 0x0202;
const ENTRY_BYTES = 12;

/** The descriptions of a rendition; undefined means none. A profile is there only where the pixels are in its colours. */
export function descriptionsOf(
	{ metadata, ownColours }: Source,
	{ metadata: wanted, fx }: Transform,
): Descriptions | undefined {
	const { exif, xmp, iptc, icc } = metadata;
	if (wanted === "none" || fx === "blur-faces") return undefined;
	if (wanted !== "keep") {
		return some({ exif: exif && copyrightExif(exif), xmp: xmp && copyrightXmp(xmp) });
	}
	return some({
		exif: exif && uprightWithoutThumbnail(exif),
		xmp: xmp && uprightXmp(xmp),
		iptc,
		icc: ownColours ? icc : undefined,
	});
}

function some(descriptions: Descriptions): Descriptions | undefined {
	return Object.values(descriptions).some((part) => part !== undefined) ? descriptions : undefined;
}

/**
 * All of an EXIF block except what no longer holds: the pixels are upright now, and the thumbnail shows what may have been cut away.
 * The block has no prefix. What is no TIFF gives undefined.
 */
export function uprightWithoutThumbnail(exif: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	const tiff = uprightExif(exif);
	const view = viewOf(tiff);
	const little = tiff[0] === 0x49;
	if (tiff.length < 14 || view.getUint16(2, little) !== 42) return undefined;
	dropThumbnail(tiff, view, view.getUint32(4, little), little);
	return tiff;
}

/** Unlinks the second directory, which describes the thumbnail, and blanks its pixels. */
function dropThumbnail(tiff: Uint8Array, view: DataView, first: number, little: boolean): void {
	const link = first + 2 + entriesAt(view, first, little).length * ENTRY_BYTES;
	if (link + 4 > tiff.length) return;
	const second = view.getUint32(link, little);
	view.setUint32(link, 0, little);
	const found = new Map<number, number>();
	for (const entry of second === 0 ? [] : entriesAt(view, second, little)) {
		found.set(view.getUint16(entry, little), view.getUint32(entry + 8, little));
	}
	const start = found.get(THUMBNAIL_START);
	if (start !== undefined) tiff.fill(0, start, start + (found.get(THUMBNAIL_BYTES) ?? 0));
}

/** Where the entries of a directory start; none when it does not lie wholly inside the block. */
function entriesAt(view: DataView, directory: number, little: boolean): number[] {
	if (directory + 2 > view.byteLength) return [];
	const count = view.getUint16(directory, little);
	if (directory + 2 + count * ENTRY_BYTES > view.byteLength) return [];
	return Array.from({ length: count }, (_, index) => directory + 2 + index * ENTRY_BYTES);
}

/** XMP repeats the orientation, and some readers believe it; others believe that there is a gain map, which no rendition has. */
function uprightXmp(xmp: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	const kept = withoutGainMap(xmp);
	if (!kept) return undefined;
	const text = new TextDecoder().decode(kept);
	return new TextEncoder().encode(text.replace(/(tiff:Orientation(?:="|>))[2-8]/g, "$11"));
}
