import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { dailyUsage, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { deliveryDays } from "@svc/base/database/schema/delivery";
import { columns, olderThan } from "@svc/base/database/statements";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { type Days, dayText, parseDay, type Served, type UsageRow } from "./daily-usage.ts";

/** Of one storage, or of all that an App has. */
export type UsageOf = { readonly storagePk: number } | { readonly appPk: number };

export function dailyUsageStore(database: Database) {
	return {
		/** Adds what a process has served on a day; storages that are gone are left out. @throws DatabaseError */
		async add(day: number, counts: readonly (readonly [storagePk: number, served: Served])[]): Promise<void> {
			await database.write([{ run: addition(day, counts) }, { run: additionOfApps(day, counts) }]);
		},
		/** The days on which something was counted, in no order; their `pk` is 0. */
		byDay: (of: UsageOf, days: Days) => usageByDay(database, of, days),
		/** The App storage and the users' storages, the newest first, each with its sums over these days. */
		byUser: (appPk: number, days: Days, span: Span) => usageByUser(database, appPk, days, span),
	};
}

function addition(day: number, counts: readonly (readonly [number, Served])[]): SQL {
	const { storagePk, requests, imageRequests, bytesServed, renditions } = dailyUsage;
	const sums = [requests, imageRequests, bytesServed, renditions].map(
		({ name }) => sql`${sql.identifier(name)} = ${sql.identifier(name)} + excluded.${sql.identifier(name)}`,
	);
	const values = [1, 2, 3, 4].map((place) => sql`json_extract(served.value, ${`$[${place}]`})`);
	return sql`INSERT INTO ${dailyUsage} (${columns(storagePk, dailyUsage.day, requests, imageRequests, bytesServed, renditions)})
		SELECT ${storages.pk}, ${day}, ${sql.join(values, sql`, `)}
		FROM json_each(${rowsOfCounts(counts)}) AS served CROSS JOIN ${storages}
		WHERE ${storages.pk} = json_extract(served.value, '$[0]')
		ON CONFLICT (${columns(storagePk, dailyUsage.day)}) DO UPDATE SET ${sql.join(sums, sql`, `)}`;
}

/** Each as an array: the storage, then what is counted, in the order of the columns. */
function rowsOfCounts(counts: readonly (readonly [number, Served])[]): string {
	return JSON.stringify(
		counts.map(([pk, { requests, imageRequests, bytesServed, renditions }]) => [
			...[pk, requests, imageRequests],
			...[bytesServed, renditions],
		]),
	);
}

/** The same for each App as a whole: what its ceilings are compared with must not be a sum over all of its users. */
function additionOfApps(day: number, counts: readonly (readonly [number, Served])[]): SQL {
	const { appPk, bytes, renditions } = deliveryDays;
	const [moreBytes, moreRenditions] = [3, 4].map((place) => sql`sum(json_extract(served.value, ${`$[${place}]`}))`);
	const sums = [bytes, renditions].map(
		({ name }) => sql`${sql.identifier(name)} = ${sql.identifier(name)} + excluded.${sql.identifier(name)}`,
	);
	return sql`INSERT INTO ${deliveryDays} (${columns(deliveryDays.day, appPk, bytes, renditions)})
		SELECT ${day}, ${storages.appPk}, ${moreBytes}, ${moreRenditions}
		FROM json_each(${rowsOfCounts(counts)}) AS served CROSS JOIN ${storages}
		WHERE ${storages.pk} = json_extract(served.value, '$[0]')
		GROUP BY ${storages.appPk} HAVING ${moreBytes} + ${moreRenditions} > 0
		ON CONFLICT (${columns(deliveryDays.day, appPk)}) DO UPDATE SET ${sql.join(sums, sql`, `)}`;
}

async function usageByDay(database: Database, of: UsageOf, days: Days): Promise<readonly UsageRow[]> {
	const found = new Map<number, UsageRow>();
	const rowOf = (day: number): UsageRow => {
		const row = found.get(day) ?? { pk: 0, day, userId: null, ...NOTHING };
		found.set(day, row);
		return row;
	};
	for (const [day, ...sums] of await sumsOf(database, sql`${dailyUsage.day}`, chosen(of), days)) {
		Object.assign(rowOf(day), servedOf(sums));
	}
	const day = sql`${monthlyUsage.month} || '-' || one.key`;
	for (const [text, uploads] of await uploadsOf<string>(database, day, chosen(of), days)) {
		rowOf(parseDay(text) ?? 0).uploads = uploads;
	}
	return [...found.values()];
}

const NOTHING = { uploads: 0, requests: 0, imageRequests: 0, bytesServed: 0, renditions: 0 };

async function usageByUser(
	database: Database,
	appPk: number,
	days: Days,
	{ limit, beforePk }: Span,
): Promise<readonly UsageRow[]> {
	const { queries, read } = database;
	const isShown = sql`(${storages.kind} = 'app' OR (${storages.kind} = 'user' AND ${connections.userId} IS NOT NULL))`;
	const page = await read(() =>
		queries
			.select({ pk: storages.pk, userId: connections.userId })
			.from(storages)
			.leftJoin(connections, eq(connections.storagePk, storages.pk))
			.where(and(eq(storages.appPk, appPk), olderThan(storages.pk, beforePk), isShown))
			.orderBy(desc(storages.pk))
			.limit(limit),
	);
	const rows = new Map(page.map(({ pk, userId }) => [pk, { pk, day: null, userId, ...NOTHING }]));
	const among = sql`${storages.pk} IN (SELECT value FROM json_each(${JSON.stringify([...rows.keys()])}))`;
	for (const [pk, ...sums] of await sumsOf(database, sql`${storages.pk}`, among, days)) {
		Object.assign(rows.get(pk) ?? {}, servedOf(sums));
	}
	for (const [pk, uploads] of await uploadsOf<number>(database, sql`${storages.pk}`, among, days)) {
		Object.assign(rows.get(pk) ?? {}, { uploads });
	}
	return [...rows.values()];
}

function chosen(of: UsageOf): SQL {
	return "appPk" in of ? sql`${storages.appPk} = ${of.appPk}` : sql`${storages.pk} = ${of.storagePk}`;
}

type Sums = readonly [requests: number, imageRequests: number, bytesServed: number, renditions: number];

function servedOf([requests, imageRequests, bytesServed, renditions]: Sums): Served {
	return { requests, imageRequests, bytesServed, renditions };
}

function sumsOf(database: Database, by: SQL, of: SQL, { from, to }: Days) {
	const { requests, imageRequests, bytesServed, renditions } = dailyUsage;
	const sums = [requests, imageRequests, bytesServed, renditions].map((counter) => sql`sum(${counter})`);
	return database.read(() =>
		database.queries.values<[number, ...Sums]>(sql`SELECT ${by}, ${sql.join(sums, sql`, `)}
			FROM ${storages} CROSS JOIN ${dailyUsage} ON ${dailyUsage.storagePk} = ${storages.pk}
			WHERE ${of} AND ${dailyUsage.day} >= ${from} AND ${dailyUsage.day} < ${to} GROUP BY 1`),
	);
}

/** Uploads lie by month; the days outside are left out one by one. */
function uploadsOf<By extends number | string>(database: Database, by: SQL, of: SQL, { from, to }: Days) {
	const [first, last] = [dayText(from), dayText(to - 1)];
	const day = sql`${monthlyUsage.month} || '-' || one.key`;
	return database.read(() =>
		database.queries.values<[By, number]>(sql`SELECT ${by}, sum(one.value)
			FROM ${storages} CROSS JOIN ${monthlyUsage} ON ${monthlyUsage.storagePk} = ${storages.pk}
			CROSS JOIN json_each(${monthlyUsage.days}) AS one
			WHERE ${of} AND ${monthlyUsage.month} BETWEEN ${first.slice(0, 7)} AND ${last.slice(0, 7)}
				AND ${day} BETWEEN ${first} AND ${last} GROUP BY 1`),
	);
}
