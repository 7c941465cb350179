import type { Master } from "@svc/core/ports";
import { DECODED_FACTOR, reducedExtent } from "@svc/core/reductions";
import type { Sharp } from "sharp";
import { sharp } from "./sharp-settings.ts";

const TIMEOUT_SECONDS = 20;

/**
 * A smaller copy of a master, upright, in the master's own colours and without its descriptions: those are read from the master itself.
 * Undefined where no copy stands in for it: transparency and animations stay as they are.
 */
export async function reduce(master: Master, factor: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const input = master.blob.path ?? (await master.blob.read());
	const options = { limitInputPixels: 110_000_000, failOn: "error" } as const;
	const { hasAlpha, pages = 1, chromaSubsampling } = await sharp(input, options).metadata();
	if (hasAlpha || pages > 1) return undefined;
	// What leads to the renditions most like those from the master: decoders shrink softly down to their smallest size.
	const kernel = factor < DECODED_FACTOR ? "mitchell" : "cubic";
	const copy = sharp(input, options)
		.autoOrient()
		.resize({ ...reducedExtent(master, factor), fit: "fill", kernel })
		.toColourspace("srgb")
		.timeout({ seconds: TIMEOUT_SECONDS });
	return new Uint8Array(await encode(copy, factor, chromaSubsampling).toBuffer());
}

/** A large copy is a JPEG, for the disk's sake; a small one is stored as it is, since reading it is most of what a rendition costs. */
function encode(copy: Sharp, factor: number, chromaSubsampling: string | undefined): Sharp {
	if (factor >= DECODED_FACTOR) return copy.png({ compressionLevel: 0, adaptiveFiltering: false });
	// A camera's halved colours are whole again where a copy is read at half its size, and are halved in most renditions anyway. Those
	// of drawings stay as they are.
	return copy.jpeg({ quality: 92, chromaSubsampling: chromaSubsampling === "4:2:0" ? "4:2:0" : "4:4:4" });
}
