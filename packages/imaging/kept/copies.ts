import type { Extent } from "@svc/images/layout/extent";
import { DECODED_FACTOR, shrunkExtent } from "@svc/images/transform/shrunk-masters";
import type { Metadata, Sharp } from "sharp";
import { allPixels, isPlainJpeg, keptBytes, ofPixels, type Pixels } from "../render/kept-pixels.ts";
import { isSteady } from "../render/strips.ts";
import { type Header, inProfile, sharp } from "../sharp-settings.ts";

export type Bytes = Uint8Array<ArrayBuffer>;
type Described = Pick<Header, "space" | "icc" | "pipeline" | "chromaSubsampling">;

/** By the clock on the wall, so generous: the machine may be busy with others. */
const TIMEOUT_SECONDS = 60;
export const COPIED_OPTIONS = { limitInputPixels: 110_000_000, failOn: "error" } as const;
/** Bytes for each pixel of a copy: its pixels, what an encoder and the lines in front of it hold, and the pixels of the next one. */
const BYTES_PER_PIXEL = 7;
/** What there is to say about a copy that others are made of. */
const COPIED = { space: "srgb" } as const;
const FIRST_FACTOR = 2;

/** What making copies takes beside the decoder. One of the master's own size goes through the encoder line by line. */
export function copyingBytes(master: Extent): number {
	const { width, height } = shrunkExtent(master, FIRST_FACTOR);
	return width * height * BYTES_PER_PIXEL;
}

/** What the pixels of a master take that are kept for its first renditions: 0 for one that has too many, or whose copies would not be the same. */
export function wholeBytes(header: Metadata): number {
	const half = shrunkExtent(header, FIRST_FACTOR);
	return isPlainJpeg(header) && isSteady(header.height, half.height) ? (keptBytes(header) ?? 0) : 0;
}

/** Undefined for a master whose pixels are not kept. */
export async function wholeOf(input: string | Uint8Array, header: Metadata): Promise<Pixels | undefined> {
	return wholeBytes(header) > 0 ? await allPixels(upright(input, header), TIMEOUT_SECONDS) : undefined;
}

/**
 * Smaller copies of an upright picture, by factor. It is decoded once, whole, and each copy is made of the pixels of the one before, whichever are
 * wanted. `master` is its size, upright, and `header` its file's.
 */
export async function copiesOf(
	decoded: string | Uint8Array | Pixels,
	master: Extent,
	factors: readonly number[],
	header: Described,
): Promise<ReadonlyMap<number, Bytes>> {
	const copies = new Map<number, Bytes>();
	const whole = factors.includes(1) ? await written(upright(decoded, header), 1, header) : undefined;
	if (whole) copies.set(1, whole);
	let image = whole ? upright(whole, COPIED) : upright(decoded, header);
	const last = Math.max(...factors);
	for (let factor = FIRST_FACTOR; factor <= last; factor *= 2) {
		const { data, info } = await image
			.resize({ ...shrunkExtent(master, factor), fit: "fill" })
			.toColourspace("srgb")
			.timeout({ seconds: TIMEOUT_SECONDS })
			.raw()
			.toBuffer({ resolveWithObject: true });
		const { width, height, channels } = info;
		const pixels = () => sharp(data, { raw: { width, height, channels } });
		if (factors.includes(factor)) copies.set(factor, await written(pixels(), factor, header));
		image = pixels();
	}
	return copies;
}

function upright(input: string | Uint8Array | Pixels, header: Described): Sharp {
	if (typeof input !== "string" && "data" in input) return ofPixels(input);
	return inProfile(sharp(input, COPIED_OPTIONS), header).autoOrient();
}

async function written(copy: Sharp, factor: number, { chromaSubsampling }: Described): Promise<Bytes> {
	const image = copy.toColourspace("srgb").timeout({ seconds: TIMEOUT_SECONDS });
	return new Uint8Array(await encode(image, factor, chromaSubsampling).toBuffer());
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
