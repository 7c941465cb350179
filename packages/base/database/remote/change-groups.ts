import type { Statement } from "../write/change-statements.ts";
import { type Program, type Programs, REFUSED, refusedPlace } from "./change-programs.ts";
import {
	type Batch,
	type BatchResult,
	type BatchStep,
	BEGIN,
	batchError,
	type ChangeBatch,
	COMMIT,
	type Condition,
	codeOf,
	decoded,
	type Fault,
	type Found,
	ok,
	ownSteps,
	ROLLBACK,
	stepOf,
} from "./hrana.ts";
import { runOf } from "./program-runs.ts";

/**
 * What became of one change of a group: gives what its statements returned. Otherwise nothing of it was kept, and it may be tried again, together
 * with others or alone.
 * @throws LibsqlBatchError why it alone was not kept @throws RangeError of what it returned
 */
export type Ended = (() => readonly Found[]) | "together" | "alone";

/** Several changes for one transaction, each whole or not at all whatever becomes of the others. */
export interface Group {
	readonly batch: Batch;
	/**
	 * What became of each change, in their order.
	 * @throws LibsqlBatchError why the server did not begin or end the transaction
	 */
	endedBy(result: BatchResult): readonly Ended[];
	/** The same where the server has not read the batch; undefined where that is no program's doing. */
	endedUnread(): readonly Ended[] | undefined;
}

export interface GroupOptions {
	readonly programs: Programs;
	/** Which programs the connection keeps; told of those that it keeps afterwards. */
	readonly kept: Set<string>;
	/** Changes that no program makes any more; told of those that one has refused. */
	readonly apart: Set<ChangeBatch>;
}

/** Changes of which one has failed when the transaction goes back to where the first began: those of one program, or one by itself. */
interface Unit {
	readonly changes: readonly ChangeBatch[];
	readonly program: Program | undefined;
}

/** Where a unit has its steps: between the savepoint's beginning and its release. */
interface Place extends Unit {
	readonly first: number;
	readonly release: number;
	/** Where each look of each change is, by its text and values: what all have left is the same for all. */
	readonly looks: ReadonlyMap<string, number>;
}

/** @param changes of `changeOf` */
export function groupOf(changes: readonly ChangeBatch[], { programs, kept, apart }: GroupOptions): Group {
	const units = unitsOf(changes, programs, apart);
	const used = units.flatMap(({ program }) => program ?? []);
	const steps: BatchStep[] = [...programs.steps(used, kept)];
	const begin = steps.push(BEGIN) - 1;
	const places: Place[] = [];
	let soFar = ok(begin);
	for (const unit of units) soFar = addUnit(steps, places, unit, soFar);
	const commit = steps.push(stepOf(COMMIT, soFar)) - 1;
	steps.push(ROLLBACK);

	function endedBy(result: BatchResult): readonly Ended[] {
		requireTransaction(result, begin, commit);
		noteKept(result);
		const isKept = Boolean(result.step_results[commit]);
		const ended = new Map<ChangeBatch, Ended>();
		for (const place of places) {
			if (!place.program) noteReturned(result, place);
			const how = place.program ? programEnded(result, place, place.program) : [aloneEnded(result, place)];
			for (const [turn, change] of place.changes.entries()) ended.set(change, how[turn] ?? "alone");
		}
		return changes.map((change) => (isKept && ended.get(change)) || "alone");
	}

	function noteKept({ step_errors }: BatchResult): void {
		if (used.length === 0) return;
		if (step_errors.slice(0, begin).some(Boolean)) {
			for (const program of used) programs.noteFault(program);
			return;
		}
		for (const name of programs.forgotten(kept)) kept.delete(name);
		kept.add(REFUSED);
		for (const { name } of used) kept.add(name);
	}

	/** What a change returns but for its looks, a program would lose. */
	function noteReturned({ step_results }: BatchResult, { changes: [change], first }: Place): void {
		const returns = change?.statements.some(
			({ kind }, place) => kind !== "look" && (step_results[first + place]?.cols.length ?? 0) > 0,
		);
		if (change && returns) programs.noteReturning(textsOf(change));
	}

	/** What became of those of one program. Where it has failed at one, nothing of the others is kept either. */
	function programEnded(result: BatchResult, place: Place, program: Program): readonly Ended[] {
		const { changes, first, release } = place;
		const run = result.step_results[release] ? result.step_results[first] : undefined;
		const made = new Set(run && decoded(run).rows.map(([turn]) => turn));
		if (run) programs.noteDone(program);
		else noteFailed(result.step_errors.slice(first, release).find(Boolean), changes, program);
		return changes.map((change, turn) => {
			if (made.has(turn)) return () => foundBy(result, place, change);
			if (run && program.refusedBy !== undefined) return refusedBy(program.refusedBy);
			if (run) apart.add(change);
			return "together";
		});
	}

	function noteFailed(fault: Fault | null | undefined, changes: readonly ChangeBatch[], program: Program): void {
		const refused = fault && refusedPlace(fault.message);
		for (const [turn, change] of changes.entries()) if (refused === undefined || refused === turn) apart.add(change);
		if (fault && codeOf(fault) === "SQLITE_CONSTRAINT") return;
		// As where the server has lost what it was to keep.
		kept.delete(program.name);
		programs.noteFault(program);
	}

	function endedUnread(): readonly Ended[] | undefined {
		for (const program of used) programs.noteUnread(program);
		return used.length === 0 ? undefined : changes.map(() => "together");
	}

	return { batch: { steps }, endedBy, endedUnread };
}

