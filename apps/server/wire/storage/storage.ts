import { dirname, join } from "node:path";
import type { BlobStore, BlobTrash, Log, StoreMark } from "@svc/base/ports";
import { type Ballast, fileBallast } from "@svc/storage/ballast";
import { fileTrash } from "@svc/storage/file-trash";
import { fileBlobs } from "@svc/storage/files";
import { fileMark } from "@svc/storage/mark";
import { s3Mark } from "@svc/storage/s3/mark";
import { type S3Requests, s3Requests } from "@svc/storage/s3/requests";
import { S3_PACE, s3Blobs } from "@svc/storage/s3/s3";
import { s3Trash } from "@svc/storage/s3/trash";
import type { Config } from "../../config/config.ts";

/** Uploads and renditions leave this much of a disk to what the database has to write. */
export const FREE_FLOOR_BYTES = 64 * 1_024 ** 2;

/** Enough for thousands of deletes: the log of the database is used again and again. */
const BALLAST_BYTES = 16 * 1_024 ** 2;

/** Where pictures are kept, and whose they are. */
export interface PictureStore {
	readonly blobs: BlobStore;
	readonly trash: BlobTrash;
	readonly mark: StoreMark;
	/** Undefined for a folder. */
	readonly requests: S3Requests | undefined;
}

/**
 * Opens the deployment's blob store. A bucket is tried before anything else is made: an upload must not be the first to find out that
 * a secret is wrong.
 * @throws Error saying what is wrong with the bucket, without secrets
 */
export async function openStore({ storage }: Pick<Config, "storage">, log: Log): Promise<PictureStore> {
	if (storage.kind === "files") {
		const { dir } = storage;
		const blobs = fileBlobs({ dir, freeFloorBytes: FREE_FLOOR_BYTES });
		return { blobs, trash: fileTrash(dir), mark: fileMark(dir), requests: undefined };
	}
	const place = `the bucket ${storage.bucket} at ${storage.endpoint}`;
	const store = s3Blobs({ ...storage, freeFloorBytes: FREE_FLOOR_BYTES, log });
	try {
		await store.verify();
	} catch (cause) {
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new Error(`${place} cannot be used (${why}). See SVC_STORAGE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`, {
			cause,
		});
	}
	const requests = s3Requests(storage, S3_PACE, log);
	return { blobs: store, trash: s3Trash(requests, storage.bucket), mark: s3Mark(requests, place), requests };
}

/** Opens the ballast on the disk of the database file; a database server takes care of its own disk. */
export function openBallast({ database }: Pick<Config, "database">, log: Log): Ballast {
	if (database.kind !== "file") return { release: async () => false, renew: async () => undefined };
	const path = join(dirname(database.path), "ballast");
	const ballast = fileBallast({ path, bytes: BALLAST_BYTES, freeFloorBytes: FREE_FLOOR_BYTES });
	return {
		...ballast,
		async release() {
			const released = await ballast.release();
			if (released) log.error("the disk is full; what was set aside for deletes is used up now", { ballast: path });
			return released;
		},
	};
}
