import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { appUsage, monthlyUsage, storages } from "./schema/apps.ts";
import { imageAnalyses, images } from "./schema/images.ts";
import { keys } from "./schema/keys.ts";

/** Some rows of a table, under the names that those who change them and those who keep something of them share. */
export interface Rows {
	readonly table: string;
	readonly names: readonly (number | string)[];
}

function named<Name extends number | string>(table: SQLiteTable) {
	const name = getTableName(table);
	return (...names: readonly Name[]): Rows => ({ table: name, names });
}

const storageCounts = named<string>(storages);

/** Rows of the tables of which something is kept, each table's by one name: what else would be named by two is stale in silence. */
export const rowsOf = {
	/** By the key of the blob. */
	analyses: named<string>(imageAnalyses),
	/** By the pk of the App. */
	appUsage: named<number>(appUsage),
	/** By public id. */
	images: named<string>(images),
	/** By pk. */
	keys: named<number>(keys),
	/** By the pk of the storage. */
	monthlyUsage: named<number>(monthlyUsage),
	/** By pk; without its counters, which every upload changes and few read. */
	storages: named<number>(storages),
	/** Its counters, by the same. */
	storageCounts: (...pks: readonly number[]) => storageCounts(...pks.map((pk) => `counts of ${pk}`)),
};

/** For a statement that writes to a table, and leaves all in it as it was. */
export function noRows(table: SQLiteTable): Rows {
	return { table: getTableName(table), names: [] };
}
