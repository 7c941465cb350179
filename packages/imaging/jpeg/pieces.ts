import { viewOf } from "../bytes.ts";
import { MARKER } from "./segments.ts";

/** A marker with all that belongs to it: its segment, and after the start of a scan the entropy-coded data too. */
export interface JpegPiece {
	readonly marker: number;
	readonly bytes: Uint8Array;
	/** The segment without marker and length. */
	readonly payload: Uint8Array;
}

/** Every whole piece between the start of an image and its end. Ends where the structure does. */
export function* pieces(file: Uint8Array): Generator<JpegPiece> {
	let at = nextMarker(file, 2);
	while (at + 2 <= file.length && file[at + 1] !== MARKER.endOfImage) {
		const marker = file[at + 1] ?? 0;
		const end = standsAlone(marker) ? at + 2 : endOfSegment(file, at);
		if (end === undefined) return;
		const stop = marker === MARKER.startOfScan ? endOfScan(file, end) : end;
		if (!standsAlone(marker)) yield { marker, bytes: file.subarray(at, stop), payload: file.subarray(at + 4, end) };
		at = nextMarker(file, stop);
	}
}

/** Where the bytes after the end of an image begin; the end of the file when there is none. */
export function endOfImage(file: Uint8Array): number {
	let at = 2;
	for (const { bytes } of pieces(file)) at = bytes.byteOffset - file.byteOffset + bytes.length;
	const end = nextMarker(file, at);
	return Math.min(file.length, end + 2);
}

/** Undefined when it would lie outside the file. */
function endOfSegment(file: Uint8Array, at: number): number | undefined {
	if (at + 4 > file.length) return undefined;
	const length = viewOf(file).getUint16(at + 2);
	return length < 2 || at + 2 + length > file.length ? undefined : at + 2 + length;
}

/** Where the last of the 0xFF bytes before the next marker lies; the end of the file when there is none. */
function nextMarker(file: Uint8Array, from: number): number {
	for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
		const next = file[at + 1];
		if (next !== 0 && next !== 0xff) return at;
	}
	return file.length;
}

/** A scan goes on over stuffed zeros and restart markers. */
function endOfScan(file: Uint8Array, from: number): number {
	let at = nextMarker(file, from);
	while (isRestart(file[at + 1] ?? 0)) at = nextMarker(file, at + 2);
	return at;
}

function isRestart(marker: number): boolean {
	return marker >= 0xd0 && marker <= 0xd7;
}

function standsAlone(marker: number): boolean {
	return isRestart(marker) || marker === MARKER.startOfImage || marker === MARKER.tem;
}
