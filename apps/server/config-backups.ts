import type { BackupSchedule } from "@svc/operator/room";
import { parseS3Place, type S3Place } from "@svc/storage/s3-place";
import type { DatabaseConfig, StorageConfig } from "./config.ts";
import { readS3Access, type S3Access } from "./config-s3.ts";
import type { Reader } from "./variables.ts";

/** The folder of a bucket in which backups are kept. */
export type BackupBucket = S3Place & S3Access;

/** A backup that takes longer than this would be followed by the next at once. */
const LEAST_BACKUP_SECONDS = 900;
const FILE_ONLY = "a database in a file: one on a server is backed up there";
const OWN_ACCESS = [
	"SVC_BACKUP_S3_ENDPOINT",
	"SVC_BACKUP_S3_REGION",
	"SVC_BACKUP_S3_ACCESS_KEY_ID",
	"SVC_BACKUP_S3_SECRET_ACCESS_KEY",
] as const;

export function readBackupSchedule(read: Reader, database: DatabaseConfig): BackupSchedule | undefined {
	const seconds = read.duration("SVC_BACKUP_EVERY", LEAST_BACKUP_SECONDS);
	const keep = read.integer("SVC_BACKUP_KEEP", 7, 1);
	if (seconds === undefined) return undefined;
	if (database.kind === "remote") read.fault("SVC_BACKUP_EVERY", FILE_ONLY);
	return { everyMs: seconds * 1_000, keep };
}

/** How the bucket of backups is reached: by variables of its own, or else as the pictures' store. Undefined where neither is told. */
export function readBackupAccess(read: Reader, storage: StorageConfig): S3Access | undefined {
	if (OWN_ACCESS.some((name) => read.isSet(name))) return readS3Access(read, "SVC_BACKUP_S3");
	read.unused(OWN_ACCESS);
	return storage.kind === "s3" ? storage : undefined;
}

interface Beside {
	readonly database: DatabaseConfig;
	readonly access: S3Access | undefined;
}

/** Undefined where backups stay in the data directory. */
export function readBackupBucket(read: Reader, { database, access }: Beside): BackupBucket | undefined {
	const to = read.optional("SVC_BACKUP_TO");
	if (to === undefined) return undefined;
	const place = parseS3Place(to);
	if (!place) read.fault("SVC_BACKUP_TO", "s3://bucket or s3://bucket/folder");
	if (database.kind === "remote") read.fault("SVC_BACKUP_TO", FILE_ONLY);
	if (!access) for (const name of OWN_ACCESS) read.fault(name, "a value, since SVC_STORAGE is not s3");
	return place && access && { ...access, ...place };
}
