import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Failure, invalid } from "@svc/core/failure";
import type { BlobStore, Staged, StoredBlob } from "@svc/core/ports";
import { foldersUnder, sync, unless } from "./folders.ts";
import { freeSpace } from "./free-space.ts";
import { checkKey } from "./keys.ts";

const STREAM_CHUNK_BYTES = 65_536;
const PROBE = new TextEncoder().encode("probe");

interface FileBlobsOptions {
	/** Owned by one process at a time. `incoming` and `blobs` inside it must be on one file system: rename does not cross. */
	readonly dir: string;
	/** Below this much free space nothing is staged any more, so that deletes still find room to be written down. */
	readonly freeFloorBytes?: number;
}

/** Blobs as files: `incoming/<uuid>` while they are received, then `blobs/<fan-out>/<key>`, immutable. */
export function fileBlobs({ dir, freeFloorBytes = 0 }: FileBlobsOptions): BlobStore {
	const root = resolve(dir);
	const incoming = join(root, "incoming");
	const blobs = join(root, "blobs");
	const folders = foldersUnder(root);
	const freeBytes = freeSpace(root);
	const putting = new Set<string>();

	// The fan-out comes from a hash, for keys share their first letters. `+` is in no key, so two keys never share a file, and
	// it is as long as the slash, so no key outgrows a file name.
	function pathOf(key: string): string {
		checkKey(key);
		const fanOut = createHash("sha256").update(key).digest("hex").slice(0, 2);
		return join(blobs, fanOut, key.replaceAll("/", "+"));
	}

	async function prepare(): Promise<void> {
		await folders.ensure(incoming);
		if (freeFloorBytes > 0 && (await freeBytes()) < freeFloorBytes) {
			throw new Error(`less than ${freeFloorBytes} bytes are free in ${root}`);
		}
	}

	async function stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Staged> {
		await onDisk(prepare);
		const path = join(incoming, randomUUID());
		try {
			const received = await receive(path, chunks, maxBytes);
			return { ...received, path, discard: () => discard(path) };
		} catch (error) {
			await discard(path);
			throw error;
		}
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

	// Past the floor on purpose: a full disk stops uploads only, and this asks whether the store works at all.
	async function probe(): Promise<void> {
		await folders.ensure(incoming);
		const path = join(incoming, `probe-${randomUUID()}`);
		try {
			await receive(path, once(PROBE), PROBE.length);
			await sync(path);
			const bytes = await readFile(path);
			if (!bytes.equals(PROBE)) throw new Error(`the probe in ${incoming} read back as something else`);
		} finally {
			await discard(path);
		}
	}

	async function sweepStaged(beforeMs: number): Promise<number> {
		let swept = 0;
		for (const name of (await readdir(incoming).catch(unless("ENOENT"))) ?? []) {
			if (await removeOlder(join(incoming, name), beforeMs)) swept++;
		}
		return swept;
	}

	return { stage, put, find, remove, probe, sweepStaged };
}

async function receive(
	path: string,
	chunks: AsyncIterable<Uint8Array>,
	maxBytes: number,
): Promise<Pick<Staged, "bytes" | "sha256">> {
	const file = await onDisk(() => open(path, "wx", 0o600));
	const hash = createHash("sha256");
	let bytes = 0;
	try {
		for await (const chunk of chunks) {
			bytes += chunk.length;
			// Leaving the loop also ends the source, so nothing more is read from the network.
			if (bytes > maxBytes) throw invalid("file", `is larger than ${maxBytes.toLocaleString("en-US")} bytes`);
			hash.update(chunk);
			await onDisk(() => writeAll(file, chunk));
		}
	} finally {
		await onDisk(() => file.close());
	}
	return { bytes, sha256: new Uint8Array(hash.digest()) };
}

// One write may take fewer bytes than it was given, close to a full disk above all.
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
	for (let written = 0; written < chunk.length; ) {
		const { bytesWritten } = await file.write(chunk, written, chunk.length - written);
		if (bytesWritten === 0) throw new Error("the disk took no bytes");
		written += bytesWritten;
	}
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

// Nothing is read ahead. A cancel that meets a read waits for it inside the generator, whose `finally` then closes the file.
function streamOf(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
	return new ReadableStream(
		{
			async pull(controller) {
				const next = await chunks.next();
				if (next.done) controller.close();
				else controller.enqueue(next.value);
			},
			async cancel() {
				await chunks.return(undefined);
			},
		},
		{ highWaterMark: 0 },
	);
}

async function removeOlder(path: string, beforeMs: number): Promise<boolean> {
	const found = await stat(path).catch(unless("ENOENT"));
	if (found === undefined || found.mtimeMs >= beforeMs) return false;
	const gone = await unlink(path).then(() => true, unless("ENOENT"));
	return gone ?? false;
}

// Cleaning up must not hide why it was needed: what cannot be removed now is left to the sweep.
async function discard(path: string): Promise<void> {
	await unlink(path).catch(() => undefined);
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (cause) {
		throw cause instanceof Failure ? cause : new Failure("upload_failed", undefined, { cause });
	}
}

function taken(key: string): Error {
	return new Error(`the blob key ${key} is taken: keys are written once`);
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
	yield chunk;
}
