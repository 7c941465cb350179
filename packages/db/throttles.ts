import type { Throttle } from "@svc/core/ports-sign-in";
import type { ThrottleStore } from "@svc/core/throttles";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";

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
