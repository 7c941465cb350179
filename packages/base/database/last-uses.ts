import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";

const MINUTE_MS = 60_000;
/** Beyond so many, those that were not used for a minute are forgotten once they are written. */
const REMEMBERED_MAX = 10_000;
/** At once, so that no single use pays for all of them. */
const FORGOTTEN_AT_ONCE = 100;

/** By which column a caller names a row. */
const TABLES = { keys: "keys.pk", sessions: "sessions.id" } as const;

interface Use {
	usedMs: number;
	writtenMs: number;
}

/** When keys or sessions were last used: kept here, and written at most once a minute for each. */
export function lastUses<Name extends number | string>(
	{ write }: Database,
	table: keyof typeof TABLES,
	onLost: (error: unknown) => void,
) {
	/** In the order of last use. */
	const uses = new Map<Name, Use>();
	let due = new Set<Name>();
	let writing: Promise<void> | undefined;

	async function writeUses(names: Iterable<Name>): Promise<void> {
		const pairs: [Name, number][] = [];
		for (const name of names) {
			const use = uses.get(name);
			if (use === undefined || use.usedMs === use.writtenMs) continue;
			use.writtenMs = use.usedMs;
			pairs.push([name, use.usedMs]);
		}
		if (pairs.length === 0) return;
		// Never backwards: another process may have seen the key later.
		await write([
			{
				run: sql`UPDATE ${sql.identifier(table)} SET last_used_ms = max(coalesce(last_used_ms, 0), used.value ->> 1)
					FROM json_each(${JSON.stringify(pairs)}) AS used WHERE ${sql.raw(TABLES[table])} = used.value ->> 0`,
			},
		]);
	}

	// Keys that fall due while a write is under way share the next one.
	async function drain(): Promise<void> {
		while (due.size > 0) {
			const names = due;
			due = new Set();
			await writeUses(names).catch(onLost);
		}
		writing = undefined;
	}

	function forgetQuiet(nowMs: number): void {
		let looked = 0;
		for (const [name, { usedMs, writtenMs }] of uses) {
			if (uses.size <= REMEMBERED_MAX || nowMs - usedMs < MINUTE_MS || looked === FORGOTTEN_AT_ONCE) return;
			looked += 1;
			if (usedMs === writtenMs && !due.has(name)) uses.delete(name);
			else due.add(name);
		}
	}

	return {
		touch(name: Name, nowMs: number): void {
			const use = uses.get(name) ?? { usedMs: nowMs, writtenMs: Number.NEGATIVE_INFINITY };
			use.usedMs = nowMs;
			uses.delete(name);
			uses.set(name, use);
			if (nowMs - use.writtenMs >= MINUTE_MS) due.add(name);
			forgetQuiet(nowMs);
			if (due.size > 0) writing ??= drain();
		},
		/** How many are remembered. */
		size: () => uses.size,
		async flush(): Promise<void> {
			await writing;
			await writeUses(uses.keys());
		},
	};
}
