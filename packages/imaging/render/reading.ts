import type { OutputFormat } from "@svc/base/enumerations";
import type { Extent } from "@svc/images/layout/extent";
import type { Transform } from "@svc/images/transform/transform";

/* Decoders of JPEG and WebP can read fewer pixels than there are, which costs less and leaves something out. libvips lets that of JPEG read at a half, a
   quarter or an eighth, as far as it may or as long as twice the pixels are left that are wanted; that of WebP reads just what is wanted, or all. */

const SCALES = [8, 4, 2] as const;
/** By what is left to resize then, it loses less than half a point of SSIMULACRA 2 against a rendition that is made of all pixels. */
const LEFT: Readonly<Record<number, number>> = { 4: 1.65, 2: 1.65 };
const LEFT_ANYWAY = 2;

/** What that of WebP leaves out is always seen: two to four points, and more of what keeps all. Above this, all pixels would take too much memory. */
const MOST_PIXELS_OF_WEBP = 16_000_000;

interface Reading {
	/** The divisor of the sides at which the decoder reads. */
	readonly scale: number;
	/** Whether less than twice the wanted pixels may be left. */
	readonly isFast: boolean;
}

interface Readable extends Extent {
	/** Of its bytes. */
	readonly format: string | undefined;
	readonly frames: number;
	/** Whether the rendition shows all that it is made of. */
	readonly isExact: boolean;
}

/** How the whole of a picture is read that becomes `resize`. */
export function readingOf({ width, height, format, frames, isExact }: Readable, resize: Extent): Reading {
	const shrink = Math.min(width / resize.width, height / resize.height);
	if (format === "webp") {
		const isFast = shrink > 1 && (frames > 1 || width * height > MOST_PIXELS_OF_WEBP);
		return { scale: isFast ? shrink : 1, isFast };
	}
	if (format !== "jpg") return { scale: 1, isFast: false };
	// It rounds otherwise than the decoder where they meet, and reads at the one before there.
	const fast = SCALES.find((scale) => shrink >= scale + 1) ?? 1;
	const isFast = !isExact && fast > 1 && shrink >= fast * (LEFT[fast] ?? LEFT_ANYWAY);
	return { scale: isFast ? fast : (SCALES.find((scale) => shrink >= LEFT_ANYWAY * scale) ?? 1), isFast };
}

/** Whether a rendition shows all that it is made of. */
export function isExact(format: OutputFormat, { lossless }: Transform): boolean {
	return format === "png" || (format === "webp" && lossless === true);
}
