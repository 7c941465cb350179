import type { Extent } from "@svc/images/layout/extent";

/** What a master of four megapixels has, and half of it for its copy. */
export const MOST_KEPT_BYTES = 16 * 1_024 ** 2;
/** Red, green and blue. */
export const KEPT_CHANNELS = 3;

/** What keeping the pixels of a picture takes; undefined where they are too many. */
export function keptBytes({ width, height }: Extent): number | undefined {
	const bytes = width * height * KEPT_CHANNELS;
	return bytes <= MOST_KEPT_BYTES ? bytes : undefined;
}
