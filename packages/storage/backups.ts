import { type FileHandle, link, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { JobFailure } from "@svc/base/failure";
import type { BackupFacts, BackupFolder, BackupFolders, BlobDigest, StoredBlob } from "@svc/base/ports";
import { digestOfFile, digestOfParts } from "./digest.ts";
import { errorCode, type Folders, foldersUnder, freeBytes, sync, unless } from "./folders.ts";
import { blobPath } from "./keys.ts";
import { writeAll } from "./staging.ts";

/*
 * A backup is a folder that looks like a data directory: `svc.db`, and `images/blobs/…` as files.ts would keep them, wherever they
 * come from. Beside them lie `SHA256SUMS`, which `sha256sum -c` reads as well, and `manifest.json`, written last. Until all of it is
 * on the disk the folder has another name, so that nothing that was cut off looks whole.
 */

/** Version of the folder's layout; a restore refuses those that it does not know. */
const FORMAT = 1;
const UNFINISHED = "unfinished-";
const FULL = "The disk has no room for the backup. Free some, or remove earlier backups, then start it again.";
/** What a link is refused for where a copy is still possible: another file system, one without links, or too many of them. */
const UNLINKABLE: ReadonlySet<string | undefined> = new Set([
	"EXDEV",
	"EPERM",
	"ENOTSUP",
	"EOPNOTSUPP",
	"EMLINK",
	"ENOSYS",
]);

interface BackupFoldersOptions {
	/** An absolute path; the folder holds nothing but backups. */
	readonly dir: string;
	/** Free bytes that a backup leaves: it must not be the cause of a full disk. */
	readonly freeFloorBytes: number;
}

export function backupFolders({ dir, freeFloorBytes }: BackupFoldersOptions): BackupFolders {
	return {
		async list() {
			const names = await readdir(dir).catch(unless("ENOENT"));
			return (names ?? []).filter((name) => !name.startsWith(UNFINISHED)).sort();
		},
		async remove(name) {
			const leaving = join(dir, `${UNFINISHED}${name}`);
			await rename(join(dir, name), leaving);
			await remove(leaving);
		},
		async open(name) {
			await foldersUnder(dir).ensure(dir);
			await removeUnfinished(dir);
			const root = join(dir, `${UNFINISHED}${name}`);
			const folders = foldersUnder(root);
			return await orFull(async () => {
				await folders.ensure(root);
				const sums = await open(join(root, "SHA256SUMS"), "wx", 0o600);
				return openFolder({ root, folders, sums, target: join(dir, name), freeFloorBytes });
			});
		},
	};
}

async function removeUnfinished(dir: string): Promise<void> {
	for (const name of await readdir(dir)) if (name.startsWith(UNFINISHED)) await remove(join(dir, name));
}

/** What cannot be removed now, since something still writes there, is left for the next time. */
async function remove(path: string): Promise<void> {
	await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

interface Opened {
	readonly root: string;
	readonly folders: Folders;
	readonly sums: FileHandle;
	/** The folder's name once it is whole. */
	readonly target: string;
	readonly freeFloorBytes: number;
}

function openFolder({ root, folders, sums, target, freeFloorBytes }: Opened): BackupFolder {
	const databasePath = join(root, "svc.db");
	const fanOuts = new Set<string>();
	const total = { files: 0, bytes: 0 };
	let sumsEnd = 0;

	async function note(path: string, { bytes, sha256 }: BlobDigest): Promise<void> {
		const line = Buffer.from(`${sha256}  ${path}\n`);
		// Taken before anything is waited for: blobs are kept side by side.
		const position = sumsEnd;
		sumsEnd += line.length;
		total.files += 1;
		total.bytes += bytes;
		await writeAll(sums, line, position);
	}

	async function requireRoom(bytes: number): Promise<void> {
		if ((await freeBytes(root)) - bytes < freeFloorBytes) throw new JobFailure(FULL);
	}

	async function place(blob: StoredBlob, path: string): Promise<BlobDigest | undefined> {
		const isLinked = blob.path !== undefined && (await linked(blob.path, path));
		if (!isLinked) await requireRoom(blob.bytes);
		try {
			return await (isLinked ? digestOfFile(path) : copyTo(path, blob));
		} catch (error) {
			// EIO means a bad sector.
			if (errorCode(error) !== "EIO") throw error;
			await rm(path);
			return undefined;
		}
	}

	return {
		databasePath,
		requireRoom,
		keep: (blobKey, blob) =>
			orFull(async () => {
				const name = join("images", "blobs", blobPath(blobKey));
				const path = join(root, name);
				await folders.ensure(dirname(path));
				fanOuts.add(dirname(path));
				const digest = await place(blob, path);
				if (digest) await note(name, digest);
				return digest;
			}),
		seal: (facts) =>
			orFull(async () => {
				await sync(databasePath);
				await note("svc.db", await digestOfFile(databasePath));
				for (const folder of fanOuts) await sync(folder);
				await sums.sync();
				await sums.close();
				await writeManifest(root, facts, { ...total, sums: await digestOfFile(join(root, "SHA256SUMS")) });
				await rename(root, target);
				await sync(dirname(target));
				return { path: target, ...total };
			}),
		async discard() {
			await sums.close().catch(() => undefined);
			await remove(root);
		},
	};
}

/** A second name for the same bytes takes no room, and is safe: a blob is never written again, only removed. */
async function linked(from: string, to: string): Promise<boolean> {
	try {
		await link(from, to);
		return true;
	} catch (error) {
		if (UNLINKABLE.has(errorCode(error))) return false;
		throw error;
	}
}

async function copyTo(path: string, blob: StoredBlob): Promise<BlobDigest> {
	const file = await open(path, "wx", 0o600);
	try {
		const digest = await digestOfParts(blob.stream(), (chunk) => writeAll(file, chunk));
		await file.sync();
		return digest;
	} finally {
		await file.close();
	}
}

async function writeManifest(
	root: string,
	{ version, migration, madeMs, images, damaged }: BackupFacts,
	{ files, bytes, sums }: { readonly files: number; readonly bytes: number; readonly sums: BlobDigest },
): Promise<void> {
	const manifest = {
		format: FORMAT,
		version,
		migration,
		made_at: new Date(madeMs).toISOString(),
		images,
		damaged,
		files,
		bytes,
		sums_sha256: sums.sha256,
	};
	const file = await open(join(root, "manifest.json"), "wx", 0o600);
	try {
		await file.writeFile(`${JSON.stringify(manifest, undefined, "\t")}\n`);
		await file.sync();
	} finally {
		await file.close();
	}
	await sync(root);
}

/** @throws JobFailure for a disk, or a share of it, that is full: only its owner can help that */
async function orFull<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (cause) {
		if (["ENOSPC", "EDQUOT"].includes(errorCode(cause) ?? "")) throw new JobFailure(FULL, { cause });
		throw cause;
	}
}
