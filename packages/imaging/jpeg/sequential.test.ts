import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PARTLY_INTERLEAVED, QUARTERED_COLOURS, sequential, wavy } from "@svc/test/support/jpegs";
import type { JpegOptions } from "sharp";
import { sharp } from "../sharp-settings.ts";
import { UnusualJpeg } from "./source.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const withoutCorpus = corpus === undefined && process.env.CI !== "true";

/** The sides to shrink to, since a decoder leaves out coefficients of a picture that it reads smaller; undefined: as it is. */
const WIDTHS = [undefined, 20, 9, 4];

async function pixelsOf(jpeg: Uint8Array, width?: number): Promise<Buffer> {
	const decoded = sharp(jpeg, { failOn: "warning" });
	return await (width === undefined ? decoded : decoded.resize(width)).raw().toBuffer();
}

async function expectSamePixels(jpeg: Uint8Array): Promise<void> {
	const copy = sequential(jpeg);
	expect((await sharp(jpeg).metadata()).isProgressive).toBe(true);
	expect((await sharp(copy).metadata()).isProgressive).toBe(false);
	for (const width of WIDTHS) {
		expect(Buffer.compare(await pixelsOf(copy, width), await pixelsOf(jpeg, width))).toBe(0);
	}
}

const progressive = async (picture: Uint8Array, options: JpegOptions = {}) =>
	await sharp(picture)
		.jpeg({ progressive: true, ...options })
		.toBuffer();

describe("a sequential copy has the pixels of the progressive original", () => {
	const SIZES = [
		[1, 1],
		[8, 8],
		[17, 9],
		[33, 64],
		[63, 41],
		[250, 131],
	] as const;
	const OPTIONS: readonly JpegOptions[] = [
		{},
		{ chromaSubsampling: "4:4:4", quality: 100 },
		{ quality: 12 },
		{ mozjpeg: true },
		{ optimiseScans: true, quality: 93 },
		{ chromaSubsampling: "4:4:4", mozjpeg: true, quality: 60 },
	];

	for (const [width, height] of SIZES) {
		test.each(OPTIONS)(`${width}×${height}, %j`, async (options) => {
			await expectSamePixels(await progressive(await wavy(width, height), options));
		});

		test(`${width}×${height}, grey and CMYK`, async () => {
			await expectSamePixels(await progressive(await wavy(width, height, 1)));
			const inks = sharp(await wavy(width, height)).toColourspace("cmyk");
			await expectSamePixels(await inks.jpeg({ progressive: true }).toBuffer());
		});
	}

	test("with restarts, scans of some components, and colours at a quarter of the width", async () => {
		await expectSamePixels(PARTLY_INTERLEAVED);
		await expectSamePixels(QUARTERED_COLOURS);
	});

	test.skipIf(withoutCorpus)(`of photographs${corpus ? "" : " (SKIPPED: SVC_TEST_CORPUS is not set)"}`, async () => {
		await expectSamePixels(await readFile(join(corpus ?? "", "jpeg_progressive.jpg")));
		const phone = await readFile(join(corpus ?? "", "jpeg_o6_landscape.jpg"));
		await expectSamePixels(await progressive(phone, { quality: 97 }));
		await expectSamePixels(await progressive(await readFile(join(corpus ?? "", "jpeg_cmyk_noprofile.jpg"))));
	});
});

test("orientation, profile and resolution are those of the original; comments are not copied", async () => {
	const described = sharp(await wavy(40, 30))
		.withIccProfile("p3")
		.withMetadata({ orientation: 6, density: 300 });
	const jpeg = await described.jpeg({ progressive: true }).toBuffer();
	const comment = Uint8Array.of(0xff, 0xfe, 0, 6, 1, 2, 3, 4);
	const commented = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
	const { size: _, isProgressive: __, ...original } = await sharp(jpeg).metadata();
	expect(original).toMatchObject({ orientation: 6, density: 300 });
	expect(original.icc).toBeDefined();
	expect(await sharp(sequential(commented)).metadata()).toMatchObject(original);
});

