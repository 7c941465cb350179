/* The pixels of a GIF's image as they are stored: numbers of colours in LZW codes, cut into sub-blocks (GIF89a, appendix F). */

const MOST_WIDE = 12;

/** What a code that stands for one pixel says, and where its bits begin. */
type OfPixel = (colour: number, at: number, width: number) => void;

/**
 * Which colours the pixels of an image have. `codes` is the image from its code size on. Each string of pixels that a code stands for
 * is made of the first pixels of codes before it, so the codes of one pixel say all that there are, and no string need be spelt out.
 */
export function coloursIn(codes: Uint8Array): ReadonlySet<number> {
	const colours = new Set<number>();
	walk(joined(codes), codes[0] ?? 0, (colour) => colours.add(colour));
	return colours;
}

/** Gives all pixels of one colour another one, in place: strings that are made of them keep their numbers. */
export function recolour(codes: Uint8Array, from: number, to: number): void {
	const bits = joined(codes);
	walk(bits, codes[0] ?? 0, (colour, at, width) => {
		if (colour !== from) return;
		for (let bit = 0; bit < width; bit++) {
			const [byte, mask] = [(at + bit) >> 3, 1 << ((at + bit) & 7)];
			const others = (bits[byte] ?? 0) & ~mask;
			bits[byte] = (to >> bit) & 1 ? others | mask : others;
		}
	});
	let written = 0;
	for (const [start, end] of subBlocks(codes)) {
		codes.set(bits.subarray(written, written + end - start), start);
		written += end - start;
	}
}

function walk(bits: Uint8Array, least: number, ofPixel: OfPixel): void {
	const clear = 1 << least;
	// The first code after a clear one adds nothing to the table, every other one does until it is full.
	let last = clear + 1;
	let width = least + 1;
	for (let at = 0; at + width <= bits.length * 8; ) {
		const code = read(bits, at, width);
		if (code === clear + 1) return;
		if (code < clear) ofPixel(code, at, width);
		at += width;
		last = code === clear ? clear + 1 : Math.min(last + 1, 1 << MOST_WIDE);
		width = Math.min(MOST_WIDE, 32 - Math.clz32(last));
	}
}

/** Twelve bits lie in three bytes at most. */
function read(bits: Uint8Array, at: number, width: number): number {
	const byte = at >> 3;
	const three = (bits[byte] ?? 0) | ((bits[byte + 1] ?? 0) << 8) | ((bits[byte + 2] ?? 0) << 16);
	return (three >> (at & 7)) & ((1 << width) - 1);
}

function joined(codes: Uint8Array): Uint8Array {
	const bits = new Uint8Array(codes.length);
	let length = 0;
	for (const [start, end] of subBlocks(codes)) {
		bits.set(codes.subarray(start, end), length);
		length += end - start;
	}
	return bits.subarray(0, length);
}

/** Where the contents of each sub-block lie. */
function* subBlocks(codes: Uint8Array): Generator<readonly [start: number, end: number]> {
	let at = 1;
	for (let size = codes[at]; size !== undefined && size !== 0; size = codes[at]) {
		yield [at + 1, Math.min(codes.length, at + 1 + size)];
		at += 1 + size;
	}
}
