import type { Database } from "@svc/base/database/client";
import { meta } from "@svc/base/database/schema/service";
import { column } from "@svc/base/database/statements";
import { eq, type SQL, sql } from "drizzle-orm";

/** How far the scrub is. One for all processes of the database, kept in a row of `meta`. */
export interface ScrubPlace {
	/** When the present pass began, or the last one, where it has ended. */
	readonly startedMs: number;
	/** The number of the last image that the pass has looked at. */
	readonly afterPk: number;
	/** When the last whole pass ended; null before the first. */
	readonly completedMs: number | null;
	/** False between two passes. */
	readonly underWay: boolean;
}

const KEY = "scrub";

export function scrubStore(database: Database) {
	const { queries, read, write } = database;
	const find = async (): Promise<ScrubPlace | undefined> => {
		const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, KEY)));
		return row && placeIn(row.value);
	};
	return {
		/** Undefined before the first pass. */
		find,
		/**
		 * Takes or renews the lease, without which nothing is scrubbed: several processes would read everything several times. The first one
		 * begins the first pass.
		 * @returns undefined where another process has it
		 */
		async lease(holder: string, untilMs: number, nowMs: number): Promise<ScrubPlace | undefined> {
			const { refused } = await write([{ run: takeLease(holder, untilMs, nowMs), guard: "held" }]);
			return refused === undefined ? await find() : undefined;
		},
		/** False where another process has the lease by now: then nothing is changed. */
		async move(
			holder: string,
			{ startedMs, afterPk, completedMs, underWay }: ScrubPlace,
			untilMs: number,
		): Promise<boolean> {
			const value = sql`json_set(${meta.value}, '$.startedMs', ${startedMs}, '$.afterPk', ${afterPk},
				'$.completedMs', ${completedMs}, '$.underWay', json(${String(underWay)}), '$.leaseMs', ${untilMs})`;
			const { refused } = await write([
				{
					run: sql`UPDATE ${meta} SET ${column(meta.value)} = ${value}
						WHERE ${meta.key} = ${KEY} AND ${meta.value} ->> '$.holder' = ${holder}`,
					guard: "held",
				},
			]);
			return refused === undefined;
		},
		/** Lets another process go on at once. */
		async release(holder: string): Promise<void> {
			await write([
				{
					run: sql`UPDATE ${meta} SET ${column(meta.value)} = json_set(${meta.value}, '$.leaseMs', 0)
						WHERE ${meta.key} = ${KEY} AND ${meta.value} ->> '$.holder' = ${holder}`,
				},
			]);
		},
	};
}

function takeLease(holder: string, untilMs: number, nowMs: number): SQL {
	const first = { startedMs: nowMs, afterPk: 0, completedMs: null, underWay: true, holder, leaseMs: untilMs };
	return sql`INSERT INTO ${meta} (${column(meta.key)}, ${column(meta.value)}) VALUES (${KEY}, ${JSON.stringify(first)})
		ON CONFLICT (${column(meta.key)}) DO UPDATE
		SET ${column(meta.value)} = json_set(${meta.value}, '$.holder', ${holder}, '$.leaseMs', ${untilMs})
		WHERE ${meta.value} ->> '$.holder' = ${holder} OR ${meta.value} ->> '$.leaseMs' <= ${nowMs}`;
}

function placeIn(value: string): ScrubPlace {
	const { startedMs, afterPk, completedMs, underWay } = JSON.parse(value) as ScrubPlace;
	return { startedMs, afterPk, completedMs, underWay };
}
