import type { Span } from "@svc/base/cursors";
import type { Database, Row } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { appUsage, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { imageLabels } from "@svc/base/database/schema/images";
import { olderThan } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { untilChanged } from "@svc/base/database/until-changed";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import { Failure } from "@svc/base/failure";
import { nextTurn } from "@svc/base/pace/turns";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { unexpired } from "../image-rows-store.ts";
import type { ChangedBy } from "../ports.ts";
import {
	LABELS_MAX,
	type LabelCount,
	type MonthUploads,
	monthNumber,
	monthOf,
	monthText,
	type StorageUsage,
	type UserUsage,
} from "./usage.ts";

export type UsageStore = ReturnType<typeof usageStore>;

export function usageStore(database: Database) {
	const { queries, read } = database;
	const ofMonth = and(eq(monthlyUsage.storagePk, storages.pk), eq(monthlyUsage.month, sql.placeholder("month")));
	const counters = queries
		.select({
			appPk: appUsage.appPk,
			uploadsThisMonth: sql<number>`coalesce(${monthlyUsage.uploads}, 0)`,
			images: storages.images,
			bytes: storages.bytes,
			appImages: appUsage.images,
			appUsers: appUsage.users,
		})
		.from(storages)
		.innerJoin(appUsage, eq(appUsage.appPk, storages.appPk))
		.leftJoin(monthlyUsage, ofMonth)
		.where(eq(storages.pk, sql.placeholder("storagePk")))
		.prepare();

	const readMonth = async (storagePk: number, month: string) => {
		const [row] = await read(() => counters.all({ storagePk, month }));
		// The key was found a moment ago: the storage has been deleted in between.
		if (row === undefined) throw new Failure("workspace_unavailable");
		const { appPk, ...usage } = row;
		return { storagePk, appPk, usage };
	};
	const counted = untilChanged(database, {
		find: readMonth,
		sql: counters.getQuery().sql,
		nameOf: (storagePk, month) => `${storagePk} ${month}`,
		rowsOf: ({ storagePk, appPk }) => [
			rowsOf.storages(storagePk),
			rowsOf.storageCounts(storagePk),
			rowsOf.monthlyUsage(storagePk),
			rowsOf.appUsage(appPk),
		],
	});
	return {
		/** Counters of one storage and of its whole App, for the UTC month that `nowMs` lies in. */
		async read(storagePk: number, nowMs: number): Promise<StorageUsage> {
			return (await counted(storagePk, monthOf(nowMs))).usage;
		},
	};
}

/** Reads the counters as the end of a change, where a caller wants to be told them. */
export function toldCounters(by: ChangedBy, storagePk: number, nowMs: number): readonly Step[] {
	if (typeof by === "string" || by.onCounted === undefined) return [];
	return [{ kind: "look", run: lookAtCounters({ storagePk, month: monthOf(nowMs) }) }];
}

const lookAtCounters = keptStatement<{ readonly storagePk: number; readonly month: string }>((at) => {
	const ofMonth = and(eq(monthlyUsage.storagePk, storages.pk), eq(monthlyUsage.month, at.month));
	return sql`SELECT coalesce(${monthlyUsage.uploads}, 0) AS "uploadsThisMonth", ${storages.images} AS images, ${storages.bytes} AS bytes,
		${appUsage.images} AS "appImages", ${appUsage.users} AS "appUsers"
		FROM ${storages} JOIN ${appUsage} ON ${appUsage.appPk} = ${storages.appPk} LEFT JOIN ${monthlyUsage} ON ${ofMonth}
		WHERE ${storages.pk} = ${at.storagePk}`;
});

/** Passes on what {@link toldCounters} has read, the last step of a change; nothing where the answer was lost. */
export function tellCounters(by: ChangedBy, rows: readonly (readonly Row[])[] | undefined): void {
	if (typeof by === "string" || by.onCounted === undefined) return;
	const [row] = rows?.at(-1) ?? [];
	if (row) by.onCounted(row as unknown as StorageUsage);
}

export function appUsageStore(database: Database) {
	return {
		/** Counters of all storages of an App together, for the UTC month that `nowMs` lies in. */
		total: totalUsage.bind(undefined, database),
		/** The App storage and the users' storages, each by itself. */
		byUser: usageByUser.bind(undefined, database),
		/** All storages together; newest month first, `pk` counting months since year 0. */
		byMonth: usageByMonth.bind(undefined, database),
		/** Labels of a storage's servable images in their order, at most `max` and one that tells of more, each counted as far as {@link LABELS_MAX}. */
		labels: (storagePk: number, prefix: string, max: number, nowMs: number) =>
			countLabels(database, { storagePk, prefix, max, nowMs }),
	};
}

async function totalUsage({ queries, read }: Database, appPk: number, nowMs: number): Promise<StorageUsage> {
	const uploads = queries
		.select({ uploads: sql`coalesce(sum(${monthlyUsage.uploads}), 0)` })
		.from(monthlyUsage)
		.innerJoin(storages, eq(storages.pk, monthlyUsage.storagePk))
		.where(and(eq(storages.appPk, appPk), eq(monthlyUsage.month, monthOf(nowMs))));
	const { images, bytes, users: appUsers } = appUsage;
	const fields = { uploadsThisMonth: sql<number>`${uploads}`, images, bytes, appImages: images, appUsers };
	const [total] = await read(() => queries.select(fields).from(appUsage).where(eq(appUsage.appPk, appPk)));
	return total ?? { uploadsThisMonth: 0, images: 0, bytes: 0, appImages: 0, appUsers: 0 };
}

async function usageByUser(
	{ queries, read }: Database,
	appPk: number,
	nowMs: number,
	{ limit, beforePk }: Span,
): Promise<readonly UserUsage[]> {
	const ofMonth = and(eq(monthlyUsage.storagePk, storages.pk), eq(monthlyUsage.month, monthOf(nowMs)));
	const isShown = sql`(${storages.kind} = 'app' OR (${storages.kind} = 'user' AND ${connections.userId} IS NOT NULL))`;
	return await read(() =>
		queries
			.select({
				pk: storages.pk,
				userId: connections.userId,
				images: storages.images,
				bytes: storages.bytes,
				uploads: sql<number>`coalesce(${monthlyUsage.uploads}, 0)`,
			})
			.from(storages)
			.leftJoin(connections, eq(connections.storagePk, storages.pk))
			.leftJoin(monthlyUsage, ofMonth)
			.where(and(eq(storages.appPk, appPk), olderThan(storages.pk, beforePk), isShown))
			.orderBy(desc(storages.pk))
			.limit(limit),
	);
}

async function usageByMonth(
	{ queries, read }: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly MonthUploads[]> {
	const before = beforePk === undefined ? undefined : lt(monthlyUsage.month, monthText(beforePk));
	const rows = await read(() =>
		queries
			.select({ month: monthlyUsage.month, uploads: sql<number>`sum(${monthlyUsage.uploads})` })
			.from(monthlyUsage)
			.innerJoin(storages, eq(storages.pk, monthlyUsage.storagePk))
			.where(and(eq(storages.appPk, appPk), before))
			.groupBy(monthlyUsage.month)
			.orderBy(desc(monthlyUsage.month))
			.limit(limit),
	);
	return rows.map((row) => ({ pk: monthNumber(row.month), ...row }));
}

/** So many labels are found and counted by one statement, and one that tells of more: what a page shows of them. At a thousand images each that is some milliseconds. */
const LABELS_AT_ONCE = 41;

interface LabelQuestion {
	readonly storagePk: number;
	readonly prefix: string;
	readonly max: number;
	readonly nowMs: number;
}

/** In several statements, between which others have their turn: a label that comes or goes meanwhile may be among them or not. */
async function countLabels({ queries, read }: Database, question: LabelQuestion): Promise<readonly LabelCount[]> {
	const counted: LabelCount[] = [];
	let walked: readonly [string, string, number][] = [];
	for (let left = question.max + 1; left > 0; left -= walked.length) {
		const rows = Math.min(left, LABELS_AT_ONCE);
		const query = labelsOf(question, walked.at(-1), rows);
		walked = await read(() => queries.values<[string, string, number]>(query));
		counted.push(
			...walked.map(([key, value, count]) => ({
				key,
				value,
				count: Math.min(count, LABELS_MAX),
				more: count > LABELS_MAX,
			})),
		);
		if (walked.length < rows) break;
		await nextTurn();
	}
	return counted.filter(({ count }) => count > 0);
}

/**
 * Walks from label to label along the primary key, two searches for each, and counts so many images of each as are told and one to see that there are
 * more: its cost is bounded by `rows`, not by what the storage holds. SQLite uses only the first column of `(key, value) > (k, v)` and would read through all
 * labels of a key: therefore it is asked for the key's next value, and where there is none for the next key.
 */
function labelsOf(
	{ storagePk, prefix, nowMs }: LabelQuestion,
	after: readonly [string, string, number] | undefined,
	rows: number,
): SQL {
	const { key, value } = imageLabels;
	const inStorage = sql`${imageLabels.storagePk} = ${storagePk}`;
	// Label keys are ASCII: no key that begins with the prefix sorts after it.
	const within = sql`${inStorage} AND ${key} < ${`${prefix}\u{7f}`}`;
	const from = (place: SQL, order: SQL) =>
		sql`(SELECT json_array(${key}, ${value}) FROM ${imageLabels} WHERE ${within} AND ${place} ORDER BY ${order} LIMIT 1)`;
	const behind = (k: SQL, v: SQL) => {
		const nextValue = from(sql`${key} = ${k} AND ${value} > ${v}`, sql`${value}`);
		return sql`coalesce(${nextValue}, ${from(sql`${key} > ${k}`, sql`${key}, ${value}`)})`;
	};
	const first = after
		? behind(sql`${after[0]}`, sql`${after[1]}`)
		: from(sql`${key} >= ${prefix}`, sql`${key}, ${value}`);
	return sql`WITH RECURSIVE walk (label) AS (
			SELECT ${first} UNION ALL SELECT ${behind(sql`label ->> 0`, sql`label ->> 1`)} FROM walk WHERE label IS NOT NULL
			LIMIT ${rows})
		SELECT k, v, (SELECT count(*) FROM (SELECT 1 FROM ${imageLabels}
			WHERE ${inStorage} AND ${key} = k AND ${value} = v AND ${unexpired(imageLabels, nowMs)} LIMIT ${LABELS_MAX + 1}))
		FROM (SELECT label ->> 0 AS k, label ->> 1 AS v FROM walk WHERE label IS NOT NULL)`;
}
