import { describe, expect, test } from "bun:test";
import { corpus, corpusNote, withoutCorpus } from "@svc/test/support/corpus";
import { bytesOf, drawn, painted, pixelsOf, RED, rendered } from "@svc/test/support/rendering";
import type { Sharp } from "sharp";
import { sharp } from "../../sharp-settings.ts";
import type { Frames } from "../frames.ts";
import { likeness, lumaOf } from "./likeness.ts";
import { ALIKE, lowestQuality } from "./quality.ts";

const FORMATS = ["jpg", "webp", "avif"] as const;

async function framesOf(bytes: Uint8Array): Promise<Frames> {
	const { data, info } = await sharp(bytes).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
	return { pixels: data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3, count: 1 };
}

async function alike(one: Uint8Array, other: Uint8Array): Promise<number> {
	const [a, b] = [await framesOf(one), await framesOf(other)];
	return likeness(await lumaOf(a), await lumaOf(b), a.width, a.height);
}

/** Detail of which a low quality leaves little. */
const detailed = await painted(160, 120, (x, y) => {
	const value = 128 + 60 * Math.sin(x * 0.9) * Math.cos(y * 0.7) + ((x * 7919 + y * 104729) % 40);
	return [value, value * 0.8, 255 - value].map(Math.round);
});
const smooth = await painted(160, 120, (x, y) => [x, y, 100]);

describe("q=auto", () => {
	test.each(FORMATS)("%s: what comes out is alike, and smaller where little is to be seen", async (format) => {
		const exact = (await rendered(detailed, "saturation=0.9")).bytes;
		const auto = (await rendered(detailed, `saturation=0.9&format=${format}&q=auto`)).bytes;
		const best = (await rendered(detailed, `saturation=0.9&format=${format}&q=90`)).bytes;
		expect(await alike(exact, auto)).toBeGreaterThanOrEqual(Math.min(ALIKE, (await alike(exact, best)) - 0.005));
		const plain = (await rendered(smooth, `saturation=0.9&format=${format}&q=90`)).bytes;
		const small = (await rendered(smooth, `saturation=0.9&format=${format}&q=auto`)).bytes;
		expect(small.length).toBeLessThan(plain.length);
	});

	test("is the quality that it says: the same bytes as with that number", async () => {
		const { bytes } = await rendered(smooth, "format=jpg&q=auto");
		const candidates = Array.from({ length: 51 }, (_, index) => 40 + index);
		const equal = [];
		for (const q of candidates) {
			const made = (await rendered(smooth, `format=jpg&q=${q}`)).bytes;
			if (Buffer.compare(made, bytes) === 0) equal.push(q);
		}
		expect(equal).not.toEqual([]);
	});

	test("takes at most four encodes, and 90 where nothing is alike", async () => {
		const tried: number[] = [];
		const encoded = (_: unknown, quality: number) => {
			tried.push(quality);
			return sharp({ create: { width: 160, height: 120, channels: 3, background: "black" } }).png();
		};
		expect(await lowestQuality(await framesOf(detailed), encoded, 10)).toBe(90);
		expect(tried.length).toBeLessThanOrEqual(3);
		tried.length = 0;
		const perfect = (image: Sharp, quality: number) => {
			tried.push(quality);
			return image.png();
		};
		expect(await lowestQuality(await framesOf(detailed), perfect, 10)).toBeLessThanOrEqual(46);
	});

	test("judges a large picture by pieces of it", async () => {
		const judged: Promise<{ readonly info: { readonly width: number; readonly height: number } }>[] = [];
		const large = drawn(8, 8, (x, y) => [x * 30, y * 30, 0]).resize(2_600, 2_000, { kernel: "nearest" });
		const frames = await framesOf(await bytesOf(large.png({ compressionLevel: 1 })));
		const encoded = (image: Sharp, quality: number) => {
			judged.push(image.clone().jpeg().toBuffer({ resolveWithObject: true }));
			return image.jpeg({ quality });
		};
		await lowestQuality(frames, encoded, 10);
		const extents = (await Promise.all(judged)).map(({ info }) => info.width * info.height);
		expect(Math.max(...extents)).toBe(1_024 ** 2);
	});

	test("keeps frames, transparency and descriptions", async () => {
		const { data } = await drawn(40, 60, (_, y) => [y * 4, 50, 90])
			.raw()
			.toBuffer({ resolveWithObject: true });
		const raw = { width: 40, height: 60, channels: 3, pageHeight: 20 } as const;
		const webp = await bytesOf(sharp(data, { raw }).webp({ lossless: true, delay: [100, 200, 300] }));
		expect(await sharp((await rendered(webp, "q=auto", "webp")).bytes).metadata()).toMatchObject({
			pages: 3,
			delay: [100, 200, 300],
		});
		const clear = await painted(40, 40, (x) => [...RED, x < 20 ? 0 : 255]);
		expect((await pixelsOf((await rendered(clear, "format=webp&q=auto")).bytes)).at(3, 3)[3]).toBe(0);
		const signed = await bytesOf(
			sharp(smooth)
				.withExif({ IFD0: { Artist: "Ada" } })
				.jpeg(),
		);
		for (const format of FORMATS) {
			const { bytes } = await rendered(signed, `format=${format}&q=auto&w=50`, "jpg");
			expect((await sharp(bytes).metadata()).exif?.toString("latin1")).toContain("Ada");
		}
	});

	test.skipIf(withoutCorpus)(`takes fewer bytes of photographs than the defaults${corpusNote}`, async () => {
		let [auto, usual] = [0, 0];
		for (const name of [
			"portrait_four_faces.jpg",
			"noface_statues.jpg",
			"seg_redpanda_clutter.jpg",
			"portrait_child.jpg",
		]) {
			const bytes = await corpus(name);
			for (const format of ["jpg", "webp"]) {
				auto += (await rendered(bytes, `w=600&format=${format}&q=auto`, "jpg")).bytes.length;
				usual += (await rendered(bytes, `w=600&format=${format}`, "jpg")).bytes.length;
			}
		}
		expect(auto / usual).toBeLessThan(0.8);
	});
});

