import { afterEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharp } from "../sharp-settings.ts";
import { blameFor } from "./decoder-words.ts";
import { type HeicConverter, HeicRefusal, heicConverter } from "./heic.ts";
import { decodeHeic, ready, straighten } from "./libheif.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const maxPixels = 50_000_000;
const converters: HeicConverter[] = [];

function converter(timeoutMs?: number): HeicConverter {
	const made = heicConverter(timeoutMs);
	converters.push(made);
	return made;
}

afterEach(() => {
	for (const made of converters.splice(0)) made.stop();
});

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), "svc-heic-"));
	try {
		await work(dir);
	} finally {
		await rm(dir, { recursive: true });
	}
}

async function refused(conversion: Promise<unknown>): Promise<HeicRefusal> {
	const error = await conversion.catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(HeicRefusal);
	return error as HeicRefusal;
}

test("bytes that are no HEIC are refused, and the child goes on", () =>
	inFolder(async (dir) => {
		const path = join(dir, "text");
		await writeFile(path, "not a picture");
		const { convert } = converter();
		const task = { path, masterPath: join(dir, "out"), maxPixels };
		for (const _ of [1, 2])
			expect((await refused(convert(task))).message).toEndWith("contains unsupported image format");
		expect(await readdir(dir)).toEqual(["text"]);
	}));

test("colours that were multiplied with their transparency become what they are", () => {
	const pixels = Uint8Array.of(100, 50, 0, 128, 7, 7, 7, 255, 9, 9, 9, 0, 255, 0, 0, 100);
	straighten(pixels);
	expect([...pixels]).toEqual([199, 100, 0, 128, 7, 7, 7, 255, 9, 9, 9, 0, 255, 0, 0, 100]);
});

describe.skipIf(corpus === undefined)("real files (needs SVC_TEST_CORPUS)", () => {
	const phone = join(corpus ?? "", "iphone_grid_p3.heic");
	const alpha = join(corpus ?? "", "alpha.heic");

	test("a conversion that takes too long is ended, and the file is not blamed", () =>
		inFolder(async (dir) => {
			const { convert } = converter(1);
			const refusal = await refused(convert({ path: alpha, masterPath: join(dir, "out"), maxPixels }));
			expect(blameFor(refusal.message)).toBe("machine");
		}));

	test("a child that dies in the middle is replaced, and the picture converted after all", () =>
		inFolder(async (dir) => {
			const { convert, stop } = converter();
			const conversion = convert({ path: phone, masterPath: join(dir, "out"), maxPixels });
			setTimeout(stop, 50);
			expect(await conversion).toMatchObject({ width: 3024, height: 4032 });
		}));

	test("conversions wait for each other, and the service's loop waits for none", () =>
		inFolder(async (dir) => {
			const { convert } = converter();
			await convert({ path: alpha, masterPath: join(dir, "warm"), maxPixels });
			let turns = 0;
			const ticks = setInterval(() => turns++, 5);
			await Promise.all([0, 1].map((n) => convert({ path: phone, masterPath: join(dir, `${n}`), maxPixels })));
			clearInterval(ticks);
			// A loop that decoded itself would turn once or twice in all that time.
			expect(turns).toBeGreaterThan(10);
		}));

	test("transparency stays, in a PNG", () =>
		inFolder(async (dir) => {
			const masterPath = join(dir, "out");
			expect(await converter().convert({ path: alpha, masterPath, maxPixels })).toMatchObject({ format: "png" });
			const { format, hasAlpha } = await sharp(masterPath).metadata();
			expect([format, hasAlpha]).toEqual(["png", true]);
			await ready;
			const decoded = decodeHeic(await readFile(alpha), maxPixels);
			expect(await sharp(masterPath).raw().toBuffer()).toEqual(Buffer.from(decoded.pixels));
		}));

	test("more pixels than allowed are refused before they are decoded", () =>
		inFolder(async (dir) => {
			const masterPath = join(dir, "out");
			const refusal = await refused(converter().convert({ path: phone, masterPath, maxPixels: 1_000 }));
			expect(refusal.message).toContain("has 12192768 pixels");
		}));
});
