import { logins } from "@svc/base/database/schema/people";
import { throttles } from "@svc/base/database/schema/service";
import { column, columns, rowCondition, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { eq, gt, type SQL, sql } from "drizzle-orm";

/*
 * Wrong codes keep out whoever shares a bucket (login-limits.ts): ten of them for 15 minutes, ten more for twice as long, up to a day. A
 * stranger so gets about seventy of a million codes in the first day and ten in each one after it, and keeps people out for minutes, not
 * for a day. It is forgotten once nobody has typed a code for two days.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const TRIES = 10;
const FIRST_MS = 15 * MINUTE_MS;
/** So often doubled it is more than a day. */
const MOST_DOUBLINGS = 7;
const FORGOTTEN_MS = 2 * DAY_MS;

/** The bucket whose window is the time for which nobody is let in. */
function lockOf(tries: string): string {
	return `locked ${tries}`;
}

/** Whether it was wrong codes that had a change refused. */
export function isLock(bucket: string): boolean {
	return bucket.startsWith(lockOf(""));
}

/** Refuses the change while wrong codes keep people out. */
export function requireUnlocked(loginId: string, tries: string, nowMs: number): Step<string> {
	const lock = sql`SELECT 1 FROM ${throttles} WHERE ${throttles.bucket} = ${lockOf(tries)} AND ${throttles.endsMs} > ${nowMs}`;
	return rowCondition(logins.sends, sql`${logins.id} = ${loginId} AND NOT EXISTS (${lock})`, lockOf(tries));
}

/** Counts a try, which is wrong until it turns out right; the tenth keeps all others out. */
export function countWrongCode(tries: string, nowMs: number): Step<never>[] {
	const forgotten = sql`${throttles.endsMs} <= ${nowMs}`;
	const count = statements
		.insert(throttles)
		.values({ bucket: tries, count: 1, endsMs: nowMs + FORGOTTEN_MS })
		.onConflictDoUpdate({
			target: throttles.bucket,
			set: { count: sql`iif(${forgotten}, 1, ${throttles.count} + 1)`, endsMs: nowMs + FORGOTTEN_MS },
		});
	return [{ run: count }, { run: lock(tries, nowMs) }];
}

function lock(tries: string, nowMs: number): SQL {
	const { bucket, count, endsMs } = throttles;
	const doublings = sql`min(${count} / ${TRIES} - 1, ${MOST_DOUBLINGS})`;
	const lockMs = sql`min(${DAY_MS}, ${FIRST_MS} << ${doublings})`;
	return sql`INSERT INTO ${throttles} (${columns(bucket, count, endsMs)})
		SELECT ${lockOf(tries)}, 1, ${nowMs} + ${lockMs} FROM ${throttles}
		WHERE ${bucket} = ${tries} AND ${count} % ${TRIES} = 0
		ON CONFLICT (${column(bucket)}) DO UPDATE SET ${column(endsMs)} = excluded.${column(endsMs)}`;
}

/** A right code was no wrong one, and whoever reads the mail is let in: nobody else needs to wait because of it. */
export function forgiveTry(tries: string, nowMs: number): Step<never>[] {
	const { bucket, count, endsMs } = throttles;
	const counted = sql`${bucket} = ${tries} AND ${count} > 0 AND ${gt(endsMs, nowMs)}`;
	return [
		{
			run: statements
				.update(throttles)
				.set({ count: sql`${count} - 1` })
				.where(counted),
		},
		{ run: statements.delete(throttles).where(eq(bucket, lockOf(tries))) },
	];
}
