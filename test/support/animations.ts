import { sharp } from "@svc/imaging/sharp-settings";

/* Animations as other programs may write them: frames of any size anywhere, each with its own way to be shown and taken away again. */

/** One frame, in RGBA; what is transparent is wholly so in a GIF. */
export interface Frame {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	readonly pixels: Uint8Array<ArrayBuffer>;
	/** As the format counts it: hundredths of a second in a GIF, milliseconds in a WebP. */
	readonly delay: number;
	/** GIF: 0 to 3. WebP: 1 clears the frame's own area. */
	readonly disposal: number;
	/** WebP alone: takes the place of what is there, transparency included. */
	readonly replaces?: boolean;
}

export interface Animation {
	readonly width: number;
	readonly height: number;
	readonly frames: readonly Frame[];
	/** 0: without end. Undefined: the file does not say. */
	readonly loops?: number | undefined;
	/** GIF alone: the number of the background's colour. */
	readonly background?: number;
	/** GIF alone: whether frames name the colour that stands for nothing although none of their pixels has it. */
	readonly namesTransparent?: boolean;
}

const le16 = (value: number) => [value & 255, (value >> 8) & 255];
const le24 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255];
const le32 = (value: number) => [...le24(value), (value >>> 24) & 255];
const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** Its colours are those of a cube with six steps a side, so that what is written is what is shown. */
export function gifOf({ width, height, frames, loops, background = 0, namesTransparent = false }: Animation): Buffer {
	const palette = Array.from({ length: 256 }, (_, at) => (at < 216 ? cubeColour(at) : [0, 0, 0]));
	const loop = loops === undefined ? [] : [0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, ...le16(loops), 0];
	const head = [...ascii("GIF89a"), ...le16(width), ...le16(height), 0xf7, background, 0, ...palette.flat(), ...loop];
	const blocks = frames.flatMap((frame) => {
		const indices = indicesOf(frame.pixels);
		const isHoled = namesTransparent || indices.includes(HOLE);
		const control = (frame.disposal << 2) | (isHoled ? 1 : 0);
		return [
			...[0x21, 0xf9, 4, control, ...le16(frame.delay), isHoled ? HOLE : 0, 0],
			...[0x2c, ...le16(frame.x), ...le16(frame.y), ...le16(frame.width), ...le16(frame.height), 0],
			...packed(indices),
		];
	});
	return Buffer.from([...head, ...blocks, 0x3b]);
}

/** This number of the palette stands for nothing. */
const HOLE = 255;

function cubeColour(at: number): readonly number[] {
	return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => step * 51);
}

function indicesOf(pixels: Uint8Array): readonly number[] {
	return Array.from({ length: pixels.length / 4 }, (_, place) => {
		const [r = 0, g = 0, b = 0, a = 0] = pixels.subarray(4 * place, 4 * place + 4);
		const step = (value: number) => Math.round(value / 51);
		return a < 128 ? HOLE : 36 * step(r) + 6 * step(g) + step(b);
	});
}

/** LZW as simple as it may be: nine bits each, and the dictionary cleared before it grows. */
function packed(indices: readonly number[]): readonly number[] {
	const [CLEAR, END, BETWEEN] = [256, 257, 250];
	const codes = indices.flatMap((index, place) => (place % BETWEEN === 0 ? [CLEAR, index] : [index]));
	const bytes: number[] = [];
	let [bits, count] = [0, 0];
	for (const code of [...codes, END]) {
		bits |= code << count;
		for (count += 9; count >= 8; count -= 8) {
			bytes.push(bits & 255);
			bits >>= 8;
		}
	}
	if (count > 0) bytes.push(bits & 255);
	const blocks: number[] = [8];
	for (let at = 0; at < bytes.length; at += 255) {
		const block = bytes.slice(at, at + 255);
		blocks.push(block.length, ...block);
	}
	return [...blocks, 0];
}

/** Without loss; frames stand on even places, which is all that the format can say. */
export async function webpOf({ width, height, frames, loops = 0 }: Animation): Promise<Buffer> {
	const parts = await Promise.all(frames.map(async (frame) => chunk("ANMF", await framePart(frame))));
	const extended = [0x12, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)];
	const body = [...ascii("WEBP"), ...chunk("VP8X", extended), ...chunk("ANIM", [0, 0, 0, 0, ...le16(loops)])];
	return Buffer.from([...ascii("RIFF"), ...le32(body.length + parts.flat().length), ...body, ...parts.flat()]);
}

async function framePart(frame: Frame): Promise<readonly number[]> {
	const { x, y, width, height, pixels, delay, disposal, replaces } = frame;
	const still = await sharp(pixels, { raw: { width, height, channels: 4 } })
		.webp({ lossless: true })
		.toBuffer();
	const at = still.indexOf("VP8L");
	const length = still.readUInt32LE(at + 4);
	const image = still.subarray(at, at + 8 + length + (length % 2));
	const flags = (replaces ? 2 : 0) | (disposal === 1 ? 1 : 0);
	return [...le24(x / 2), ...le24(y / 2), ...le24(width - 1), ...le24(height - 1), ...le24(delay), flags, ...image];
}

function chunk(name: string, body: readonly number[]): readonly number[] {
	return [...ascii(name), ...le32(body.length), ...body, ...(body.length % 2 === 1 ? [0] : [])];
}
