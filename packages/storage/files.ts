import { createHash } from "node:crypto";
import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { BlobStore, Staged, StoredBlob } from "@svc/core/ports";
import { foldersUnder, sync, unless } from "./folders.ts";
import { checkKey, taken } from "./keys.ts";
import { discard, onDisk, stagingIn } from "./staging.ts";
import { streamOf } from "./streams.ts";

const STREAM_CHUNK_BYTES = 65_536;

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

	// The fan-out comes from a hash, for keys share their first letters. `+` is in no key, so two keys never share a file, and
	// it is as long as the slash, so no key outgrows a file name.
	function pathOf(key: string): string {
		checkKey(key);
		const fanOut = createHash("sha256").update(key).digest("hex").slice(0, 2);
		return join(blobs, fanOut, key.replaceAll("/", "+"));
	}

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
			// Not durable, so not stored: nobody will ever refer to this key.
			await discard(to);
			throw error;
		}
	}

	async function find(key: string): Promise<StoredBlob | undefined> {
		const path = pathOf(key);
		const found = await stat(path).catch(unless("ENOENT"));
		return found === undefined ? undefined : storedFile(path, found.size);
	}

	async function remove(key: string): Promise<void> {
		// Not flushed: a file that a power failure brings back has no row any more, and the sweep finds it.
		await unlink(pathOf(key)).catch(unless("ENOENT"));
	}

	return { ...staging, put, find, remove };
}

function storedFile(path: string, bytes: number): StoredBlob {
	return {
		bytes,
		path,
		async read() {
			const buffer = await readFile(path);
			return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
		},
		stream: ({ first, last } = { first: 0, last: bytes - 1 }) => streamOf(readRange(path, first, last)),
	};
}

async function* readRange(path: string, first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	const file = await open(path, "r");
	try {
		for (let position = first; position <= last; ) {
			const chunk = new Uint8Array(Math.min(STREAM_CHUNK_BYTES, last + 1 - position));
			const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
			if (bytesRead === 0) throw new Error(`${path} ends before byte ${last}`);
			position += bytesRead;
			yield chunk.subarray(0, bytesRead);
		}
	} finally {
		await file.close();
	}
}
