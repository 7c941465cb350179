import { LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../../database-error.ts";
import { isTurnLong, shareTurn } from "../../pace/turns.ts";
import { codeOf } from "../fault.ts";
import type { Statement } from "../write/change-statements.ts";
import { Handle } from "./handle.ts";
import { type ChangeEnd, type ChangingHandle, changingStatement, run, transaction } from "./transaction.ts";

/** The connection by which a file is changed. Nothing may be asked of it before what was asked last has ended. */
export interface ChangingConnection {
	/**
	 * Makes changes in one transaction, each whole or not at all.
	 * @returns what became of each @throws LibsqlError SQLITE_BUSY @throws DatabaseError; nothing of all was kept then
	 */
	change(changes: readonly (readonly Statement[])[]): Promise<readonly ChangeEnd[]>;
	/** Runs a statement that is none of a change, off the thread that answers. @throws as `change` */
	alone(sql: string): Promise<void>;
	close(): void;
}

/**
 * A lone commit that will not take longer than this is made at once: the way to the other thread and back costs about a tenth of a millisecond of
 * processor time.
 */
const QUICK_MS = 0.5;
/** How much of a slow commit is forgotten with each one that follows. */
const FORGOTTEN = 0.05;

export function changingConnection(path: string, pragmas: readonly string[]): ChangingConnection {
	let handle: ChangingHandle | undefined;
	/** What the slowest of the last commits took. */
	let slowestMs = 2 * QUICK_MS;

	/** What is asked next has a new connection, with all settings. */
	function drop(): void {
		const last = handle;
		handle = undefined;
		if (!last) return;
		try {
			// What was prepared keeps a connection that is closed, and with it what is not yet undone.
			if (last.isInTransaction) run(last, "ROLLBACK");
		} catch {
			// Whoever asked has heard of the first error.
		}
		last.close();
	}

	async function use<T>(work: (handle: ChangingHandle) => Promise<T>): Promise<T> {
		if (isTurnLong()) await shareTurn();
		try {
			// A new connection has none of the settings of an earlier one.
			handle ??= new Handle(path, pragmas, changingStatement);
			return await work(handle);
		} catch (error) {
			// After one SQLITE_BUSY every later COMMIT may fail too ("SQL statements in progress"); after anything else the driver may have dropped the connection.
			drop();
			throw unkept(error);
		}
	}

	async function commit(to: ChangingHandle, isAlone: boolean): Promise<void> {
		const startMs = performance.now();
		if (isAlone && slowestMs < QUICK_MS) run(to, "COMMIT");
		else await to.runAside("COMMIT");
		slowestMs = Math.max(performance.now() - startMs, slowestMs * (1 - FORGOTTEN));
	}

	return {
		async change(changes) {
			const ends = await use((to) => transaction(to, changes, () => commit(to, changes.length === 1)));
			if (ends.some(isUnknown)) drop();
			return ends;
		},
		alone: (sql) => use((to) => to.runAside(sql)),
		close: drop,
	};
}

/** Nothing of it was kept, whatever it was. A lock stays what it is: it is tried again. */
function unkept(error: unknown): unknown {
	const isTriedAgain = codeOf(error) === "SQLITE_BUSY";
	return error instanceof LibsqlError && !isTriedAgain ? new DatabaseError(error.code, "no", error) : error;
}

function isUnknown(end: ChangeEnd): boolean {
	return "error" in end && end.error instanceof DatabaseError && end.error.written === "unknown";
}
