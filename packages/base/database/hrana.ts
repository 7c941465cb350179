import { LibsqlBatchError, LibsqlError } from "@libsql/client/sqlite3";

/*
 * What is said to a libSQL server: Hrana 3 over HTTP, in JSON. The driver's own client opens a connection inside the server for each
 * statement and closes it again, which costs the server many times what the statement does.
 */

export interface Statement {
	readonly sql: string;
	readonly args: readonly unknown[];
}

/** Rows as arrays, in the order of the columns. */
export interface Found {
	readonly columns: readonly string[];
	readonly rows: unknown[][];
}

type Condition =
	| { readonly type: "ok"; readonly step: number }
	| { readonly type: "not"; readonly cond: Condition }
	| { readonly type: "and" | "or"; readonly conds: readonly Condition[] }
	| { readonly type: "is_autocommit" };

interface BatchStep {
	readonly stmt: { readonly sql: string; readonly args: readonly Value[]; readonly want_rows: boolean };
	readonly condition?: Condition;
}

export interface Batch {
	readonly steps: readonly BatchStep[];
	/** Of a replica: it waits until it has this change of the primary. */
	readonly replication_index?: string;
}

interface StatementResult {
	readonly cols: readonly { readonly name: string | null }[];
	readonly rows: readonly (readonly Value[])[];
}

interface Fault {
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
export function changeOf(statements: readonly Statement[]): Batch {
	const done = statements.length;
	return {
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

/**
 * What became of one change of a group: gives what its statements returned. Undefined where nothing of it was kept, and it may be tried alone.
 * @throws LibsqlBatchError why it alone was not kept @throws RangeError of what it returned
 */
export type Ended = (() => readonly Found[]) | undefined;

/**
 * Several changes in one transaction, each whole or not at all whatever becomes of the others: one that fails is rolled back to where it
 * began. Where even that fails none of them is kept.
 * @param changes of {@link changeOf}
 */
export function groupOf(changes: readonly Batch[]): Batch {
	const steps: BatchStep[] = [BEGIN];
	let soFar: Condition = ok(0);
	for (const change of changes) {
		const savepoint = steps.push(stepOf(SAVEPOINT, soFar)) - 1;
		for (const { stmt } of ownSteps(change)) steps.push({ stmt, condition: ok(steps.length - 1) });
		const release = steps.push(stepOf(RELEASE, ok(steps.length - 1))) - 1;
		// Only to where it began itself: an earlier one that was rolled back has left its own mark behind.
		const failed: Condition = { type: "and", conds: [ok(savepoint), { type: "not", cond: ok(release) }] };
		const undone = steps.push(stepOf(ROLL_BACK_TO, failed)) - 1;
		soFar = { type: "or", conds: [ok(release), ok(undone)] };
	}
	return { steps: [...steps, stepOf(COMMIT, soFar), ROLLBACK] };
}

/**
 * What became of each change of a group, in their order.
 * @throws LibsqlBatchError why the server did not begin or end the transaction
 */
export function endedBy(result: BatchResult, changes: readonly Batch[]): readonly Ended[] {
	const places = placesOf(changes);
	const commit = places.at(-1)?.next ?? 1;
	for (const step of [0, commit]) {
		const fault = result.step_errors[step];
		if (fault && !(step === commit && OF_ONE.has(codeOf(fault)))) throw batchError(fault, -1);
	}
	const isKept = Boolean(result.step_results[commit]);
	return places.map((place) => (isKept ? endedAt(result, place) : undefined));
}

/**
 * Why a group is not kept that is one change's doing, without saying whose: it breaks a constraint that is looked at in the end, takes the last
 * space, or takes so long that the server has given the place to another process.
 */
const OF_ONE: ReadonlySet<string> = new Set(["SQLITE_CONSTRAINT", "SQLITE_FULL", "TRANSACTION_TIMEOUT"]);

/** Where a change of a group has its first statement, and its end; the next change comes after that. */
interface Place {
	readonly first: number;
	readonly release: number;
	readonly next: number;
}

function placesOf(changes: readonly Batch[]): readonly Place[] {
	let next = 1;
	return changes.map((change) => {
		const first = next + 1;
		const release = first + ownSteps(change).length;
		next = release + 2;
		return { first, release, next };
	});
}

/** A change of a group that was kept, all but those that failed. */
function endedAt(result: BatchResult, { first, release }: Place): Ended {
	if (result.step_results[release]) return () => result.step_results.slice(first, release).map(decoded);
	const faults = result.step_errors.slice(first, release);
	const place = faults.findIndex((fault) => fault);
	const fault = faults[place];
	// One that met a lock is tried again.
	if (!fault || codeOf(fault) === "SQLITE_BUSY") return undefined;
	return () => {
		throw batchError(fault, place);
	};
}

const BEGIN = stepOf({ sql: "BEGIN IMMEDIATE", args: [] });
const COMMIT: Statement = { sql: "COMMIT", args: [] };
const ROLLBACK = stepOf({ sql: "ROLLBACK", args: [] }, { type: "not", cond: { type: "is_autocommit" } });
const SAVEPOINT: Statement = { sql: "SAVEPOINT one", args: [] };
const RELEASE: Statement = { sql: "RELEASE one", args: [] };
const ROLL_BACK_TO: Statement = { sql: "ROLLBACK TO one", args: [] };

function ok(step: number): Condition {
	return { type: "ok", step };
}

/** Those between the transaction's beginning and end. */
function ownSteps({ steps }: Batch): readonly BatchStep[] {
	return steps.slice(1, -2);
}

function batchError(fault: Fault, statement: number): LibsqlBatchError {
	return new LibsqlBatchError(fault.message, statement, codeOf(fault));
}

/** A replica passes on what its primary says without the code. */
function codeOf({ code, message }: Fault): string {
	if (code !== "PROXY_ERROR") return code;
	if (/constraint failed/i.test(message)) return "SQLITE_CONSTRAINT";
	return /database is locked|SQLITE_BUSY/i.test(message) ? "SQLITE_BUSY" : code;
}

function stepOf({ sql, args }: Statement, condition?: Condition): BatchStep {
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

function decoded(result: StatementResult | null | undefined): Found {
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
