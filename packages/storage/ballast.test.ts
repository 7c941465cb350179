import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBallast } from "./ballast.ts";

const BYTES = 100_000;
let dir = "";
beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-ballast-"));
});
afterAll(() => rm(dir, { recursive: true }));

test("room is set aside for real, given away once, and set aside again", async () => {
	const path = join(dir, "new", "ballast");
	const ballast = fileBallast({ path, bytes: BYTES, freeFloorBytes: 0 });
	expect(await ballast.release()).toBe(false);
	await ballast.renew();
	const { size, blocks, mode, ino } = await stat(path);
	expect([size, blocks * 512 >= BYTES, mode & 0o777]).toEqual([BYTES, true, 0o600]);
	await ballast.renew();
	expect((await stat(path)).ino).toBe(ino);
	expect([await ballast.release(), await ballast.release()]).toEqual([true, false]);
	await ballast.renew();
	expect((await stat(path)).size).toBe(BYTES);
});

test("what a crash left of it is made whole", async () => {
	const path = join(dir, "cut-short");
	await writeFile(path, "part");
	await fileBallast({ path, bytes: BYTES, freeFloorBytes: 0 }).renew();
	expect((await stat(path)).size).toBe(BYTES);
});

test("a disk without room to spare is left alone", async () => {
	const ballast = fileBallast({ path: join(dir, "none"), bytes: BYTES, freeFloorBytes: Number.MAX_SAFE_INTEGER / 2 });
	await ballast.renew();
	expect(await readdir(dir)).not.toContain("none");
});
