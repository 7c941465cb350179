import { fileURLToPath } from "node:url";
import { LibsqlError } from "@libsql/client/sqlite3";
import LibsqlDatabase from "libsql";
import { LeastRecent } from "../../pace/least-recent.ts";
import { isTurnLong, nextTurn, shareTurn } from "../../pace/turns.ts";
import { OPERATIONS_PER_TURN, retryBusy } from "./connection.ts";

/* Reading a file through the driver's client costs several times what SQLite needs: it prepares every statement anew and asks for
   every column's name. This reader calls the driver below the client and keeps its statements. */

export interface Reader {
	/**
	 * Rows as arrays, in the order of the columns.
	 * @param many the same for several at once, where they may go together to a server
	 */
	rows(sql: string, args: readonly unknown[], many?: string): Promise<unknown[][]>;
	close(): Promise<void>;
}

export interface FileReader extends Reader {
	/** The same at once, of a query that hardly comes again; it is not tried again where another process locks the file. @throws LibsqlError */
	rowsOnce(sql: string): unknown[][];
}

export interface KeptReaderOptions {
	readonly url: string;
	readonly pragmas: readonly string[];
	readonly busyTimeoutMs: number;
}

interface Handle {
	readonly database: LibsqlDatabase.Database;
	/** Statements in the order of use, the least recent first. */
	readonly statements: LeastRecent<string, LibsqlDatabase.Statement>;
}

/** Label filters have many shapes: the ones in use stay. */
const STATEMENTS_MAX = 200;

export function keptReader({ url, pragmas, busyTimeoutMs }: KeptReaderOptions): FileReader {
	const path = fileURLToPath(url);
	let handle: Handle | undefined;
	let closed = false;
	let operations = 0;

	function open(): Handle {
		if (closed) throw new Error("This database is closed.");
		if (handle) return handle;
		const database = new LibsqlDatabase(path, { timeout: 0 });
		for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`);
		handle = { database, statements: new LeastRecent(STATEMENTS_MAX) };
		return handle;
	}

	function drop(): void {
		handle?.database.close();
		handle = undefined;
	}

	function rowsNow(sql: string, args: readonly unknown[]): unknown[][] {
		try {
			// Always one array: a single blob that is spread would be read as named parameters, and abort the process.
			return keptStatement(open(), sql).all(args.map(bindable)) as unknown[][];
		} catch (error) {
			// After any error, the next read starts with a new connection that has its settings.
			if (!closed) drop();
			throw asLibsqlError(error);
		}
	}

	return {
		rowsOnce(sql) {
			try {
				const statement = readingStatement(open().database, sql);
				const rows = statement.all([]) as unknown[][];
				// The driver leaves an EXPLAIN under way, and with it what later reads see would stay as it is now: this ends it.
				statement.get([]);
				return rows;
			} catch (error) {
				throw asLibsqlError(error);
			}
		},
		async rows(sql, args) {
			operations += 1;
			if (operations % OPERATIONS_PER_TURN === 0) await nextTurn();
			if (isTurnLong()) await shareTurn();
			return await retryBusy(async () => rowsNow(sql, args), performance.now() + busyTimeoutMs);
		},
		async close() {
			drop();
			closed = true;
		},
	};
}

function keptStatement({ database, statements }: Handle, sql: string): LibsqlDatabase.Statement {
	const kept = statements.get(sql) ?? readingStatement(database, sql);
	statements.set(sql, kept);
	return kept;
}

function readingStatement(database: LibsqlDatabase.Database, sql: string): LibsqlDatabase.Statement {
	const statement = database.prepare(sql);
	if (!statement.reader) throw new LibsqlError("This connection only reads.", "SQLITE_READONLY");
	return statement.raw(true);
}

/** The driver takes no booleans, and takes only a Buffer as a blob. */
function bindable(value: unknown): unknown {
	if (typeof value === "boolean") return value ? 1 : 0;
	if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
	return value;
}

function asLibsqlError(error: unknown): unknown {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	return error instanceof Error && code.startsWith("SQLITE_") ? new LibsqlError(error.message, code) : error;
}
