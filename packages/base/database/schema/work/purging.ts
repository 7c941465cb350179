import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Where purges of the caches in front are sent: one row, or none where there is no such cache. Triggers write purges only while there is it.
 */
export const purgeTarget = sqliteTable(
	"purge_target",
	{
		pk: integer().primaryKey(),
		/** Calls in a row that it did not take. */
		failures: integer().notNull().default(0),
		/** Nothing is sent before; by the machines' own clocks, as the lease. */
		pausedMs: integer("paused_ms").notNull().default(0),
		/** Random: identifies who sends at present. */
		claim: text(),
		leaseMs: integer("lease_ms").notNull().default(0),
		/** The process that sends, by its id. A trigger ends the lease once that process is known to be dead. */
		process: text(),
	},
	() => [check("purge_target_one", sql.raw("pk = 1"))],
);

/**
 * What the caches in front must forget, in the commits that make it so: triggers write them, for images that are deleted, replaced, moved or
 * blocked, for storages that go, and for Apps that change which addresses are answered.
 */
export const waitingPurges = sqliteTable(
	"waiting_purges",
	{
		/** AUTOINCREMENT: a tag that is written again while it is sent must have another number. */
		pk: integer().primaryKey({ autoIncrement: true }),
		tag: text().notNull(),
		/** By the database's clock. */
		createdMs: integer("created_ms").notNull(),
		/** When it is sent next. What failed stands behind what was not tried. */
		nextMs: integer("next_ms").notNull().default(0),
	},
	(table) => [index("waiting_purges_due").on(table.nextMs, table.pk), index("waiting_purges_tag").on(table.tag)],
);
