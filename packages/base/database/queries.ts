import { DrizzleQueryError } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import type { Database, DatabaseOptions } from "./client.ts";
import type { Reader } from "./file/kept-reader.ts";

/** Above this a read or a change is slow. */
export const SLOW_MS = 50;

/** How a database reads, by what reads it. */
export function queriesOn(
	reader: Pick<Reader, "rows">,
	onSlow: DatabaseOptions["onSlow"],
): Pick<Database, "queries" | "read" | "rows"> {
	const rows: Database["rows"] = (sql, args, many) => timed(sql, onSlow, () => reader.rows(sql, args, many));
	const queries = drizzle(async (sql, params, method) => {
		const found = await rows(sql, params);
		// For `get` the builder wants the row itself, or undefined where there is none, whatever its type says.
		return { rows: method === "get" ? (found[0] as unknown[]) : found };
	});
	return {
		queries,
		rows,
		async read(query) {
			try {
				return await query();
			} catch (error) {
				// The builder's message holds the SQL and the values; its cause is the original error.
				throw error instanceof DrizzleQueryError ? error.cause : error;
			}
		},
	};
}

/** Tells of an operation that is slow. */
export async function timed<T>(
	sql: string,
	onSlow: DatabaseOptions["onSlow"],
	operation: () => Promise<T>,
): Promise<T> {
	const startMs = performance.now();
	try {
		return await operation();
	} finally {
		const ms = performance.now() - startMs;
		if (ms > SLOW_MS) onSlow?.({ sql, ms });
	}
}
