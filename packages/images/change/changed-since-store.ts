import type { Database } from "@svc/base/database/client";
import { events } from "@svc/base/database/schema/events";
import { eq, sql } from "drizzle-orm";
import type { Image } from "../images.ts";

/** How far back it is looked for what was changed: who writes over another's change has read the image a moment ago. */
const LOOKED_AT = 1_000;

/**
 * Which fields of an image were changed after one of its revisions, as events name them, of the last changes of its App. Empty where its feed does
 * not say: it was longer ago, or the storage has no feed.
 */
export function changedSince({ queries, read }: Database) {
	return async ({ appPk, id }: Pick<Image, "appPk" | "id">, revision: number): Promise<readonly string[]> => {
		const lately = sql`SELECT ${events.subject}, ${events.data} FROM ${events} INDEXED BY events_feed
			WHERE ${eq(events.appPk, appPk)} AND ${events.type} = 'image.updated' ORDER BY ${events.pk} DESC LIMIT ${LOOKED_AT}`;
		const rows = await read(() =>
			queries.values<
				[string]
			>(sql`SELECT DISTINCT previous.key FROM (${lately}) AS lately, json_each(lately.data, '$.previous') AS previous
				WHERE lately.subject = ${id} AND lately.data ->> '$.object.revision' > ${revision}`),
		);
		return rows.map(([field]) => field);
	};
}
