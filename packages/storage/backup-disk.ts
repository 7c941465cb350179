import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { digestOfParts } from "@svc/base/crypto/digest";
import { JobFailure } from "@svc/base/failure";
import type { BlobDigest, StoredBlob } from "@svc/base/ports";
import { type BackupList, DATABASE, openBackupList, SUMS } from "./backup-list.ts";
import { errorCode, type Folders, foldersUnder, freeBytes, unless } from "./folders.ts";
import { writeAll } from "./staging.ts";

/* The disk on which a backup is made, or made ready for a bucket. */

/** The beginning of a folder's name as long as what is in it may be cut off. */
export const UNFINISHED = "unfinished-";
const FULL = "The disk has no room for the backup. Free some, or remove earlier backups, then start it again.";

/** A backup that is being made in a folder of its own. */
export interface BegunBackup {
	readonly root: string;
	readonly folders: Folders;
	readonly databasePath: string;
	/** An open file, which ends the process when it is collected: whoever has it finishes or abandons it. */
	readonly sums: BackupList;
	/** @throws JobFailure where these bytes would leave less free than a backup may */
	requireRoom(bytes: number): Promise<void>;
}

/** Begins a backup below `dir`, where earlier ones that were cut off are removed. @throws JobFailure for a full disk */
export async function beginBackup(dir: string, name: string, freeFloorBytes: number): Promise<BegunBackup> {
	const root = join(dir, `${UNFINISHED}${name}`);
	const folders = foldersUnder(root);
	return await orFull(async () => {
		await foldersUnder(dir).ensure(dir);
		await removeUnfinished(dir);
		await folders.ensure(root);
		return {
			root,
			folders,
			databasePath: join(root, DATABASE),
			sums: await openBackupList(join(root, SUMS)),
			requireRoom: (bytes) => requireRoom(root, bytes, freeFloorBytes),
		};
	});
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

/** What cannot be removed now, since something still writes there, is left for the next time. */
export async function removeFolder(path: string): Promise<void> {
	await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** @throws JobFailure where less than `floorBytes` would be left */
async function requireRoom(root: string, bytes: number, floorBytes: number): Promise<void> {
	if ((await freeBytes(root)) - bytes < floorBytes) throw new JobFailure(FULL);
}

async function removeUnfinished(dir: string): Promise<void> {
	const names = (await readdir(dir).catch(unless("ENOENT"))) ?? [];
	for (const name of names) if (name.startsWith(UNFINISHED)) await removeFolder(join(dir, name));
}
