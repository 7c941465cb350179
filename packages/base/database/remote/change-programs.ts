import { LeastRecent } from "../../pace/least-recent.ts";
import { GROUP_MAX } from "../write/change-line.ts";
import type { ChangeStatement, Statement } from "../write/change-statements.ts";
import { type BatchStep, stepOf } from "./hrana.ts";
import { MAY_TAKE_TURN } from "./turns.ts";

/*
 * Preparing the statements of a change costs a libSQL server more than doing what they say, and it prepares them anew for each change. Where the
 * same statements come again and again, the connection keeps them as the trigger of a view of its own (in `temp`, which is the connection's): an
 * INSERT into this view with a row for each change then makes all of these changes, one after the other, and is prepared once.
 */

/** The statements of a change, kept at a connection. */
export interface Program {
	/** Of the view. */
	readonly name: string;
	/** What makes a connection keep it. */
	readonly install: readonly Statement[];
	/** Which of the change's statements only look at what the others have left; the program does not hold them. */
	readonly looks: ReadonlySet<number>;
	/** Which of the change's guards has refused the changes that the program leaves out; undefined where that is still to be found out. */
	readonly refusedBy?: number | undefined;
}

export const REFUSED = "refused";
const BY_PLACE = Array.from(
	{ length: GROUP_MAX },
	(_, place) => `WHEN ${place} THEN RAISE(ABORT, '${REFUSED} ${place}')`,
);
/** A guard in a program says the place of the change that it refuses: the whole INSERT is undone with it, and the others are made again. */
const REFUSALS: Program = {
	name: REFUSED,
	looks: new Set(),
	install: [
		plain(`CREATE VIEW IF NOT EXISTS temp.${REFUSED} AS SELECT NULL AS place`),
		plain(`CREATE TRIGGER IF NOT EXISTS temp.${REFUSED}_by INSTEAD OF INSERT ON ${REFUSED} BEGIN
			SELECT CASE NEW.place ${BY_PLACE.join(" ")} ELSE RAISE(ABORT, '${REFUSED}') END; END`),
	],
};

const PLACED_GUARD = `INSERT INTO ${REFUSED} SELECT NEW.place WHERE changes() <> 1`;

/** Programs that are known at once; the one that was not used for longest makes room. */
const PROGRAMS_MAX = 64;
const TEXTS_MAX = 20_000;
const VALUES_MAX = 200;
/** How often a change must have met one with the same statements before its program is worth keeping. */
const MEETINGS = 2;
/** What a server does not keep, or cannot do, so many times one after the other it is asked for no more. */
const FAULTS_MAX = 3;

interface Known {
	readonly program: Program;
	/** How often such changes have met. */
	met: number;
	/** How often the server could not do it since it last did. */
	faults: number;
}

/** The programs of one process. */
export class Programs {
	/** By the texts of the statements; undefined where no program can hold them. */
	readonly #known = new LeastRecent<string, Known | undefined>(PROGRAMS_MAX);
	#made = 0;

	/**
	 * The program for changes of this kind that met, where there is one that is worth using.
	 * @param texts of the statements, together: what tells one kind from another
	 */
	for(texts: string, statements: readonly ChangeStatement[]): Program | undefined {
		const known = this.#known.has(texts) ? this.#known.get(texts) : this.#make(texts, statements);
		this.#known.set(texts, known);
		if (!known || known.met++ < MEETINGS || known.faults >= FAULTS_MAX) return undefined;
		return known.program;
	}

