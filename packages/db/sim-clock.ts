import type { SimClockStore } from "@svc/core/ports-processor";
import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";

export function simClockStore({ queries, read, write }: Database): SimClockStore {
	async function readOffset(): Promise<number> {
		const [row] = await read(() => queries.values<[number]>(sql`SELECT offset_ms FROM sim_clock WHERE one = 1`));
		return row?.[0] ?? 0;
	}
	return {
		read: readOffset,
		async raise(offsetMs) {
			await write([
				{
					run: sql`INSERT INTO sim_clock (one, offset_ms) VALUES (1, ${offsetMs})
						ON CONFLICT (one) DO UPDATE SET offset_ms = max(offset_ms, excluded.offset_ms)`,
				},
			]);
			return await readOffset();
		},
	};
}
