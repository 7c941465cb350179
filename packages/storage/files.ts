import type { BigIntStats } from "node:fs";
import { mkdir, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { digestOfFile } from "@svc/base/crypto/digest";
import type { BlobPage, BlobStore, Staged, StoredBlob } from "@svc/base/ports";
import { streamOf } from "@svc/base/streams/streams";
import { foldersUnder, sync, unless } from "./folders.ts";
import { blobPath, taken } from "./keys.ts";
import { readRange } from "./range.ts";
import { discard, onDisk, stagingIn } from "./staging.ts";

/** A page ends with the folder in which it reaches this many blobs. */
const PAGE_BLOBS = 1_000;

type Listed = BlobPage["blobs"][number];

interface FileBlobsOptions {
	/** Owned by one process at a time. `incoming` and `blobs` inside it must be on one file system: rename does not cross. */
	readonly dir: string;
	/** Below this much free space nothing is staged any more, so that deletes still find room to be written down. */
	readonly freeFloorBytes?: number;
}

/** Blobs as files: `incoming/<uuid>` while they are received, then `blobs/<fan-out>/<key>`, immutable. */
export function fileBlobs({ dir, freeFloorBytes = 0 }: FileBlobsOptions): BlobStore {
	const root = resolve(dir);
	const blobs = join(root, "blobs");
	const folders = foldersUnder(root);
	const staging = stagingIn({ root, folders, freeFloorBytes });
	const putting = new Set<string>();

	const pathOf = (key: string): string => join(blobs, blobPath(key));

	async function put(key: string, staged: Staged): Promise<void> {
		const path = pathOf(key);
		// rename replaces silently, so two puts of one key must not pass the look below side by side.
		if (putting.has(path)) throw taken(key);
		putting.add(path);
		try {
			if ((await onDisk(() => stat(path).catch(unless("ENOENT")))) !== undefined) throw taken(key);
			await onDisk(() => move(staged.path, path));
		} finally {
			putting.delete(path);
		}
	}

	async function move(from: string, to: string): Promise<void> {
		await sync(from);
		await folders.ensure(dirname(to));
		await rename(from, to);
		try {
			await Promise.all([sync(dirname(to)), sync(dirname(from))]);
		} catch (error) {
			// The blob is not durable, so it does not count as stored: no row will ever refer to this key.
			await discard(to);
			throw error;
		}
	}

	async function replace(key: string, staged: Staged): Promise<void> {
		const path = pathOf(key);
		await sync(staged.path);
		// Somebody may have lost the whole folder, which `folders` has seen before.
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		await rename(staged.path, path);
		for (const folder of [dirname(path), blobs]) await sync(folder);
	}

	async function find(key: string): Promise<StoredBlob | undefined> {
		const path = pathOf(key);
		const found = await stat(path, { bigint: true }).catch(unless("ENOENT"));
		return found === undefined ? undefined : storedFile(path, found);
	}

	async function remove(key: string): Promise<void> {
		// The removal is not flushed: a file that a power failure brings back has no row any more, and the sweep finds it.
		await unlink(pathOf(key)).catch(unless("ENOENT"));
	}

	const list = (prefix: string, after?: string) => listFanOuts(blobs, prefix, after);

	return { ...staging, local: true, put, replace, find, remove, list };
}

/** A page of what lies in `<fan-out>/<key>` below a folder; a place is the name of a fan-out folder. */
export async function listFanOuts(root: string, prefix: string, after = ""): Promise<BlobPage> {
	const names = (await readdir(root).catch(unless("ENOENT"))) ?? [];
	const found: Listed[] = [];
	let place = after;
	for (const name of names.filter((one) => one > after).sort()) {
		if (found.length >= PAGE_BLOBS) return { blobs: found, next: place };
		found.push(...(await listFolder(join(root, name), prefix)));
		place = name;
	}
	return { blobs: found, next: undefined };
}

async function listFolder(path: string, prefix: string): Promise<Listed[]> {
	const found: Listed[] = [];
	for (const name of (await readdir(path).catch(unless("ENOTDIR"))) ?? []) {
		const key = name.replaceAll("+", "/");
		if (!key.startsWith(prefix)) continue;
		const file = await stat(join(path, name)).catch(unless("ENOENT"));
		if (file) found.push({ key, bytes: file.size, writtenMs: file.mtimeMs });
	}
	return found;
}

function storedFile(path: string, { size, ino, mtimeNs, ctimeNs }: BigIntStats): StoredBlob {
	const bytes = Number(size);
	return {
		bytes,
		stamp: `${ino} ${size} ${mtimeNs} ${ctimeNs}`,
		checksum: undefined,
		path,
		digest: (between) => digestOfFile(path, between),
		async read() {
			const buffer = await readFile(path);
			return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
		},
		stream: ({ first, last } = { first: 0, last: bytes - 1 }) => streamOf(readRange(path, first, last)),
	};
}
