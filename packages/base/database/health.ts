import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { meta } from "./schema/service.ts";
import { statements } from "./statements.ts";

export type DatabaseHealth = ReturnType<typeof databaseHealth>;

export function databaseHealth({ queries, read, write }: Database) {
	return {
		/** Reads, and really commits a write; throws when either fails. */
		async probe(): Promise<void> {
			// A real commit: a full or read-only disk lets a transaction begin, and even roll back, without a word.
			await write([{ run: countProbe(), guard: "unwritten" }]);
			await read(() => queries.values(sql`SELECT 1`));
		},
	};
}

function countProbe() {
	return statements
		.insert(meta)
		.values({ key: "probe", value: "1" })
		.onConflictDoUpdate({ target: meta.key, set: { value: sql`CAST(${meta.value} + 1 AS TEXT)` } });
}
