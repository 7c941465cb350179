import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Failure, invalid } from "@svc/base/failure";
import type { BlobStore, Staged } from "@svc/base/ports";
import { type Folders, freeSpace, sync, unless } from "./folders.ts";

const PROBE = new TextEncoder().encode("probe");

interface StagingOptions {
	/** An absolute path. Owned by one process at a time. */
	readonly root: string;
	readonly folders: Folders;
	/** Below this much free space nothing is staged any more, so that deletes still find room to be written down. */
	readonly freeFloorBytes: number;
}

/** Where files are received, whatever keeps them afterwards: `incoming/<uuid>` on this machine's disk. */
export function stagingIn({
	root,
	folders,
	freeFloorBytes,
}: StagingOptions): Pick<BlobStore, "stage" | "probe" | "sweepStaged"> {
	const incoming = join(root, "incoming");
	const freeBytes = freeSpace(root);

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

	// Writes past the floor on purpose: a full disk stops uploads only, and this asks whether the store works at all.
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

	return { stage, probe, sweepStaged };
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
export async function writeAll(file: FileHandle, chunk: Uint8Array, position?: number): Promise<void> {
	for (let written = 0; written < chunk.length; ) {
		const at = position === undefined ? null : position + written;
		const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at);
		if (bytesWritten === 0) throw new Error("the disk took no bytes");
		written += bytesWritten;
	}
}

async function removeOlder(path: string, beforeMs: number): Promise<boolean> {
	const found = await stat(path).catch(unless("ENOENT"));
	if (found === undefined || found.mtimeMs >= beforeMs) return false;
	const gone = await unlink(path).then(() => true, unless("ENOENT"));
	return gone ?? false;
}

/** Removes a file. Cleaning up must not hide why it was needed: what cannot be removed now is left to the sweep. */
export async function discard(path: string): Promise<void> {
	await unlink(path).catch(() => undefined);
}

/** @throws Failure `upload_failed` for whatever the work throws that is no Failure yet */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (cause) {
		throw cause instanceof Failure ? cause : new Failure("upload_failed", undefined, { cause });
	}
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
	yield chunk;
}
