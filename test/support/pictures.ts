import sharp, { type Sharp } from "sharp";

type Format = "jpeg" | "png" | "webp" | "avif" | "gif";

/** A plain picture of one colour. */
export function plain(
	width: number,
	height: number,
	format: Format = "png",
	colour = "#336699",
): Promise<Buffer<ArrayBuffer>> {
	return encode(sharp({ create: { width, height, channels: 3, background: colour } }), format);
}

/** A gradient with a red, a green, a blue and a white corner (clockwise from the top left): shows which way up it is. */
export function corners(width: number, height: number, format: Format = "png"): Promise<Buffer<ArrayBuffer>> {
	const colours = [
		[255, 0, 0],
		[0, 255, 0],
		[255, 255, 255],
		[0, 0, 255],
	];
	const pixels = new Uint8Array(width * height * 3);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const corner = (y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1);
			pixels.set(colours[corner] ?? [], (y * width + x) * 3);
		}
	}
	return encode(sharp(pixels, { raw: { width, height, channels: 3 } }), format);
}

/** A picture that does not compress: its size in bytes follows from its size in pixels. */
export function noise(width: number, height: number, format: Format = "jpeg"): Promise<Buffer<ArrayBuffer>> {
	const channel = { type: "gaussian" as const, mean: 128, sigma: 40 };
	return encode(sharp({ create: { width, height, channels: 3, background: "#000", noise: channel } }), format);
}

function encode(image: Sharp, format: Format): Promise<Buffer<ArrayBuffer>> {
	return image.toFormat(format, { quality: 90 }).toBuffer() as Promise<Buffer<ArrayBuffer>>;
}

/** The colour of one pixel of an encoded picture, as [r, g, b, a]. */
export async function pixelAt(bytes: ArrayBuffer | Uint8Array, x: number, y: number): Promise<number[]> {
	const { data, info } = await sharp(new Uint8Array(bytes))
		.ensureAlpha()
		.toColourspace("srgb")
		.raw()
		.toBuffer({ resolveWithObject: true });
	const start = (y * info.width + x) * info.channels;
	return [...data.subarray(start, start + 4)];
}

/** A picture with detail at every size, as photographs have it: another one for each seed. */
export function detailed(seed: number, width = 480, height = 360): Sharp {
	const [across, down] = [16, 12];
	let state = seed * 2_654_435_761;
	const next = () => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) | 0;
		return (state >>> 16) & 255;
	};
	const places = Uint8Array.from({ length: across * down * 3 }, next);
	const rough = sharp(places, { raw: { width: across, height: down, channels: 3 } });
	return rough.resize(width, height, { kernel: "cubic", fit: "fill" });
}
