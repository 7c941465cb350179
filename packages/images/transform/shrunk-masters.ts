import type { Extent } from "./extent.ts";

/* A JPEG's entropy decoding cannot be skipped, but it can be done once: large masters are kept in smaller copies as well, and a small
   rendition is made from the smallest copy that is still large enough for it. */

/** Fewest pixels of a master: for a smaller one, a copy would save less than it costs. */
const WORTH_PIXELS = 4_000_000;
/** Pixels of the longest side of the smallest copy. */
const SMALLEST_SIDE = 500;
/** How many times larger than the rendition a copy has to be, so that no difference can be seen. */
const HEADROOM = 2;
/**
 * Decoders can read a JPEG at an eighth of its size, and no smaller: from there on a rendition comes from as many pixels of the
 * master as of a copy.
 */
export const DECODED_FACTOR = 8;
const DECODED_HEADROOM = 1.5;

/**
 * The divisors of the sides of a master's copies: 2, 4, 8, …; empty for a small master. An AVIF has one of its own size before them: its decoder
 * holds many times its pixels, so that it is used once.
 */
export function shrunkFactorsOf({ width, height, format }: Extent & { readonly format: string }): readonly number[] {
	if (width * height <= WORTH_PIXELS) return [];
	const factors = format === "avif" ? [1] : [];
	for (let factor = 2; Math.max(width, height) / factor >= SMALLEST_SIDE; factor *= 2) factors.push(factor);
	return factors;
}

/** The pixels of one copy. */
export function shrunkExtent({ width, height }: Extent, factor: number): Extent {
	return { width: Math.max(1, Math.round(width / factor)), height: Math.max(1, Math.round(height / factor)) };
}

/**
 * The largest of the factors at which a copy is still large enough for a picture that is read at `read` and resized to `resize`;
 * undefined where only the master is.
 */
export function shrunkMasterFor(read: Extent, resize: Extent, factors: readonly number[]): number | undefined {
	const shrink = Math.min(read.width / resize.width, read.height / resize.height);
	return factors.filter((factor) => factor * headroomOf(factor) <= shrink).sort((a, b) => b - a)[0];
}

function headroomOf(factor: number): number {
	if (factor === 1) return 0;
	return factor < DECODED_FACTOR ? HEADROOM : DECODED_HEADROOM;
}
