import { GROUP_MAX } from "../change-line.ts";
import { type BatchStep, type Statement, stepOf } from "./hrana.ts";

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

/** Refuses a change whose statement before it did not touch exactly one row: the NOT NULL column makes it fail. */
export const GUARD = "INSERT INTO guard SELECT NULL WHERE changes() <> 1";

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
/** After a refusal, so many runs look first whether each change would be refused. */
const LOOKED_FIRST = 32;
/** A server that does not keep what it is told to is asked no more. */
const FAULTS_MAX = 3;

interface Known {
	readonly program: Program;
	/** The same, with a look first; undefined where there is nothing to look for, or it need not be first. */
	readonly looking: Program | undefined;
	/** How often such changes have met. */
	met: number;
	/** How many runs more look first. */
	refusals: number;
}

/** The programs of one process. */
export class Programs {
	/** By the texts of the statements; undefined where no program can hold them. */
	readonly #known = new Map<string, Known | undefined>();
	#made = 0;
	#faults = 0;

	/**
	 * The program for changes of this kind that met, where there is one that is worth using.
	 * @param texts of the statements, together: what tells one kind from another
	 */
	for(texts: string, statements: readonly BatchStep["stmt"][]): Program | undefined {
		if (this.#faults >= FAULTS_MAX) return undefined;
		const known = this.#known.has(texts) ? this.#known.get(texts) : this.#make(texts, statements);
		this.#known.delete(texts);
		this.#known.set(texts, known);
		if (!known || known.met++ < MEETINGS) return undefined;
		return known.refusals > 0 ? (known.looking ?? known.program) : known.program;
	}

	#make(texts: string, statements: readonly BatchStep["stmt"][]): Known | undefined {
		const [oldest] = this.#known.keys();
		if (oldest !== undefined && this.#known.size >= PROGRAMS_MAX) this.#known.delete(oldest);
		if (texts.length > TEXTS_MAX) return undefined;
		const name = `change_${this.#made++}`;
		const program = programOf(name, statements);
		const looking = program?.refusedBy === undefined ? lookingFirst(name, statements) : undefined;
		return program && { program, looking, met: 0, refusals: 0 };
	}

	/** How it went: all of the changes were made, or one of them was not. */
	note(program: Program, isMade: boolean): void {
		for (const known of this.#known.values()) {
			if (known?.program !== program && known?.looking !== program) continue;
			known.refusals = isMade ? Math.max(0, known.refusals - 1) : LOOKED_FIRST;
		}
	}

	/** The server could not do what it was told. */
	noteFault(): void {
		this.#faults += 1;
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
		const names = Array.from(this.#known.values(), (one) => [one?.program.name, one?.looking?.name]);
		const known = new Set([REFUSED, ...names.flat()]);
		return Array.from(kept).filter((name) => !known.has(name));
	}
}

/** The place of the change that a guard has refused; undefined where another fault ended the run. */
export function refusedPlace(message: string): number | undefined {
	const place = new RegExp(`\\b${REFUSED} (\\d+)`).exec(message)?.[1];
	return place === undefined ? undefined : Number(place);
}

/** Undefined where a trigger cannot hold the statements, or would lose rows that they return. */
function programOf(name: string, statements: readonly BatchStep["stmt"][], isLooking = false): Program | undefined {
	const lastChange = statements.findLastIndex(({ sql }) => !isLook(sql));
	const looks = new Set(statements.keys().filter((place) => place > lastChange));
	const held = heldOf(statements.slice(0, lastChange + 1));
	if (!held) return undefined;
	const look = isLooking ? lookOf(held.body) : undefined;
	if (isLooking && look === undefined) return undefined;
	const told = toldFirst(held.body);
	const body = [...(look ? [look] : []), ...(told?.body ?? held.body)].join(";\n");
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

/** What a trigger does instead of these statements, and how many values it takes. */
function heldOf(statements: readonly BatchStep["stmt"][]) {
	const body: string[] = [];
	let values = 0;
	for (const { sql, args } of statements) {
		const first = values;
		const text = sql.replaceAll(WORDS, (word) => (word === "?" ? `NEW.v${values++}` : word));
		if (values - first !== args.length || !isHoldable(sql)) return undefined;
		body.push(sql === GUARD ? PLACED_GUARD : text);
	}
	return body.length === 0 || values > VALUES_MAX ? undefined : { body, values };
}

interface Told {
	readonly body: readonly string[];
	readonly refusedBy: number;
}

/**
 * Where no more comes before a change's first guarded UPDATE than its turn in its slot, the UPDATE goes first: a change at which it finds nothing is left out
 * when it has done nothing yet, and is known to be refused by this guard, unless its turn is taken.
 */
function toldFirst(body: readonly string[]): Told | undefined {
	const [first = "", guard, second = "", secondGuard, ...rest] = body;
	if (guard !== PLACED_GUARD) return undefined;
	if (/^update/i.test(first)) return { body: [first, LEAVE_OUT, ...body.slice(1)], refusedBy: 1 };
	if (!TAKES_TURN.test(first) || !/^update/i.test(second) || secondGuard !== PLACED_GUARD) return undefined;
	return { body: [second, `${LEAVE_OUT} AND ${MAY_TAKE_TURN}`, secondGuard, first, guard, ...rest], refusedBy: 3 };
}

const LEAVE_OUT = "SELECT RAISE(IGNORE) WHERE changes() = 0";
/** As `known-outcomes.ts` has it: the slot, the turn twice, and the one before it. */
const TAKES_TURN =
	/^insert into "commits" \("slot", "turn", "used_s"\) values \(NEW\.v0, NEW\.v1, unixepoch\(\)\) .* where "commits"\."turn" = NEW\.v3$/i;
/** A turn that is taken already means that the change was made before, and its answer lost: it is not refused. */
const MAY_TAKE_TURN = "NOT EXISTS (SELECT 1 FROM commits WHERE slot = NEW.v0 AND turn <> NEW.v3)";

/**
 * The program that leaves a change out whose first guarded UPDATE would find nothing. Only so that not all must be made again: what is left out is
 * then tried without a program, which tells why.
 */
function lookingFirst(name: string, statements: readonly BatchStep["stmt"][]): Program | undefined {
	return programOf(`${name}_looking`, statements, true);
}

/** What skips a change at whose first guarded UPDATE, `update <table> set … where …`, there is no row. */
function lookOf(body: readonly string[]): string | undefined {
	const update = body.find((text, place) => body[place + 1] === PLACED_GUARD && /^update/i.test(text)) ?? "";
	const table = /^update ("\w+"|\w+) set /i.exec(update)?.[1];
	let depth = 0;
	for (const { 0: part, index } of update.matchAll(/'[^']*'|"[^"]*"|[()]|\bwhere\b/gi)) {
		if (part === "(") depth += 1;
		else if (part === ")") depth -= 1;
		else if (depth === 0 && /^where$/i.test(part)) {
			return table && `SELECT RAISE(IGNORE) WHERE NOT EXISTS (SELECT 1 FROM ${table} ${update.slice(index)})`;
		}
	}
	return undefined;
}

/** Texts, names and values of SQL: a question mark within quotes is none. */
const WORDS = /'[^']*'|"[^"]*"|`[^`]*`|\?/g;

/** It changes nothing, and finds what the statements before it have left. */
export function isLook(sql: string): boolean {
	return /^\s*select\b/i.test(sql);
}

function isHoldable(sql: string): boolean {
	return /^\s*(?:insert|update|delete)\b/i.test(sql) && !/\?\d|\b(?:returning|indexed|new|old)\b|--|\/\*/i.test(sql);
}

function plain(sql: string): Statement {
	return { sql, args: [] };
}
