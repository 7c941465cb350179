import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { throttles } from "./schema/service.ts";
import { column, statements } from "./statements.ts";

/** How often an action may happen in a window that begins with its first one. */
export interface Throttle {
	readonly bucket: string;
	/** At least 1. */
	readonly limit: number;
	readonly windowMs: number;
}

/** A throttle refused; nothing was written. */
export interface Limited {
	/** The end of its window. */
	readonly untilMs: number;
}

/** The present state of a window. */
interface ThrottleWindow {
	readonly count: number;
	readonly endsMs: number;
}

export type ThrottleStore = ReturnType<typeof throttleStore>;

/** Counts throttled actions; for all processes of a deployment, and over restarts. */
export function throttleStore(database: Database) {
	const { write } = database;
	return {
		/** Counts one more in a window that begins with its first one; false when `limit`, at least 1, has been reached in it. */
		async take(bucket: string, limit: number, windowMs: number, nowMs: number): Promise<boolean> {
			const { refused } = await write([{ run: takeThrottle({ bucket, limit, windowMs }, nowMs), guard: "full" }]);
			return refused === undefined;
		},
		/** Undefined where no window has begun, or the last one has ended. */
		find: findWindow.bind(undefined, database),
		/** Subtracts an action that turned out not to count, from the window that counted it: a later window stays unchanged. */
		async giveBack(bucket: string, endsMs: number): Promise<void> {
			await write([{ run: takeBack(bucket, eq(throttles.endsMs, endsMs)) }]);
		},
	};
}

/** Counts one more; touches no row when the limit has been reached. */
export function takeThrottle({ bucket, limit, windowMs }: Throttle, nowMs: number): SQL {
	const ended = sql`${throttles.endsMs} <= ${nowMs}`;
	return statements
		.insert(throttles)
		.values({ bucket, count: 1, endsMs: nowMs + windowMs })
		.onConflictDoUpdate({
			target: throttles.bucket,
			set: {
				count: sql`iif(${ended}, 1, ${throttles.count} + 1)`,
				endsMs: sql`iif(${ended}, excluded.${column(throttles.endsMs)}, ${throttles.endsMs})`,
			},
			setWhere: sql`${ended} OR ${throttles.count} < ${limit}`,
		})
		.getSQL();
}

/** The end of a bucket's window; `nowMs` where it has ended. */
export async function endOfWindow(database: Database, bucket: string, nowMs: number): Promise<number> {
	return (await findWindow(database, bucket, nowMs))?.endsMs ?? nowMs;
}

async function findWindow(
	{ queries, read }: Database,
	bucket: string,
	nowMs: number,
): Promise<ThrottleWindow | undefined> {
	const { count, endsMs } = throttles;
	const open = and(eq(throttles.bucket, bucket), gt(endsMs, nowMs));
	const [row] = await read(() => queries.select({ count, endsMs }).from(throttles).where(open));
	return row;
}

function takeBack(bucket: string, window: SQL): SQL {
	const set = { count: sql`${throttles.count} - 1` };
	const counted = and(eq(throttles.bucket, bucket), gt(throttles.count, 0), window);
	return statements.update(throttles).set(set).where(counted).getSQL();
}
