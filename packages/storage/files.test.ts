import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { BlobStore, Staged } from "@svc/base/ports";
import { fileBlobs } from "./files.ts";

const MAX_BYTES = 20_000_000;
const CHUNK = new Uint8Array(65_536).fill(7);

describe("blobs as files", () => {
	let parent: string;
	beforeAll(async () => {
		parent = await mkdtemp(join(tmpdir(), "svc-files-"));
	});
	afterAll(() => rm(parent, { recursive: true }));

	const newDir = () => join(parent, crypto.randomUUID());

	test("the folder and its parents are made when they are first needed, for this user only", async () => {
		const dir = join(newDir(), "deep", "inside");
		await put(fileBlobs({ dir }), "img_a.n1", 10);
		expect((await stat(dir)).mode & 0o777).toBe(0o700);
	});

	test("a blob lies where its path says, in a fan-out folder, readable by this user only", async () => {
		const dir = newDir();
		const store = fileBlobs({ dir });
		await put(store, "img_a/n1", 10);
		const path = (await store.find("img_a/n1"))?.path ?? "";
		expect(path.slice(dir.length)).toMatch(/^\/blobs\/[0-9a-f]{2}\/img_a\+n1$/);
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		expect(await readFile(path)).toHaveLength(10);
	});

	test("a second store on the same folder finds what the first one put, and refuses its keys", async () => {
		const dir = newDir();
		await put(fileBlobs({ dir }), "img_a.n1", 10);
		const again = fileBlobs({ dir });
		expect((await again.find("img_a.n1"))?.bytes).toBe(10);
		await expect(put(again, "img_a.n1", 20)).rejects.toThrow("taken");
	});

	test("20 MB are written as they come: before each chunk is asked for, the ones before it are in the file", async () => {
		const dir = newDir();
		const store = fileBlobs({ dir });
		let path: string | undefined;
		let given = 0;
		async function* source(): AsyncGenerator<Uint8Array> {
			while (given < 300 * CHUNK.length) {
				yield CHUNK;
				given += CHUNK.length;
				path ??= join(dir, "incoming", (await readdir(join(dir, "incoming")))[0] ?? "");
				expect((await stat(path)).size).toBe(given);
			}
		}
		const staged = await store.stage(source(), MAX_BYTES);
		expect(staged.bytes).toBe(given);
	});

	test("no file handle stays open: after refusals, broken sources, cancelled and finished streams", async () => {
		const dir = newDir();
		const store = fileBlobs({ dir });
		await put(store, "img_a.n1", 500_000);
		const blob = await store.find("img_a.n1");
		if (blob === undefined) throw new Error("the blob is missing");
		for (let round = 0; round < 20; round++) {
			await store.stage(chunks(500_000), 1_000).catch(() => undefined);
			await store.stage(broken(), MAX_BYTES).catch(() => undefined);
			await put(store, "img_a.n1", 1).catch(() => undefined);
			await blob.stream().cancel();
			await cancelDuringRead(blob.stream());
			await cancelAfterRead(blob.stream());
			await new Response(blob.stream()).arrayBuffer();
			await blob.read();
			await store.probe();
		}
		expect(await openFilesUnder(dir)).toEqual([]);
	});

	test("a stream reads no further than it is asked", async () => {
		const dir = newDir();
		const store = fileBlobs({ dir });
		await put(store, "img_a.n1", 1_000_000);
		const reader = (await store.find("img_a.n1"))?.stream().getReader();
		expect(await openFilesUnder(dir)).toEqual([]);
		const { value } = (await reader?.read()) ?? {};
		expect(value?.length).toBe(65_536);
		await reader?.cancel();
	});

	test("a file that was cut short behind our back breaks the stream instead of ending it", async () => {
		const store = fileBlobs({ dir: newDir() });
		await put(store, "img_a.n1", 100_000);
		const blob = await store.find("img_a.n1");
		await writeFile(blob?.path ?? "", "short");
		await expect(new Response(blob?.stream()).arrayBuffer()).rejects.toThrow();
	});

	test("sweepStaged goes by the time of the last write", async () => {
		const dir = newDir();
		const store = fileBlobs({ dir });
		const [old, young] = [await store.stage(chunks(1), 1), await store.stage(chunks(1), 1)];
		await utimes(old.path, 1_000, 1_000);
		expect(await store.sweepStaged(1_000_000)).toBe(0);
		expect(await store.sweepStaged(1_000_001)).toBe(1);
		expect(await readdir(join(dir, "incoming"))).toEqual([young.path.slice(-36)]);
	});

	test("a fresh store has nothing to sweep", async () => {
		expect(await fileBlobs({ dir: newDir() }).sweepStaged(Date.now())).toBe(0);
	});

	describe("a disk that refuses", () => {
		test("upload_failed with its cause when nothing can be staged", async () => {
			const dir = newDir();
			await mkdir(dir);
			await writeFile(join(dir, "incoming"), "in the way");
			const refusal = await failureOf(fileBlobs({ dir }).stage(chunks(1), 1));
			expect(refusal.code).toBe("upload_failed");
			expect(refusal.cause).toBeInstanceOf(Error);
		});

		test("staging works again once the obstacle is gone, and probe says which it is", async () => {
			const dir = newDir();
			await mkdir(dir);
			await writeFile(join(dir, "incoming"), "in the way");
			const store = fileBlobs({ dir });
			await expect(store.probe()).rejects.toThrow();
			await rm(join(dir, "incoming"));
			await store.probe();
			await put(store, "img_a.n1", 1);
		});

		test("upload_failed when a staged file was swept before its put, and the key stays free", async () => {
			const store = fileBlobs({ dir: newDir() });
			const staged = await store.stage(chunks(10), 10);
			await staged.discard();
			expect((await failureOf(store.put("img_a.n1", staged))).code).toBe("upload_failed");
			expect(await store.find("img_a.n1")).toBeUndefined();
			await put(store, "img_a.n1", 10);
		});

		test("below the floor of free space nothing is staged, while reads, deletes and probes go on", async () => {
			const dir = newDir();
			await put(fileBlobs({ dir }), "img_a.n1", 10);
			const full = fileBlobs({ dir, freeFloorBytes: Number.MAX_SAFE_INTEGER });
			const refusal = await failureOf(full.stage(chunks(1), 1));
			expect(refusal.code).toBe("upload_failed");
			expect(String(refusal.cause)).toContain("are free");
			expect((await full.find("img_a.n1"))?.bytes).toBe(10);
			await full.probe();
			await full.remove("img_a.n1");
			expect(await full.find("img_a.n1")).toBeUndefined();
		});

		test("above the floor staging goes on", async () => {
			await put(fileBlobs({ dir: newDir(), freeFloorBytes: 1 }), "img_a.n1", 10);
		});
	});
});

