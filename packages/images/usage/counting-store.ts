import type { Access } from "@svc/apps/access";
import { rowsOf } from "@svc/base/database/rows";
import { apps, appUsage, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { condition, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement, type Places } from "@svc/base/database/write/kept-statements";
import { type AuthorityShape, type AuthorityValues, authorityOf, stillWrites } from "@svc/keys/authority-store";
import { and, eq, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
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
export function countInStorage({ storagePk, teamHash, bytes, images = 1 }: Counted, access: Access): SQLWrapper {
	const { app, storage } = access;
	const { values, shape } = authorityOf(access);
	const limits = { plan: app.plan, tier: app.tier, imagesLimit: app.imagesLimit, limitsUsers: Number(app.limitsUsers) };
	const counted = { countedPk: storagePk, teamHash, bytes, images, storageTier: storage.tier };
	return countStored({ ...counted, ...limits, ...values }, ...shape);
}

interface CountedValues extends AuthorityValues, Pick<Access["app"], "plan" | "tier" | "imagesLimit"> {
	readonly countedPk: number;
	readonly teamHash: string;
	readonly bytes: number;
	readonly images: number;
	readonly storageTier: string;
	readonly limitsUsers: number;
}

const countStored = keptStatement<CountedValues, AuthorityShape>((at, ...by) => {
	const set = { images: sql`${storages.images} + ${at.images}`, bytes: sql`${storages.bytes} + ${at.bytes}` };
	const its = and(eq(storages.pk, at.countedPk), eq(storages.teamHash, at.teamHash), eq(storages.state, "active"));
	return statements
		.update(storages)
		.set(set)
		.where(and(its, stillWrites(at, ...by), limitsAsRead(at)));
});

/** The condition that the limits are those that were read with the caller. */
function limitsAsRead(at: Places<CountedValues>): SQL {
	const ofApp = sql`${apps.plan} = ${at.plan} AND ${apps.tier} = ${at.tier} AND ${apps.imagesLimit} IS ${at.imagesLimit}
		AND ${apps.limitsUsers} = ${at.limitsUsers}`;
	return sql`${storages.tier} = ${at.storageTier} AND EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${at.appPk} AND ${ofApp})`;
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

export function countInApp(
	appPk: number,
	{ bytes, images = 1 }: Pick<Counted, "bytes" | "images">,
	limit: number | null,
): SQLWrapper {
	return countOfApp({ appPk, bytes, images, ...(limit !== null && { limit }) }, limit !== null);
}

interface AppCounted {
	readonly appPk: number;
	readonly bytes: number;
	readonly images: number;
	readonly limit?: number;
}

// The limit is a condition on the counter's own row: no two commits can both take the last place.
const countOfApp = keptStatement<AppCounted, [isLimited: boolean]>((at, isLimited) => {
	const set = { images: sql`${appUsage.images} + ${at.images}`, bytes: sql`${appUsage.bytes} + ${at.bytes}` };
	const its = and(eq(appUsage.appPk, at.appPk), isLimited ? lt(appUsage.images, at.limit) : undefined);
	return statements.update(appUsage).set(set).where(its);
});

/** Counts an upload of the month; above the limit it touches no row. */
export function countUpload(
	{ storagePk, nowMs }: { readonly storagePk: number; readonly nowMs: number },
	limit: number | null,
): Step<"quota"> {
	const day = dayOfMonth(nowMs);
	const upload = { storagePk, month: monthOf(nowMs), days: { [day]: 1 }, place: placeOf(day) };
	const run = countOfMonth({ ...upload, ...(limit !== null && { limit }) }, limit !== null);
	const rows = [rowsOf.monthlyUsage(storagePk)];
	return limit === null ? { run, rows } : { run, rows, guard: "quota" };
}

interface MonthCounted {
	readonly storagePk: number;
	readonly month: string;
	readonly days: Readonly<Record<string, number>>;
	/** Of the day in `days`. */
	readonly place: string;
	readonly limit?: number;
}

const countOfMonth = keptStatement<MonthCounted, [isLimited: boolean]>((at, isLimited) => {
	const { storagePk, month, days } = at;
	const further = {
		target: [monthlyUsage.storagePk, monthlyUsage.month],
		set: { uploads: sql`${monthlyUsage.uploads} + 1`, days: daysChanged(at.place, 1) },
		...(isLimited && { setWhere: lt(monthlyUsage.uploads, at.limit) }),
	};
	return statements.insert(monthlyUsage).values({ storagePk, month, days, uploads: 1 }).onConflictDoUpdate(further);
});

/** The uploads by day, with one more or less on the day of `atMs`. */
export function daysAfter(atMs: number, change: 1 | -1): SQL {
	return daysChanged(placeOf(dayOfMonth(atMs)), change);
}

const placeOf = (day: string) => `$."${day}"`;

function daysChanged(place: string | SQLWrapper, change: 1 | -1): SQL {
	const counted = sql`coalesce(json_extract(${monthlyUsage.days}, ${place}), 0)`;
	return sql`json_set(${monthlyUsage.days}, ${place}, max(0, ${counted} + ${change}))`;
}
