import { join } from "node:path";
import type { Database } from "@svc/base/database/client";
import { readDatabaseMark } from "@svc/base/database/meta";
import type { BackupFolders, Log, Snapshots } from "@svc/base/ports";
import { fileSnapshots } from "@svc/operator/backups/backup-store";
import { backupFolders } from "@svc/storage/backups";
import { s3Backups } from "@svc/storage/s3/backups";
import type { Config } from "../../config/config.ts";

/** Far more than uploads leave free: a backup must not be what stops them. */
const FREE_FLOOR_BYTES = 256 * 1_024 ** 2;

interface Backups {
	readonly backupSchedule: Config["backupSchedule"];
	readonly snapshots: Snapshots | undefined;
	readonly backupFolders: BackupFolders;
}

/** The source and the target of backups. A database on a server has its own backups. */
export function openBackups(config: Config, database: Database, log: Log): Backups {
	const { backupSchedule } = config;
	return {
		backupSchedule,
		snapshots: config.database.kind === "file" ? fileSnapshots(config.database.path) : undefined,
		backupFolders: openFolders(config, database, log),
	};
}

/** A copy of a picture is also looked for among earlier backups of the data directory, where new ones go to a bucket. */
function openFolders({ dataDir, backupTo }: Config, database: Database, log: Log): BackupFolders {
	const place = { dir: join(dataDir, "backups"), freeFloorBytes: FREE_FLOOR_BYTES };
	const here = backupFolders(place);
	if (backupTo === undefined) return here;
	const installation = async () => (await readDatabaseMark(database)).installation ?? "";
	const there = s3Backups({ ...backupTo, ...place, installation, log });
	return {
		...there,
		findCopy: async (key, expected) => (await here.findCopy(key, expected)) ?? (await there.findCopy(key, expected)),
	};
}
