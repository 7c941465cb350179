import { ascii, concat } from "@svc/imaging/bytes";

/* GIFs with known pixels, written by hand: what encoders do not write, other programs do. */

export interface GifFrame {
	readonly left?: number;
	readonly top?: number;
	readonly width: number;
	readonly height: number;
	readonly disposal?: number;
	/** Shown through; none without it. */
	readonly transparent?: number;
	/** Nothing is said about how it is shown. */
	readonly isBare?: boolean;
	/** Three bytes each; the file's own without it. */
	readonly colours?: readonly (readonly number[])[];
	readonly colour: (x: number, y: number) => number;
}

interface Gif {
	readonly width: number;
	readonly height: number;
	/** Their number is a power of two, at least four. */
	readonly colours: readonly (readonly number[])[];
	readonly background?: number;
	/** Blocks of their own, in front of the frames. */
	readonly blocks?: readonly Uint8Array[];
	readonly frames: readonly GifFrame[];
}

export function gifOf({ width, height, colours, background = 0, blocks = [], frames }: Gif): Uint8Array<ArrayBuffer> {
	const head = Uint8Array.of(...word(width), ...word(height), 0x80 | sizeOf(colours), background, 0);
	const images = frames.flatMap((frame) => imageOf(frame, colours));
	return concat([ascii("GIF89a"), head, Uint8Array.from(colours.flat()), ...blocks, ...images, Uint8Array.of(0x3b)]);
}

function imageOf(frame: GifFrame, all: readonly (readonly number[])[]): readonly Uint8Array[] {
	const { left = 0, top = 0, width, height, disposal = 0, transparent, isBare = false, colours, colour } = frame;
	const packed = (disposal << 2) | (transparent === undefined ? 0 : 1);
	const control = Uint8Array.of(0x21, 0xf9, 4, packed, 10, 0, transparent ?? 0, 0);
	const place = [left, top, width, height].flatMap(word);
	const descriptor = Uint8Array.of(0x2c, ...place, colours ? 0x80 | sizeOf(colours) : 0, ...(colours ?? []).flat());
	const pixels = Array.from({ length: width * height }, (_, at) => colour(at % width, Math.floor(at / width)));
	return [...(isBare ? [] : [control]), descriptor, codesOf(pixels, sizeOf(colours ?? all) + 1)];
}

/** One code a pixel. The table is cleared before its codes would be wider. */
function codesOf(pixels: readonly number[], bits: number): Uint8Array {
	const clear = 1 << bits;
	const codes = [...pixels.flatMap((pixel, at) => (at % (clear - 2) === 0 ? [clear, pixel] : [pixel])), clear + 1];
	const bytes: number[] = [];
	let [held, count] = [0, 0];
	for (const code of codes) {
		held |= code << count;
		count += bits + 1;
		for (; count >= 8; count -= 8) {
			bytes.push(held & 255);
			held >>= 8;
		}
	}
	bytes.push(held & 255);
	const blocks = [bits];
	for (let at = 0; at < bytes.length; at += 255) {
		const block = bytes.slice(at, at + 255);
		blocks.push(block.length, ...block);
	}
	return Uint8Array.of(...blocks, 0);
}

function sizeOf(colours: readonly unknown[]): number {
	return Math.log2(colours.length) - 1;
}

function word(value: number): readonly [number, number] {
	return [value & 255, value >> 8];
}
