import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { processes } from "./schema/work/fleet.ts";

/**
 * Whether the process that a row names is still at work, as far as the others know. A row that names none was written by a release that did
 * not say: its lease alone counts.
 */
export function lives(process: SQLiteColumn): SQL<number> {
	return sql<number>`(${process} IS NULL OR EXISTS (SELECT 1 FROM ${processes} WHERE ${processes.id} = ${process}))`;
}