describe("lossless", () => {
	test("gives exactly the pixels, those of what is transparent included", async () => {
		const colours = await painted(60, 40, (x, y) => [x * 4, y * 6, (x * y) & 255, (x + y) & 1 ? 255 : x]);
		const { bytes } = await rendered(colours, "format=webp&lossless=true");
		const [one, other] = [await framesOf(bytes), await framesOf(colours)];
		expect(Buffer.compare(one.pixels, other.pixels)).toBe(0);
	});

	test("with descriptions it still says that it has transparency", async () => {
		const signed = await bytesOf(
			drawn(20, 20, (x) => [...RED, x < 10 ? 0 : 255])
				.withExif({ IFD0: { Artist: "Ada" } })
				.png(),
		);
		const { bytes } = await rendered(signed, "format=webp&lossless=true");
		const { hasAlpha, exif } = await sharp(bytes).metadata();
		expect([hasAlpha, exif?.toString("latin1").includes("Ada"), (await pixelsOf(bytes)).at(3, 3)[3]]).toEqual([
			true,
			true,
			0,
		]);
		// Readers other than libwebp believe the header.
		expect((bytes[20] ?? 0) & 0x10).toBe(0x10);
	});

	test("is at most 16,777,216 pixels large", async () => {
		const blank = sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: "#ff0000" } }).png();
		const { bytes } = await rendered(await bytesOf(blank), "format=webp&lossless=true");
		const { width, height } = await sharp(bytes).metadata();
		expect(width * height).toBeLessThanOrEqual(4_096 ** 2);
		expect(Math.abs(width / height - 1.25)).toBeLessThan(0.001);
	});
});
