import type { Actor } from "@svc/base/actor";
import { auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { sql } from "drizzle-orm";

export interface SimClockStore {
	/** By how many milliseconds the service's clock runs ahead. */
	read(): Promise<number>;
	/** Never lowers it; gives what it is then. */
	raise(offsetMs: number, by: Actor): Promise<number>;
}

export function simClockStore({ queries, read, write }: Database): SimClockStore {
	async function readOffset(): Promise<number> {
		const [row] = await read(() => queries.values<[number]>(sql`SELECT offset_ms FROM sim_clock WHERE one = 1`));
		return row?.[0] ?? 0;
	}
	return {
		read: readOffset,
		async raise(offsetMs, by) {
			await write([
				{
					run: sql`INSERT INTO sim_clock (one, offset_ms) VALUES (1, ${offsetMs})
						ON CONFLICT (one) DO UPDATE SET offset_ms = excluded.offset_ms WHERE offset_ms < excluded.offset_ms`,
				},
				{
					run: auditOnChange(by, {
						appPk: null,
						event: "operator.clock_advanced",
						target: "clock",
						changes: { offset_ms: offsetMs },
					}),
				},
			]);
			return await readOffset();
		},
	};
}
