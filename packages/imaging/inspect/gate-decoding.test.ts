import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "@svc/base/ports";
import { sharp } from "../sharp-settings.ts";
import { decodeInTurn, decodingBytes, isCopied } from "./gate.ts";

let dir = "";

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-decoding-"));
});
afterAll(async () => {
	await rm(dir, { recursive: true });
});

const stage: BlobStore["stage"] = async (chunks) => {
	const path = join(dir, "copy");
	await writeFile(path, chunks);
	return { path, bytes: 0, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
};

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "#345" } });
const headerOf = async (bytes: Uint8Array) => await sharp(bytes).metadata();

describe("memory by the header, in megabytes of a megapixel", () => {
	const grown = async (bytes: Uint8Array) => Math.round(decodingBytes(await headerOf(bytes)) / 1e6) - 4;
	const flat = () => plain(1_000, 1_000);

	test("a JPEG of one scan is decoded in strips, of one that is progressive every coefficient is held", async () => {
		expect(await grown(await flat().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer())).toBe(1);
		expect(await grown(await flat().jpeg({ progressive: true }).toBuffer())).toBe(5);
		expect(await grown(await flat().jpeg({ progressive: true, chromaSubsampling: "4:4:4" }).toBuffer())).toBe(7);
		expect(await grown(await flat().toColourspace("cmyk").jpeg({ progressive: true }).toBuffer())).toBe(9);
		expect(await grown(await flat().toColourspace("b-w").jpeg({ progressive: true }).toBuffer())).toBe(3);
	});

	test("a PNG that is interlaced is there as a whole, and one of 16 bits twice as large", async () => {
		expect(await grown(await flat().png().toBuffer())).toBe(2);
		expect(await grown(await flat().png({ progressive: true }).toBuffer())).toBe(5);
		expect(await grown(await flat().toColourspace("rgb16").png({ progressive: true }).toBuffer())).toBe(9);
	});

	test("AVIF takes most of all, most where its colours are at full resolution and its samples deep", async () => {
		const avif = async (depth: "uchar" | "ushort", chromaSubsampling: string) => {
			const header = await headerOf(await flat().avif({ effort: 0 }).toBuffer());
			return decodingBytes({ ...header, depth, chromaSubsampling }) / 1e6 - 4;
		};
		expect([await avif("uchar", "4:2:0"), await avif("uchar", "4:4:4")]).toEqual([15.5, 18.8]);
		expect([await avif("ushort", "4:2:0"), await avif("ushort", "4:4:4")]).toEqual([19.5, 25.5]);
		expect(await grown(await flat().avif({ effort: 0 }).toBuffer())).toBe(19);
		expect(await grown(await flat().webp({ effort: 0 }).toBuffer())).toBe(5);
		expect(await grown(await flat().gif({ effort: 1 }).toBuffer())).toBe(7);
	});
});

describe("a large progressive JPEG", () => {
	const jpegOf = async (width: number, options: { progressive: boolean }) =>
		await plain(width, 3_200)
			.jpeg({ chromaSubsampling: "4:4:4", ...options })
			.toBuffer();

	async function weighed(bytes: Uint8Array): Promise<{ weights: number[]; name: string }> {
		const input = join(dir, "original");
		await writeFile(input, bytes);
		const weights: number[] = [];
		const memory = <T>(weight: number, work: () => Promise<T>) => {
			weights.push(Math.round(weight / 1e6));
			return work();
		};
		const picture = { input, header: await headerOf(bytes), moreBytes: 1e6 };
		const name = await decodeInTurn({ stage, memory }, picture, async (path) => String(path).slice(dir.length + 1));
		return { weights, name };
	}

	test("takes little memory for a copy, and little for decoding that", async () => {
		expect(await weighed(await jpegOf(3_100, { progressive: true }))).toEqual({ weights: [56], name: "copy" });
	});

	test("takes all that its coefficients do when there is no copy", async () => {
		const jpeg = await jpegOf(3_100, { progressive: true });
		expect(await weighed(jpeg.subarray(0, -2))).toEqual({ weights: [56, 76], name: "original" });
	});

	test("of which a copy would save nothing is decoded as it is, as are all others", async () => {
		expect(isCopied(await headerOf(await jpegOf(2_800, { progressive: true })))).toBe(false);
		expect(await weighed(await jpegOf(3_100, { progressive: false }))).toEqual({ weights: [17], name: "original" });
	});
});
