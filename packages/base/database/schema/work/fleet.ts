import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The processes that serve this database. Their times are the database's own, in milliseconds since 1970: clocks of machines differ. Of a
 * file there is one row, which is written at the start.
 */
export const processes = sqliteTable(
	"processes",
	{
		/** AUTOINCREMENT: the lowest one leads, and one that was taken for dead comes back as the last. */
		pk: integer().primaryKey({ autoIncrement: true }),
		/** Random, made by the process for its life. */
		id: text().notNull().unique(),
		version: text().notNull(),
		host: text().notNull(),
		startedMs: integer("started_ms").notNull(),
		beatMs: integer("beat_ms").notNull(),
		/** Since when it has beaten without a pause. */
		steadyMs: integer("steady_ms").notNull(),
		draining: integer({ mode: "boolean" }).notNull().default(false),
		/** What it last knew of the store of pictures; null before it looked. */
		blobsWork: integer("blobs_work", { mode: "boolean" }),
		/** By how much its clock is ahead of the database's; null before it was measured. */
		skewMs: integer("skew_ms"),
		/** Fingerprints of the secrets of the deployment that it has; null for one of a release that knows of none. */
		secrets: text(),
	},
	() => [check("processes_flags", sql.raw("draining IN (0, 1) AND coalesce(blobs_work, 0) IN (0, 1)"))],
);

/**
 * The blobs whose renditions must leave the disks of all machines, in the order of the commits that made it so: triggers write them, for
 * images that are deleted, blocked or get another master. Kept for hours.
 */
export const purges = sqliteTable(
	"purges",
	{
		seq: integer().primaryKey({ autoIncrement: true }),
		blobKey: text("blob_key").notNull(),
		/** By the database's clock, in seconds since 1970. */
		atSeconds: integer("at_s").notNull(),
	},
	(table) => [index("purges_age").on(table.atSeconds)],
);
