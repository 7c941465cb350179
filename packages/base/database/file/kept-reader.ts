import { fileURLToPath } from "node:url";
import { LibsqlError } from "@libsql/client/sqlite3";
import type LibsqlDatabase from "libsql";
import { isTurnLong, nextTurn, shareTurn } from "../../pace/turns.ts";
import { retryBusy } from "../write/retry-busy.ts";
import { bindable, Handle, ofDriver } from "./handle.ts";

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

/** The driver leaks about 4 KB for every statement until the event loop turns. */
const OPERATIONS_PER_TURN = 50;

/** Reads of a file, on a connection of their own that keeps its statements. They see what is committed, and nothing else. */
export function keptReader({ url, pragmas, busyTimeoutMs }: KeptReaderOptions): FileReader {
	const path = fileURLToPath(url);
	let handle: Handle<LibsqlDatabase.Statement> | undefined;
	let closed = false;
	let operations = 0;

	function open(): Handle<LibsqlDatabase.Statement> {
		if (closed) throw new Error("This database is closed.");
		handle ??= new Handle(path, pragmas, readingStatement);
		return handle;
	}

	function drop(): void {
		handle?.close();
		handle = undefined;
	}

	function rowsNow(sql: string, args: readonly unknown[]): unknown[][] {
		try {
			// Always one array: a single blob that is spread would be read as named parameters, and abort the process.
			return ofDriver(() => open().prepared(sql).all(args.map(bindable))) as unknown[][];
		} catch (error) {
			// After any error, the next read starts with a new connection that has its settings.
			if (!closed) drop();
			throw error;
		}
	}

	return {
		rowsOnce(sql) {
			return ofDriver(() => {
				const statement = open().prepare(sql);
				const rows = statement.all([]) as unknown[][];
				// The driver leaves an EXPLAIN under way, and with it what later reads see would stay as it is now: this ends it.
				statement.get([]);
				return rows;
			});
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

function readingStatement(statement: LibsqlDatabase.Statement): LibsqlDatabase.Statement {
	if (!statement.reader) throw new LibsqlError("This connection only reads.", "SQLITE_READONLY");
	return statement.raw(true);
}
