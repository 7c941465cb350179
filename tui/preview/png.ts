import { inflateSync } from "node:zlib";
import type { Picture } from "./picture.ts";

/* Source: PNG (Third Edition), sections 5, 7 and 9 to 11. Checksums are the transport's affair. */

/** The bytes are not a PNG that can be shown; the message says why. */
export class PngError extends Error {
	override readonly name = "PngError";
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Channels of a pixel by colour type: grey, RGB, palette, grey with opacity, RGBA. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
	0: [1, 2, 4, 8, 16],
	2: [8, 16],
	3: [1, 2, 4, 8],
	4: [8, 16],
	6: [8, 16],
};
const PALETTE = 3;
/** A header of a few bytes must not make this process ask for gigabytes. */
const MAX_PIXELS = 25_000_000;

interface Header {
	readonly width: number;
	readonly height: number;
	/** Bits of each sample. */
	readonly depth: number;
	readonly colourType: number;
	readonly channels: number;
}

interface Chunks {
	readonly header: Header;
	readonly palette: Uint8Array;
	/** The contents of a tRNS chunk. */
	readonly transparency: Uint8Array;
	readonly data: readonly Uint8Array[];
}

/** The number that a filter adds to a byte, from the bytes that are known already. */
const FILTERS: readonly ((left: number, above: number, corner: number) => number)[] = [
	() => 0,
	(left) => left,
	(_, above) => above,
	(left, above) => (left + above) >> 1,
	paeth,
];

export function isPng(bytes: Uint8Array): boolean {
	return SIGNATURE.every((byte, index) => bytes[index] === byte);
}

/**
 * How large a PNG is that can be shown, in pixels; its pixels are not looked at.
 * @throws PngError
 */
export function pngSize(bytes: Uint8Array): Pick<Picture, "width" | "height"> {
	return readChunks(bytes).header;
}

function readChunks(bytes: Uint8Array): Chunks {
	if (!isPng(bytes)) throw new PngError("It is no PNG.");
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const first = new Map<string, Uint8Array>();
	const data: Uint8Array[] = [];
	for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
		const length = view.getUint32(at);
		const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
		const body = bytes.subarray(at + 8, at + 8 + length);
		if (name === "IDAT") data.push(body);
		else if (!first.has(name)) first.set(name, body);
		at += 12 + length;
	}
	const chunk = (name: string) => first.get(name) ?? new Uint8Array();
	return { header: readHeader(first.get("IHDR")), palette: chunk("PLTE"), transparency: chunk("tRNS"), data };
}

function readHeader(body: Uint8Array | undefined): Header {
	if (body?.length !== 13) throw new PngError("It has no header.");
	const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
	const [width, height] = [view.getUint32(0), view.getUint32(4)];
	const [depth = 0, colourType = 0, compression, filter, interlace] = body.subarray(8);
	const channels = CHANNELS[colourType];
	if (width === 0 || height === 0 || channels === undefined || !DEPTHS[colourType]?.includes(depth)) {
		throw new PngError("Its header makes no sense.");
	}
	if (width * height > MAX_PIXELS) throw new PngError("It has too many pixels.");
	if (compression !== 0 || filter !== 0 || interlace !== 0) throw new PngError("It is interlaced.");
	return { width, height, depth, colourType, channels };
}

/**
 * The pixels of a PNG that is not interlaced, as the transform host makes them.
 * @throws PngError
 */
export function decodePng(bytes: Uint8Array): Picture {
	const chunks = readChunks(bytes);
	const { width, height, depth, channels } = chunks.header;
	const lineBytes = lineBytesOf(chunks.header);
	const size = (lineBytes + 1) * height;
	let filtered: Uint8Array;
	try {
		filtered = inflateSync(concat(chunks.data), { maxOutputLength: size });
	} catch {
		throw new PngError("Its pixels cannot be read.");
	}
	if (filtered.length !== size) throw new PngError("Some of its pixels are missing.");
	const lines = unfilter(filtered, chunks.header);
	const colourOf = colourReader(chunks);
	const rgba = new Uint8Array(width * height * 4);
	for (let pixel = 0; pixel < width * height; pixel++) {
		const [x, line] = [pixel % width, Math.floor(pixel / width) * lineBytes];
		const samples = Array.from({ length: channels }, (_, channel) =>
			sampleAt(lines, line, x * channels + channel, depth),
		);
		rgba.set(colourOf(samples), pixel * 4);
	}
	return { width, height, rgba };
}

function lineBytesOf({ width, depth, channels }: Header): number {
	return Math.ceil((width * depth * channels) / 8);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
	const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/** The lines without their filters. */
function unfilter(filtered: Uint8Array, header: Header): Uint8Array {
	const lineBytes = lineBytesOf(header);
	const step = Math.max(1, (header.depth * header.channels) >> 3);
	const lines = new Uint8Array(lineBytes * header.height);
	let above = new Uint8Array(lineBytes);
	for (let y = 0; y < header.height; y++) {
		const from = y * (lineBytes + 1);
		const line = lines.subarray(y * lineBytes, (y + 1) * lineBytes);
		const add = FILTERS[filtered[from] ?? 0];
		if (add === undefined) throw new PngError("It has a filter that does not exist.");
		for (let x = 0; x < lineBytes; x++) {
			// Bytes before the first pixel of a line count as 0.
			const [left = 0, corner = 0] = [line[x - step], above[x - step]];
			line[x] = (filtered[from + 1 + x] ?? 0) + add(left, above[x] ?? 0, corner);
		}
		above = line;
	}
	return lines;
}

/** Turns the samples of a pixel into red, green, blue and opacity, 0 to 255. */
function colourReader({ header, palette, transparency }: Chunks): (samples: readonly number[]) => readonly number[] {
	const { depth, colourType, channels } = header;
	if (colourType === PALETTE) {
		return ([index = 0]) => [...palette.subarray(index * 3, index * 3 + 3), transparency[index] ?? 255];
	}
	const scale = 255 / (2 ** depth - 1);
	// For these types tRNS names the one colour that is transparent, 16 bits a sample.
	const hidden = Array.from({ length: transparency.length >> 1 }, (_, at) => sampleAt(transparency, 0, at, 16));
	return (samples) => {
		const scaled = samples.map((sample) => Math.round(sample * scale));
		const isHidden = hidden.length === channels && hidden.every((sample, at) => sample === samples[at]);
		const [red = 0, green = 0, blue = 0, alpha = isHidden ? 0 : 255] = scaled;
		if (channels > 2) return [red, green, blue, alpha];
		return [red, red, red, channels === 2 ? green : alpha];
	};
}

/** The sample as it is stored, of `depth` bits. */
function sampleAt(lines: Uint8Array, line: number, index: number, depth: number): number {
	const bit = index * depth;
	const at = line + (bit >> 3);
	if (depth === 16) return ((lines[at] ?? 0) << 8) | (lines[at + 1] ?? 0);
	return ((lines[at] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

function paeth(left: number, above: number, corner: number): number {
	const estimate = left + above - corner;
	const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)];
	if (a <= b && a <= c) return left;
	return b <= c ? above : corner;
}
