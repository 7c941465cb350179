import { LibsqlError } from "@libsql/client";

/**
 * What the database refused or could not do. The message holds the driver's code and nothing else: SQL and values stay out of
 * it, since it may be logged or shown. The driver's own error is the cause.
 */
export class DatabaseError extends Error {
	override readonly name = "DatabaseError";
	/** The driver's code, as `SQLITE_FULL`, or `UNKNOWN` for an answer that never came. */
	readonly code: string;
	/** Whether the change may have been committed anyway: `unknown` when only the answer was lost. */
	readonly written: "no" | "unknown";

	constructor(code: string, written: "no" | "unknown", cause: unknown) {
		super(`The database did not do it (${code}).`, { cause });
		this.code = code;
		this.written = written;
	}
}

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
