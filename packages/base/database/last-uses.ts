import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { noRows, type Rows, rowsOf } from "./rows.ts";
import { keys } from "./schema/keys.ts";
import { sessions } from "./schema/people.ts";
import { column } from "./statements.ts";

const MINUTE_MS = 60_000;
/** Above this number, names that were not used for a minute are forgotten once they are written. */
const REMEMBERED_MAX = 10_000;
/** Names forgotten at once, so that no single use pays for all of them. */
const FORGOTTEN_AT_ONCE = 100;

/** The column by which a caller names a row, and the column of the time of its last use. */
const COLUMNS = {
	keys: { name: keys.pk, usedMs: keys.lastUsedMs },
	sessions: { name: sessions.id, usedMs: sessions.lastUsedMs },
} as const;

interface Use {
	usedMs: number;
	writtenMs: number;
}

interface Uses<Name> {
	readonly write: Database["write"];
	readonly of: keyof typeof COLUMNS;
	readonly onLost: (error: unknown) => void;
	/** The names in the order in which they became due: what was used since a minute has been due since. */
	readonly known: Map<Name, Use>;
	due: Set<Name>;
	writing: Promise<void> | undefined;
}

/** Times of last use of keys or sessions: buffered here, and written at most once a minute for each. */
export function lastUses<Name extends number | string>(
	{ write }: Database,
	of: keyof typeof COLUMNS,
	onLost: (error: unknown) => void,
) {
	const uses: Uses<Name> = { write, of, onLost, known: new Map(), due: new Set(), writing: undefined };
	return {
		touch: (name: Name, nowMs: number): void => touch(uses, name, nowMs),
		/** How many are remembered. */
		size: (): number => uses.known.size,
		async flush(): Promise<void> {
			await uses.writing;
			await writeUses(uses, uses.known.keys());
		},
	};
}

function touch<Name>(uses: Uses<Name>, name: Name, nowMs: number): void {
	const { known, due } = uses;
	const use = known.get(name) ?? { usedMs: nowMs, writtenMs: Number.NEGATIVE_INFINITY };
	use.usedMs = nowMs;
	if (nowMs - use.writtenMs < MINUTE_MS) return;
	known.delete(name);
	known.set(name, use);
	due.add(name);
	forgetQuiet(uses, nowMs);
	uses.writing ??= drain(uses);
}

function forgetQuiet<Name>({ known, due }: Uses<Name>, nowMs: number): void {
	let looked = 0;
	for (const [name, { usedMs, writtenMs }] of known) {
		if (known.size <= REMEMBERED_MAX || nowMs - usedMs < MINUTE_MS || looked === FORGOTTEN_AT_ONCE) return;
		looked += 1;
		if (usedMs === writtenMs && !due.has(name)) known.delete(name);
		else due.add(name);
	}
}

/** Names that are due while a write is under way share the next write. */
async function drain<Name>(uses: Uses<Name>): Promise<void> {
	while (uses.due.size > 0) {
		const names = uses.due;
		uses.due = new Set();
		await writeUses(uses, names).catch(uses.onLost);
	}
	uses.writing = undefined;
}

async function writeUses<Name>({ write, of, known }: Uses<Name>, names: Iterable<Name>): Promise<void> {
	const pairs: [Name, number][] = [];
	for (const name of names) {
		const use = known.get(name);
		if (use === undefined || use.usedMs === use.writtenMs) continue;
		use.writtenMs = use.usedMs;
		pairs.push([name, use.usedMs]);
	}
	if (pairs.length > 0) await write([{ run: laterUses(of, pairs), rows: [rowsOfUses(of, pairs)] }]);
}

/** A key that is kept says when it was used; of sessions nothing is kept. */
function rowsOfUses(of: keyof typeof COLUMNS, pairs: readonly (readonly [unknown, number])[]): Rows {
	return of === "keys" ? rowsOf.keys(...pairs.map(([pk]) => Number(pk))) : noRows(sessions);
}

/** Never moves a time backwards: another process may have written a later one. */
function laterUses(of: keyof typeof COLUMNS, pairs: readonly (readonly [unknown, number])[]): SQL {
	const { name, usedMs } = COLUMNS[of];
	return sql`UPDATE ${name.table} SET ${column(usedMs)} = max(coalesce(${usedMs}, 0), used.value ->> 1)
		FROM json_each(${JSON.stringify(pairs)}) AS used WHERE ${name} = used.value ->> 0`;
}
