import { appKept } from "@svc/apps/app-events-store";
import { noticedOf } from "@svc/apps/team/members-store";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { deliveryDays } from "@svc/base/database/schema/delivery";
import { statements, updateStep } from "@svc/base/database/statements";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { mailEach } from "@svc/mail/mail-entries-store";
import { and, eq, isNull, lt, sql } from "drizzle-orm";

/** Of all images of an App. */
export interface ServedOnDay {
	readonly bytes: number;
	/** Made, not found in the cache. */
	readonly renditions: number;
}

/** An App of which much was served today. */
export interface BusyApp {
	readonly appPk: number;
	readonly today: ServedOnDay;
	/** On a day of those before on which anything was; 0 where there was none. */
	readonly usual: ServedOnDay;
}

export type DayStore = ReturnType<typeof dayStore>;

/** What was served of Apps by the day: processes add to it when they write what they have counted. */
export function dayStore(database: Database) {
	return {
		find: findDay.bind(null, database),
		/** Apps of which at least as much of either was served, and whose teams were not told so on that day. */
		listBusy: listBusy.bind(null, database),
		/** Writes the event and the letters, once a day: of several processes one does. */
		warn: warn.bind(null, database),
		async forget(beforeDay: number): Promise<void> {
			await database.write([{ run: statements.delete(deliveryDays).where(lt(deliveryDays.day, beforeDay)) }]);
		},
	};
}

async function findDay(
	{ queries, read }: Database,
	day: number,
	appPks: readonly number[],
): Promise<ReadonlyMap<number, ServedOnDay>> {
	const { appPk, bytes, renditions } = deliveryDays;
	const among = sql`${appPk} IN (SELECT value FROM json_each(${JSON.stringify(appPks)}))`;
	const rows = await read(() =>
		queries
			.select({ appPk, bytes, renditions })
			.from(deliveryDays)
			.where(and(eq(deliveryDays.day, day), among)),
	);
	return new Map(rows.map(({ appPk, ...served }) => [appPk, served]));
}

async function listBusy(
	{ queries, read }: Database,
	day: number,
	floor: ServedOnDay,
	pastDays: number,
): Promise<readonly BusyApp[]> {
	const { appPk, bytes, renditions } = deliveryDays;
	const isMuch = sql`(${bytes} >= ${floor.bytes} OR ${renditions} >= ${floor.renditions})`;
	// Each day by itself, so that no other App's rows are read.
	const past = sql.join(
		Array.from({ length: pastDays }, (_, place) => sql`${day - 1 - place}`),
		sql`, `,
	);
	const usual = (column: "bytes" | "renditions") =>
		sql`coalesce((SELECT avg(past.${sql.identifier(column)}) FROM ${deliveryDays} AS past
			WHERE past.day IN (${past}) AND past.app_pk = ${appPk}), 0)`;
	const rows = await read(() =>
		queries.values<[number, number, number, number, number]>(sql`SELECT ${appPk}, ${bytes}, ${renditions},
			${usual("bytes")}, ${usual("renditions")}
			FROM ${deliveryDays} WHERE ${deliveryDays.day} = ${day} AND ${deliveryDays.warnedMs} IS NULL AND ${isMuch}`),
	);
	return rows.map(([appPk, bytes, renditions, usualBytes, usualRenditions]) => ({
		appPk,
		today: { bytes, renditions },
		usual: { bytes: Math.round(usualBytes), renditions: Math.round(usualRenditions) },
	}));
}

async function warn(
	{ write }: Database,
	day: number,
	{ appPk, today, usual }: BusyApp,
	{ web, nowMs }: { readonly web: string; readonly nowMs: number },
): Promise<void> {
	const unwarned = and(eq(deliveryDays.day, day), eq(deliveryDays.appPk, appPk), isNull(deliveryDays.warnedMs));
	const usage = { today, usual };
	const data = sql`json_object('object', ${snapshotOf(appKept)}, 'usage', json(${JSON.stringify(usage)}))`;
	const event = { type: "app.delivery_unusual", appPk: apps.pk, userId: null, subject: apps.id, data } as const;
	const one = sql`FROM ${apps} WHERE ${apps.pk} = ${appPk} AND ${apps.deletingMs} IS NULL`;
	const facts = {
		app: sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.pk} = ${appPk})`,
		page: sql`(SELECT ${`${web}/console/`} || ${apps.id} || '/delivery' FROM ${apps} WHERE ${apps.pk} = ${appPk})`,
		...{ bytes: today.bytes, renditions: today.renditions },
		...{ usualBytes: usual.bytes, usualRenditions: usual.renditions },
	};
	await write([
		updateStep(deliveryDays, { warnedMs: nowMs }, unwarned, "warned"),
		newEvent({ nowMs }, event, one),
		{ run: mailEach({ template: "delivery_unusual", facts, to: noticedOf(appPk) }, nowMs) },
	]);
}
