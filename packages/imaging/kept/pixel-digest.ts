import { createHash } from "node:crypto";
import { inSaidColours } from "../colours/said-colours.ts";
import { inProfile, sharp } from "../sharp-settings.ts";
import type { AnalysisInput } from "./analysis.ts";

/** All frames together. A picture of more is compared with others by its likeness alone. */
const MAX_PIXELS = 25_000_000;
const TIMEOUT_SECONDS = 60;

/**
 * A digest of all pixels of all frames, upright and in sRGB, whatever file they came in: files of different formats that show the same have the same. Null
 * for a picture that has too many.
 */
export async function pixelDigest(input: AnalysisInput): Promise<string | null> {
	const header = await sharp(input, { limitInputPixels: false }).metadata();
	const { width, height, pages = 1, format } = header;
	// The pages of an AVIF are further pictures, not frames.
	const animated = pages > 1 && (format === "gif" || format === "webp");
	if (width * height * (animated ? pages : 1) > MAX_PIXELS) return null;
	const readable = await inSaidColours(input, header);
	const opened = sharp(readable.input, { limitInputPixels: MAX_PIXELS, failOn: "error", animated });
	const { data, info } = await inProfile(animated ? opened : opened.autoOrient(), readable.header)
		.toColourspace("srgb")
		.ensureAlpha()
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	return createHash("sha256")
		.update(`${info.width} ${info.height} ${animated ? pages : 1}\n`)
		.update(data)
		.digest("hex");
}
