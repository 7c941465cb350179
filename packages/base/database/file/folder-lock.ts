import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import LibsqlDatabase from "libsql";

/** Alone: no other process at all. Together: others that ask for the same. */
export type Sharing = "alone" | "together";

/** A lock on a folder that this process holds; the operating system releases it however the process ends. */
export interface FolderLock {
	release(): void;
}

/** Nobody holds it for a moment only: who has it keeps it. */
const BUSY_MS = 200;
const MODES: Readonly<Record<Sharing, readonly string[]>> = {
	alone: ["BEGIN EXCLUSIVE"],
	// A transaction that has read keeps its shared lock until it ends.
	together: ["BEGIN", "SELECT count(*) FROM sqlite_master"],
};

/**
 * Locks a folder, which it makes where it is missing, by a transaction that stays open on a file in it: as with the database, a pid file
 * would survive kill -9.
 * @returns undefined while other processes hold it in a way that does not go with this one
 */
export async function lockFolder(dir: string, sharing: Sharing): Promise<FolderLock | undefined> {
	await mkdir(dir, { recursive: true, mode: 0o700 });
	const file = new LibsqlDatabase(join(dir, "owner.lock.db"), { timeout: BUSY_MS });
	try {
		for (const statement of MODES[sharing]) file.prepare(statement).all([]);
	} catch (cause) {
		file.close();
		if (cause instanceof Error && "code" in cause && cause.code === "SQLITE_BUSY") return undefined;
		throw cause;
	}
	return {
		release() {
			file.exec("ROLLBACK");
			file.close();
		},
	};
}
