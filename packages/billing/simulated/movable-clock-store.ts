import type { Actor } from "@svc/base/actor";
import { auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { simClock } from "@svc/base/database/schema/billing/processor";
import { invalid } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import { eq, lt } from "drizzle-orm";

/** A clock that runs ahead of another one, for the whole service: renewals, ttl, codes and cut-offs come as if time had passed. */
export interface MovableClock extends Clock {
	/** Never moves backwards; returns the new time. @throws Failure validation_error under `to` */
	advanceTo(toMs: number, by: Actor): Promise<number>;
	/** Reads the offset that another process may have set. */
	refresh(): Promise<void>;
}

/** Farther than any term, and near enough that every date stays valid. */
const FARTHEST_MS = 10 * 366 * 86_400_000;

export async function movableClock(base: Clock, store: SimClockStore): Promise<MovableClock> {
	let offsetMs = await store.read();
	const now = () => base.now() + offsetMs;
	return {
		now,
		async advanceTo(toMs, by) {
			if (toMs < now()) throw invalid("to", "must not lie in the past: the clock never goes backwards");
			if (toMs - now() > FARTHEST_MS) throw invalid("to", "must not lie more than ten years ahead");
			offsetMs = await store.raise(Math.ceil(toMs - base.now()), by);
			return now();
		},
		async refresh() {
			offsetMs = await store.read();
		},
	};
}

export type SimClockStore = ReturnType<typeof simClockStore>;

/** The table has one row at most. */
const ONE = 1;

export function simClockStore({ queries, read, write }: Database) {
	async function readOffset(): Promise<number> {
		const { offsetMs, one } = simClock;
		const [row] = await read(() => queries.select({ offsetMs }).from(simClock).where(eq(one, ONE)));
		return row?.offsetMs ?? 0;
	}
	return {
		/** By how many milliseconds the service's clock runs ahead. */
		read: readOffset,
		/** Never lowers the offset; returns the resulting one. */
		async raise(offsetMs: number, by: Actor): Promise<number> {
			const later = { target: simClock.one, set: { offsetMs }, setWhere: lt(simClock.offsetMs, offsetMs) };
			const changes = { offset_ms: offsetMs };
			await write([
				{ run: queries.insert(simClock).values({ one: ONE, offsetMs }).onConflictDoUpdate(later) },
				{ run: auditOnChange(by, { appPk: null, event: "operator.clock_advanced", target: "clock", changes }) },
			]);
			return await readOffset();
		},
	};
}
