import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Access } from "@svc/apps/access";
import { JobFailure } from "@svc/base/failure";
import type { SnapshotBlob } from "@svc/base/ports";
import { createImage, digest, migratedDatabase, newImage, type Scratch, seedApp } from "@svc/test/support/scratch";
import { fileSnapshots } from "./backup-store.ts";

const NEVER = new AbortController().signal;
const PAGE_BYTES = 4_096;

let scratch: Scratch;
let copy: string;
beforeEach(async () => {
	scratch = await migratedDatabase();
	copy = join(scratch.folder, "copy.db");
});
afterEach(() => scratch[Symbol.asyncDispose]());

const snapshots = () => fileSnapshots(fileURLToPath(scratch.url));

async function addImages(count: number): Promise<void> {
	const seeded = await seedApp(scratch.database);
	await scratch.sql("UPDATE apps SET plan = 'unlimited'");
	const access: Access = { ...seeded, app: { ...seeded.app, plan: "unlimited" } };
	for (let place = 1; place <= count; place++) await createImage(scratch.database, access, newImage(access, place));
}

async function listed(path: string): Promise<SnapshotBlob[]> {
	const snapshot = await snapshots().open(path);
	const blobs: SnapshotBlob[] = [];
	for await (const page of snapshot.blobs()) blobs.push(...page);
	expect(snapshot.images).toBe(blobs.length);
	await snapshot.close();
	return blobs;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
	return await work.then(
		() => undefined,
		(error: unknown) => error,
	);
}

test("a copy is one file, for its owner only, with all that was committed, and lists every blob once", async () => {
	await addImages(103);
	await snapshots().copy(copy, NEVER);
	const blobs = await listed(copy);
	expect(new Set(blobs.map(({ blobKey }) => blobKey)).size).toBe(103);
	expect(blobs[0]).toEqual({ imageId: "img_1", blobKey: "img_1/nonce", bytes: 1_000, sha256: digest(1).toHex() });
	expect((await readdir(scratch.folder)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
	expect((await stat(copy)).mode & 0o777).toBe(0o600);
	expect((await stat(copy)).size).toBeLessThanOrEqual(await snapshots().bytes());
});

test("the database is written to while it is copied", async () => {
	await addImages(1);
	let over = false;
	const copying = snapshots()
		.copy(copy, NEVER)
		.finally(() => {
			over = true;
		});
	let written = 0;
	while (!over) {
		await scratch.sql(`INSERT INTO meta (key, value) VALUES ('during-${written}', 'x')`);
		written += 1;
	}
	await copying;
	expect(written).toBeGreaterThan(1);
	expect(await listed(copy)).toHaveLength(1);
});

test("of a damaged database none is made, for good", async () => {
	await addImages(10);
	await scratch.database.checkpoint();
	const file = await open(fileURLToPath(scratch.url), "r+");
	const { size } = await file.stat();
	// All of it but the first page, which says where the others are.
	await file.write(Buffer.alloc(size - PAGE_BYTES, 0x5a), 0, size - PAGE_BYTES, PAGE_BYTES);
	await file.close();
	const failure = await failureOf(snapshots().copy(copy, NEVER));
	expect(failure).toBeInstanceOf(JobFailure);
	expect(String(failure)).toContain("The database is damaged");
});

test("an abort ends the process that copies", async () => {
	await addImages(1);
	const abort = new AbortController();
	const copying = failureOf(snapshots().copy(copy, abort.signal));
	abort.abort();
	expect(String(await copying)).toContain("SIGKILL");
	expect(String(await failureOf(snapshots().copy(copy, abort.signal)))).toContain("SIGKILL");
});

test("a place that cannot be written to is worth another try, and named in the cause", async () => {
	expect(String(await failureOf(snapshots().copy(join(scratch.folder, "nowhere/copy.db"), NEVER)))).toContain(
		"CANTOPEN",
	);
});

const canMount = mounts();

test.skipIf(!canMount)(
	`a full disk fails the job for good${canMount ? "" : " (skipped: needs Linux and the right to mount)"}`,
	async () => {
		await addImages(1);
		const disk = join(scratch.folder, "disk");
		await mkdir(disk);
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=100k", "tmpfs", disk], { stdio: "ignore" });
		try {
			const failure = await failureOf(snapshots().copy(join(disk, "copy.db"), NEVER));
			expect(failure).toBeInstanceOf(JobFailure);
			expect(String(failure)).toContain("no room");
		} finally {
			execFileSync("umount", ["-l", disk]);
		}
	},
);

function mounts(): boolean {
	const dir = mkdtempSync(join(tmpdir(), "svc-mount-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "tmpfs", dir], { stdio: "ignore" });
		execFileSync("umount", ["-l", dir]);
		return true;
	} catch {
		return false;
	} finally {
		rmdirSync(dir);
	}
}
