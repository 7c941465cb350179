import { plain } from "./pictures.ts";

/* Small files of the formats that are stored and served as they are. */

export function svg(inside = '<rect width="100%" height="100%"/>', attributes = 'width="40" height="30"'): string {
	return `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`;
}

/** An SVG of exactly so many bytes. */
export function svgOf(bytes: number): Uint8Array<ArrayBuffer> {
	const [start, end] = [svg("<!--", 'width="40" height="30"').slice(0, -6), "--></svg>"];
	return new TextEncoder().encode(start + "x".repeat(bytes - start.length - end.length) + end);
}

/** 24 bits to a pixel, uncompressed, black. */
export function bmp(width: number, height: number): Uint8Array<ArrayBuffer> {
	const row = Math.ceil((width * 24) / 32) * 4;
	const file = new Uint8Array(54 + row * Math.abs(height));
	const view = new DataView(file.buffer);
	file.set([0x42, 0x4d]);
	view.setUint32(2, file.length, true);
	view.setUint32(10, 54, true);
	view.setUint32(14, 40, true);
	view.setInt32(18, width, true);
	view.setInt32(22, height, true);
	view.setUint16(26, 1, true);
	view.setUint16(28, 24, true);
	return file;
}

/** Each side up to 256; PNG inside. */
export async function ico(...sides: readonly number[]): Promise<Uint8Array<ArrayBuffer>> {
	const pictures = await Promise.all(sides.map((side) => plain(side, side)));
	const start = 6 + 16 * sides.length;
	const file = new Uint8Array(start + pictures.reduce((sum, { length }) => sum + length, 0));
	const view = new DataView(file.buffer);
	view.setUint16(2, 1, true);
	view.setUint16(4, sides.length, true);
	let at = start;
	for (const [place, picture] of pictures.entries()) {
		const entry = 6 + 16 * place;
		file.set([Number(sides[place]) % 256, Number(sides[place]) % 256], entry);
		view.setUint32(entry + 8, picture.length, true);
		view.setUint32(entry + 12, at, true);
		file.set(picture, at);
		at += picture.length;
	}
	return file;
}
