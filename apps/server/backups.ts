import { join } from "node:path";
import { fileSnapshots } from "@svc/operator/backup-store";
import type { BackupDeps } from "@svc/operator/backups";
import { backupFolders } from "@svc/storage/backups";
import type { Config } from "./config.ts";

/** Far more than uploads leave free: a backup must not be what stops them. */
const FREE_FLOOR_BYTES = 256 * 1_024 ** 2;

/** What backups are made of and where they go. A database on a server has backups of its own. */
export function openBackups({ database, dataDir }: Config): Pick<BackupDeps, "snapshots" | "backupFolders"> {
	return {
		snapshots: database.kind === "file" ? fileSnapshots(database.path) : undefined,
		backupFolders: backupFolders({ dir: join(dataDir, "backups"), freeFloorBytes: FREE_FLOOR_BYTES }),
	};
}
