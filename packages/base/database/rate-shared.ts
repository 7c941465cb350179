import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";

/** How often something may happen in a window that begins with its first time. */
export interface Throttle {
	readonly bucket: string;
	/** At least 1. */
	readonly limit: number;
	readonly windowMs: number;
}

/** A throttle refused; nothing was written. */
export interface Limited {
	/** When its window ends. */
	readonly untilMs: number;
}

/** A window as it is now. */
interface ThrottleWindow {
	readonly count: number;
	readonly endsMs: number;
}

/** Counts what may happen only so often; for all processes of a deployment, and over restarts. */
export interface ThrottleStore {
	/** Counts one more in a window that begins with its first one; false when `limit`, at least 1, has been reached in it. */
	take(bucket: string, limit: number, windowMs: number, nowMs: number): Promise<boolean>;
	/** Undefined where none has begun, or the last one has ended. */
	find(bucket: string, nowMs: number): Promise<ThrottleWindow | undefined>;
	/** Takes one back that turned out not to count, from the window that it was counted in: a later one owes it nothing. */
	giveBack(bucket: string, endsMs: number): Promise<void>;
}

export function throttleStore({ queries, read, write }: Database): ThrottleStore {
	return {
		async take(bucket, limit, windowMs, nowMs) {
			const { refused } = await write([{ run: takeThrottle({ bucket, limit, windowMs }, nowMs), guard: "full" }]);
			return refused === undefined;
		},
		async find(bucket, nowMs) {
			const [row] = await read(() =>
				queries.values<[number, number]>(
					sql`SELECT count, ends_ms FROM throttles WHERE bucket = ${bucket} AND ends_ms > ${nowMs}`,
				),
			);
			return row && { count: Number(row[0]), endsMs: Number(row[1]) };
		},
		async giveBack(bucket, endsMs) {
			await write([
				{
					run: sql`UPDATE throttles SET count = count - 1 WHERE bucket = ${bucket} AND count > 0 AND ends_ms = ${endsMs}`,
				},
			]);
		},
	};
}

/** Counts one more; touches no row when the limit has been reached. */
export function takeThrottle({ bucket, limit, windowMs }: Throttle, nowMs: number): SQL {
	return sql`INSERT INTO throttles (bucket, count, ends_ms) VALUES (${bucket}, 1, ${nowMs + windowMs})
		ON CONFLICT (bucket) DO UPDATE SET count = iif(ends_ms <= ${nowMs}, 1, count + 1),
			ends_ms = iif(ends_ms <= ${nowMs}, excluded.ends_ms, ends_ms)
		WHERE ends_ms <= ${nowMs} OR count < ${limit}`;
}

/** A condition: there is room for one more. */
export function hasRoom({ bucket, limit }: Throttle, nowMs: number): SQL {
	return sql`NOT EXISTS (SELECT 1 FROM throttles WHERE bucket = ${bucket} AND count >= ${limit} AND ends_ms > ${nowMs})`;
}

/** Takes one back that turned out not to count. */
export function giveBack(bucket: string, nowMs: number): SQL {
	return sql`UPDATE throttles SET count = count - 1 WHERE bucket = ${bucket} AND count > 0 AND ends_ms > ${nowMs}`;
}

/** When the window of a bucket ends; `nowMs` where it has ended. */
export async function endOfWindow({ queries, read }: Database, bucket: string, nowMs: number): Promise<number> {
	const [row] = await read(() =>
		queries.values<[number]>(sql`SELECT ends_ms FROM throttles WHERE bucket = ${bucket} AND ends_ms > ${nowMs}`),
	);
	return row ? Number(row[0]) : nowMs;
}
