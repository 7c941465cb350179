import { type GetColumnData, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/* A row as it was at a moment, kept as JSON: releases read it later, whose tables have columns that it does not know. */

type Fields = Readonly<Record<string, SQLiteColumn>>;

/** JSON as it was kept. */
export type Kept = Readonly<Record<string, unknown>>;

type Snapshot<Row extends Fields> = { readonly [Name in keyof Row]: GetColumnData<Row[Name]> };

/** SQL that makes JSON of the columns of a row, under the names of the schema. Bytes have no JSON. */
export function snapshotOf(fields: Fields): SQL {
	const members = Object.entries(fields).map(([name, field]) => sql`${sql.raw(`'${name}'`)}, ${inJson(field)}`);
	return sql`json_object(${sql.join(members, sql`, `)})`;
}

function inJson(field: SQLiteColumn): SQL {
	if (field.dataType === "json") return sql`json(${field})`;
	if (field.dataType !== "boolean") return sql`${field}`;
	return sql`CASE WHEN ${field} IS NULL THEN NULL WHEN ${field} THEN json('true') ELSE json('false') END`;
}

/** The row of a snapshot. A column that its writer did not have is what a migration gives to rows of before: its default, or null. */
export function readSnapshot<Row extends Fields>(fields: Row, kept: Kept): Snapshot<Row> {
	const row = Object.entries(fields).map(([name, field]) => [
		name,
		name in kept ? kept[name] : (field.default ?? null),
	]);
	return Object.fromEntries(row) as Snapshot<Row>;
}
