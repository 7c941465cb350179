import { dirname, join } from "node:path";
import type { BlobStore, Log } from "@svc/base/ports";
import { type Ballast, fileBallast } from "@svc/storage/ballast";
import { fileBlobs } from "@svc/storage/files";
import { s3Blobs } from "@svc/storage/s3";
import type { Config } from "../config.ts";

/** Uploads and renditions leave this much of a disk to what the database has to write. */
export const FREE_FLOOR_BYTES = 64 * 1_024 ** 2;

/** Enough for thousands of deletes: the log of the database is used again and again. */
const BALLAST_BYTES = 16 * 1_024 ** 2;

/**
 * Opens the deployment's blob store. A bucket is tried before anything else is made: an upload must not be the first to find out that
 * a secret is wrong.
 * @throws Error saying what is wrong with the bucket, without secrets
 */
export async function openBlobs({ storage }: Pick<Config, "storage">, log: Log): Promise<BlobStore> {
	if (storage.kind === "files") return fileBlobs({ dir: storage.dir, freeFloorBytes: FREE_FLOOR_BYTES });
	const store = s3Blobs({ ...storage, freeFloorBytes: FREE_FLOOR_BYTES, log });
	try {
		await store.verify();
	} catch (cause) {
		const why = cause instanceof Error ? cause.message : String(cause);
		const { bucket, endpoint } = storage;
		throw new Error(
			`the bucket ${bucket} at ${endpoint} cannot be used (${why}). See SVC_S3_ENDPOINT, SVC_S3_BUCKET, SVC_S3_REGION, SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY.`,
			{ cause },
		);
	}
	return store;
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
