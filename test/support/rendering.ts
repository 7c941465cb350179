import type { OutputFormat } from "@svc/base/enumerations";
import type { Master, RenderAids } from "@svc/images/ports";
import { parseTransform } from "@svc/images/transform/transform";
import { sharpRenderer } from "@svc/imaging/render/render";
import { sharp } from "@svc/imaging/sharp-settings";
import type { Sharp } from "sharp";

/* What the tests of rendering share: pictures with known pixels, and a look at the pixels that come out. */

export type Pixel = readonly number[];

export const RED = [255, 0, 0];
export const GREEN = [0, 255, 0];
export const BLUE = [0, 0, 255];
export const WHITE = [255, 255, 255];

interface Decoded {
	readonly width: number;
	readonly height: number;
	readonly channels: number;
	at(x: number, y: number): Pixel;
}

/** The colour of each pixel of a new PNG. */
export async function painted(
	width: number,
	height: number,
	colour: (x: number, y: number) => Pixel,
): Promise<Uint8Array<ArrayBuffer>> {
	return await bytesOf(drawn(width, height, colour).png());
}

export function drawn(width: number, height: number, colour: (x: number, y: number) => Pixel): Sharp {
	const pixels: number[] = [];
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) pixels.push(...colour(x, y));
	}
	const channels = pixels.length === width * height * 4 ? 4 : 3;
	return sharp(Uint8Array.from(pixels), { raw: { width, height, channels } });
}

/** 400×200 in four quarters: red and green above blue and white. */
export async function quarters(): Promise<Uint8Array<ArrayBuffer>> {
	return await painted(400, 200, (x, y) => (y < 100 ? (x < 200 ? RED : GREEN) : x < 200 ? BLUE : WHITE));
}

export async function bytesOf(image: Sharp): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await image.toBuffer());
}

export function masterOf(bytes: Uint8Array<ArrayBuffer>, format: OutputFormat): Master {
	const stream = () => new Blob([bytes]).stream();
	const blob = { bytes: bytes.length, path: undefined, read: async () => bytes, stream };
	return { blob, format, width: 0, height: 0 };
}

export async function rendered(
	bytes: Uint8Array<ArrayBuffer>,
	query: string,
	format: OutputFormat = "png",
	aids: RenderAids = {},
): ReturnType<ReturnType<typeof sharpRenderer>["render"]> {
	const transform = parseTransform(new URLSearchParams(query));
	return await sharpRenderer().render(masterOf(bytes, format), transform, aids, new AbortController().signal);
}

export async function pixelsOf(bytes: Uint8Array, page = 0): Promise<Decoded> {
	const { data, info } = await sharp(bytes, { page }).raw().toBuffer({ resolveWithObject: true });
	const { width, height, channels } = info;
	const at = (x: number, y: number) => [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)];
	return { width, height, channels, at };
}

/** Renders a PNG master and decodes what came out. */
export async function look(bytes: Uint8Array<ArrayBuffer>, query: string, aids: RenderAids = {}): Promise<Decoded> {
	return await pixelsOf((await rendered(bytes, query, "png", aids)).bytes);
}

/** The pixels near the four corners, from the top left clockwise. */
export function corners({ width, height, at }: Decoded): Pixel[] {
	const [right, bottom] = [width - 4, height - 4];
	return [at(3, 3), at(right, 3), at(right, bottom), at(3, bottom)];
}
