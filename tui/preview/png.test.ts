import { describe, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";
import { decodePng, isPng, PngError } from "./png.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function chunk(name: string, body: Uint8Array): Uint8Array {
	const named = Buffer.concat([Buffer.from(name), body]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(body.length);
	sum.writeUInt32BE(crc32(named));
	return Buffer.concat([length, named, sum]);
}

interface Parts {
	readonly width: number;
	readonly height: number;
	readonly depth: number;
	readonly type: number;
	readonly interlace?: number;
	readonly extra?: readonly (readonly [string, readonly number[]])[];
	/** Lines as stored, each with its filter first. */
	readonly lines: readonly (readonly number[])[];
}

function png({ width, height, depth, type, interlace = 0, extra = [], lines }: Parts): Uint8Array {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([depth, type, 0, 0, interlace], 8);
	const packed = deflateSync(Buffer.from(lines.flat()));
	// In two chunks, as encoders may write them.
	const data = [packed.subarray(0, 5), packed.subarray(5)].map((part) => chunk("IDAT", part));
	const more = extra.map(([name, body]) => chunk(name, Buffer.from(body)));
	return Buffer.concat([
		Buffer.from(SIGNATURE),
		chunk("IHDR", header),
		...more,
		...data,
		chunk("IEND", Buffer.alloc(0)),
	]);
}

function pixels(parts: Parts): number[][] {
	const { rgba, width, height } = decodePng(png(parts));
	return Array.from({ length: width * height }, (_, at) => [...rgba.subarray(at * 4, at * 4 + 4)]);
}

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const WHITE = [255, 255, 255, 255];
const BLACK = [0, 0, 0, 255];

describe("decodePng", () => {
	test("reads every colour type, packed samples and 16 bits included [preview.png.types]", () => {
		const one = { width: 2, height: 1 };
		expect(pixels({ ...one, depth: 8, type: 2, lines: [[0, 255, 0, 0, 0, 255, 0]] })).toEqual([RED, GREEN]);
		expect(pixels({ ...one, depth: 8, type: 6, lines: [[0, 255, 0, 0, 9, 0, 255, 0, 255]] })).toEqual([
			[255, 0, 0, 9],
			GREEN,
		]);
		expect(pixels({ ...one, depth: 8, type: 4, lines: [[0, 7, 8, 255, 255]] })).toEqual([[7, 7, 7, 8], WHITE]);
		expect(pixels({ ...one, depth: 1, type: 0, lines: [[0, 0b01000000]] })).toEqual([BLACK, WHITE]);
		expect(pixels({ ...one, depth: 4, type: 0, lines: [[0, 0x3f]] })).toEqual([[51, 51, 51, 255], WHITE]);
		expect(pixels({ ...one, depth: 16, type: 0, lines: [[0, 0, 0, 255, 255]] })).toEqual([BLACK, WHITE]);
		const palette = [["PLTE", [255, 0, 0, 0, 255, 0]] as const, ["tRNS", [128]] as const];
		expect(pixels({ ...one, depth: 2, type: 3, extra: palette, lines: [[0, 0b00010000]] })).toEqual([
			[255, 0, 0, 128],
			GREEN,
		]);
	});

	test("the one colour that tRNS names is transparent [preview.png.hidden]", () => {
		const rgb = { width: 2, height: 1, depth: 8, type: 2, lines: [[0, 255, 0, 0, 0, 255, 0]] };
		expect(pixels({ ...rgb, extra: [["tRNS", [0, 255, 0, 0, 0, 0]]] })).toEqual([[0, 0, 0, 0], GREEN]);
		const grey = { width: 2, height: 1, depth: 8, type: 0, lines: [[0, 0, 255]] };
		expect(pixels({ ...grey, extra: [["tRNS", [0, 255]]] })).toEqual([BLACK, [0, 0, 0, 0]]);
	});

	test("undoes each of the five filters [preview.png.filters]", () => {
		const lines = [
			[0, 10, 20, 30],
			[1, 10, 10, 10],
			[2, 1, 1, 1],
			[3, 10, 10, 10],
			[4, 1, 1, 1],
		];
		const grey = pixels({ width: 3, height: 5, depth: 8, type: 0, lines }).map(([value]) => value);
		expect(grey).toEqual([10, 20, 30, 10, 20, 30, 11, 21, 31, 15, 28, 39, 16, 29, 40]);
	});

	test("says what is wrong with anything else, however large it claims to be [preview.png.refused]", () => {
		const good: Parts = { width: 1, height: 1, depth: 8, type: 0, lines: [[0, 0]] };
		const refused = (bytes: Uint8Array) => {
			try {
				decodePng(bytes);
			} catch (error) {
				return error instanceof PngError ? error.message : error;
			}
			return "nothing";
		};
		expect(refused(Buffer.from("GIF89a"))).toBe("It is no PNG.");
		expect(refused(Buffer.from(SIGNATURE))).toBe("It has no header.");
		expect(refused(png({ ...good, width: 1_000_000, height: 1_000_000 }))).toBe("It has too many pixels.");
		expect(refused(png({ ...good, width: 0 }))).toBe("Its header makes no sense.");
		expect(refused(png({ ...good, interlace: 1 }))).toBe("It is interlaced.");
		const unreadable = [
			png({ ...good, depth: 3 }),
			png({ ...good, lines: [[5, 0]] }),
			png(good).subarray(0, 48),
			// More than the header says is not unpacked: a small file must not fill the memory.
			png({ ...good, lines: [Array(9_999_999).fill(0)] }),
		];
		expect(unreadable.map(refused)).toEqual(unreadable.map(() => "Its pixels cannot be read."));
		expect([isPng(png(good)), isPng(new Uint8Array())]).toEqual([true, false]);
	});
});
