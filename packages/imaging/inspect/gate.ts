import type { BlobStore } from "@svc/base/ports";
import type { Metadata } from "sharp";
import { sequentialCopy } from "../jpeg/copy.ts";

/** Does work that takes so many bytes, where there are as many. */
export type Memory = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** The header fields that tell how much memory the pixels take. */
type Described = Pick<
	Metadata,
	"format" | "width" | "height" | "pages" | "channels" | "depth" | "isProgressive" | "chromaSubsampling"
>;

export interface DecodingOptions {
	/** Stages copies that are decoded instead; swept after a crash. */
	readonly stage: BlobStore["stage"];
	readonly memory: Memory;
}

interface Picture {
	readonly input: string | Uint8Array;
	readonly header: Described;
	/** Memory in use besides the pixels while a file is decoded. */
	readonly moreBytes: number;
}

/** Buffers of a decoder, and what becomes of its pixels in strips. */
const LEAST_BYTES = 4_000_000;
/** A second process, two thirds of it pages of the program that both share. */
const COPYING_BYTES = 56_000_000;

/** Does `work` when there is memory for it, on a file that is decoded into the same pixels in as little of it as there is a way. */
export async function decodeInTurn<T>(
	{ stage, memory }: DecodingOptions,
	{ input, header, moreBytes }: Picture,
	work: (input: string | Uint8Array) => Promise<T>,
): Promise<T> {
	if (typeof input !== "string" || !isCopied(header))
		return memory(decodingBytes(header) + moreBytes, () => work(input));
	return memory(leastDecodingBytes(header, moreBytes), async () => {
		const copy = await sequentialCopy(input, stage);
		if (!copy) return memory(decodingBytes(header) + moreBytes, () => work(input));
		try {
			return await work(copy.path);
		} finally {
			await copy.discard();
		}
	});
}

/** Whether making a sequential copy takes less memory than it saves. It takes twice the time. */
export function isCopied(header: Described): boolean {
	return header.format === "jpeg" && header.isProgressive && coefficientBytes(header) > COPYING_BYTES;
}

/** What a file on a disk takes to be decoded, where it has a sequential copy if that saves any; `moreBytes` are in use beside the pixels. */
export function leastDecodingBytes(header: Described, moreBytes: number): number {
	if (!isCopied(header)) return decodingBytes(header) + moreBytes;
	return Math.max(COPYING_BYTES, decodingBytes({ ...header, isProgressive: false }) + moreBytes);
}

/** An upper bound of what a decoder was seen to hold, from the header alone. */
export function decodingBytes(header: Described): number {
	return LEAST_BYTES + header.width * header.height * bytesPerPixel(header) + coefficientBytes(header);
}

function bytesPerPixel(header: Described): number {
	const { format, pages = 1, channels, depth, isProgressive } = header;
	const pixel = channels * (depth === "ushort" ? 2 : 1);
	switch (format) {
		case "jpeg":
			return 1.2;
		// Interlaced, all of it is there before the first line is whole.
		case "png":
			return isProgressive ? 1.5 * pixel : 0.7 * pixel;
		// The canvas, of an animation the one before it as well.
		case "webp":
			return pages > 1 ? 10 : 5;
		case "gif":
			return 7;
		default:
			return avifBytesPerPixel(header);
	}
}

/** What a decoder holds until the last scan of a file of several has come, besides what it takes for one of a single scan. */
export function scanBytes(header: Described): number {
	return decodingBytes(header) - decodingBytes({ ...header, isProgressive: false });
}

/** What the decoder notes down about each block of 16 pixels is more than the pixels, and there are planes of all colours beside it. */
function avifBytesPerPixel({ channels, depth, chromaSubsampling }: Described): number {
	const isHalved = chromaSubsampling === "4:2:0" && channels <= 3;
	if (depth === "ushort") return isHalved ? 19.5 : 25.5;
	return isHalved ? 15.5 : 18.8;
}

/** A decoder holds all coefficients of a JPEG of several scans until the last one has come: two bytes for each sample. */
export function coefficientBytes({
	format,
	width,
	height,
	channels,
	isProgressive,
	chromaSubsampling,
}: Described): number {
	if (format !== "jpeg" || !isProgressive) return 0;
	// Every kind of subsampling is reported as 4:2:0; most kinds leave half of the two colours' samples at most.
	const samples = chromaSubsampling === "4:2:0" && channels > 1 ? channels - 1 : channels;
	return 2 * samples * width * height;
}
