import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobFailure } from "@svc/base/failure";
import type { BackupFolder, BlobStore, StoredBlob } from "@svc/base/ports";
import { streamOf } from "@svc/base/streams/streams";
import { backupFolders } from "./backups.ts";
import { fileBlobs } from "./files.ts";
import { readRange } from "./range.ts";

const KEY = "img_1/nonce";
const BYTES = new Uint8Array(100_000).fill(7);
const SHA256 = createHash("sha256").update(BYTES).digest("hex");
const WHOLE = { bytes: BYTES.length, sha256: SHA256 };
const FACTS = { version: "1.2.3", migration: "0007_x", madeMs: 0, images: 1, damaged: 0 };

const parent = await mkdtemp(join(tmpdir(), "svc-backup-"));
let root: string;
let dir: string;
let store: BlobStore;
beforeEach(async () => {
	root = await mkdtemp(join(parent, "one-"));
	dir = join(root, "backups");
	store = fileBlobs({ dir: join(root, "images") });
});
afterAll(() => rm(parent, { recursive: true }));

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function put(key: string): Promise<StoredBlob> {
	await store.put(key, await store.stage(once(BYTES), BYTES.length));
	const blob = await store.find(key);
	if (!blob) throw new Error("it is not there");
	return blob;
}

const folders: BackupFolder[] = [];

async function opened(name = "b1", freeFloorBytes = 0): Promise<BackupFolder> {
	const folder = await backupFolders({ dir, freeFloorBytes }).open(name);
	folders.push(folder);
	return folder;
}

afterEach(async () => {
	for (const folder of folders.splice(0)) await folder.discard();
});

/** As one from a bucket: without a file of its own. */
const remote = (blob: StoredBlob): StoredBlob => ({ ...blob, path: undefined });

