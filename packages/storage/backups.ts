import { constants, copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digestOfFile } from "@svc/base/crypto/digest";
import type { BackupFolder, BackupFolders, BlobDigest, StoredBlob } from "@svc/base/ports";
import {
	type BegunBackup,
	beginBackup,
	copyTo,
	orFull,
	removeFolder,
	UNFINISHED,
	unlessUnreadable,
} from "./backup-disk.ts";
import { blobFile, DATABASE, MANIFEST, manifestText, SUMS } from "./backup-list.ts";
import { errorCode, sync, unless } from "./folders.ts";
import { readRange } from "./range.ts";

/*
 * A backup is a folder that looks like a data directory: `svc.db`, and `images/blobs/…` as files.ts would keep them, wherever they
 * come from. Beside them lie `SHA256SUMS`, which `sha256sum -c` reads as well, and `manifest.json`, written last. Until all of it is
 * on the disk the folder has another name, so that nothing that was cut off looks whole.
 */

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
		list: async () => (await finished(dir)).toReversed(),
		async remove(name) {
			const leaving = join(dir, `${UNFINISHED}${name}`);
			await rename(join(dir, name), leaving);
			await removeFolder(leaving);
		},
		async open(name) {
			const earlier = (await finished(dir)).map((one) => join(dir, one));
			return openFolder(await beginBackup(dir, name, freeFloorBytes), { target: join(dir, name), earlier });
		},
		async findCopy(blobKey, expected) {
			for (const name of await finished(dir)) {
				const path = join(dir, name, blobFile(blobKey));
				if (await isCopy(path, expected)) return readRange(path, 0, expected.bytes - 1);
			}
			return undefined;
		},
	};
}

/** The newest first: their names begin with the time. */
async function finished(dir: string): Promise<string[]> {
	const names = (await readdir(dir).catch(unless("ENOENT"))) ?? [];
	return names
		.filter((name) => !name.startsWith(UNFINISHED))
		.sort()
		.reverse();
}

/** Whether a file has these bytes. What cannot be read is no copy. */
async function isCopy(path: string, { bytes, sha256 }: BlobDigest): Promise<boolean> {
	try {
		return (await stat(path)).size === bytes && (await digestOfFile(path)).sha256 === sha256;
	} catch {
		return false;
	}
}

interface Surroundings {
	/** The folder's name once it is whole. */
	readonly target: string;
	/** The finished backups, the newest first. */
	readonly earlier: readonly string[];
}

function openFolder(begun: BegunBackup, { target, earlier }: Surroundings): BackupFolder {
	const { root, folders, databasePath, sums, requireRoom } = begun;
	const fanOuts = new Set<string>();

	/** Never the file of the store under a second name: what damages one would damage both. */
	async function place(
		name: string,
		blob: StoredBlob | undefined,
		expected: BlobDigest,
	): Promise<BlobDigest | undefined> {
		const path = join(root, name);
		const [newest, ...others] = earlier;
		if (await linkCopy([newest], name, path, expected)) return expected;
		const copied = blob && (await copy(blob, path));
		if (copied && isSame(copied, expected)) return copied;
		const kept = `${path}-damaged`;
		if (copied) await rename(path, kept);
		if (await linkCopy(others, name, path, expected)) {
			await rm(kept, { force: true });
			return expected;
		}
		if (copied) await rename(kept, path);
		return copied;
	}

	/** Undefined where the disk cannot read the bytes. */
	async function copy(blob: StoredBlob, path: string): Promise<BlobDigest | undefined> {
		return await unlessUnreadable(path, async () => {
			if (blob.path !== undefined && (await cloned(blob.path, path))) return await digestOfFile(path);
			await requireRoom(blob.bytes);
			return await copyTo(path, blob);
		});
	}

	return {
		databasePath,
		requireRoom,
		keep: (blobKey, blob, expected) =>
			orFull(async () => {
				const name = blobFile(blobKey);
				const path = join(root, name);
				await folders.ensure(dirname(path));
				fanOuts.add(dirname(path));
				const digest = await place(name, blob, expected);
				if (digest) await sums.note(name, digest);
				return digest;
			}),
		seal: (facts) =>
			orFull(async () => {
				await sync(databasePath);
				await sums.note(DATABASE, await digestOfFile(databasePath));
				for (const folder of fanOuts) await sync(folder);
				await sums.finish();
				const listed = await digestOfFile(join(root, SUMS));
				await writeManifest(root, manifestText(facts, sums.total(), listed));
				await rename(root, target);
				await sync(dirname(target));
				return { path: target, ...sums.total() };
			}),
		async discard() {
			await sums.abandon();
			await removeFolder(root);
		},
	};
}

function isSame(one: BlobDigest, other: BlobDigest): boolean {
	return one.bytes === other.bytes && one.sha256 === other.sha256;
}

/** Gives a file of an earlier backup a second name in this one, where it has the right bytes: that takes no room. */
async function linkCopy(
	backups: readonly (string | undefined)[],
	name: string,
	path: string,
	expected: BlobDigest,
): Promise<boolean> {
	for (const backup of backups) {
		if (backup === undefined || !(await linked(join(backup, name), path))) continue;
		if (await isCopy(path, expected)) return true;
		await rm(path);
	}
	return false;
}

async function linked(from: string, to: string): Promise<boolean> {
	try {
		await link(from, to);
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT" || UNLINKABLE.has(errorCode(error))) return false;
		throw error;
	}
}

/** Copies a file where the file system shares the bytes until one of both changes, such as XFS and Btrfs: that takes no room. */
async function cloned(from: string, to: string): Promise<boolean> {
	try {
		await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
		await sync(to);
		return true;
	} catch (error) {
		if (errorCode(error) === "EIO") throw error;
		await rm(to, { force: true });
		return false;
	}
}

async function writeManifest(root: string, text: string): Promise<void> {
	const file = await open(join(root, MANIFEST), "wx", 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
	await sync(root);
}
