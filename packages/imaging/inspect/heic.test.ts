import { afterEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharp } from "../sharp-settings.ts";
import { blameFor } from "./decoder-words.ts";
import { type HeicConverter, HeicRefusal, heicConverter } from "./heic.ts";

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
		const task = { path, jpegPath: join(dir, "out"), maxPixels };
		for (const _ of [1, 2])
			expect((await refused(convert(task))).message).toEndWith("contains unsupported image format");
		expect(await readdir(dir)).toEqual(["text"]);
	}));

describe.skipIf(corpus === undefined)("real files (needs SVC_TEST_CORPUS)", () => {
	const phone = join(corpus ?? "", "iphone_grid_p3.heic");
	const alpha = join(corpus ?? "", "alpha.heic");

	test("a conversion that takes too long is ended, and the file is not blamed", () =>
		inFolder(async (dir) => {
			const { convert } = converter(1);
			const refusal = await refused(convert({ path: alpha, jpegPath: join(dir, "out"), maxPixels }));
			expect(blameFor(refusal.message)).toBe("machine");
		}));

	test("a child that dies in the middle is replaced, and the picture converted after all", () =>
		inFolder(async (dir) => {
			const { convert, stop } = converter();
			const conversion = convert({ path: phone, jpegPath: join(dir, "out"), maxPixels });
			setTimeout(stop, 50);
			expect(await conversion).toMatchObject({ width: 3024, height: 4032 });
		}));

	test("conversions wait for each other, and the service's loop waits for none", () =>
		inFolder(async (dir) => {
			const { convert } = converter();
			await convert({ path: alpha, jpegPath: join(dir, "warm"), maxPixels });
			let turns = 0;
			const ticks = setInterval(() => turns++, 5);
			await Promise.all([0, 1].map((n) => convert({ path: phone, jpegPath: join(dir, `${n}`), maxPixels })));
			clearInterval(ticks);
			// A loop that decoded itself would turn once or twice in all that time.
			expect(turns).toBeGreaterThan(10);
		}));

	test("transparency becomes white", () =>
		inFolder(async (dir) => {
			const jpegPath = join(dir, "out");
			await converter().convert({ path: alpha, jpegPath, maxPixels });
			const { data } = await sharp(jpegPath).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer({
				resolveWithObject: true,
			});
			expect([...data]).toEqual([255, 255, 255]);
		}));

	test("more pixels than allowed are refused before they are decoded", () =>
		inFolder(async (dir) => {
			const jpegPath = join(dir, "out");
			const refusal = await refused(converter().convert({ path: phone, jpegPath, maxPixels: 1_000 }));
			expect(refusal.message).toContain("has 12192768 pixels");
		}));
});