describe("a backup's folder", () => {
	test("has another name until it is sealed, and then the files, their list and a manifest", async () => {
		const folder = await opened();
		await writeFile(folder.databasePath, "a database");
		expect(await folder.keep(KEY, await put(KEY), WHOLE)).toEqual({ bytes: BYTES.length, sha256: SHA256 });
		expect(await readdir(dir)).toEqual(["unfinished-b1"]);
		expect(await readdir(join(dir, "unfinished-b1"))).not.toContain("manifest.json");
		const path = join(dir, "b1");
		expect(await folder.seal(FACTS)).toEqual({ path, files: 2, bytes: BYTES.length + 10 });
		expect(await readdir(dir)).toEqual(["b1"]);
		const sums = await readFile(join(path, "SHA256SUMS"), "utf8");
		expect(sums).toMatch(new RegExp(`^${SHA256}  images/blobs/[0-9a-f]{2}/img_1\\+nonce\n[0-9a-f]{64}  svc\\.db\n$`));
		expect(JSON.parse(await readFile(join(path, "manifest.json"), "utf8"))).toEqual({
			format: 1,
			version: "1.2.3",
			migration: "0007_x",
			made_at: "1970-01-01T00:00:00.000Z",
			images: 1,
			damaged: 0,
			files: 2,
			bytes: BYTES.length + 10,
			sums_sha256: createHash("sha256").update(sums).digest("hex"),
		});
	});

	test("has bytes of its own, and shares with an earlier backup what that has whole [backup.own-bytes]", async () => {
		const first = await opened();
		await writeFile(first.databasePath, "");
		const [here, there] = [await put(KEY), await put("img_2/nonce")];
		for (const [key, blob] of [
			[KEY, here],
			["img_2/nonce", remote(there)],
		] as const)
			expect(await first.keep(key, blob, WHOLE)).toEqual(WHOLE);
		await first.seal(FACTS);
		const files = async (name: string) => {
			const found = await readdir(join(dir, name, "images/blobs"), { recursive: true, withFileTypes: true });
			return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
		};
		for (const file of await files("b1")) {
			const { size, nlink, mode } = await stat(file);
			expect([size, nlink, mode & 0o777]).toEqual([BYTES.length, 1, 0o600]);
		}
		// Damages what is served, and one of the copies.
		await writeFile(here.path ?? "", "something else");
		const [one = "", other = ""] = (await files("b1")).toSorted(
			(a, b) => Number(a.includes("img_2")) - Number(b.includes("img_2")),
		);
		await writeFile(other, "something else");
		const second = await opened("b2");
		await writeFile(second.databasePath, "");
		expect(await second.keep(KEY, await store.find(KEY), WHOLE)).toEqual(WHOLE);
		expect(await second.keep("img_2/nonce", there, WHOLE)).toEqual(WHOLE);
		await second.seal(FACTS);
		expect((await stat(one)).nlink).toBe(2);
		for (const file of await files("b2")) expect((await readFile(file)).equals(BYTES)).toBe(true);
	});

	test("finds a whole copy in the newest finished backup that has one [backup.find-copy]", async () => {
		const backups = backupFolders({ dir, freeFloorBytes: 0 });
		expect(await backups.findCopy(KEY, WHOLE)).toBeUndefined();
		const folder = await opened();
		await writeFile(folder.databasePath, "");
		await folder.keep(KEY, await put(KEY), WHOLE);
		expect(await backups.findCopy(KEY, WHOLE)).toBeUndefined();
		await folder.seal(FACTS);
		const copy = await backups.findCopy(KEY, WHOLE);
		expect(Buffer.concat(await Array.fromAsync(copy ?? [])).equals(BYTES)).toBe(true);
		expect(await backups.findCopy(KEY, { ...WHOLE, sha256: "0".repeat(64) })).toBeUndefined();
		expect(await backups.findCopy("img_2/nonce", WHOLE)).toBeUndefined();
	});

	test.skipIf(process.platform !== "linux")(
		"goes without a blob whose bytes cannot be read, as in a bad sector, and takes the others",
		async () => {
			const folder = await opened();
			await writeFile(folder.databasePath, "");
			// Reading its first byte fails with EIO.
			const path = "/proc/self/mem";
			const unreadable = { ...(await put(KEY)), path, stream: () => streamOf(readRange(path, 0, 9)) };
			expect(await folder.keep(KEY, unreadable, WHOLE)).toBeUndefined();
			await folder.keep("img_2/nonce", await put("img_2/nonce"), WHOLE);
			expect((await folder.seal(FACTS)).files).toBe(2);
			const found = await readdir(join(dir, "b1/images"), { recursive: true, withFileTypes: true });
			expect(found.filter((one) => one.isFile()).map(({ name }) => name)).toEqual(["img_2+nonce"]);
		},
	);

	test("lists a thousand blobs that are kept side by side, each in a line of its own", async () => {
		const folder = await opened();
		await writeFile(folder.databasePath, "");
		const blob = remote(await put(KEY));
		const keys = Array.from({ length: 1_000 }, (_, place) => `img_${place}/${"n".repeat(place % 50)}1`);
		await Promise.all(keys.map((key) => folder.keep(key, blob, WHOLE)));
		await folder.seal(FACTS);
		const lines = (await readFile(join(dir, "b1/SHA256SUMS"), "utf8")).trim().split("\n");
		const listed = lines.map((line) => line.split("/").at(-1)?.replace("+", "/"));
		expect(listed.slice(0, -1).sort()).toEqual(keys.sort());
	});

	test("is gone when it is discarded; a second one removes what the first left, and no whole one", async () => {
		const first = await opened();
		await writeFile(first.databasePath, "");
		await first.seal(FACTS);
		await (await opened()).discard();
		expect(await readdir(dir)).toEqual(["b1"]);
		await opened();
		await mkdir(join(dir, "unfinished-b0/images/blobs"), { recursive: true });
		await opened();
		expect((await readdir(dir)).sort()).toEqual(["b1", "unfinished-b1"]);
	});

	test("leaves the floor free: what an earlier backup has needs no room, copies and the database do", async () => {
		const first = await opened();
		await writeFile(first.databasePath, "");
		const blob = await put(KEY);
		await first.keep(KEY, blob, WHOLE);
		await first.seal(FACTS);
		const folder = await opened("b2", Number.MAX_SAFE_INTEGER);
		await folder.keep(KEY, blob, WHOLE);
		await expect(folder.keep("img_2/nonce", remote(blob), WHOLE)).rejects.toBeInstanceOf(JobFailure);
		await expect(folder.requireRoom(0)).rejects.toThrow("no room");
	});
});

const canMount = await withSmallDisk(async () => undefined).then(
	() => true,
	() => false,
);

describe.skipIf(!canMount)(
	`on a disk of its own${canMount ? "" : " (skipped: needs Linux and the right to mount)"}`,
	() => {
		test("files are copied, until it is full: then the job fails for good", () =>
			withSmallDisk(async (disk) => {
				dir = join(disk, "backups");
				const folder = await opened();
				await folder.keep(KEY, await put(KEY), WHOLE);
				const filling = (async () => {
					for (let place = 2; place < 20; place++)
						await folder.keep(`img_${place}/n`, await put(`img_${place}/n`), WHOLE);
				})();
				const failure = await filling.catch((error: unknown) => error);
				expect(failure).toBeInstanceOf(JobFailure);
				expect(String(failure)).toContain("no room");
				await folder.discard();
				expect(await readdir(dir)).toEqual([]);
			}));
	},
);

async function withSmallDisk(use: (disk: string) => Promise<void>): Promise<void> {
	const disk = await mkdtemp(join(tmpdir(), "svc-small-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
		try {
			await use(disk);
		} finally {
			execFileSync("umount", ["-l", disk]);
		}
	} finally {
		await rm(disk, { recursive: true });
	}
}
