import type { Database } from "@svc/base/database/client";
import { events } from "@svc/base/database/schema/events";
import { EVENT_TYPES, type EventType } from "@svc/base/enumerations";
import { and, asc, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Event, Feed } from "./event.ts";

interface Range {
	readonly types: readonly EventType[];
	/** Only events behind this one, in the order of the page. */
	readonly afterPk: number;
	/** Otherwise oldest first. */
	readonly newestFirst?: boolean;
	/** Only events that were written since. */
	readonly sinceMs: number;
	readonly limit: number;
}

/** Facts that tell whether somebody waits for an event. */
export type News = Pick<Event, "pk" | "appPk" | "userId" | "type" | "subject">;

export type EventStore = ReturnType<typeof eventStore>;

export function eventStore(database: Database) {
	const { queries, read } = database;
	return {
		list: listEvents.bind(null, database),
		async find(appPk: number, id: string, sinceMs: number): Promise<Event | undefined> {
			const kept = and(eq(events.id, id), eq(events.appPk, appPk), gt(events.createdMs, sinceMs));
			const [row] = await read(() => queries.select().from(events).where(kept));
			return row && toEvent(row);
		},
		/** The id of the newest event of an App. */
		async latest(appPk: number, sinceMs: number): Promise<string | null> {
			const kept = sql`${events.pk} = ${newestPk(appPk)} AND ${events.createdMs} > ${sinceMs}`;
			const [row] = await read(() => queries.select({ id: events.id }).from(events).where(kept));
			return row?.id ?? null;
		},
		/** The place of the newest event of all Apps; 0 where there is none. */
		async lastPk(): Promise<number> {
			const [row] = await read(() => queries.values<[number | null]>(sql`SELECT max(${events.pk}) FROM ${events}`));
			return row?.[0] ?? 0;
		},
		/** What was written behind a place, at most `limit` of it. */
		async newsAfter(afterPk: number, limit: number): Promise<readonly News[]> {
			const { pk, appPk, userId, type, subject } = events;
			const behind = queries.select({ pk, appPk, userId, type, subject }).from(events).where(gt(pk, afterPk));
			const rows = await read(() => behind.orderBy(pk).limit(limit));
			return rows as readonly News[];
		},
		/** Removes at most `limit` events that were written before, oldest first; returns how many. */
		forget: forgetEvents.bind(null, database),
	};
}

/** One range of the index for each type, merged: what is not wanted is not read. */
async function listEvents(
	{ queries, read }: Database,
	feed: Feed,
	{ types, afterPk, sinceMs, limit, newestFirst = false }: Range,
): Promise<readonly Event[]> {
	const behind = newestFirst ? sql`<` : sql`>`;
	const kept = sql`${events.pk} ${behind} ${afterPk} AND ${events.createdMs} > ${sinceMs}`;
	const order = newestFirst ? desc(events.pk) : asc(events.pk);
	const places = placesOf(feed, types, kept, sql`ORDER BY ${order} LIMIT ${limit}`);
	const rows = await read(() =>
		queries.select().from(events).where(sql`${events.pk} IN (${places})`).orderBy(order).limit(limit),
	);
	return rows.map(toEvent);
}

function placesOf(feed: Feed, types: readonly EventType[], kept: SQL, first: SQL): SQL {
	if (feed.subject !== undefined) return placesOfSubject(feed, types, kept, first);
	return feed.userId === undefined ? placesOfApp(feed, types, kept, first) : placesOfUser(feed, types, kept, first);
}

/** One object has few. */
function placesOfSubject({ appPk, userId, subject }: Feed, types: readonly EventType[], kept: SQL, first: SQL): SQL {
	const ofUser = userId === undefined ? sql`` : sql` AND ${events.userId} = ${userId}`;
	return sql`SELECT ${events.pk} FROM ${events} INDEXED BY events_subject WHERE ${events.subject} = ${subject}
		AND ${events.appPk} = ${appPk}${ofUser} AND ${events.type} IN ${[...types]} AND ${kept} ${first}`;
}

function placesOfApp({ appPk }: Feed, types: readonly EventType[], kept: SQL, first: SQL): SQL {
	const legs = types.map(
		(type) => sql`SELECT * FROM (SELECT ${events.pk} FROM ${events} INDEXED BY events_feed
			WHERE ${events.appPk} = ${appPk} AND ${events.type} = ${type} AND ${kept} ${first})`,
	);
	return sql.join(legs, sql` UNION ALL `);
}

function placesOfUser({ appPk, userId }: Feed, types: readonly EventType[], kept: SQL, first: SQL): SQL {
	return sql`SELECT ${events.pk} FROM ${events} INDEXED BY events_user WHERE ${events.userId} = ${userId}
		AND ${events.appPk} = ${appPk} AND ${events.type} IN ${[...types]} AND ${kept} ${first}`;
}

function newestPk(appPk: number): SQL {
	const newest = EVENT_TYPES.map(
		(type) => sql`SELECT max(${events.pk}) AS place FROM ${events}
			WHERE ${events.appPk} = ${appPk} AND ${events.type} = ${type}`,
	);
	return sql`(SELECT max(place) FROM (${sql.join(newest, sql` UNION ALL `)}))`;
}

/** Oldest first, until one is young enough: no index by age is needed. */
async function forgetEvents({ queries, write }: Database, beforeMs: number, limit: number): Promise<number> {
	const oldest = sql`SELECT ${events.pk} FROM ${events} ORDER BY ${events.pk} LIMIT ${limit}`;
	const old = and(sql`${events.pk} IN (${oldest})`, sql`${events.createdMs} < ${beforeMs}`);
	const { rows } = await write([{ run: queries.delete(events).where(old).returning({ forgotten: sql`1` }) }]);
	return rows?.[0]?.length ?? 0;
}

function toEvent({ type, data, ...row }: typeof events.$inferSelect): Event {
	return { ...row, type: type as EventType, data: data === null ? null : { object: {}, ...JSON.parse(data) } };
}
