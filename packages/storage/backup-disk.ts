import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { digestOfParts } from "@svc/base/digest";
import { JobFailure } from "@svc/base/failure";
import type { BlobDigest, StoredBlob } from "@svc/base/ports";
import { errorCode, freeBytes, unless } from "./folders.ts";
import { writeAll } from "./staging.ts";

/* The disk on which a backup is made, or made ready for a bucket. */

/** The beginning of a folder's name as long as what is in it may be cut off. */
export const UNFINISHED = "unfinished-";
const FULL = "The disk has no room for the backup. Free some, or remove earlier backups, then start it again.";

/** @throws JobFailure where less than `floorBytes` would be left */
export async function requireRoom(root: string, bytes: number, floorBytes: number): Promise<void> {
	if ((await freeBytes(root)) - bytes < floorBytes) throw new JobFailure(FULL);
}

/** @throws JobFailure for a disk, or a share of it, that is full: only its owner can help that */
export async function orFull<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (cause) {
		if (["ENOSPC", "EDQUOT"].includes(errorCode(cause) ?? "")) throw new JobFailure(FULL, { cause });
		throw cause;
	}
}

/** Writes a blob to a new file, which is durable when this resolves. */
export async function copyTo(path: string, blob: StoredBlob): Promise<BlobDigest> {
	const file = await open(path, "wx", 0o600);
	try {
		const digest = await digestOfParts(blob.stream(), (chunk) => writeAll(file, chunk));
		await file.sync();
		return digest;
	} finally {
		await file.close();
	}
}

/** Undefined, and no file, where the disk cannot read the bytes: EIO means a bad sector. */
export async function unlessUnreadable<T>(path: string, copy: () => Promise<T>): Promise<T | undefined> {
	try {
		return await copy();
	} catch (error) {
		if (errorCode(error) !== "EIO") throw error;
		await rm(path, { force: true });
		return undefined;
	}
}

export async function removeUnfinished(dir: string): Promise<void> {
	const names = (await readdir(dir).catch(unless("ENOENT"))) ?? [];
	for (const name of names) if (name.startsWith(UNFINISHED)) await removeFolder(join(dir, name));
}

/** What cannot be removed now, since something still writes there, is left for the next time. */
export async function removeFolder(path: string): Promise<void> {
	await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
