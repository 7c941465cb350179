import type { Database } from "@svc/base/database/client";
import { images } from "@svc/base/database/schema/images";
import { purges } from "@svc/base/database/schema/work/fleet";
import { statements } from "@svc/base/database/statements";
import { asc, gt, inArray, sql } from "drizzle-orm";

/** How long a process may be away and still find here what it missed. */
export const PURGES_KEPT_SECONDS = 6 * 3_600;

/** Where a reader of the log stands. */
export interface LogPlace {
	/** The last entry that it has read. */
	readonly seq: number;
	/** When it read, by the database's clock, in seconds since 1970. */
	readonly atSeconds: number;
}

export interface LogPage extends LogPlace {
	readonly blobKeys: readonly string[];
}

const NOW = sql<number>`unixepoch()`;

export function purgeLogStore({ queries, read, write }: Database) {
	const { seq, blobKey, atSeconds } = purges;
	return {
		/** The end of the log. */
		async end(): Promise<LogPlace> {
			const [row] = await read(() =>
				queries.values<[number, number]>(sql`SELECT (SELECT coalesce(max(${seq}), 0) FROM ${purges}), ${NOW}`),
			);
			return { seq: row?.[0] ?? 0, atSeconds: row?.[1] ?? 0 };
		},
		/** The oldest entries after a place, and the place after them. */
		async listAfter({ seq: after }: Pick<LogPlace, "seq">, limit: number): Promise<LogPage> {
			const rows = await read(() =>
				queries.values<
					[number | null, string | null, number]
				>(sql`SELECT page.seq, page.blob_key, ${NOW} FROM (SELECT 1)
					LEFT JOIN (SELECT ${seq}, ${blobKey} FROM ${purges} WHERE ${gt(seq, after)} ORDER BY ${asc(seq)} LIMIT ${limit}) AS page`),
			);
			return {
				seq: rows.at(-1)?.[0] ?? after,
				atSeconds: rows[0]?.[2] ?? 0,
				blobKeys: rows.flatMap(([, key]) => key ?? []),
			};
		},
		/** Of some blobs those of which nothing may be served: their image is gone, or blocked. */
		async listUnserved(blobKeys: readonly string[]): Promise<readonly string[]> {
			const rows = await read(() =>
				queries.values<[string]>(sql`SELECT value FROM json_each(${JSON.stringify(blobKeys)})
					WHERE NOT EXISTS (SELECT 1 FROM ${images} WHERE ${images.blobKey} = value AND ${images.status} <> 'blocked')`),
			);
			return rows.map(([key]) => key);
		},
		/** Removes what every process has read long ago; returns how many. */
		async forget(limit: number): Promise<number> {
			const old = sql`${atSeconds} < ${NOW} - ${PURGES_KEPT_SECONDS}`;
			const gone = queries.select({ seq }).from(purges).where(old).limit(limit);
			const { rows } = await write([{ run: statements.delete(purges).where(inArray(seq, gone)).returning({ seq }) }]);
			return rows?.[0]?.length ?? 0;
		},
	};
}
