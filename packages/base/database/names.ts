import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** The bare name of a column, where SQL allows no table before it: left of `SET`, in the list of an INSERT, in RETURNING. */
export function column(of: SQLiteColumn): SQL {
	return sql`${sql.identifier(of.name)}`;
}

/** The bare names of several columns, with commas between them. */
export function columns(...of: readonly SQLiteColumn[]): SQL {
	return sql.join(of.map(column), sql`, `);
}
