import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, rendered } from "@svc/test/support/rendering";
import type { Sharp } from "sharp";
import { sharp } from "../sharp-settings.ts";
import { readingOf } from "./reading.ts";
import { likeness, lumaOf } from "./steps/likeness.ts";

const WIDTH = 901;
const HEIGHT = 700;
const ALIKE = 0.99;

/** Detail of all sizes, as in a photograph. */
const DRAWN = drawn(WIDTH, HEIGHT, (x, y) => [
	128 + 60 * Math.sin((x * y) / 9_000) + 40 * Math.sin(x / 7 + y / 19) + 20 * Math.sin(x / 5),
	120 + 70 * Math.sin((x - y) / 40) + 30 * Math.sin(y / 6),
	64 + (x * 90) / WIDTH + 30 * Math.sin((x + y) / 11),
]);
const photograph = (): Sharp => DRAWN.clone();

async function lumaIn(bytes: Uint8Array) {
	const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
	const { width, height } = info;
	return { luma: await lumaOf({ pixels: data, channels: 4, width, height, count: 1 }), width, height };
}

/** Those that are not like the one that is made of all pixels: those of the file, as a PNG. */
async function unlike(image: Sharp, format: "jpg" | "webp", queries: readonly string[]): Promise<string[]> {
	const file = await bytesOf(image);
	const whole = await bytesOf(sharp(file).autoOrient().toColourspace("srgb").png({ compressionLevel: 0 }));
	const found: string[] = [];
	for (const query of queries) {
		const right = await lumaIn((await rendered(whole, query, "png")).bytes);
		const made = await lumaIn((await rendered(file, query, format)).bytes);
		expect([query, made.width, made.height]).toEqual([query, right.width, right.height]);
		if (likeness(right.luma, made.luma, right.width, right.height) < ALIKE) found.push(query);
	}
	return found;
}

describe("a rendition of a master itself", () => {
	const still = { width: 4_032, height: 3_024, frames: 1, isExact: false };
	const read = (width: number, more: object = {}) =>
		readingOf({ ...still, format: "jpg", ...more }, { width, height: Math.round((width * 3) / 4) });

	test.each([
		[1_300, 1, false],
		[1_220, 2, true],
		[800, 2, false],
		[620, 2, false],
		[600, 4, true],
		[504, 4, true],
		[400, 4, false],
		[280, 4, false],
		[250, 8, true],
	])("of 4,032 pixels, %i wide, is read at one of %i", (width, scale, isFast) => {
		expect(read(width)).toEqual({ scale, isFast });
	});

	test("is read with twice its pixels left where it keeps all that it is made of, and whole where its decoder always leaves something out", () => {
		expect(read(600, { isExact: true })).toEqual({ scale: 2, isFast: false });
		expect(read(600, { format: "webp" })).toEqual({ scale: 1, isFast: false });
		expect(read(600, { format: "webp", width: 8_064, height: 6_048 }).isFast).toBe(true);
		expect(read(600, { format: "webp", frames: 2 }).isFast).toBe(true);
		expect(read(600, { format: "png" })).toEqual({ scale: 1, isFast: false });
	});

	const SIZES = Array.from({ length: 15 }, (_, place) => `w=${60 + 27 * place}`);

	test("looks like one of all pixels in each size", async () => {
		const queries = SIZES.flatMap((size) => [`${size}&format=png`, `${size}&format=jpg&q=100`]);
		expect(await unlike(photograph().jpeg({ quality: 90 }), "jpg", queries)).toEqual([]);
		expect(await unlike(photograph().webp({ quality: 90 }), "webp", queries.slice(0, 4))).toEqual([]);
	});

	const KINDS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
		"with full colours": (image) => image.jpeg({ quality: 92, chromaSubsampling: "4:4:4" }),
		progressive: (image) => image.jpeg({ quality: 92, progressive: true }),
		"in Display P3": (image) => image.withIccProfile("p3").jpeg({ quality: 92 }),
		grey: (image) => image.greyscale().jpeg({ quality: 92 }),
		"in inks": (image) => image.toColourspace("cmyk").jpeg({ quality: 92 }),
		"stored on its side": (image) => image.withMetadata({ orientation: 6 }).jpeg({ quality: 92 }),
		"mirrored and on its head": (image) => image.withMetadata({ orientation: 4 }).jpeg({ quality: 92 }),
	};
	const FORMS = [
		"w=200",
		"w=110&h=110&fit=cover&gravity=right",
		"crop=0.3,0.2,0.6,0.7&w=120",
		"h=120&rotate=90",
		"w=130&flip=h",
		"w=160&h=160&fit=pad&background=teal",
	];

	test.each(Object.keys(KINDS))("looks like one of all pixels in each form, of a JPEG %s", async (kind) => {
		const stored = KINDS[kind]?.(photograph()) ?? photograph();
		expect(
			await unlike(
				stored,
				"jpg",
				FORMS.map((form) => `${form}&format=png`),
			),
		).toEqual([]);
	});
});
