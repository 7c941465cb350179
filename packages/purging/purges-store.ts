import type { Database } from "@svc/base/database/client";
import { purgeTarget, waitingPurges } from "@svc/base/database/schema/work/purging";
import { columns, returned, statements, updateStep } from "@svc/base/database/statements";
import { and, eq, lte, type SQL, sql } from "drizzle-orm";

/** How the target is, and what waits for it. */
export interface TargetState {
	readonly failures: number;
	readonly pausedMs: number;
	readonly leaseMs: number;
	/** How long the first has waited; null where nothing does. */
	readonly ageMs: number | null;
}

export interface WaitingPurges {
	/** Each once. */
	readonly tags: readonly string[];
	/** The last that was written when this was read: later ones under the same tags are for another turn. */
	readonly lastPk: number;
	/** How long the first of them has waited. */
	readonly ageMs: number;
}

/** What came of one turn. */
export interface PurgeTurn {
	readonly claim: string;
	readonly lastPk: number;
	readonly done: readonly string[];
	readonly failed: readonly string[];
	/** When those that failed are sent again, and before when nothing is sent at all. */
	readonly nextMs: number;
	readonly pausedMs: number;
	/** Until when the claim holds. */
	readonly leaseMs: number;
}

const THE_ONE = eq(purgeTarget.pk, 1);

/** @param process the id of this process: its claim ends with it */
export function purgeStore({ queries, read, write }: Database, process: string) {
	const { pk, tag, createdMs, nextMs } = waitingPurges;
	// Those who write and those who send have clocks that differ: how old something is, the database says.
	const age = sql<number>`(unixepoch() * 1000 - ${createdMs})`;
	const ours = (claim: string) => eq(purgeTarget.claim, claim);
	return {
		/** From now on changes write what is to be purged, or do not; what waits for nobody is removed. */
		async turn(isOn: boolean): Promise<void> {
			const rows = await read(() => queries.select({ pk: purgeTarget.pk }).from(purgeTarget).where(THE_ONE));
			if (rows.length > 0 === isOn) return;
			if (isOn) await write([{ run: statements.insert(purgeTarget).values({ pk: 1 }).onConflictDoNothing() }]);
			else await write([{ run: statements.delete(purgeTarget) }, { run: statements.delete(waitingPurges) }]);
		},
		/** Writes a tag for what no change of the database tells; nothing where nothing is purged. */
		async add(added: string): Promise<void> {
			const names = columns(tag, createdMs);
			await write([
				{
					run: sql`INSERT INTO ${waitingPurges} (${names})
						SELECT ${added}, unixepoch() * 1000 FROM ${purgeTarget} WHERE ${THE_ONE}`,
				},
			]);
		},
		/** Undefined where nothing is to be purged. */
		async state(): Promise<TargetState | undefined> {
			const ageMs = sql<number | null>`(SELECT ${age} FROM ${waitingPurges}
				WHERE ${pk} = (SELECT min(${pk}) FROM ${waitingPurges}))`;
			const { failures, pausedMs, leaseMs } = purgeTarget;
			const select = queries.select({ failures, pausedMs, leaseMs, ageMs }).from(purgeTarget).where(THE_ONE);
			return (await read(() => select))[0];
		},
		async count(): Promise<number> {
			const [row] = await read(() => queries.values<[number]>(sql`SELECT count(*) FROM ${waitingPurges}`));
			return row?.[0] ?? 0;
		},
		/** False where another process sends. */
		async take(claim: string, times: { readonly nowMs: number; readonly leaseMs: number }): Promise<boolean> {
			const set = { claim, leaseMs: times.leaseMs, process };
			const { refused } = await write([updateStep(purgeTarget, set, lte(purgeTarget.leaseMs, times.nowMs), "taken")]);
			return refused === undefined;
		},
		async release(claim: string): Promise<void> {
			await write([updateStep(purgeTarget, { claim: null, leaseMs: 0, process: null }, ours(claim))]);
		},
		/** What is due, what was written first before the rest; undefined where nothing is. */
		async next(nowMs: number, limit: number): Promise<WaitingPurges | undefined> {
			const last = sql<number>`(SELECT max(${pk}) FROM ${waitingPurges})`;
			const select = queries.select({ tag, age, last }).from(waitingPurges).where(lte(nextMs, nowMs));
			const rows = await read(() => select.orderBy(nextMs, pk).limit(limit));
			const [first] = rows;
			if (first === undefined) return undefined;
			const ageMs = Math.max(...rows.map((row) => row.age));
			return { tags: [...new Set(rows.map((row) => row.tag))], lastPk: first.last, ageMs };
		},
		/** False where the claim was lost: then another process sends the same again. */
		async settle({ claim, lastPk, done, failed, ...times }: PurgeTurn): Promise<boolean> {
			const failures = failed.length > 0 ? sql`${purgeTarget.failures} + 1` : 0;
			const target = { leaseMs: times.leaseMs, failures, ...(failed.length > 0 && { pausedMs: times.pausedMs }) };
			const { refused } = await write([
				updateStep(purgeTarget, target, ours(claim), "lost"),
				{ run: statements.delete(waitingPurges).where(under(done, lastPk)) },
				updateStep(waitingPurges, { nextMs: times.nextMs }, under(failed, lastPk)),
			]);
			return refused === undefined;
		},
		/** Removes those that have waited longer, of at most `limit` that are looked at; returns their tags. */
		async giveUp(longestMs: number, limit: number): Promise<readonly string[]> {
			const oldest = sql`SELECT ${pk} FROM ${waitingPurges} ORDER BY ${pk} LIMIT ${limit}`;
			const old = and(sql`${pk} IN (${oldest})`, sql`${age} > ${longestMs}`);
			const { rows } = await write([{ run: statements.delete(waitingPurges).where(old).returning(returned({ tag })) }]);
			return (rows?.[0] ?? []).map((row) => String(row.tag));
		},
	};
}

function under(tags: readonly string[], lastPk: number): SQL | undefined {
	const some = sql`${waitingPurges.tag} IN (SELECT value FROM json_each(${JSON.stringify(tags)}))`;
	return and(some, lte(waitingPurges.pk, lastPk));
}
