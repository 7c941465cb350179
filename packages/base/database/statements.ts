import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import type { Step } from "./client.ts";

/** Builds the statements of a change, as `queries` builds reads. It has no connection: only `write` runs what it builds, as steps. */
export const statements = drizzle(() => Promise.reject(new Error("A statement of a change is run by `write`.")));

/** The rows of `where` become what `set` says; with a guard it must be exactly one. */
export function updateStep<Table extends SQLiteTable, Cause extends string = never>(
	table: Table,
	set: SQLiteUpdateSetSource<Table>,
	where: SQL | undefined,
	guard?: Cause,
): Step<Cause> {
	return { run: statements.update(table).set(set).where(where), ...(guard !== undefined && { guard }) };
}

/** What RETURNING gives back, under the schema's own names: the rows of a step come as the database names them. */
export function returned<Name extends string>(fields: Readonly<Record<Name, SQLiteColumn>>): Record<Name, SQL.Aliased> {
	const named = Object.entries<SQLiteColumn>(fields).map(([name, of]) => [name, sql`${of}`.as(name)]);
	return Object.fromEntries(named) as Record<Name, SQL.Aliased>;
}
