import { createClient } from "@libsql/client/sqlite3";
import { codeOf } from "../fault.ts";

/** A lock that this process holds; the operating system releases it however the process ends. */
export interface OwnerLock {
	release(): Promise<void>;
}

/**
 * Makes this process the only one that serves the folder of a database file, by a transaction that stays open on a file beside it.
 * A pid file would survive kill -9, and leases need a clock that two processes agree on.
 * @throws Error when another process, or an earlier call in this one, holds it.
 */
export async function acquireOwnerLock(databaseUrl: string): Promise<OwnerLock> {
	const url = databaseUrl.replace(/[^/:]*$/, "owner.lock.db");
	const client = createClient({ url, concurrency: 1, timeout: 100 });
	try {
		const transaction = await client.transaction("write");
		return {
			async release() {
				await transaction.rollback();
				client.close();
			},
		};
	} catch (cause) {
		client.close();
		if (codeOf(cause) !== "SQLITE_BUSY") throw cause;
		throw new Error(
			`Another process already serves the folder of ${databaseUrl}; it holds owner.lock.db. Stop it first, or give this one a folder of its own.`,
			{ cause },
		);
	}
}
