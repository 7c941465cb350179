import type { BackupSchedule } from "@svc/operator/room";
import { parseS3Url, type S3Place } from "@svc/storage/s3/place";
import type { Bucket } from "@svc/storage/s3/requests";
import { readBackupKeys, readS3Keys } from "./config-s3.ts";
import type { DatabaseConfig } from "./config-types.ts";
import type { VariableReader } from "./variables.ts";

/** The folder of a bucket in which backups are kept. */
export type BackupBucket = S3Place & Bucket;

/** A backup that takes longer than this would be followed by the next at once. */
const LEAST_BACKUP_SECONDS = 900;
const FILE_ONLY = "a database in a file: one on a server is backed up there";

export function readBackupSchedule(read: VariableReader, database: DatabaseConfig): BackupSchedule | undefined {
	const seconds = read.duration("SVC_BACKUP_EVERY", LEAST_BACKUP_SECONDS);
	const keep = read.integer("SVC_BACKUP_KEEP", 7, 1);
	if (seconds === undefined) return undefined;
	if (database.kind === "remote") read.fault("SVC_BACKUP_EVERY", FILE_ONLY);
	return { everyMs: seconds * 1_000, keep };
}

/** Undefined where backups stay in the data directory. */
export function readBackupBucket(read: VariableReader, database: DatabaseConfig): BackupBucket | undefined {
	const to = read.optional("SVC_BACKUP_TO");
	if (to === undefined) return undefined;
	const place = parseS3Url(to);
	if (!place) {
		read.fault(
			"SVC_BACKUP_TO",
			"s3://host/bucket/folder?region=… (&tls=off for plain HTTP), without a name and a password in it",
		);
	}
	if (database.kind === "remote") read.fault("SVC_BACKUP_TO", FILE_ONLY);
	return place && { ...place, ...(readBackupKeys(read) ?? readS3Keys(read, "pictures")) };
}
