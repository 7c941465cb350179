import { join } from "node:path";
import type { BackupFolders, Snapshots } from "@svc/base/ports";
import { fileSnapshots } from "@svc/operator/backup-store";
import { backupFolders } from "@svc/storage/backups";
import type { Config } from "../config.ts";

/** Far more than uploads leave free: a backup must not be what stops them. */
const FREE_FLOOR_BYTES = 256 * 1_024 ** 2;

interface Backups {
	readonly backupSchedule: Config["backupSchedule"];
	readonly snapshots: Snapshots | undefined;
	readonly backupFolders: BackupFolders;
}

/** The source and the target of backups. A database on a server has its own backups. */
export function openBackups({ database, dataDir, backupSchedule }: Config): Backups {
	return {
		backupSchedule,
		snapshots: database.kind === "file" ? fileSnapshots(database.path) : undefined,
		backupFolders: backupFolders({ dir: join(dataDir, "backups"), freeFloorBytes: FREE_FLOOR_BYTES }),
	};
}
