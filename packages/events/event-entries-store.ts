import { connections } from "@svc/base/database/schema/connect";
import { events } from "@svc/base/database/schema/events";
import { columns } from "@svc/base/database/statements";
import type { Places } from "@svc/base/database/write/kept-statements";
import type { EventType } from "@svc/base/enumerations";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** When, and in which request, a change is made: an `Actor` is one. */
export interface Occasion {
	readonly nowMs: number;
	readonly requestId?: string | null | undefined;
}

export interface NewEvent {
	/** SQL must make one of the types. */
	readonly type: EventType | SQLWrapper;
	readonly appPk: number | SQLWrapper;
	/** The App's id of the user whom it is about (`usr_…`); null for the App itself and its own storage. */
	readonly userId: string | SQLWrapper | null;
	/** The public id of the object. */
	readonly subject: string | SQLWrapper;
	/**
	 * The object as the change leaves it, in the terms of its table: the API encodes it when it is read. SQL must make the text of a JSON object.
	 * Left out for a tombstone, of which there is only the id.
	 */
	readonly data?: Readonly<Record<string, unknown>> | SQL | undefined;
}

/**
 * The step that writes an event; it must be in the same batch as the change, behind it. `from` begins with FROM or WHERE: one event is
 * written for each of its rows, and none where it has none, or where the user has been disconnected: nothing follows `user.disconnected`.
 * No event is older than the one before it: a commit may come behind another that began later.
 */
export function newEvent(
	occasion: Occasion | Places<Occasion>,
	event: NewEvent,
	from: SQL = sql`WHERE TRUE`,
): { readonly run: SQL } {
	const { type, appPk, userId, subject, data = {} } = event;
	const names = columns(
		...[events.id, events.appPk, events.userId, events.type, events.subject],
		...[events.data, events.requestId, events.createdMs],
	);
	const json = isSql(data) ? data : JSON.stringify(data);
	const { state, userId: theirs } = connections;
	const left = sql`SELECT 1 FROM ${connections} WHERE ${theirs} = entry.user_id AND ${state} <> 'connected'`;
	const newest = sql`SELECT ${events.createdMs} FROM ${events} ORDER BY ${events.pk} DESC LIMIT 1`;
	// The database makes the id: one statement may write many rows.
	return {
		run: sql`INSERT INTO ${events} (${names})
			SELECT 'evt_' || hex(randomblob(11)), entry.*, ${occasion.requestId ?? null},
				max(${occasion.nowMs}, coalesce((${newest}), 0))
			FROM (SELECT ${appPk} AS app_pk, ${userId} AS user_id, ${type}, ${subject}, ${json} ${from}) AS entry
			WHERE NOT EXISTS (${left})`,
	};
}

/** For a change that may turn out to be none: nothing is written unless the statement just before it touched a row. */
export const ON_CHANGE = sql`WHERE changes() > 0`;

function isSql(data: Exclude<NewEvent["data"], undefined>): data is SQL {
	return typeof (data as Partial<SQL>).getSQL === "function";
}
