import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Step } from "./client.ts";
import { column } from "./names.ts";
import { apps } from "./schema/apps.ts";

/*
 * Conditions of a change that are not about the row that it changes. Each is an update that changes nothing, of exactly one row where
 * the condition holds: a guard counts the rows.
 */

/** Refuses the change unless the App is there and the condition holds. */
export function condition<Cause extends string>(appPk: number | SQL, holds: SQL, guard: Cause): Step<Cause> {
	return rowCondition(apps.name, sql`${apps.pk} = ${appPk} AND (${holds})`, guard);
}

/**
 * Refuses the change unless exactly one row of a table is as `where` says, where no App is at hand.
 * @param kept any column of the table that no index holds: it is set to what it is
 */
export function rowCondition<Cause extends string>(kept: SQLiteColumn, where: SQL, guard: Cause): Step<Cause> {
	return { run: sql`UPDATE ${kept.table} SET ${column(kept)} = ${kept} WHERE ${where}`, guard };
}