	#make(texts: string, statements: readonly ChangeStatement[]): Known | undefined {
		if (texts.length > TEXTS_MAX) return undefined;
		const program = programOf(`change_${this.#made++}`, statements);
		return program && { program, met: 0, faults: 0 };
	}

	/** The server has done what it says. */
	noteDone(program: Program): void {
		for (const known of this.#known.values()) if (known?.program === program) known.faults = 0;
	}

	/** The server could not do it: it keeps nothing, or this is nothing that it can keep. */
	noteFault(program: Program): void {
		for (const known of this.#known.values()) if (known?.program === program) known.faults += 1;
	}

	/** Such changes return rows, which no program can give. */
	noteReturning(texts: string): void {
		this.#known.set(texts, undefined);
	}

	/** The server could not read it: it never will. */
	noteUnread(program: Program): void {
		for (const known of this.#known.values()) if (known?.program === program) known.faults = FAULTS_MAX;
	}

	/** The steps that make a connection keep these, and forget what is known no more. */
	steps(programs: readonly Program[], kept: ReadonlySet<string>): readonly BatchStep[] {
		if (programs.length === 0) return [];
		return [
			...this.forgotten(kept).map((name) => plain(`DROP VIEW IF EXISTS temp.${name}`)),
			...[REFUSALS, ...programs].filter(({ name }) => !kept.has(name)).flatMap(({ install }) => install),
		].map((statement) => stepOf(statement));
	}

	forgotten(kept: ReadonlySet<string>): readonly string[] {
		const known = new Set([REFUSED, ...Array.from(this.#known.values(), (one) => one?.program.name)]);
		return Array.from(kept).filter((name) => !known.has(name));
	}
}

/** The place of the change that a guard has refused; undefined where another fault ended the run. */
export function refusedPlace(message: string): number | undefined {
	const place = new RegExp(`\\b${REFUSED} (\\d+)`).exec(message)?.[1];
	return place === undefined ? undefined : Number(place);
}

/**
 * Undefined where a change has a look between two statements that change something: it returns what it finds where it stands. What else a trigger cannot hold
 * shows by the rows that it returns, or the server says so when it is to keep it, before it does anything.
 */
function programOf(name: string, statements: readonly ChangeStatement[]): Program | undefined {
	const lastChange = statements.findLastIndex(({ kind }) => kind !== "look");
	const looks = new Set(statements.keys().filter((place) => place > lastChange));
	const held = heldOf(statements.slice(0, lastChange + 1));
	if (!held) return undefined;
	const told = toldFirst(held.parts);
	const body = (told?.parts ?? held.parts).map(({ text }) => text).join(";\n");
	const columns = ["place", ...Array.from({ length: held.values }, (_, place) => `v${place}`)];
	return {
		name,
		looks,
		refusedBy: told?.refusedBy,
		install: [
			plain(`CREATE VIEW IF NOT EXISTS temp.${name} AS SELECT ${columns.map((column) => `NULL AS ${column}`)}`),
			plain(`CREATE TRIGGER IF NOT EXISTS temp.${name}_does INSTEAD OF INSERT ON ${name} BEGIN ${body}; END`),
		],
	};
}

/** A statement as it stands in a trigger. */
interface Part extends Pick<ChangeStatement, "kind"> {
	readonly text: string;
}

/** What a trigger does instead of these statements, and how many values it takes. */
function heldOf(statements: readonly ChangeStatement[]) {
	const parts: Part[] = [];
	let values = 0;
	for (const { kind, args, named } of statements) {
		const first = values;
		const text = kind === "guard" ? PLACED_GUARD : named?.((place) => `NEW.v${first + place}`);
		if (kind === "look" || text === undefined) return undefined;
		values += args.length;
		parts.push({ kind, text });
	}
	return parts.length === 0 || values > VALUES_MAX ? undefined : { parts, values };
}

interface Told {
	readonly parts: readonly Part[];
	readonly refusedBy: number;
}

/**
 * Where no more comes before a change's first guarded update than its turn in its slot, the update goes first: a change at which it finds nothing is left out
 * when it has done nothing yet, and is known to be refused by this guard, unless its turn is taken.
 */
function toldFirst(parts: readonly Part[]): Told | undefined {
	const [first, guard, second, secondGuard, ...rest] = parts;
	if (!first || guard?.kind !== "guard") return undefined;
	if (first.kind === "update") return { parts: [first, { text: LEAVE_OUT }, ...parts.slice(1)], refusedBy: 1 };
	if (first.kind !== "turn" || second?.kind !== "update" || secondGuard?.kind !== "guard") return undefined;
	const unlessTaken = { text: `${LEAVE_OUT} AND ${MAY_TAKE_TURN}` };
	return { parts: [second, unlessTaken, secondGuard, first, guard, ...rest], refusedBy: 3 };
}

const LEAVE_OUT = "SELECT RAISE(IGNORE) WHERE changes() = 0";

function plain(sql: string): Statement {
	return { sql, args: [] };
}
