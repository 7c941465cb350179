import { LibsqlBatchError, LibsqlError } from "@libsql/client/sqlite3";
import type { ChangeStatement, Statement } from "../write/change-statements.ts";

/*
 * What is said to a libSQL server: Hrana 3 over HTTP, in JSON. The driver's own client opens a connection inside the server for each
 * statement and closes it again, which costs the server many times what the statement does.
 */

/** Rows as arrays, in the order of the columns. */
export interface Found {
	readonly columns: readonly string[];
	readonly rows: unknown[][];
}

export type Condition =
	| { readonly type: "ok"; readonly step: number }
	| { readonly type: "not"; readonly cond: Condition }
	| { readonly type: "and" | "or"; readonly conds: readonly Condition[] }
	| { readonly type: "is_autocommit" };

export interface BatchStep {
	readonly stmt: { readonly sql: string; readonly args: readonly Value[]; readonly want_rows: boolean };
	readonly condition?: Condition;
}

export interface Batch {
	readonly steps: readonly BatchStep[];
	/** Of a replica: it waits until it has this change of the primary. */
	readonly replication_index?: string;
}

/** A change, with what its statements say of themselves. */
export interface ChangeBatch extends Batch {
	readonly statements: readonly ChangeStatement[];
}

interface StatementResult {
	readonly cols: readonly { readonly name: string | null }[];
	readonly rows: readonly (readonly Value[])[];
}

export interface Fault {
	readonly message: string;
	readonly code: string;
}

export interface BatchResult {
	readonly step_results: readonly (StatementResult | null)[];
	readonly step_errors: readonly (Fault | null)[];
	/** The number of the primary's last change that the answer knows of. */
	readonly replication_index?: string | null;
}

export type Value =
	| { readonly type: "null" }
	| { readonly type: "integer"; readonly value: string }
	| { readonly type: "float"; readonly value: number }
	| { readonly type: "text"; readonly value: string }
	| { readonly type: "blob"; readonly base64: string };

/** Independent reads: each has its own answer, whatever becomes of the others. */
export function readsOf(statements: readonly Statement[]): Batch {
	return { steps: statements.map((statement) => stepOf(statement)) };
}

/** What a read found. @throws LibsqlError why it failed */
export function foundBy(result: BatchResult, place: number): Found {
	const fault = result.step_errors[place];
	if (fault) throw new LibsqlError(fault.message, codeOf(fault));
	return decoded(result.step_results[place]);
}

/** A change, whole or not at all: also where one of its statements fails, and where the connection is used again. */
export function changeOf(statements: readonly ChangeStatement[]): ChangeBatch {
	const done = statements.length;
	return {
		statements,
		steps: [
			BEGIN,
			...statements.map((statement, place) => stepOf(statement, ok(place))),
			stepOf(COMMIT, ok(done)),
			ROLLBACK,
		],
	};
}

/** What each statement of a change has returned. @throws LibsqlBatchError which of them failed and why; nothing of the change was kept */
export function changedBy(result: BatchResult, change: Batch): readonly Found[] {
	// The transaction's own beginning and end are told by the places before the first statement and after the last.
	const commit = ownSteps(change).length + 1;
	for (let step = 0; step <= commit; step += 1) {
		const fault = result.step_errors[step];
		if (fault) throw batchError(fault, step - 1);
	}
	if (!result.step_results[commit]) throw new LibsqlError("The server did not commit, and did not say why.", "UNKNOWN");
	return result.step_results.slice(1, commit).map(decoded);
}

export const BEGIN = stepOf({ sql: "BEGIN IMMEDIATE", args: [] });
export const COMMIT: Statement = { sql: "COMMIT", args: [] };
export const ROLLBACK = stepOf({ sql: "ROLLBACK", args: [] }, { type: "not", cond: { type: "is_autocommit" } });

export function ok(step: number): Condition {
	return { type: "ok", step };
}

/** Those between the transaction's beginning and end. */
export function ownSteps({ steps }: Batch): readonly BatchStep[] {
	return steps.slice(1, -2);
}

export function batchError(fault: Fault, statement: number): LibsqlBatchError {
	return new LibsqlBatchError(fault.message, statement, codeOf(fault));
}

/** A replica passes on what its primary says without the code. */
export function codeOf({ code, message }: Fault): string {
	if (code !== "PROXY_ERROR") return code;
	if (/constraint failed/i.test(message)) return "SQLITE_CONSTRAINT";
	return /database is locked|SQLITE_BUSY/i.test(message) ? "SQLITE_BUSY" : code;
}

export function stepOf({ sql, args }: Statement, condition?: Condition): BatchStep {
	return { stmt: { sql, args: args.map(encoded), want_rows: true }, ...(condition && { condition }) };
}

/** As the driver sends them to a file: a number as REAL, which a column of integers takes as one. */
function encoded(value: unknown): Value {
	if (value === null || value === undefined) return { type: "null" };
	switch (typeof value) {
		case "string":
			// Nor does a file keep a lone surrogate; the server would not read the request.
			return { type: "text", value: value.toWellFormed() };
		case "number":
			if (!Number.isFinite(value)) throw new RangeError("A number that SQLite cannot keep.");
			return { type: "float", value };
		case "bigint":
			if (BigInt.asIntN(64, value) !== value) throw new RangeError("An integer that SQLite cannot keep.");
			return { type: "integer", value: String(value) };
		case "boolean":
			return { type: "integer", value: value ? "1" : "0" };
		default:
			return { type: "blob", base64: bytesOf(value).toString("base64") };
	}
}

function bytesOf(value: unknown): Buffer {
	if (value instanceof ArrayBuffer) return Buffer.from(value);
	if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
	throw new TypeError("A value that SQLite cannot keep.");
}

export function decoded(result: StatementResult | null | undefined): Found {
	if (!result) throw new LibsqlError("The server left a statement out.", "UNKNOWN");
	const columns = result.cols.map(({ name }) => name ?? "");
	return { columns, rows: result.rows.map((row) => row.map(decodedValue)) };
}

function decodedValue(value: Value): unknown {
	switch (value.type) {
		case "null":
			return null;
		case "integer":
			return safeInteger(value.value);
		case "blob":
			return new Uint8Array(Buffer.from(value.base64, "base64")).buffer;
		default:
			return value.value;
	}
}

function safeInteger(text: string): number {
	const number = Number(text);
	if (!Number.isSafeInteger(number))
		throw new RangeError("The database holds an integer that is too large to be exact.");
	return number;
}