/** In the order in which they came, but for those of one program, which go where the first of them does: changes that meet have no order yet. */
function unitsOf(
	changes: readonly ChangeBatch[],
	programs: Programs,
	apart: ReadonlySet<ChangeBatch>,
): readonly Unit[] {
	const alike = Map.groupBy(changes, (change) => (apart.has(change) ? change : textsOf(change)));
	const units = new Map<ChangeBatch, Unit>();
	for (const [texts, all] of alike) {
		const [first] = all;
		const isMet = first && all.length > 1 && typeof texts === "string";
		const program = isMet ? programs.for(texts, first.statements) : undefined;
		if (first && program) units.set(first, { changes: all, program });
		else for (const change of all) units.set(change, { changes: [change], program: undefined });
	}
	return changes.flatMap((change) => units.get(change) ?? []);
}

function textsOf(change: ChangeBatch): string {
	return change.statements.map(({ sql }) => sql).join(";\n");
}

function statementsOf(change: ChangeBatch): readonly BatchStep["stmt"][] {
	return ownSteps(change).map(({ stmt }) => stmt);
}

/** @returns the condition on which the next may go on: this one is made, or undone */
function addUnit(steps: BatchStep[], places: Place[], unit: Unit, soFar: Condition): Condition {
	const { changes, program } = unit;
	const own = changes.map(statementsOf);
	const savepoint = steps.push(stepOf(SAVEPOINT, soFar)) - 1;
	const looks = new Map<string, number>();
	const add = (stmt: BatchStep["stmt"]) => steps.push({ stmt, condition: ok(steps.length - 1) }) - 1;
	if (program) {
		add(runOf(program, own));
		for (const stmt of own.flatMap((all) => all.filter((_, place) => program.looks.has(place)))) {
			const name = JSON.stringify(stmt);
			if (!looks.has(name)) looks.set(name, add(stmt));
		}
	} else for (const stmt of own.flat()) add(stmt);
	const release = steps.push(stepOf(RELEASE, ok(steps.length - 1))) - 1;
	// Only to where it began itself: an earlier one that was rolled back has left its own mark behind.
	const failed: Condition = { type: "and", conds: [ok(savepoint), { type: "not", cond: ok(release) }] };
	const undone = steps.push(stepOf(ROLL_BACK_TO, failed)) - 1;
	places.push({ ...unit, first: savepoint + 1, release, looks });
	return { type: "or", conds: [ok(release), ok(undone)] };
}

/**
 * Why a group is not kept that is one change's doing, without saying whose: it breaks a constraint that is looked at in the end, takes the last
 * space, or takes so long that the server has given the place to another process.
 */
const OF_ONE: ReadonlySet<string> = new Set(["SQLITE_CONSTRAINT", "SQLITE_FULL", "TRANSACTION_TIMEOUT"]);

/** @throws LibsqlBatchError why the server did not begin or end the transaction, unless that is one change's doing */
function requireTransaction({ step_errors }: BatchResult, begin: number, commit: number): void {
	for (const step of [begin, commit]) {
		const fault = step_errors[step];
		if (fault && !(step === commit && OF_ONE.has(codeOf(fault)))) throw batchError(fault, -1);
	}
}

/** What became of a change that no program made, where the group was kept. */
function aloneEnded(result: BatchResult, { first, release }: Place): Ended {
	if (result.step_results[release]) return () => result.step_results.slice(first, release).map(decoded);
	const faults: readonly (Fault | null)[] = result.step_errors.slice(first, release);
	const place = faults.findIndex((fault) => fault);
	const fault = faults[place];
	// One that met a lock is tried again.
	if (!fault || codeOf(fault) === "SQLITE_BUSY") return "alone";
	return () => {
		throw batchError(fault, place);
	};
}

function refusedBy(guard: number): Ended {
	return () => {
		throw batchError({ message: REFUSED, code: "SQLITE_CONSTRAINT" }, guard);
	};
}

/** What a change's statements returned that a program has made: nothing, but for its looks. */
function foundBy(result: BatchResult, { program, looks }: Place, change: ChangeBatch): readonly Found[] {
	return statementsOf(change).map((stmt, place) => {
		if (!program?.looks.has(place)) return NOTHING;
		return decoded(result.step_results[looks.get(JSON.stringify(stmt)) ?? -1]);
	});
}

const NOTHING: Found = { columns: [], rows: [] };
const SAVEPOINT: Statement = { sql: "SAVEPOINT one", args: [] };
const RELEASE: Statement = { sql: "RELEASE one", args: [] };
const ROLL_BACK_TO: Statement = { sql: "ROLLBACK TO one", args: [] };
