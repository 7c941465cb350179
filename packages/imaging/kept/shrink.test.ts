import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "@svc/base/ports";
import type { Master, ShrunkMaster } from "@svc/images/ports";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import { parseTransform } from "@svc/images/transform/transform";
import { masterOf } from "@svc/test/support/rendering";
import { sharpRenderer } from "../render/render.ts";
import { sharp } from "../sharp-settings.ts";
import { sharpShrinker } from "./shrink.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const withoutCorpus = corpus === undefined && process.env.CI !== "true";

let dir = "";
let copiesDir = "";
let staged = 0;
let made = 0;

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-reduce-"));
	copiesDir = await mkdtemp(join(tmpdir(), "svc-reduced-"));
});
afterAll(async () => {
	await rm(dir, { recursive: true });
	await rm(copiesDir, { recursive: true });
});

const stage: BlobStore["stage"] = async (chunks) => {
	const path = join(dir, `staged-${staged++}`);
	await writeFile(path, chunks);
	return { path, bytes: 0, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
};

const { reduce } = sharpShrinker({ stage, memory: (_, work) => work() });

async function copiesOf(master: Master): Promise<ShrunkMaster[]> {
	const copies: ShrunkMaster[] = [];
	for (const [factor, bytes] of await reduce(master, shrunkFactorsOf(master))) {
		const path = join(copiesDir, `copy-${made++}`);
		await writeFile(path, bytes);
		copies.push({ factor, path: async () => path });
	}
	return copies;
}

/** Mean structural similarity (Wang et al. 2004) over windows of 8×8 grey pixels. */
async function similarity(one: Uint8Array, other: Uint8Array): Promise<number> {
	const grey = (bytes: Uint8Array) => sharp(bytes).flatten().greyscale().raw().toBuffer({ resolveWithObject: true });
	const [a, b] = [await grey(one), await grey(other)];
	expect([b.info.width, b.info.height]).toEqual([a.info.width, a.info.height]);
	const { width, height } = a.info;
	let [sum, windows] = [0, 0];
	for (let y = 0; y + 8 <= height; y += 4) {
		for (let x = 0; x + 8 <= width; x += 4) {
			sum += windowSimilarity(a.data, b.data, y * width + x, width);
			windows++;
		}
	}
	return sum / windows;
}

function windowSimilarity(a: Uint8Array, b: Uint8Array, start: number, width: number): number {
	let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0];
	for (let row = 0; row < 8; row++) {
		for (let place = start + row * width; place < start + row * width + 8; place++) {
			const [p, q] = [a[place] ?? 0, b[place] ?? 0];
			sumA += p;
			sumB += q;
			sumAA += p * p;
			sumBB += q * q;
			sumAB += p * q;
		}
	}
	const [meanA, meanB] = [sumA / 64, sumB / 64];
	const [varA, varB, both] = [sumAA / 64 - meanA ** 2, sumBB / 64 - meanB ** 2, sumAB / 64 - meanA * meanB];
	const [c1, c2] = [6.5025, 58.5225];
	return ((2 * meanA * meanB + c1) * (2 * both + c2)) / ((meanA ** 2 + meanB ** 2 + c1) * (varA + varB + c2));
}

/** Detail at every scale: sums of waves, coarse and fine. */
async function detailed(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
	const pixels = new Uint8Array(width * height * 3);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const wave = 128 + 60 * Math.sin((x * y) / 40_000) + 40 * Math.sin(x / 9 + y / 31) + 20 * Math.sin(x / 5);
			pixels.set([wave, 255 - wave, wave / 2], (y * width + x) * 3);
		}
	}
	return new Uint8Array(
		await sharp(pixels, { raw: { width, height, channels: 3 } })
			.jpeg({ quality: 95 })
			.toBuffer(),
	);
}

async function compare(bytes: Uint8Array<ArrayBuffer>, query: string, format: "jpg" | "avif" = "jpg"): Promise<number> {
	const { width = 0, height = 0 } = (await sharp(bytes).metadata()).autoOrient;
	const master = { ...masterOf(bytes, format), width, height };
	const render = async (shrunkMasters: readonly ShrunkMaster[], from: Master = master) => {
		const { signal } = new AbortController();
		const transform = parseTransform(new URLSearchParams(query));
		return (await sharpRenderer().render({ ...from, shrunkMasters }, transform, {}, signal)).bytes;
	};
	const copies = await copiesOf(master);
	expect(copies.length).toBeGreaterThan(1);
	const [fromMaster, fromCopy] = [await render([]), await render(copies)];
	// Not the same bytes: the copy was really used.
	expect(Buffer.compare(fromMaster, fromCopy)).not.toBe(0);
	for (const [at, mean] of (await meansOf(fromMaster)).entries()) {
		expect(Math.abs(((await meansOf(fromCopy))[at] ?? 0) - mean)).toBeLessThan(1);
	}
	// A decoder of JPEG shrinks while it reads, and leaves something out as well: what is right is made of all pixels.
	const right = format === "jpg" ? await render([], masterOf(await allPixels(bytes), "png")) : fromMaster;
	return similarity(right, fromCopy);
}

