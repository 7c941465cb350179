import { events } from "@svc/base/database/schema/events";
import { type SQL, sql } from "drizzle-orm";

/* What becomes of events whose user or App is erased. Both steps work on a few at a time, since requests wait for the commit. */

const RETURNING = sql`RETURNING ${sql.identifier(events.pk.name)}`;

/**
 * Takes the data from at most `limit` events behind `afterPk` that are about a user and older than their last disconnect: who has come back
 * since keeps what is new. The step's rows hold the `pk` of each.
 */
export function cutEvents(userId: SQL, afterPk: number, limit: number): { readonly run: SQL } {
	const left = sql`SELECT max(ended.pk) FROM ${events} AS ended INDEXED BY events_user
		WHERE ended.user_id = ${userId} AND ended.type = 'user.disconnected'`;
	const old = sql`SELECT ${events.pk} FROM ${events} INDEXED BY events_user
		WHERE ${events.userId} = ${userId} AND ${events.pk} > ${afterPk} AND ${events.pk} < (${left})
		ORDER BY ${events.pk} LIMIT ${limit}`;
	return { run: sql`UPDATE ${events} SET data = NULL WHERE ${events.pk} IN (${old}) ${RETURNING}` };
}

/** Removes at most `limit` events of an App. The step has a row for each. */
export function dropEvents(appPk: SQL, limit: number): { readonly run: SQL } {
	const some = sql`SELECT ${events.pk} FROM ${events} INDEXED BY events_feed WHERE ${events.appPk} = ${appPk} LIMIT ${limit}`;
	return { run: sql`DELETE FROM ${events} WHERE ${events.pk} IN (${some}) ${RETURNING}` };
}
