import { crc32 } from "node:zlib";
import { ascii, concat, viewOf } from "@svc/imaging/bytes";
import { withBytesOf } from "@svc/imaging/colours/bytes-at";
import { boxes } from "@svc/imaging/heif/boxes";
import { boxOf, type Description, findDescription, withProperty } from "@svc/imaging/heif/primary";
import { bytesOf, drawn, type Pixel } from "./rendering.ts";

/* Pictures whose containers say by numbers what their colours are, and premultiplied ones: no encoder here writes such files. */

type Bytes = Uint8Array<ArrayBuffer>;

const PNG_HEAD_BYTES = 33;

export function wholes(bytes: 2 | 4, ...values: readonly number[]): Bytes {
	const all = new Uint8Array(values.length * bytes);
	for (const [index, value] of values.entries()) {
		if (bytes === 2) viewOf(all).setUint16(2 * index, value);
		else viewOf(all).setUint32(4 * index, value);
	}
	return all;
}

export function pngChunk(type: string, body: Uint8Array): Bytes {
	const named = concat([ascii(type), body]);
	return concat([wholes(4, body.length), named, wholes(4, crc32(named))]);
}

/** A PNG with these chunks in front of all others. */
export function pngWith(png: Uint8Array, ...chunks: readonly Uint8Array[]): Bytes {
	return concat([png.subarray(0, PNG_HEAD_BYTES), ...chunks, png.subarray(PNG_HEAD_BYTES)]);
}

/** By what ITU-T H.273 numbers. */
export function cicp(primaries: number, transfer: number): Bytes {
	return pngChunk("cICP", Uint8Array.of(primaries, transfer, 0, 1));
}

export function gama(value: number): Bytes {
	return pngChunk("gAMA", wholes(4, value));
}

export async function plainPng(colour: Pixel): Promise<Bytes> {
	return await bytesOf(drawn(32, 16, () => colour).png());
}

/** Lossless, as near as it comes. */
export async function plainAvif(colour: Pixel, bitdepth: 8 | 10 = 8): Promise<Bytes> {
	return await bytesOf(
		drawn(32, 16, () => colour).avif({ quality: 100, effort: 0, chromaSubsampling: "4:4:4", bitdepth }),
	);
}

async function described(file: Uint8Array): Promise<Description> {
	const description = await withBytesOf(file, findDescription);
	if (!description) throw new Error("no description");
	return description;
}

/** An AVIF with one more property. */
export async function avifWith(file: Uint8Array, property: Uint8Array): Promise<Bytes> {
	const copy = withProperty(file, await described(file), property);
	if (!copy) throw new Error("no room");
	return copy;
}

/** By what ITU-T H.273 numbers; the matrix is BT.601's, of which all of the range is used. */
export function nclx(primaries: number, transfer: number): Bytes {
	return boxOf("colr", ascii("nclx"), wholes(2, primaries, transfer, 6), Uint8Array.of(0x80));
}

/** The same AVIF, whose colours are said to be multiplied by its alpha. */
export async function premultiplied(file: Uint8Array): Promise<Bytes> {
	const { bytes, offset, parts, primary } = await described(file);
	const refers = boxOf("prem", wholes(2, primary, 1, primary + 1));
	const renewed = parts.map(({ type, start, end }) =>
		boxOf(type, bytes.subarray(start, end), ...(type === "iref" ? [refers] : [])),
	);
	const [meta] = boxes(bytes, 0, bytes.length);
	const copy = concat([file, boxOf("meta", bytes.subarray(meta?.start, (meta?.start ?? 0) + 4), ...renewed)]);
	copy.set(ascii("free"), offset + 4);
	return copy;
}