async function allPixels(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await sharp(bytes).autoOrient().png({ compressionLevel: 1 }).toBuffer());
}

async function meansOf(bytes: Uint8Array): Promise<number[]> {
	return (await sharp(bytes).stats()).channels.map(({ mean }) => mean);
}

describe("a rendition from a smaller copy", () => {
	const QUERIES = [
		"w=740&format=png",
		"w=640&format=png",
		"w=250&h=250&fit=cover&format=png",
		"rotate=90&w=333&format=webp&q=100",
		"size=s&format=png",
		// Of a photograph of 12 megapixels the largest that an eighth of it is taken for.
		"w=336&format=png",
		"w=336&format=jpg&q=90",
	];

	test.each(QUERIES)("looks like the one from the master: %s", async (query) => {
		expect(await compare(await detailed(2_601, 1_999), query)).toBeGreaterThan(0.99);
	});

	test.skipIf(withoutCorpus).each(QUERIES.slice(1))(
		`of a photograph as well: %s${corpus ? "" : " (SKIPPED: SVC_TEST_CORPUS is not set)"}`,
		async (query) => {
			const photograph = new Uint8Array(await readFile(join(corpus ?? "", "jpeg_12mp_camera.jpg")));
			expect(await compare(photograph, query)).toBeGreaterThan(0.99);
		},
	);

	/** Of 10 bits a sample in a wide colour space, since copies are in sRGB. */
	const wideAvif = async () => {
		const picture = sharp(await detailed(2_401, 1_799)).withIccProfile("p3");
		return new Uint8Array(await picture.avif({ effort: 0, bitdepth: 10, quality: 90 }).toBuffer());
	};

	test("or, of a large AVIF, from a copy of its own size where none is large enough, looks like the one from the master, in its colours", async () => {
		const avif = await wideAvif();
		for (const query of [
			"format=png",
			"w=2000&rotate=90&format=webp",
			"w=300&format=png",
			"zoom=2&w=1000&format=jpg",
		]) {
			expect(await compare(avif, query, "avif")).toBeGreaterThan(0.98);
		}
	});

	test("is not made where transparency or movement would be lost", async () => {
		const clear = sharp({
			create: { width: 2_100, height: 2_000, channels: 4, background: { r: 1, g: 2, b: 3, alpha: 0.5 } },
		});
		const bytes = new Uint8Array(await clear.png().toBuffer());
		expect((await reduce({ ...masterOf(bytes, "png"), width: 2_100, height: 2_000 }, [2])).size).toBe(0);
	});
});

describe("the copies of a progressive master", () => {
	async function progressiveAt(path: string): Promise<Master> {
		const bytes = new Uint8Array(
			await sharp(await detailed(4_001, 2_399))
				.jpeg({ progressive: true, chromaSubsampling: "4:4:4" })
				.toBuffer(),
		);
		await writeFile(path, bytes);
		const master = masterOf(bytes, "jpg");
		return { ...master, blob: { ...master.blob, path }, width: 4_001, height: 2_399 };
	}

	test("are those that its decoder makes, and all from one sequential copy, which goes", async () => {
		const master = await progressiveAt(join(dir, "progressive"));
		const before = staged;
		const copies = await copiesOf(master);
		expect(copies.length).toBeGreaterThan(1);
		expect(staged - before).toBe(1);
		expect(await readdir(dir)).toEqual(["progressive"]);
		// In memory there is nothing that a copy could be made of beside it.
		const inMemory = { ...master, blob: { ...master.blob, path: undefined } };
		const again = await reduce(inMemory, shrunkFactorsOf(master));
		for (const { factor, path } of copies) {
			const copy = new Uint8Array(await readFile((await path()) ?? ""));
			expect(copy).toEqual(again.get(factor) ?? new Uint8Array());
		}
		expect(staged - before).toBe(1);
	});

	test("are made again when they are asked for again", async () => {
		const master = await progressiveAt(join(dir, "progressive"));
		expect(await reduce(master, [2])).toEqual(await reduce(master, [2]));
	});
});
