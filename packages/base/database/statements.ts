import { lt, type SQL, sql } from "drizzle-orm";
import {
	SQLiteAsyncDialect,
	type SQLiteColumn,
	type SQLiteTable,
	type SQLiteUpdateSetSource,
} from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { noRows, type Rows } from "./rows.ts";
import { apps } from "./schema/apps.ts";
import type { Step } from "./step.ts";

/** Refuses the change unless the App exists and the condition holds. */
export function condition<Cause extends string>(appPk: number | SQL, holds: SQL, guard: Cause): Step<Cause> {
	return rowCondition(apps.name, sql`${apps.pk} = ${appPk} AND (${holds})`, guard);
}

/**
 * Refuses the change unless exactly one row of a table matches `where`, where no App is known.
 * @param kept any column of the table that no index holds: it is set to its own value
 */
export function rowCondition<Cause extends string>(kept: SQLiteColumn, where: SQL, guard: Cause): Step<Cause> {
	const run = sql`UPDATE ${kept.table} SET ${column(kept)} = ${kept} WHERE ${where}`;
	return { run, guard, kind: "update", rows: [noRows(kept.table)] };
}

/** The condition for the next page of a list, newest first; none for the first page. */
export function olderThan(column: SQLiteColumn, before: number | undefined): SQL | undefined {
	return before === undefined ? undefined : lt(column, before);
}

/** The bare name of a column, where SQL allows no table before it: left of `SET`, in the list of an INSERT, in RETURNING. */
export function column(of: SQLiteColumn): SQL {
	return sql`${sql.identifier(of.name)}`;
}

/** The bare names of several columns, with commas between them. */
export function columns(...of: readonly SQLiteColumn[]): SQL {
	return sql.join(of.map(column), sql`, `);
}

const dialect = new SQLiteAsyncDialect();

/** A part without values, as text: to build it anew for each call can cost more than to run it. */
export function asText(part: SQL): SQL {
	return sql.raw(dialect.sqlToQuery(part).sql);
}

/** Builds the statements of a change, as `queries` builds reads. It has no connection: only `write` runs its statements, as steps. */
export const statements = drizzle(() => Promise.reject(new Error("A statement of a change is run by `write`.")));

/** Sets the columns in `set` in the rows that match `where`; with a guard exactly one row must match. `rows`: see {@link Step}. */
export function updateStep<Table extends SQLiteTable, Cause extends string = never>(
	table: Table,
	set: SQLiteUpdateSetSource<Table>,
	where: SQL | undefined,
	guard?: Cause,
	rows?: readonly Rows[],
): Step<Cause> {
	const run = statements.update(table).set(set).where(where);
	return { run, kind: "update", ...(guard !== undefined && { guard }), ...(rows && { rows }) };
}

/** The columns of RETURNING, under the schema's own names: by default a step's rows have the database's names. */
export function returned<Name extends string>(fields: Readonly<Record<Name, SQLiteColumn>>): Record<Name, SQL.Aliased> {
	const named = Object.entries<SQLiteColumn>(fields).map(([name, of]) => [name, sql`${of}`.as(name)]);
	return Object.fromEntries(named) as Record<Name, SQL.Aliased>;
}
