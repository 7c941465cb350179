import { LibsqlError } from "@libsql/client/sqlite3";
import LibsqlDatabase from "libsql";
import PromisedDatabase from "libsql/promise";
import { LeastRecent } from "../../pace/least-recent.ts";
import { nextTurn } from "../../pace/turns.ts";

/* Below the driver's client, which prepares each statement anew, asks for every column's name, and waits for the disk on the thread that answers. */

/** Label filters have many shapes, and changes are made of some hundred statements: the ones in use stay. */
const STATEMENTS_MAX = 300;
/** A longer text hardly comes again, as that of a migration. */
const KEPT_CHARACTERS_MAX = 20_000;

/** One connection to a file, with the statements that it has prepared. All errors of the driver are LibsqlErrors. */
export class Handle<Kept> {
	readonly #database: LibsqlDatabase.Database;
	readonly #keep: (statement: LibsqlDatabase.Statement) => Kept;
	readonly #kept = new LeastRecent<string, Kept>(STATEMENTS_MAX);

	/** @param keep what is kept of a statement that was prepared */
	constructor(path: string, pragmas: readonly string[], keep: (statement: LibsqlDatabase.Statement) => Kept) {
		// SQLite would wait for a lock inside a synchronous call, in which nothing else runs: it never waits, and is asked again instead.
		this.#database = new LibsqlDatabase(path, { timeout: 0 });
		this.#keep = keep;
		try {
			for (const pragma of pragmas) this.#database.exec(`PRAGMA ${pragma}`);
		} catch (error) {
			this.#database.close();
			throw libsqlError(error);
		}
	}

	/** The statement of this text, prepared once as long as it is in use. */
	prepared(sql: string): Kept {
		const kept = this.#kept.use(sql);
		if (kept !== undefined) return kept;
		const fresh = this.prepare(sql);
		if (sql.length <= KEPT_CHARACTERS_MAX) this.#kept.set(sql, fresh);
		return fresh;
	}

	prepare(sql: string): Kept {
		return ofDriver(() => this.#keep(this.#database.prepare(sql)));
	}

	/**
	 * Runs a statement on a thread of the driver. Whatever is asked of this connection meanwhile would wait for it, and everything else with that: nothing may
	 * be asked before this ends.
	 */
	async runAside(sql: string): Promise<void> {
		// Both kinds of the driver's databases are the same one below.
		const running: Promise<unknown> = PromisedDatabase.prototype.exec.call(this.#database, sql);
		try {
			await running;
		} catch (error) {
			throw libsqlError(error);
		} finally {
			// Out of the driver's callback: Bun begins no other one before it has ended, so that whoever ran the event loop within it would wait for ever.
			await nextTurn();
		}
	}

	get isInTransaction(): boolean {
		return this.#database.inTransaction;
	}

	/** To be called once. */
	close(): void {
		this.#kept.clear();
		this.#database.close();
	}
}

/** Runs what speaks to the driver. @throws LibsqlError */
export function ofDriver<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw libsqlError(error);
	}
}

/** SQLite's codes of which the driver has no name for some extension, as for a number that is none in a STRICT table. */
const CODES: Readonly<Record<number, string>> = {
	...{ 5: "SQLITE_BUSY", 8: "SQLITE_READONLY", 10: "SQLITE_IOERR", 11: "SQLITE_CORRUPT", 14: "SQLITE_CANTOPEN" },
	19: "SQLITE_CONSTRAINT",
};

/** With the code that the driver's client says: without SQLite's extension, as SQLITE_IOERR_WRITE has one. */
function libsqlError(error: unknown): unknown {
	if (!(error instanceof LibsqlDatabase.SqliteError)) return error;
	const [base] = /^SQLITE_[A-Z]+/.exec(error.code) ?? [];
	return new LibsqlError(error.message, base ?? CODES[(error.rawCode ?? 0) & 0xff] ?? error.code);
}

/** The driver takes no booleans, and takes only a Buffer as a blob. */
export function bindable(value: unknown): unknown {
	if (typeof value === "boolean") return value ? 1 : 0;
	if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
	return value;
}
