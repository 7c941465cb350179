import type { Master } from "@svc/core/ports";
import { reducedExtent } from "@svc/core/reductions";
import { sharp } from "./sharp-settings.ts";

const QUALITY = 92;
// The kernel whose copies lead to the renditions most like those from the master: decoders shrink softly as well.
const KERNEL = "mitchell";
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
	const bytes = await sharp(input, options)
		.autoOrient()
		.resize({ ...reducedExtent(master, factor), fit: "fill", kernel: KERNEL })
		.toColourspace("srgb")
		// A copy is read at half its size at most, where a camera's halved colours are whole again. Those of drawings stay as they are.
		.jpeg({ quality: QUALITY, chromaSubsampling: chromaSubsampling === "4:2:0" ? "4:2:0" : "4:4:4" })
		.timeout({ seconds: TIMEOUT_SECONDS })
		.toBuffer();
	return new Uint8Array(bytes);
}
