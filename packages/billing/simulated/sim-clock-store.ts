import type { Actor } from "@svc/base/actor";
import { auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { simClock } from "@svc/base/database/schema/billing";
import { eq, lt } from "drizzle-orm";

export type SimClockStore = ReturnType<typeof simClockStore>;

/** The table has one row at most. */
const ONE = 1;

export function simClockStore({ queries, read, write }: Database) {
	async function readOffset(): Promise<number> {
		const [row] = await read(() =>
			queries.select({ offsetMs: simClock.offsetMs }).from(simClock).where(eq(simClock.one, ONE)),
		);
		return row?.offsetMs ?? 0;
	}
	return {
		/** By how many milliseconds the service's clock runs ahead. */
		read: readOffset,
		/** Never lowers it; gives what it is then. */
		async raise(offsetMs: number, by: Actor): Promise<number> {
			await write([
				{
					run: queries
						.insert(simClock)
						.values({ one: ONE, offsetMs })
						.onConflictDoUpdate({
							target: simClock.one,
							set: { offsetMs },
							setWhere: lt(simClock.offsetMs, offsetMs),
						}),
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
