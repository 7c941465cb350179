import type { Extent } from "@svc/images/layout/extent";
import { shrunkExtent } from "@svc/images/transform/shrunk-masters";
import type { Metadata, Sharp } from "sharp";
import { allPixels, isPlainJpeg, keptBytes, ofPixels, type Pixels } from "../render/kept-pixels.ts";
import { isSteady } from "../render/strips.ts";
import { type Header, inProfile, sharp } from "../sharp-settings.ts";

export type Bytes = Uint8Array<ArrayBuffer>;
type Described = Pick<Header, "space" | "icc" | "pipeline">;

/** By the clock on the wall, so generous: the machine may be busy with others. */
const TIMEOUT_SECONDS = 60;
export const COPIED_OPTIONS = { limitInputPixels: 110_000_000, failOn: "error" } as const;
/** Bytes for each pixel of a copy: its pixels, what an encoder and the lines in front of it hold, and the pixels of the next one. */
const BYTES_PER_PIXEL = 7;
/** Of a JPEG; of a small copy, of which little is left to resize, what the encoder leaves out would be seen. */
const QUALITY = 92;
const QUALITY_OF_SMALL = 95;
const SMALL_PIXELS = 400_000;
/** What there is to say about a copy that others are made of. */
const COPIED = { space: "srgb" } as const;
const FIRST_FACTOR = 2;

/** What making copies takes beside the decoder. One of the master's own size goes through the encoder line by line. */
export function copyingBytes(master: Extent): number {
	const { width, height } = shrunkExtent(master, FIRST_FACTOR);
	return width * height * BYTES_PER_PIXEL;
}

/** What the pixels of a master take that are kept for its first renditions: 0 for one that has too many, or whose copies would not be the same. */
export function wholeBytes(header: Metadata, factors: readonly number[]): number {
	const half = shrunkExtent(header, FIRST_FACTOR);
	const isSame = factors.length === 0 || isSteady(header.height, half.height);
	return isPlainJpeg(header) && isSame ? (keptBytes(header) ?? 0) : 0;
}

/** Decodes all of a master. Undefined for one that has other channels than red, green and blue. */
export async function wholeOf(input: string | Uint8Array, header: Metadata): Promise<Pixels | undefined> {
	return await allPixels(upright(input, header), TIMEOUT_SECONDS);
}

/**
 * Smaller copies of an upright picture, by factor. Each is made of the pixels of the one before, and the first of the master: so the same `factors`, all
 * of them from the smallest on, make the same copies. `master` is its size, upright, and `header` its file's.
 */
export async function copiesOf(
	decoded: string | Uint8Array | Pixels,
	master: Extent,
	factors: readonly number[],
	header: Described,
): Promise<ReadonlyMap<number, Bytes>> {
	const copies = new Map<number, Bytes>();
	let image = upright(decoded, header);
	for (const factor of factors) {
		if (factor === 1) {
			const whole = await written(image, master);
			copies.set(factor, whole);
			image = upright(whole, COPIED);
			continue;
		}
		// A JPEG's decoder reads at most a half of what is left to resize here.
		const { data, info } = await image
			.resize({ ...shrunkExtent(master, factor), fit: "fill" })
			.toColourspace("srgb")
			.timeout({ seconds: TIMEOUT_SECONDS })
			.raw()
			.toBuffer({ resolveWithObject: true });
		const { width, height, channels } = info;
		const pixels = () => sharp(data, { raw: { width, height, channels } });
		copies.set(factor, await written(pixels(), info));
		image = pixels();
	}
	return copies;
}

function upright(input: string | Uint8Array | Pixels, header: Described): Sharp {
	if (typeof input !== "string" && "data" in input) return ofPixels(input);
	return inProfile(sharp(input, COPIED_OPTIONS), header).autoOrient();
}

/**
 * Colours are not halved, although a camera's are: where a copy is less than twice as large as a rendition they would come to less than a rendition has,
 * and that loses a point of SSIMULACRA 2. Codes of its own would save a copy a hundredth of its bytes, and cost as much memory as its pixels do twice over.
 */
async function written(copy: Sharp, { width, height }: Extent): Promise<Bytes> {
	const image = copy.toColourspace("srgb").timeout({ seconds: TIMEOUT_SECONDS });
	const quality = width * height > SMALL_PIXELS ? QUALITY : QUALITY_OF_SMALL;
	return new Uint8Array(await image.jpeg({ quality, chromaSubsampling: "4:4:4", optimiseCoding: false }).toBuffer());
}
