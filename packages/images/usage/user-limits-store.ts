import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { type SQL, sql } from "drizzle-orm";
import type { HeldLimits, Quota } from "./usage.ts";

/* What an App lets the storage of one of its users hold, by the plan that the user has. Who has which plan is not known here. */

/** Selects `images`, `bytes`, `plan_key` and `plan_name` of the user who has that storage; no row for a storage of nobody. */
export type UserLimitsQuery = (storagePk: number, nowMs: number) => SQL;

interface LimitedPlace {
	readonly appPk: number;
	readonly storagePk: number;
	readonly nowMs: number;
}

/**
 * The counters include what comes already: of two that come at once only one can take the last place.
 * @param what comes in: an image, or bytes for one that is there
 */
export function userLimitSteps(
	limits: UserLimitsQuery | undefined,
	{ appPk, storagePk, nowMs }: LimitedPlace,
	{ ofUser }: Quota,
	what: "image" | "bytes" = "image",
): readonly Step<"quota">[] {
	if (!ofUser || !limits) return [];
	const tooMany = what === "image" ? sql`${storages.images} > held.images OR` : sql``;
	const beyond = sql`SELECT 1 FROM ${storages} JOIN (${limits(storagePk, nowMs)}) AS held
		WHERE ${storages.pk} = ${storagePk} AND (${tooMany} ${storages.bytes} > held.bytes)`;
	return [condition(appPk, sql`NOT EXISTS (${beyond})`, "quota")];
}

type HeldRow = [images: number | null, bytes: number | null, key: string | null, name: string | null];

/** The limits of one storage as they are now; undefined where nothing limits it. */
export async function findUserLimits(
	{ queries, read }: Database,
	limits: UserLimitsQuery,
	storagePk: number,
	nowMs: number,
): Promise<HeldLimits | undefined> {
	const select = sql`SELECT images, bytes, plan_key, plan_name FROM (${limits(storagePk, nowMs)})`;
	const [row] = await read(() => queries.values<HeldRow>(select));
	if (!row) return undefined;
	const [images, bytes, key, name] = row;
	return { images, bytes, plan: key === null ? null : { key, name: name ?? key } };
}
