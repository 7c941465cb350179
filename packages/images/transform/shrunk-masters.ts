import type { Extent } from "../layout/extent.ts";

/* A JPEG's entropy decoding cannot be skipped, but it can be done once: large masters are kept in smaller copies as well, and a small
   rendition is made from the smallest copy that is still large enough for it. */

/** Fewest pixels of a master: for a smaller one, a copy would save less than it costs. */
const WORTH_PIXELS = 4_000_000;
/** Reading all of a JPEG is most of what a small rendition of it costs. */
const WORTH_PIXELS_OF_JPEG = 1_500_000;
/** Most pixels of a copy of a JPEG: a larger one takes more bytes than it is worth, since the decoder reads at a half by itself, and leaves less out. */
const MOST_PIXELS_OF_JPEG = 1_600_000;
/** Pixels of the longest side of the smallest copy. */
const SMALLEST_SIDE = 500;
/** How many times larger than the rendition a copy has to be, so that no difference can be seen. */
const HEADROOM = 2;
/** Of a JPEG, whose own encoder left out more than a copy's does; edges and letters of other masters are unharmed. */
const HEADROOM_OF_JPEG = 1.5;
/** From twice its sides a rendition of the master itself is made of all pixels, against which a copy has to stand. */
const HEADROOM_OF_HALF_JPEG = 1.7;

/**
 * The divisors of the sides of a master's copies: 2, 4, 8, …, of a large JPEG without the first ones; empty for a small master. An AVIF has one of its own size before them: its decoder
 * holds many times its pixels, so that it is used once.
 */
export function shrunkFactorsOf({ width, height, format }: Extent & { readonly format: string }): readonly number[] {
	if (width * height <= (format === "jpg" ? WORTH_PIXELS_OF_JPEG : WORTH_PIXELS)) return [];
	const factors = format === "avif" ? [1] : [];
	for (let factor = 2; Math.max(width, height) / factor >= SMALLEST_SIDE; factor *= 2) {
		const isTooLarge = format === "jpg" && (width / factor) * (height / factor) > MOST_PIXELS_OF_JPEG;
		if (!isTooLarge) factors.push(factor);
	}
	return factors;
}

/** The pixels of one copy. */
export function shrunkExtent({ width, height }: Extent, factor: number): Extent {
	return { width: Math.max(1, Math.round(width / factor)), height: Math.max(1, Math.round(height / factor)) };
}

/** What a rendition could be made from instead of its master. */
export interface Copies {
	/** Of the master. */
	readonly format: string;
	readonly factors: readonly number[];
}

/**
 * The largest of the factors at which a copy is still large enough for a picture that is read at `read` and resized to `resize`;
 * undefined where only the master is.
 */
export function shrunkMasterFor(read: Extent, resize: Extent, { format, factors }: Copies): number | undefined {
	const shrink = Math.min(read.width / resize.width, read.height / resize.height);
	return factors.filter((factor) => factor * headroomOf(factor, format) <= shrink).sort((a, b) => b - a)[0];
}

function headroomOf(factor: number, format: string): number {
	if (factor === 1) return 0;
	if (format !== "jpg") return HEADROOM;
	return factor === 2 ? HEADROOM_OF_HALF_JPEG : HEADROOM_OF_JPEG;
}
