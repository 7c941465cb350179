import type { Metadata, Sharp } from "sharp";

/** What 16 bits a sample become before anything else. */
const EIGHT_BITS: ReadonlyMap<string | undefined, string> = new Map([
	["rgb16", "srgb"],
	["grey16", "b-w"],
]);

/**
 * Has a file read in the colours that its profile says, whatever its depth. Of 16 bits a sample, sharp takes colours to Display P3 and
 * leaves them there, and does not look at the profile of greys; from 8 bits it takes both to sRGB.
 */
export function inProfile(image: Sharp, { space, icc }: Pick<Metadata, "space" | "icc">): Sharp {
	const eightBits = icc && EIGHT_BITS.get(space);
	return eightBits === undefined ? image : image.pipelineColourspace(eightBits);
}
