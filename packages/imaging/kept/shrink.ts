import type { Master } from "@svc/images/ports";
import { DECODED_FACTOR, shrunkExtent } from "@svc/images/transform/shrunk-masters";
import type { Metadata, Sharp } from "sharp";
import { type DecodingOptions, decodeInTurn } from "../inspect/gate.ts";
import { inProfile, sharp } from "../sharp-settings.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Described = Pick<Metadata, "space" | "icc" | "chromaSubsampling">;

const TIMEOUT_SECONDS = 20;
const OPTIONS = { limitInputPixels: 110_000_000, failOn: "error" } as const;
/** Bytes that an encoder and the lines in front of it hold for each pixel of a copy. */
const BYTES_PER_PIXEL = 5;
/** What there is to say about a copy that others are made of. */
const COPIED = { space: "srgb" } as const;

/**
 * Smaller copies of masters, upright, in the master's own colours and without its descriptions: those are read from the master itself.
 * Undefined where no copy stands in for it: transparency and animations stay as they are.
 */
export function sharpShrinker(decoding: DecodingOptions) {
	return {
		/** By factor, and in memory. */
		async reduce(master: Master, factors: readonly number[]): Promise<ReadonlyMap<number, Bytes>> {
			const input = master.blob.path ?? (await master.blob.read());
			const header = await sharp(input, OPTIONS).metadata();
			const copies = new Map<number, Bytes>();
			if (header.hasAlpha || (header.pages ?? 1) > 1) return copies;
			// One of the master's own size goes through the encoder line by line.
			const { width, height } = shrunkExtent(master, Math.max(2, Math.min(...factors)));
			const moreBytes = width * height * BYTES_PER_PIXEL;
			await decodeInTurn(decoding, { input, header, moreBytes }, async (decoded) => {
				for (const factor of factors.toSorted((a, b) => a - b)) {
					const whole = copies.get(1);
					const bytes = await (whole ? shrink(whole, master, factor, COPIED) : shrink(decoded, master, factor, header));
					copies.set(factor, bytes);
				}
			});
			return copies;
		},
	};
}

async function shrink(input: string | Uint8Array, master: Master, factor: number, header: Described): Promise<Bytes> {
	// What leads to the renditions most like those from the master: decoders shrink softly down to their smallest size.
	const kernel = factor < DECODED_FACTOR ? "mitchell" : "cubic";
	const copy = inProfile(sharp(input, OPTIONS), header)
		.autoOrient()
		.resize({ ...shrunkExtent(master, factor), fit: "fill", kernel })
		.toColourspace("srgb")
		.timeout({ seconds: TIMEOUT_SECONDS });
	return new Uint8Array(await encode(copy, factor, header.chromaSubsampling).toBuffer());
}

/** A large copy is a JPEG, for the disk's sake; a small one is stored as it is, since reading it is most of what a rendition costs. */
function encode(copy: Sharp, factor: number, chromaSubsampling: string | undefined): Sharp {
	if (factor >= DECODED_FACTOR) return copy.png({ compressionLevel: 0, adaptiveFiltering: false });
	// A camera's halved colours are whole again where a copy is read at half its size, and are halved in most renditions anyway. Those
	// of drawings stay as they are. Codes of its own would save a copy a hundredth of its bytes, and cost as much memory as its pixels
	// do twice over.
	return copy.jpeg({
		quality: 92,
		chromaSubsampling: chromaSubsampling === "4:2:0" ? "4:2:0" : "4:4:4",
		optimiseCoding: false,
	});
}
