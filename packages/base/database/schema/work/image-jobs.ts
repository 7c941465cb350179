import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { storages } from "../apps.ts";
import { jobs } from "./jobs.ts";

type Json = Readonly<Record<string, unknown>>;

/** Changes of all images that a filter finds, each by the job with the same id; gone when that has ended. */
export const imageJobs = sqliteTable(
	"image_jobs",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		/** That of its job. */
		id: text()
			.notNull()
			.unique()
			.references(() => jobs.id, { onDelete: "cascade" }),
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk, { onDelete: "cascade" }),
		/** The connected user whose storage it is, as the App knows them; null for the App's own. */
		userId: text("user_id"),
		/** The session or token by whose authority it works. */
		sessionId: text("session_id").notNull(),
		requestId: text("request_id"),
		filter: text({ mode: "json" }).$type<Json>().notNull(),
		act: text({ mode: "json" }).$type<Json>().notNull(),
		/** No younger image is found. */
		newestPk: integer("newest_pk").notNull(),
		/** Whether all images that it is about are among its items, or have been. */
		listed: integer({ mode: "boolean" }).notNull().default(false),
		changed: integer().notNull().default(0),
		/** How many images were left as they are, by the reason. */
		skipped: text({ mode: "json" }).$type<Readonly<Record<string, number>>>().notNull().default({}),
		cancelledMs: integer("cancelled_ms"),
	},
	(table) => [
		index("image_jobs_storage").on(table.storagePk),
		check("image_jobs_json", sql.raw("json_valid(filter) AND json_valid(act) AND json_valid(skipped)")),
	],
);

/** WITHOUT ROWID. Images that wait for their turn. No foreign key to images: an item whose image is gone is counted as such. */
export const imageJobItems = sqliteTable(
	"image_job_items",
	{
		jobPk: integer("job_pk")
			.notNull()
			.references(() => imageJobs.pk, { onDelete: "cascade" }),
		imagePk: integer("image_pk").notNull(),
		imageId: text("image_id").notNull(),
	},
	(table) => [primaryKey({ columns: [table.jobPk, table.imagePk] })],
);
