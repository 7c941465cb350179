import { open } from "node:fs/promises";
import { join } from "node:path";
import { BACKUP_FORMAT } from "@svc/base/backup-format";
import type { BackupFacts, BlobDigest } from "@svc/base/ports";
import { blobPath } from "./keys.ts";
import { writeAll } from "./staging.ts";

/* What a backup says of itself: `SHA256SUMS`, which `sha256sum -c` reads as well, and `manifest.json`. */

/** The names of a backup's files, on a disk and in a bucket alike: its database, the list of its files, and what is written last. */
export const DATABASE = "svc.db";
export const SUMS = "SHA256SUMS";
export const MANIFEST = "manifest.json";

interface Total {
	readonly files: number;
	readonly bytes: number;
}

/** The list of a backup's files while it is written. */
export interface BackupList {
	note(path: string, digest: BlobDigest): Promise<void>;
	/** Of what was noted so far. */
	total(): Total;
	/** The list is durable when this resolves. */
	finish(): Promise<void>;
	/** Never rejects. */
	abandon(): Promise<void>;
}

/** @param path where no file is yet */
export async function openBackupList(path: string): Promise<BackupList> {
	const file = await open(path, "wx", 0o600);
	const total = { files: 0, bytes: 0 };
	let end = 0;
	return {
		async note(name, { bytes, sha256 }) {
			const line = Buffer.from(`${sha256}  ${name}\n`);
			// Taken before anything is waited for: blobs are kept side by side.
			const position = end;
			end += line.length;
			total.files += 1;
			total.bytes += bytes;
			await writeAll(file, line, position);
		},
		total: () => ({ ...total }),
		async finish() {
			await file.sync();
			await file.close();
		},
		abandon: () => file.close().catch(() => undefined),
	};
}

/** Where a blob lies below the folder of a backup. */
export function blobFile(blobKey: string): string {
	return join("images", "blobs", blobPath(blobKey));
}

/** @param sums digest of `SHA256SUMS` */
export function manifestText(
	{ version, migration, madeMs, images, damaged }: BackupFacts,
	{ files, bytes }: Total,
	sums: BlobDigest,
): string {
	const manifest = {
		format: BACKUP_FORMAT,
		version,
		migration,
		made_at: new Date(madeMs).toISOString(),
		images,
		damaged,
		files,
		bytes,
		sums_sha256: sums.sha256,
	};
	return `${JSON.stringify(manifest, undefined, "\t")}\n`;
}
