import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { straighten } from "../colours/straight.ts";
import { sharp } from "../sharp-settings.ts";
import { convertHeic } from "./heic.ts";
import { decodeHeic, ready } from "./libheif.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const maxPixels = 50_000_000;

test("bytes that are no HEIC are refused in the decoder's words, each time", async () => {
	await using dir = await mkdtempDisposable(join(tmpdir(), "svc-heic-"));
	const path = join(dir.path, "text");
	await writeFile(path, "not a picture");
	for (const _ of [1, 2])
		await expect(convertHeic({ path, maxPixels })).rejects.toThrow("contains unsupported image format");
});

test("colours that were multiplied with their transparency become what they are", () => {
	const pixels = Uint8Array.of(100, 50, 0, 128, 7, 7, 7, 255, 9, 9, 9, 0, 255, 0, 0, 100);
	straighten(pixels);
	expect([...pixels]).toEqual([199, 100, 0, 128, 7, 7, 7, 255, 9, 9, 9, 0, 255, 0, 0, 100]);
});

describe.skipIf(corpus === undefined)("real files (needs SVC_TEST_CORPUS)", () => {
	const phone = join(corpus ?? "", "iphone_grid_p3.heic");
	const alpha = join(corpus ?? "", "alpha.heic");

	test("a phone's picture keeps its size", async () => {
		expect(await convertHeic({ path: phone, maxPixels })).toMatchObject({ format: "jpg", width: 3024, height: 4032 });
	});

	test("transparency stays, in a PNG", async () => {
		const { format, bytes } = await convertHeic({ path: alpha, maxPixels });
		expect([format, (await sharp(bytes).metadata()).hasAlpha]).toEqual(["png", true]);
		await ready;
		const decoded = decodeHeic(await readFile(alpha), maxPixels);
		expect(await sharp(bytes).raw().toBuffer()).toEqual(Buffer.from(decoded.pixels));
	});

	test("more pixels than allowed are refused before they are decoded", async () => {
		await expect(convertHeic({ path: phone, maxPixels: 1_000 })).rejects.toThrow("has 12192768 pixels");
	});
});
