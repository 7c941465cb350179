import type { Access } from "@svc/apps/access";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { apps, appUsage, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mayStillWrite } from "@svc/keys/authority-store";
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { dayOfMonth, monthOf, type Quota } from "./usage.ts";

/* The steps that count what comes into a storage, each with its limit. */

/** What comes into a storage. */
interface Counted {
	readonly storagePk: number;
	readonly teamHash: string;
	/** May be negative. */
	readonly bytes: number;
	/** 1 when left out. */
	readonly images?: number;
}

/**
 * The condition includes the capability, as the number of a storage that was removed meanwhile may be another's by now, and the limits that are
 * looked at besides: `underLimits` tries again with others.
 */
export function countInStorage(
	{ queries }: Database,
	{ storagePk, teamHash, bytes, images = 1 }: Counted,
	access: Access,
) {
	const set = { images: sql`${storages.images} + ${images}`, bytes: sql`${storages.bytes} + ${bytes}` };
	const its = and(eq(storages.pk, storagePk), eq(storages.teamHash, teamHash), eq(storages.state, "active"));
	const open = and(its, mayStillWrite(access), limitsAsRead(access));
	return queries.update(storages).set(set).where(open);
}

/** The condition that the limits are those that were read with the caller. */
function limitsAsRead({ app, storage }: Access): SQL {
	const ofApp = sql`${apps.plan} = ${app.plan} AND ${apps.tier} = ${app.tier} AND ${apps.imagesLimit} IS ${app.imagesLimit}
		AND ${apps.limitsUsers} = ${Number(app.limitsUsers)}`;
	return sql`${storages.tier} = ${storage.tier} AND EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${app.pk} AND ${ofApp})`;
}

/** The counters include the new image already. */
export function storageSteps(
	appPk: number,
	storagePk: number,
	{ bytes, images: most }: Quota,
): readonly Step<"quota">[] {
	const limits = [
		[storages.bytes, bytes],
		[storages.images, most],
	] as const;
	return limits.flatMap(([counter, limit]) => {
		if (limit === null) return [];
		const held = sql`SELECT ${counter} FROM ${storages} WHERE ${storages.pk} = ${storagePk}`;
		return [condition(appPk, sql`(${held}) <= ${limit}`, "quota" as const)];
	});
}

// The limit is a condition on the counter's own row: no two commits can both take the last place.
export function countInApp(
	{ queries }: Database,
	appPk: number,
	{ bytes, images = 1 }: Pick<Counted, "bytes" | "images">,
	limit: number | null,
) {
	const set = { images: sql`${appUsage.images} + ${images}`, bytes: sql`${appUsage.bytes} + ${bytes}` };
	const its = and(eq(appUsage.appPk, appPk), limit === null ? undefined : lt(appUsage.images, limit));
	return queries.update(appUsage).set(set).where(its);
}

/** Counts an upload of the month; above the limit it touches no row. */
export function countUpload(
	{ queries }: Database,
	{ storagePk, nowMs }: { readonly storagePk: number; readonly nowMs: number },
	limit: number | null,
): Step<"quota"> {
	const row = { storagePk, month: monthOf(nowMs), uploads: 1, days: { [dayOfMonth(nowMs)]: 1 } };
	const further = {
		target: [monthlyUsage.storagePk, monthlyUsage.month],
		set: { uploads: sql`${monthlyUsage.uploads} + 1`, days: daysAfter(nowMs, 1) },
		...(limit !== null && { setWhere: lt(monthlyUsage.uploads, limit) }),
	};
	const run = queries.insert(monthlyUsage).values(row).onConflictDoUpdate(further);
	const rows = [rowsOf.monthlyUsage(storagePk)];
	return limit === null ? { run, rows } : { run, rows, guard: "quota" };
}

/** The uploads by day, with one more or less on the day of `atMs`. */
export function daysAfter(atMs: number, change: 1 | -1): SQL {
	const place = `$."${dayOfMonth(atMs)}"`;
	const counted = sql`coalesce(json_extract(${monthlyUsage.days}, ${place}), 0)`;
	return sql`json_set(${monthlyUsage.days}, ${place}, max(0, ${counted} + ${change}))`;
}