describe("what is left to a decoder", () => {
	const reason = (jpeg: Uint8Array, maxBytes?: number): string => {
		try {
			sequential(jpeg, maxBytes);
			return "copied";
		} catch (error) {
			if (error instanceof UnusualJpeg) return error.message;
			throw error;
		}
	};
	/** Where each scan's segment begins. */
	const scansOf = (jpeg: Buffer) => {
		const found: number[] = [];
		for (let at = jpeg.indexOf("ffda", 0, "hex"); at >= 0; at = jpeg.indexOf("ffda", at + 1, "hex")) found.push(at);
		return found;
	};
	const inserted = (jpeg: Buffer, at: number, bytes: readonly number[]) =>
		Buffer.concat([jpeg.subarray(0, at), Uint8Array.from(bytes), jpeg.subarray(at)]);

	test("sequential files, other bytes, nothing at all", async () => {
		expect(
			reason(
				await sharp(await wavy(40, 30))
					.jpeg()
					.toBuffer(),
			),
		).toBe("has a marker c0");
		expect(reason(await wavy(40, 30))).toBe("does not begin as a JPEG");
		expect(reason(new Uint8Array())).toBe("ends without an end marker");
	});

	test("a picture that was cut short, or lacks a scan, whose decoder would smooth what it does not know", async () => {
		const jpeg = await progressive(await wavy(80, 60));
		expect(reason(jpeg.subarray(0, -2))).toBe("ends without an end marker");
		expect(reason(jpeg.subarray(0, 500))).toBe("ends without an end marker");
		const last = scansOf(jpeg).at(-1) ?? 0;
		expect(reason(Buffer.concat([jpeg.subarray(0, last), jpeg.subarray(-2)]))).toBe("lacks scans");
		expect(reason(inserted(jpeg, jpeg.length - 2, [...jpeg.subarray(last, -2)]))).toBe("repeats or lacks a scan");
		expect(reason(Buffer.concat([jpeg.subarray(0, -20), jpeg.subarray(-2)]))).toBe("has a scan that ends early");
		expect(reason(inserted(jpeg, jpeg.length - 2, [0]))).toBe("has a scan of another length");
		expect(reason(inserted(jpeg, jpeg.length - 2, [1, 2, 3, 4, 5, 6]))).toBe("has a scan of another length");
	});

	test("tables of quantization, frames, heights and strangers between the scans", async () => {
		const jpeg = await progressive(await wavy(80, 60));
		const second = scansOf(jpeg)[1] ?? 0;
		const quantization = [0xff, 0xdb, 0, 67, 0, ...new Uint8Array(64).fill(9)];
		expect(reason(inserted(jpeg, second, quantization))).toBe("changes its quantization between scans");
		const frame = jpeg.indexOf("ffc2", 0, "hex");
		expect(reason(inserted(jpeg, second, [...jpeg.subarray(frame, frame + 19)]))).toBe("has an unusual frame");
		expect(reason(inserted(jpeg, second, [0xff, 0xdc, 0, 4, 0, 60]))).toBe("has a marker dc");
		expect(reason(inserted(jpeg, second, [0]))).toBe("has bytes between its segments");
	});

	test("more segments or bytes than can be meant well", async () => {
		const jpeg = await progressive(await wavy(80, 60));
		const comments = Array.from({ length: 10_001 }, () => [0xff, 0xfe, 0, 2]).flat();
		expect(reason(inserted(jpeg, 2, comments))).toBe("has too many segments");
		expect(reason(jpeg, 1_000)).toBe("is much longer as a sequential JPEG");
	});

	/** Numerical Recipes' generator: the same mutations in every run. */
	function chance(seed: number): (below: number) => number {
		let state = seed;
		return (below) => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return Math.floor((state / 2 ** 32) * below);
		};
	}

	function mutated(original: Uint8Array, below: (n: number) => number): Uint8Array {
		const bytes = Buffer.from(original);
		const at = below(bytes.length);
		switch (below(5)) {
			case 0:
				return bytes.subarray(0, at);
			case 1:
				bytes[at] = below(256);
				bytes[below(bytes.length)] = below(256);
				return bytes;
			case 2:
				return inserted(bytes, at, [below(256)]);
			case 3:
				return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(4))]);
			default:
				bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
				return bytes;
		}
	}

	test("of damaged files, whatever is copied looks like its original, and is refused where that is", async () => {
		const originals = [
			PARTLY_INTERLEAVED,
			QUARTERED_COLOURS,
			await progressive(await wavy(37, 29)),
			await progressive(await wavy(33, 50), { mozjpeg: true }),
			await progressive(await wavy(41, 20, 1), { quality: 30 }),
		];
		const verdict = async (jpeg: Uint8Array) =>
			await sharp(jpeg, { failOn: "error" })
				.raw()
				.toBuffer()
				.then(
					(pixels) => pixels.toString("base64"),
					() => "refused",
				);
		const below = chance(20_260_101);
		let copied = 0;
		for (let round = 0; round < 2_500; round++) {
			const jpeg = mutated(originals[round % originals.length] ?? PARTLY_INTERLEAVED, below);
			if (reason(jpeg) !== "copied") continue;
			copied++;
			expect(await verdict(sequential(jpeg))).toBe(await verdict(jpeg));
		}
		expect(copied).toBeGreaterThan(250);
	});
});
