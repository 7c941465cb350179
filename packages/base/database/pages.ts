import { lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Where the next page of a list goes on, newest first; no condition at its beginning. */
export function olderThan(column: SQLiteColumn, before: number | undefined): SQL | undefined {
	return before === undefined ? undefined : lt(column, before);
}
