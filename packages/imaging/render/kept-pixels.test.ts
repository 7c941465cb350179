import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Master, ShrunkMaster } from "@svc/images/ports";
import { parseTransform } from "@svc/images/transform/transform";
import { bytesOf, drawn } from "@svc/test/support/rendering";
import type { Sharp } from "sharp";
import { copiesOf, wholeBytes, wholeOf } from "../kept/copies.ts";
import { sharp } from "../sharp-settings.ts";
import { KeptPixels, keptBytes, type Pixels } from "./kept-pixels.ts";
import { sharpRenderer } from "./render.ts";

const WIDTH = 650;
const HEIGHT = 500;
const { signal } = new AbortController();

let dir = "";
beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-kept-pixels-"));
});
afterAll(() => rm(dir, { recursive: true }));

/** Every pixel is another one than its neighbours, as in a photograph. */
const photograph = (): Sharp =>
	drawn(WIDTH, HEIGHT, (x, y) => [(x * 7 + y * 3) % 256, (x * x + y) % 251, 128 + 100 * Math.sin((x + y) / 9)]);

const MASTERS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
	"with halved colours": (image) => image.jpeg({ quality: 90 }),
	"with full colours": (image) => image.jpeg({ quality: 90, chromaSubsampling: "4:4:4" }),
	progressive: (image) => image.jpeg({ quality: 90, progressive: true }),
	"in Display P3": (image) => image.withIccProfile("p3").jpeg({ quality: 90 }),
	grey: (image) => image.greyscale().jpeg({ quality: 90 }),
	"in inks": (image) => image.toColourspace("cmyk").jpeg({ quality: 90 }),
	"stored on its side": (image) => image.withMetadata({ orientation: 6 }).jpeg({ quality: 90 }),
	"PNG with transparency": (image) => image.ensureAlpha(0.5).png({ compressionLevel: 1 }),
};

/** Of the master itself, of its half, of a piece of either, and turned. */
const FORMS = [
	"w=550",
	"w=500&format=webp",
	"w=190",
	"w=185&format=webp",
	"w=150",
	"w=65",
	"crop=0.1,0.1,0.5,0.5&w=90",
	"crop=0.1,0.1,0.5,0.5&w=300&format=webp",
	"w=450&rotate=90",
	"w=180&flip=h&sharp=40",
	"w=170&metadata=keep",
];

