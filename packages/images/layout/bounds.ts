import type { OutputFormat } from "@svc/base/enumerations";
import type { Transform } from "../transform/transform.ts";

/** The most that a rendition of one format may measure. What would be larger is made smaller in proportion; nothing is refused. */
export interface Bounds {
	/** Pixels of the longest side that the encoder can write. */
	readonly longestSide: number;
	/** Pixels of one frame where nobody asked for its size. */
	readonly pixels: number;
	/** Pixels of one frame even where its size was asked for. */
	readonly askedPixels: number;
}

export const UNBOUNDED: Bounds = {
	longestSide: Number.POSITIVE_INFINITY,
	pixels: Number.POSITIVE_INFINITY,
	askedPixels: Number.POSITIVE_INFINITY,
};

/** The longest side that the encoder of a format can write; PNG can write any master's. */
const LONGEST_SIDES = { jpg: 65_500, png: Number.POSITIVE_INFINITY, webp: 16_383, avif: 16_384, gif: 65_535 } as const;

const MOST = 40_000_000;
/** These encoders take a picture as a whole, in many bytes a pixel. It is the most that `w` and `h` can ask for. */
const MOST_AS_A_WHOLE = 4_096 ** 2;
const PIXELS: Readonly<Record<OutputFormat, number>> = {
	jpg: MOST,
	png: MOST,
	webp: MOST,
	avif: MOST_AS_A_WHOLE,
	gif: MOST_AS_A_WHOLE,
};
/** Of all frames together. An animation never loses frames. */
const MOST_OF_ANIMATION = 40_000_000;

interface Sides {
	readonly width: number;
	readonly height: number;
}

/** Setting the subject apart takes as many bytes a pixel as those encoders do, and so do a WebP without loss, an overlay and corners. */
export function boundsOf(
	format: OutputFormat,
	frames: number,
	{ segment, fx, lossless, overlay, radius }: Partial<Transform> = {},
): Bounds {
	const ofFrame = frames > 1 ? Math.floor(MOST_OF_ANIMATION / frames) : Number.POSITIVE_INFINITY;
	const ofFormat =
		segment || fx || lossless || overlay || radius ? Math.min(MOST_AS_A_WHOLE, PIXELS[format]) : PIXELS[format];
	return {
		longestSide: LONGEST_SIDES[format],
		pixels: Math.min(ofFormat, ofFrame),
		askedPixels: ofFrame,
	};
}

/** The picture in proportion, with at most so many pixels in all and along its longest side. */
export function within(sides: Sides, pixels: number, longestSide = Number.POSITIVE_INFINITY): Sides {
	const { width, height } = sides;
	const scale = Math.min(1, longestSide / Math.max(width, height));
	const writable = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
	const share = Math.sqrt(pixels / (writable.width * writable.height));
	if (share >= 1) return writable;
	// Rounded down, so that the bound holds.
	return {
		width: Math.max(1, Math.floor(writable.width * share)),
		height: Math.max(1, Math.floor(writable.height * share)),
	};
}
