import { describe, expect, test } from "bun:test";
import { concat } from "../bytes.ts";
import { sharp } from "../sharp-settings.ts";
import { copyrightExif, uprightExif } from "./exif.ts";

async function exifOf(ifd0: Record<string, string>, orientation?: number): Promise<Uint8Array> {
	const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: "#123456" } });
	const described = picture.withExif({ IFD0: ifd0, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } });
	const { exif } = await sharp(
		await (orientation === undefined ? described : described.withMetadata({ orientation })).jpeg().toBuffer(),
	).metadata();
	return exif ?? new Uint8Array();
}

/** What an independent reader finds in a block. */
async function readBack(tiff: Uint8Array): Promise<{ orientation: number | undefined; text: string }> {
	const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#123456" } })
		.jpeg()
		.toBuffer();
	const length = tiff.length + 8;
	const head = Uint8Array.of(0xff, 0xe1, length >> 8, length & 255, 0x45, 0x78, 0x69, 0x66, 0, 0);
	const { exif, orientation } = await sharp(concat([jpeg.subarray(0, 2), head, tiff, jpeg.subarray(2)])).metadata();
	return { orientation, text: exif?.toString("utf8") ?? "" };
}

describe("the block with the copyright alone", () => {
	test("holds Copyright and Artist, and neither device, place nor orientation", async () => {
		const exif = await exifOf({ Copyright: "2024 Ann", Artist: "Ann Example", Make: "Canon", Model: "EOS" }, 6);
		const { text, orientation } = await readBack(copyrightExif(exif) ?? new Uint8Array());
		expect(text).toContain("2024 Ann\0");
		expect(text).toContain("Ann Example\0");
		expect(text).not.toMatch(/Canon|EOS/);
		expect(orientation).toBeUndefined();
	});

	test("holds the orientation when asked", async () => {
		const exif = await exifOf({ Artist: "Ann" }, 6);
		const { orientation, text } = await readBack(copyrightExif(exif, { orientation: 6 }) ?? new Uint8Array());
		expect(orientation).toBe(6);
		expect(text).toContain("Ann\0");
	});

	test("is not made where there is nothing to keep", async () => {
		expect(copyrightExif(await exifOf({ Make: "Canon", Artist: "  " }, 1), { orientation: 1 })).toBeUndefined();
	});

	test("is the same for a block without its prefix, and for its own result", async () => {
		const exif = await exifOf({ Copyright: "Ann" }, 3);
		const once = copyrightExif(exif, { orientation: 3 }) ?? new Uint8Array();
		expect(copyrightExif(exif.subarray(6), { orientation: 3 })).toEqual(once);
		expect(copyrightExif(once, { orientation: 3 })).toEqual(once);
	});

	test("is big-endian when read, little-endian when written", () => {
		// One entry: Artist, ASCII, four bytes, in place.
		const big = Uint8Array.of(
			0x4d,
			0x4d,
			0,
			42,
			0,
			0,
			0,
			8,
			0,
			1,
			1,
			0x3b,
			0,
			2,
			0,
			0,
			0,
			4,
			65,
			110,
			110,
			0,
			0,
			0,
			0,
			0,
		);
		const little = Uint8Array.of(
			73,
			73,
			42,
			0,
			8,
			0,
			0,
			0,
			1,
			0,
			0x3b,
			1,
			2,
			0,
			4,
			0,
			0,
			0,
			65,
			110,
			110,
			0,
			0,
			0,
			0,
			0,
		);
		expect(copyrightExif(big)).toEqual(little);
	});

	test("bounds what a hostile block can put through", () => {
		const text = new Uint8Array(60_000).fill(65);
		const tiff = concat([
			Uint8Array.of(73, 73, 42, 0, 8, 0, 0, 0, 1, 0, 0x98, 0x82, 2, 0, 0x60, 0xea, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0),
			text,
		]);
		expect(copyrightExif(tiff)?.length).toBeLessThan(4_200);
	});

	test("never fails, whatever the bytes", async () => {
		const exif = await exifOf({ Copyright: "Ann", Artist: "Ann" }, 6);
		for (let at = 0; at < exif.length; at++) {
			for (const value of [0, 1, 0x7f, 0xff]) {
				const damaged = Uint8Array.from(exif);
				damaged[at] = value;
				copyrightExif(damaged, { orientation: 3 });
			}
			copyrightExif(exif.subarray(0, at));
			uprightExif(exif.subarray(0, at));
		}
	});
});

test("a block made upright keeps all but the orientation", async () => {
	const exif = await exifOf({ Make: "Canon" }, 6);
	const { orientation, text } = await readBack(uprightExif(exif));
	expect(orientation).toBe(1);
	expect(text).toContain("Canon");
});
