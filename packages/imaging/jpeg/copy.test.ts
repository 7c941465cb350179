import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "@svc/base/ports";
import { wavy } from "@svc/test/support/jpegs";
import { sharp } from "../sharp-settings.ts";
import { sequentialCopy } from "./copy.ts";

let dir = "";

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-copy-"));
});
afterAll(async () => {
	await rm(dir, { recursive: true });
});

const stage: BlobStore["stage"] = async (chunks) => {
	const path = join(dir, "staged");
	await writeFile(path, chunks);
	return { path, bytes: 0, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
};

async function jpegAt(name: string, progressive: boolean): Promise<string> {
	const path = join(dir, name);
	await sharp(await wavy(1_200, 900))
		.jpeg({ progressive, quality: 95 })
		.toFile(path);
	return path;
}

test("a progressive JPEG is copied by another process, and the copy goes when it is discarded", async () => {
	const path = await jpegAt("progressive.jpg", true);
	const copy = await sequentialCopy(path, stage);
	const pixels = async (file: string | undefined) => await sharp(file).raw().toBuffer();
	expect((await sharp(copy?.path).metadata()).isProgressive).toBe(false);
	expect(Buffer.compare(await pixels(copy?.path), await pixels(path))).toBe(0);
	await copy?.discard();
	expect(await readdir(dir)).toEqual(["progressive.jpg"]);
});

test("there is no copy of what is left to a decoder, and nothing of it stays", async () => {
	const before = await readdir(dir);
	const path = await jpegAt("baseline.jpg", false);
	expect(await sequentialCopy(path, stage)).toBeUndefined();
	expect((await readdir(dir)).sort()).toEqual([...before, "baseline.jpg"].sort());
});

test("a disk without room for a copy is no reason to refuse the original", async () => {
	const path = await jpegAt("progressive.jpg", true);
	expect(await sequentialCopy(path, () => Promise.reject(new Error("full")))).toBeUndefined();
});

test("a copy that takes too long is given up", async () => {
	const path = await jpegAt("progressive.jpg", true);
	const before = await readdir(dir);
	expect(await sequentialCopy(path, stage, 1)).toBeUndefined();
	expect(await readdir(dir)).toEqual(before);
});
