import type { Master } from "@svc/core/ports";
import { DECODED_FACTOR, reducedExtent } from "@svc/core/reductions";
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
	const { kernel, quality } = likeDecoders(factor);
	const bytes = await sharp(input, options)
		.autoOrient()
		.resize({ ...reducedExtent(master, factor), fit: "fill", kernel })
		.toColourspace("srgb")
		// A camera's halved colours are whole again where a copy is read at half its size, and are halved in most renditions anyway. Those
		// of drawings stay as they are.
		.jpeg({ quality, chromaSubsampling: chromaSubsampling === "4:2:0" ? "4:2:0" : "4:4:4" })
		.timeout({ seconds: TIMEOUT_SECONDS })
		.toBuffer();
	return new Uint8Array(bytes);
}

/**
 * What leads to the renditions most like those from the master: decoders shrink softly down to their smallest size, and a copy that is
 * read at more than half its size shows more of what it lost.
 */
function likeDecoders(factor: number) {
	return factor < DECODED_FACTOR
		? ({ kernel: "mitchell", quality: 92 } as const)
		: ({ kernel: "cubic", quality: 93 } as const);
}
