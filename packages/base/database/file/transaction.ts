import { LibsqlBatchError, LibsqlError } from "@libsql/client/sqlite3";
import type LibsqlDatabase from "libsql";
import { DatabaseError } from "../../database-error.ts";
import { nextTurn } from "../../pace/turns.ts";
import type { Row } from "../client.ts";
import { codeOf, databaseError } from "../fault.ts";
import type { Statement } from "../write/change-statements.ts";
import type { Change } from "../write/write.ts";
import { type Handle, ofDriver } from "./handle.ts";

/** A statement that changes, and whether it returns rows. */
interface Changing {
	readonly statement: LibsqlDatabase.Statement;
	readonly returns: boolean;
}

export type ChangingHandle = Handle<Changing>;

export function changingStatement(statement: LibsqlDatabase.Statement): Changing {
	return { statement, returns: statement.reader };
}

/** What became of one change: what its statements returned, or why it alone was not kept. */
export type ChangeEnd = { readonly rows: Change } | { readonly error: unknown };

/** For so long a transaction goes on in one turn of the event loop. */
const STRETCH_MS = 8;
/** What a commit fails with before anything of it can be on the disk. */
const UNWRITTEN: ReadonlySet<string> = new Set(["SQLITE_BUSY", "SQLITE_CONSTRAINT", "SQLITE_ERROR", "SQLITE_FULL"]);

/**
 * Makes changes in one transaction, each whole or not at all, in their order. Nobody may be told of any before this ends, also not of a refusal: what it
 * was refused for is kept with the others, or is not.
 * @param commit ends the transaction
 * @throws LibsqlError where nothing of all was kept; the connection is not to be used any more
 */
export async function transaction(
	handle: ChangingHandle,
	changes: readonly (readonly Statement[])[],
	commit: () => Promise<void>,
): Promise<readonly ChangeEnd[]> {
	run(handle, "BEGIN IMMEDIATE");
	const ended = await madeOf(handle, changes);
	if (ended.every(isRefused)) {
		run(handle, "ROLLBACK");
		return ended;
	}
	try {
		await commit();
		return ended;
	} catch (error) {
		const code = codeOf(error);
		if (UNWRITTEN.has(code)) throw error;
		return ended.map((one) => ({ error: new DatabaseError(code, isRefused(one) ? "no" : "unknown", error) }));
	}
}

function isRefused(ended: ChangeEnd): boolean {
	return "error" in ended;
}

async function madeOf(
	handle: ChangingHandle,
	changes: readonly (readonly Statement[])[],
): Promise<readonly ChangeEnd[]> {
	const ended: ChangeEnd[] = [];
	const goOn = stretches();
	for (const change of changes) ended.push(await made(handle, change, changes.length === 1, goOn));
	return ended;
}

/** @throws LibsqlBatchError why the whole transaction cannot be kept */
async function made(
	handle: ChangingHandle,
	change: readonly Statement[],
	isAlone: boolean,
	goOn: () => Promise<void> | undefined,
): Promise<ChangeEnd> {
	const rows: (readonly Row[])[] = [];
	try {
		if (!isAlone) run(handle, "SAVEPOINT one");
		for (const statement of change) {
			const pause = goOn();
			if (pause) await pause;
			rows.push(rowsOf(handle, statement));
			// Where SQLite has ended it, each statement that follows would be kept by itself.
			if (!handle.isInTransaction) throw new LibsqlError("The transaction was rolled back.", "TRANSACTION_CLOSED");
		}
		if (!isAlone) run(handle, "RELEASE one");
		return { rows };
	} catch (error) {
		return { error: refusalOf(handle, error, rows.length, isAlone) };
	}
}

/** Undoes what there is of one change, where the transaction goes on without it. @throws LibsqlBatchError where it does not */
function refusalOf(handle: ChangingHandle, error: unknown, place: number, isAlone: boolean): DatabaseError {
	if (!(error instanceof LibsqlError)) throw error;
	const fault = new LibsqlBatchError(error.message, place, error.code);
	// A full disk, a failed write or no memory ends the whole transaction, whatever savepoints it has.
	if (fault.code !== "SQLITE_CONSTRAINT" || !handle.isInTransaction) throw fault;
	if (!isAlone) {
		run(handle, "ROLLBACK TO one");
		run(handle, "RELEASE one");
	}
	return databaseError(fault);
}

/** Gives a promise to wait for where this turn of the event loop has taken long enough. */
function stretches(): () => Promise<void> | undefined {
	let startedMs = performance.now();
	return () => {
		if (performance.now() - startedMs < STRETCH_MS) return undefined;
		return nextTurn().then(() => {
			startedMs = performance.now();
		});
	};
}

/** @throws LibsqlError */
export function run(handle: ChangingHandle, sql: string): void {
	rowsOf(handle, { sql, args: [] });
}

function rowsOf(handle: ChangingHandle, { sql, args }: Statement): readonly Row[] {
	const { statement, returns } = handle.prepared(sql);
	return ofDriver(() => {
		// Always one array: a single blob that is spread would be read as named parameters, and abort the process.
		if (returns) return statement.all(args as unknown[]) as Row[];
		statement.run(args as unknown[]);
		return [];
	});
}