interface Case {
	readonly master: Master;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

async function caseOf(name: string): Promise<Case> {
	const made = MASTERS[name]?.(photograph()) ?? photograph();
	const bytes = await bytesOf(made);
	const path = join(dir, name.replaceAll(" ", "-"));
	await writeFile(path, bytes);
	const header = await sharp(bytes).metadata();
	const { width, height } = header.autoOrient;
	const shrunkMasters: ShrunkMaster[] = [];
	for (const [factor, copy] of header.hasAlpha ? [] : await copiesOf(bytes, { width, height }, [2], header)) {
		await writeFile(`${path}.${factor}`, copy);
		shrunkMasters.push({ factor, path: async () => `${path}.${factor}` });
	}
	const read = async () => bytes;
	const blob = { path, bytes: bytes.length, sha256: name, read, stream: () => new Blob([bytes]).stream() };
	const format = header.format === "png" ? "png" : "jpg";
	return { master: { blob, format, width, height, shrunkMasters }, bytes };
}

const made = async (master: Master, query: string, kept = new KeptPixels()) =>
	Buffer.from(
		(await sharpRenderer({ kept }).render(master, parseTransform(new URLSearchParams(query)), {}, signal)).bytes,
	);

describe("pixels that are kept", () => {
	test.each(Object.keys(MASTERS))("make the same bytes as the file: a picture %s", async (name) => {
		const { master, bytes } = await caseOf(name);
		const kept = new KeptPixels();
		const pixels = await wholeOf(bytes, await sharp(bytes).metadata());
		if (pixels) kept.keep(name, pixels);
		for (const round of [1, 2]) {
			for (const form of FORMS) {
				const expected = await made(master, form);
				expect([round, form, (await made(master, form, kept)).equals(expected)]).toEqual([round, form, true]);
			}
		}
	});

	test("are those of the second rendition of a picture and of all after it, whatever its file is by then", async () => {
		const { master } = await caseOf("with halved colours");
		const kept = new KeptPixels();
		const half = (await master.shrunkMasters?.[0]?.path()) ?? "";
		await made(master, "w=190", kept);
		expect(kept.find(half)).toBeUndefined();
		await made(master, "w=189", kept);
		expect(kept.find(half)).toMatchObject({ width: WIDTH / 2, height: HEIGHT / 2 });
		const expected = await made(master, "w=188");
		await writeFile(half, "no picture any more");
		expect((await made(master, "w=188", kept)).equals(expected)).toBe(true);
	});

	test.each([
		["with halved colours", true],
		["in inks", false],
		["stored on its side", false],
		["PNG with transparency", false],
	])(
		"of a master are kept from its upload on where they are what its renditions are made of: %s, %p",
		async (name, are) => {
			const { bytes } = await caseOf(name);
			const header = await sharp(bytes).metadata();
			const pixels = wholeBytes(header, [2]) > 0 ? await wholeOf(bytes, header) : undefined;
			expect(pixels && [pixels.width, pixels.height]).toEqual(are ? [WIDTH, HEIGHT] : undefined);
		},
	);

	test("are not used at the few sizes at which it would show that they were read in other strips", async () => {
		const { master } = await caseOf("with full colours");
		const odd = { ...master, width: WIDTH, height: 481, shrunkMasters: [] };
		const bytes = await bytesOf(
			drawn(WIDTH, 481, (x, y) => [(x * 71 + y * 131) % 256, (y * 97) % 251, (x * y) % 253]).jpeg(),
		);
		await writeFile(`${dir}/odd`, bytes);
		const blob = { ...master.blob, path: `${dir}/odd`, bytes: bytes.length, sha256: "odd" };
		const kept = new KeptPixels();
		const pixels = await wholeOf(bytes, await sharp(bytes).metadata());
		if (pixels) kept.keep("odd", pixels);
		for (let height = 200; height < 480; height += 4) {
			const form = `w=400&h=${height}&fit=squeeze&format=jpg`;
			const expected = await made({ ...odd, blob }, form);
			expect([form, (await made({ ...odd, blob }, form, kept)).equals(expected)]).toEqual([form, true]);
		}
	});

	test("are none of a picture that fewer pixels are read of, or that has no digest", async () => {
		const { master } = await caseOf("with full colours");
		const { sha256: _, ...blob } = master.blob;
		const kept = new KeptPixels();
		for (const _round of [1, 2]) {
			await made(master, "w=75", kept);
			await made({ ...master, blob }, "w=550", kept);
		}
		const names = [master.blob.sha256, await master.shrunkMasters?.[0]?.path()];
		expect(names.map((name) => kept.find(name ?? ""))).toEqual([undefined, undefined]);
	});
});

describe("what is kept", () => {
	const pixels = (megabytes: number): Pixels => ({ data: new Uint8Array(megabytes * 1_000_000), width: 1, height: 1 });

	test("is 16 MiB at most, those that were used last", () => {
		const kept = new KeptPixels();
		for (const name of ["a", "b", "c"]) kept.keep(name, pixels(5));
		kept.keep("a", pixels(5));
		kept.keep("d", pixels(5));
		expect(["a", "b", "c", "d"].filter((name) => kept.find(name))).toEqual(["a", "c", "d"]);
		kept.keep("e", pixels(16));
		expect(["a", "b", "c", "d", "e"].filter((name) => kept.find(name))).toEqual(["e"]);
	});

	test("is a whole master up to 5.5 megapixels", () => {
		expect(keptBytes({ width: 2_048, height: 2_048 })).toBe(12_582_912);
		expect(keptBytes({ width: 4_032, height: 3_024 })).toBeUndefined();
	});

	test("knows the last eight pictures again", () => {
		const kept = new KeptPixels();
		expect(kept.isAgain("a")).toBe(false);
		expect(kept.isAgain("a")).toBe(true);
		for (let other = 0; other < 8; other++) kept.isAgain(`other ${other}`);
		expect(kept.isAgain("a")).toBe(false);
	});
});
