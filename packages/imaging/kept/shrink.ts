import type { Master } from "@svc/images/ports";
import { DECODED_FACTOR, shrunkExtent } from "@svc/images/transform/shrunk-masters";
import type { Metadata, Sharp } from "sharp";
import { type DecodingOptions, decodeInTurn } from "../inspect/gate.ts";
import { inProfile, sharp } from "../sharp-settings.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Described = Pick<Metadata, "space" | "icc" | "chromaSubsampling">;

const TIMEOUT_SECONDS = 20;
const OPTIONS = { limitInputPixels: 110_000_000, failOn: "error" } as const;
/** Bytes for each pixel of a copy: its pixels, what an encoder and the lines in front of it hold, and the pixels of the next one. */
const BYTES_PER_PIXEL = 7;
/** What there is to say about a copy that others are made of. */
const COPIED = { space: "srgb" } as const;

/**
 * Smaller copies of masters, upright, in the master's own colours and without its descriptions: those are read from the master itself.
 * Undefined where no copy stands in for it: transparency and animations stay as they are.
 */
export function sharpShrinker(decoding: DecodingOptions) {
	return {
		/** By factor, and in memory. The master is decoded once: each copy is made of the pixels of the one before, whichever are wanted. */
		async reduce(master: Master, factors: readonly number[]): Promise<ReadonlyMap<number, Bytes>> {
			const input = master.blob.path ?? (await master.blob.read());
			const header = await sharp(input, OPTIONS).metadata();
			if (header.hasAlpha || (header.pages ?? 1) > 1 || factors.length === 0) return new Map();
			// One of the master's own size goes through the encoder line by line.
			const { width, height } = shrunkExtent(master, FIRST_FACTOR);
			const moreBytes = width * height * BYTES_PER_PIXEL;
			return await decodeInTurn(decoding, { input, header, moreBytes }, (decoded) =>
				copiesOf(decoded, master, factors, header),
			);
		},
	};
}

const FIRST_FACTOR = 2;

async function copiesOf(
	decoded: string | Uint8Array,
	master: Master,
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

function upright(input: string | Uint8Array, header: Described): Sharp {
	return inProfile(sharp(input, OPTIONS), header).autoOrient();
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
