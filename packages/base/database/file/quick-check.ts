import LibsqlDatabase from "libsql";
import { DatabaseError } from "../../database-error.ts";
import { codeOf } from "../fault.ts";

/** How long it waits for a process that locks the file. */
const BUSY_MS = 5_000;
/** What SQLite answers for a file that is not what it wrote. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * Reads a database file through and gives what is wrong with it; undefined where it is whole. Synchronous: a second for some hundred
 * megabytes, in which nothing else runs.
 * @throws Error where it could not be read for another reason
 */
export function quickCheck(path: string): string | undefined {
	try {
		const database = new LibsqlDatabase(path, { timeout: BUSY_MS });
		try {
			database.exec("PRAGMA query_only=ON");
			const [found] = database.prepare("PRAGMA quick_check(1)").raw(true).all([]) as string[][];
			return found?.[0] === "ok" ? undefined : (found?.[0] ?? "it said nothing").replaceAll("\n", " ");
		} finally {
			database.close();
		}
	} catch (cause) {
		if (cause instanceof Error && "code" in cause && DAMAGED.test(String(cause.code))) return cause.message;
		throw cause;
	}
}

/** What is wrong with the file, by an error of a read or a change of it; undefined where the error tells of something else. */
export function damageIn(cause: unknown): string | undefined {
	if (!(cause instanceof Error)) return undefined;
	const code = cause instanceof DatabaseError ? cause.code : codeOf(cause);
	return DAMAGED.test(code) ? code : damageIn(cause.cause);
}

/** Says which file it is, and what to do. */
export function tellDamage(path: string, found: string): string {
	return `the database ${path} is damaged (${found}). Stop the service, keep the file, and bring a backup back: svc server restore <backup> --to <an empty folder>`;
}
