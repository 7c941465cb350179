import LibsqlDatabase from "libsql";
import { LATER_SERVICE_CHANGES } from "./later-service-store.ts";

/*
 * The program of a child process, started by backup.ts with the paths of the database and of the copy. Copying is one long statement
 * of a synchronous driver: in the service's own process no request would be answered meanwhile.
 */

/** How long it waits for another process that writes. */
const BUSY_MS = 60_000;

function copy(from: string, to: string): void {
	const database = new LibsqlDatabase(from, { timeout: BUSY_MS });
	database.prepare("VACUUM INTO ?").run([to]);
	database.close();
}

/** @throws Error for a damaged copy, which a damaged database causes */
function finish(path: string): void {
	const database = new LibsqlDatabase(path);
	for (const change of LATER_SERVICE_CHANGES) database.exec(change);
	const [found] = database.prepare("PRAGMA integrity_check(1)").raw(true).all([]) as string[][];
	if (found?.[0] !== "ok") throw new Error(`SQLITE_CORRUPT: ${found?.[0]}`);
	database.close();
}

function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return "code" in error ? `${error.code}: ${error.message}` : error.message;
}

// Only its owner may read the copy, as the database.
process.umask(0o077);
const [, , from = "", to = ""] = process.argv;
try {
	copy(from, to);
	finish(to);
} catch (error) {
	process.stderr.write(reasonOf(error));
	process.exitCode = 1;
}
