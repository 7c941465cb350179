import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobFailure } from "@svc/base/failure";
import type { BackupFolder, BlobDigest, BlobStore } from "@svc/base/ports";
import { fileBlobs } from "@svc/storage/files";
import { s3Backups } from "@svc/storage/s3/backups";
import { type FakeS3, fakeS3 } from "../support/s3.ts";

const DAY_MS = 24 * 3_600_000;
const OURS = `ins_${"o".repeat(22)}`;
const THEIRS = `ins_${"t".repeat(22)}`;
const FACTS = { version: "1.2.3", migration: "0007_x", madeMs: 0, images: 1, damaged: 0 };
const PACE = { tries: 3, answerMs: 500, wholeMs: 2_000, bytesPerMs: 100_000, waitMs: 5 };

const parent = await mkdtemp(join(tmpdir(), "svc-s3-backup-"));
let root: string;
let store: BlobStore;
let s3: FakeS3;
let logged: unknown[];
beforeEach(async () => {
	root = await mkdtemp(join(parent, "one-"));
	store = fileBlobs({ dir: join(root, "images") });
	s3 = await fakeS3({ pageObjects: 2 });
	logged = [];
});
afterEach(() => s3.close());
afterAll(() => rm(parent, { recursive: true }));

const log = { warn: () => undefined, error: (...what: unknown[]) => logged.push(what) };
const place = (installation = OURS, path = "svc") =>
	s3Backups({
		...{ ...s3.bucket, path, dir: join(root, "backups"), freeFloorBytes: 0, log, pace: PACE },
		installation: async () => installation,
	});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function stored(key: string): Promise<BlobDigest> {
	const bytes = randomBytes(5_000);
	await store.put(key, await store.stage(once(bytes), bytes.length));
	return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function keep(backup: BackupFolder, key: string, expected: BlobDigest) {
	return await backup.keep(key, await store.find(key), expected);
}

async function made(name: string, pictures: Readonly<Record<string, BlobDigest>>, where = place()) {
	const backup = await where.open(name);
	await writeFile(backup.databasePath, `the database of ${name}`);
	for (const [key, expected] of Object.entries(pictures)) await keep(backup, key, expected);
	return await backup.seal(FACTS);
}

const objects = () => [...s3.objects.keys()].filter((key) => !key.endsWith("/installation")).sort();
const grow = (old: RegExp) => {
	for (const [key, object] of s3.objects)
		if (old.test(key)) s3.objects.set(key, { ...object, writtenMs: Date.now() - 2 * DAY_MS });
};
const puts = (part: string) => s3.seen.filter(({ method, path }) => method === "PUT" && path.includes(part)).length;

describe("a backup in a bucket", () => {
	test("is not there before its manifest, which comes last, and then names what it holds [backup.bucket]", async () => {
		const one = await stored("img_1/n");
		const where = place();
		const backup = await where.open("20260101-b1");
		await writeFile(backup.databasePath, "a database");
		expect(await keep(backup, "img_1/n", one)).toEqual(one);
		expect(await where.list()).toEqual([]);
		expect(await backup.seal(FACTS)).toMatchObject({ path: "s3://pictures/svc/backups/20260101-b1", files: 2 });
		expect(await where.list()).toEqual(["20260101-b1"]);
		const written = s3.seen.filter(({ method }) => method === "PUT").map(({ path }) => path);
		expect(written.at(-1)).toBe("/pictures/svc/backups/20260101-b1/manifest.json");
		expect(objects()).toEqual([
			...["SHA256SUMS", "manifest.json", "svc.db"].map((file) => `svc/backups/20260101-b1/${file}`),
			`svc/pictures/${one.sha256}`,
		]);
		expect(await readdir(join(root, "backups"))).toEqual([]);
	});

	test("sends a picture once, however many backups name it [backup.bucket-once]", async () => {
		const [one, two] = [await stored("img_1/n"), await stored("img_2/n")];
		await made("b1", { "img_1/n": one });
		await made("b2", { "img_1/n": one, "img_2/n": two });
		expect([puts(one.sha256), puts(two.sha256)]).toEqual([1, 1]);
	});

	test("takes away, when it goes, only what no other one names, and nothing young [backup.bucket-kept]", async () => {
		const [one, two, three] = [await stored("img_1/n"), await stored("img_2/n"), await stored("img_3/n")];
		await made("b1", { "img_1/n": one, "img_2/n": two });
		await made("b2", { "img_1/n": one });
		await s3.objects.set(`svc/pictures/${three.sha256}`, { body: Buffer.alloc(1), writtenMs: Date.now(), headers: {} });
		grow(new RegExp(`${one.sha256}|${two.sha256}`));
		await place().remove("b1");
		expect(await place().list()).toEqual(["b2"]);
		expect(objects().filter((key) => key.includes("/pictures/"))).toEqual(
			[one, three].map(({ sha256 }) => `svc/pictures/${sha256}`).sort(),
		);
	});

	test("removes no picture while the list of a backup cannot be read [backup.bucket-unsure]", async () => {
		const [one, two] = [await stored("img_1/n"), await stored("img_2/n")];
		await made("b1", { "img_1/n": one });
		await made("b2", { "img_2/n": two });
		s3.objects.delete("svc/backups/b2/SHA256SUMS");
		grow(/pictures\//);
		await place().remove("b1");
		expect(objects().filter((key) => key.includes("/pictures/"))).toHaveLength(2);
		expect(logged).toHaveLength(1);
	});

	test("that was cut off is no backup, and goes before the next one is made [backup.bucket-cut]", async () => {
		const one = await stored("img_1/n");
		s3.fail("PUT", { kind: "silence" }, 99, /manifest\.json/);
		const cut = await place().open("b1");
		await writeFile(cut.databasePath, "a database");
		await keep(cut, "img_1/n", one);
		await expect(cut.seal(FACTS)).rejects.toThrow("did not answer");
		s3.heal();
		expect([await place().list(), objects().length]).toEqual([[], 3]);
		await made("b2", { "img_1/n": one });
		expect(objects().filter((key) => key.includes("backups/b1"))).toEqual([]);
	});

	test("is not sealed when a picture went from the bucket meanwhile [backup.bucket-lost]", async () => {
		const one = await stored("img_1/n");
		const backup = await place().open("b1");
		await writeFile(backup.databasePath, "a database");
		await keep(backup, "img_1/n", one);
		s3.objects.delete(`svc/pictures/${one.sha256}`);
		await expect(backup.seal(FACTS)).rejects.toThrow("1 pictures went");
		await backup.discard();
		expect(objects()).toEqual([]);
	});

	test("survives refusals that pass, and lost answers [backup.bucket-faults]", async () => {
		const one = await stored("img_1/n");
		s3.fail("PUT", { kind: "refuse", status: 503, code: "SlowDown" }, 2, /pictures\/svc\/pictures/);
		s3.fail("PUT", { kind: "lose-answer" }, 1, /manifest\.json/);
		s3.fail("GET", { kind: "break-answer" }, 1, /list-type/);
		await made("b1", { "img_1/n": one });
		expect(await place().list()).toEqual(["b1"]);
	});

	test("fails for good, and says why, with keys that may not write there [backup.bucket-refused]", async () => {
		s3.fail("PUT", { kind: "refuse", status: 403, code: "AccessDenied" }, 9, /./);
		const failure = await place()
			.open("b1")
			.catch((cause: unknown) => cause);
		expect(failure).toBeInstanceOf(JobFailure);
		expect(String(failure)).toContain("these credentials may not do that in this bucket");
	});

	test("is refused where another installation keeps its own [backup.bucket-own]", async () => {
		await made("b1", {});
		const failure = await place(THEIRS)
			.open("b2")
			.catch((cause: unknown) => cause);
		expect(String(failure)).toContain("holds the backups of another installation");
		expect(await made("b2", {}, place(THEIRS, "other"))).toMatchObject({ files: 1 });
	});

	test("gives a picture back by what it was, never another [backup.bucket-copy]", async () => {
		const one = await stored("img_1/n");
		await made("b1", { "img_1/n": one });
		const parts = await place().findCopy("img_1/n", one);
		expect((await Array.fromAsync(parts ?? [])).reduce((sum, part) => sum + part.length, 0)).toBe(one.bytes);
		expect(await place().findCopy("img_1/n", { ...one, sha256: "0".repeat(64) })).toBeUndefined();
	});
});
