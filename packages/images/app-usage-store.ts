import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";
import { type LabelCount, type MonthUploads, monthNumber, monthText, type UserUsage } from "./app-usage.ts";
import type { StorageUsage } from "./usage.ts";
import { monthOf } from "./usage.ts";

export interface AppUsageStore {
	/** Counters of all storages of an App together, for the UTC month that `nowMs` lies in. */
	total(appPk: number, nowMs: number): Promise<StorageUsage>;
	/** The App storage and its users', each by itself. */
	byUser(appPk: number, nowMs: number, span: Span): Promise<readonly UserUsage[]>;
	/** Of all storages together; newest month first, `pk` counting months since year 0. */
	byMonth(appPk: number, span: Span): Promise<readonly MonthUploads[]>;
	/** Labels of a storage's servable images in their order; images are counted no further than `max`, and so are labels. */
	labels(storagePk: number, prefix: string, max: number, nowMs: number): Promise<readonly LabelCount[]>;
}

export function appUsageStore({ queries, read }: Database): AppUsageStore {
	const values = <T extends unknown[]>(query: SQL) => read(() => queries.values<T>(query));
	return {
		async total(appPk, nowMs): Promise<StorageUsage> {
			const [row] = await values<[number, number, number, number]>(
				sql`SELECT images, bytes, users, (
						SELECT coalesce(sum(uploads), 0) FROM monthly_usage JOIN storages ON storages.pk = monthly_usage.storage_pk
						WHERE storages.app_pk = ${appPk} AND month = ${monthOf(nowMs)})
					FROM app_usage WHERE app_pk = ${appPk}`,
			);
			const [images = 0, bytes = 0, users = 0, uploads = 0] = row ?? [];
			return { uploadsThisMonth: uploads, images, bytes, appImages: images, appUsers: users };
		},
		async byUser(appPk, nowMs, { limit, beforePk = Number.MAX_SAFE_INTEGER }) {
			const rows = await values<[number, string | null, number, number, number]>(
				sql`SELECT storages.pk, connections.user_id, storages.images, storages.bytes, coalesce(uploads, 0) FROM storages
					LEFT JOIN connections ON connections.storage_pk = storages.pk
					LEFT JOIN monthly_usage ON monthly_usage.storage_pk = storages.pk AND month = ${monthOf(nowMs)}
					WHERE storages.app_pk = ${appPk} AND storages.pk < ${beforePk}
						AND (kind = 'app' OR (kind = 'user' AND connections.user_id IS NOT NULL))
					ORDER BY storages.pk DESC LIMIT ${limit}`,
			);
			return rows.map(([pk, userId, images, bytes, uploads]) => ({ pk, userId, images, bytes, uploads }));
		},
		async byMonth(appPk, { limit, beforePk }) {
			const before = beforePk === undefined ? sql`` : sql` AND month < ${monthText(beforePk)}`;
			const rows = await values<[string, number]>(
				sql`SELECT month, sum(uploads) FROM monthly_usage JOIN storages ON storages.pk = monthly_usage.storage_pk
					WHERE storages.app_pk = ${appPk}${before} GROUP BY month ORDER BY month DESC LIMIT ${limit}`,
			);
			return rows.map(([month, uploads]) => ({ pk: monthNumber(month), month, uploads }));
		},
		async labels(storagePk, prefix, max, nowMs) {
			const rows = await values<[string, string, number]>(labelsOf(storagePk, prefix, max, nowMs));
			return rows.map(([key, value, count]) => ({ key, value, count }));
		},
	};
}

/**
 * Walks from label to label along the primary key, a search for each, and counts the images of each only so far: what it costs is bounded
 * by `max`, not by what the storage holds.
 */
function labelsOf(storagePk: number, prefix: string, max: number, nowMs: number): SQL {
	// Label keys are ASCII: nothing that begins with the prefix sorts behind it.
	const within = sql`storage_pk = ${storagePk} AND key < ${`${prefix}\u{7f}`}`;
	const next = (column: "key" | "value", after: SQL) =>
		sql`(SELECT ${sql.identifier(column)} FROM image_labels WHERE ${within} AND ${after} ORDER BY key, value LIMIT 1)`;
	const first = sql`key >= ${prefix}`;
	const later = sql`(key, value) > (labels.k, labels.v)`;
	return sql`WITH RECURSIVE labels (k, v) AS (
			SELECT ${next("key", first)}, ${next("value", first)}
			UNION ALL SELECT ${next("key", later)}, ${next("value", later)} FROM labels WHERE k IS NOT NULL
			LIMIT ${max + 1}),
		counts (k, v, images) AS MATERIALIZED (
			SELECT k, v, (SELECT count(*) FROM (SELECT 1 FROM image_labels WHERE storage_pk = ${storagePk} AND key = k AND value = v
				AND (expires_ms IS NULL OR expires_ms > ${nowMs}) LIMIT ${max}))
			FROM labels WHERE k IS NOT NULL)
		SELECT k, v, images FROM counts WHERE images > 0`;
}
