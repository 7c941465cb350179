import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";

export interface DatabaseHealth {
	/** Reads, and really commits a write; throws when either fails. */
	probe(): Promise<void>;
}

export function databaseHealth({ queries, read, write }: Database): DatabaseHealth {
	return {
		async probe() {
			// A real commit: a full or read-only disk lets a transaction begin, and even roll back, without a word.
			await write([
				{
					run: sql`INSERT INTO meta (key, value) VALUES ('probe', '1')
						ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)`,
					guard: "unwritten",
				},
			]);
			await read(() => queries.values(sql`SELECT 1`));
		},
	};
}
