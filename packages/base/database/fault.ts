import { LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../database-error.ts";

/** The driver's code for an error; `UNKNOWN` for an error that is not from SQLite, as a lost connection. */
export function codeOf(error: unknown): string {
	return error instanceof LibsqlError ? error.code : "UNKNOWN";
}

/** The driver's own message: for migrations, which hold no values. */
export function reasonOf(error: unknown): string {
	return error instanceof DatabaseError && error.cause instanceof Error ? error.cause.message : String(error);
}

export function databaseError(error: LibsqlError): DatabaseError {
	return new DatabaseError(error.code, isVerdict(error.code) ? "no" : "unknown", error);
}

// SQLite's own code is final, except for a disk that failed inside a commit; without a code, only the answer may be lost.
function isVerdict(code: string): boolean {
	return (code.startsWith("SQLITE_") && code !== "SQLITE_IOERR") || code === "TRANSACTION_CLOSED";
}