const canMount = await withSmallDisk(async () => undefined).then(
	() => true,
	() => false,
);

describe.skipIf(!canMount)(
	`a full disk of 4 MB${canMount ? "" : " (skipped: needs Linux and the right to mount)"}`,
	() => {
		test("upload_failed by ENOSPC, nothing stays, and a delete makes room again", () =>
			withSmallDisk(async (disk) => {
				const dir = join(disk, "blobs");
				const store = fileBlobs({ dir });
				await put(store, "img_a.n1", 3_000_000);
				const refusal = await failureOf(store.stage(chunks(3_000_000), MAX_BYTES));
				expect(refusal.code).toBe("upload_failed");
				expect(String(refusal.cause)).toContain("ENOSPC");
				expect(await readdir(join(dir, "incoming"))).toEqual([]);
				await store.remove("img_a.n1");
				await put(store, "img_b.n1", 3_000_000);
				expect(await openFilesUnder(dir)).toEqual([]);
			}));
	},
);

async function withSmallDisk(use: (dir: string) => Promise<void>): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), "svc-small-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dir], { stdio: "ignore" });
		try {
			await use(dir);
		} finally {
			execFileSync("umount", ["-l", dir]);
		}
	} finally {
		await rmdir(dir);
	}
}

async function* chunks(bytes: number): AsyncGenerator<Uint8Array> {
	for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
}

async function* broken(): AsyncGenerator<Uint8Array> {
	yield CHUNK;
	throw new Error("the client went away");
}

async function put(store: BlobStore, key: string, bytes: number): Promise<void> {
	const staged: Staged = await store.stage(chunks(bytes), MAX_BYTES);
	try {
		await store.put(key, staged);
	} finally {
		await staged.discard();
	}
}

async function cancelDuringRead(stream: ReadableStream<Uint8Array>): Promise<void> {
	const reader = stream.getReader();
	const pending = reader.read();
	await reader.cancel();
	await pending;
}

async function cancelAfterRead(stream: ReadableStream<Uint8Array>): Promise<void> {
	const reader = stream.getReader();
	await reader.read();
	await reader.cancel();
}

async function openFilesUnder(dir: string): Promise<readonly string[]> {
	const handles = await readdir("/proc/self/fd");
	const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => "")));
	return paths.filter((path) => path.startsWith(dir));
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Failure)) throw new Error("expected a Failure", { cause: error });
	return error;
}
