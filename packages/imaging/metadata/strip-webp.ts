import { ascii, concat, latin1, viewOf } from "../bytes.ts";
import { copyrightExif } from "./exif.ts";
import type { Chunk } from "./strip-png.ts";
import { copyrightXmp } from "./xmp.ts";

/** The header is `RIFF`, size, `WEBP`. */
const HEADER_BYTES = 12;
/** Position, size, duration and flags before the chunks of a frame. */
const FRAME_HEADER_BYTES = 16;

const KEPT = new Set(["VP8X", "ICCP", "ANIM", "ALPH", "VP8 ", "VP8L"]);
const KEPT_IN_FRAME = new Set(["ALPH", "VP8 ", "VP8L"]);

const FLAG_EXIF = 0x08;
const FLAG_XMP = 0x04;

export function stripWebp(file: Uint8Array, orientation: number | undefined): Uint8Array<ArrayBuffer> {
	if (file.length < HEADER_BYTES) return new Uint8Array();
	// The RIFF size bounds the picture; whatever follows is not part of it.
	const end = Math.min(file.length, 8 + viewOf(file).getUint32(4, true));
	const all = [...chunks(file.subarray(HEADER_BYTES, end))];
	const extended = all[0]?.type === "VP8X";
	const exif = extended ? find(all, "EXIF", (payload) => copyrightExif(payload, { orientation })) : undefined;
	const xmp = extended ? find(all, "XMP ", copyrightXmp) : undefined;
	const kept = all.flatMap(({ type, bytes, payload }) => {
		if (type === "VP8X") return [withFlags(bytes, exif !== undefined, xmp !== undefined)];
		if (type === "ANMF") return [stripFrame(payload)];
		return KEPT.has(type) ? [bytes] : [];
	});
	if (exif !== undefined) kept.push(chunk("EXIF", exif));
	if (xmp !== undefined) kept.push(chunk("XMP ", xmp));
	const stripped = concat([file.subarray(0, HEADER_BYTES), ...kept]);
	viewOf(stripped).setUint32(4, stripped.length - 8, true);
	return stripped;
}

function* chunks(riff: Uint8Array): Generator<Chunk> {
	const view = viewOf(riff);
	let at = 0;
	while (at + 8 <= riff.length) {
		const end = at + 8 + view.getUint32(at + 4, true);
		if (end > riff.length) return;
		// Chunks begin at even offsets; the last one's padding may be missing.
		const next = end + (end % 2);
		const bytes = riff.subarray(at, next);
		yield {
			type: latin1(riff.subarray(at, at + 4)),
			bytes: bytes.length % 2 === 0 ? bytes : concat([bytes, new Uint8Array(1)]),
			payload: riff.subarray(at + 8, end),
		};
		at = next;
	}
}

function find(
	all: readonly Chunk[],
	wanted: string,
	rewrite: (payload: Uint8Array) => Uint8Array | undefined,
): Uint8Array | undefined {
	const payload = all.find(({ type }) => type === wanted)?.payload;
	return payload && rewrite(payload);
}

function withFlags(extended: Uint8Array, exif: boolean, xmp: boolean): Uint8Array {
	const copy = Uint8Array.from(extended);
	const others = (copy[8] ?? 0) & ~(FLAG_EXIF | FLAG_XMP);
	copy[8] = others | (exif ? FLAG_EXIF : 0) | (xmp ? FLAG_XMP : 0);
	return copy;
}

/** A frame may hold unknown chunks too. */
function stripFrame(payload: Uint8Array): Uint8Array {
	const inner = [...chunks(payload.subarray(FRAME_HEADER_BYTES))].filter(({ type }) => KEPT_IN_FRAME.has(type));
	return chunk("ANMF", concat([payload.subarray(0, FRAME_HEADER_BYTES), ...inner.map(({ bytes }) => bytes)]));
}

function chunk(type: string, payload: Uint8Array): Uint8Array {
	const bytes = concat([ascii(type), new Uint8Array(4), payload, new Uint8Array(payload.length % 2)]);
	viewOf(bytes).setUint32(4, payload.length, true);
	return bytes;
}
