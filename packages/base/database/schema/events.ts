import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What happened to an App, each in the commit of its change. SQLite commits one change after the other, so the order of `pk` is the order of
 * the commits, in every process.
 */
export const events = sqliteTable(
	"events",
	{
		/** AUTOINCREMENT: readers go on behind the last one that they saw, so none may ever be given again. */
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		appPk: integer("app_pk").notNull(),
		/** The App's id of the user whom it is about; null for the App itself and its own storage. */
		userId: text("user_id"),
		type: text().notNull(),
		/** The public id of the object. */
		subject: text().notNull(),
		/** The object as the change left it, as JSON in the terms of its table. Null since its user was erased. */
		data: text(),
		requestId: text("request_id"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		// A page is merged from one range of it for each type that is wanted: a rare type is found without reading all others.
		index("events_feed").on(table.appPk, table.type, table.pk),
		index("events_subject").on(table.subject),
		index("events_user").on(table.userId, table.pk).where(sql.raw("user_id IS NOT NULL")),
	],
);
