import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { apps } from "./apps.ts";

/** Forms of an App's images under a name. */
export const presets = sqliteTable(
	"presets",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		name: text().notNull(),
		/** JSON: the parameters of an address, as they were sent. */
		parameters: text().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [uniqueIndex("presets_app").on(table.appPk, table.name)],
);

/** With what an App signs addresses of its images. */
export const signingKeys = sqliteTable(
	"signing_keys",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		name: text().notNull(),
		/** As it was shown, and not its digest: a signature is compared with the one that it makes. */
		secret: text().notNull(),
		last4: text().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [index("signing_keys_app").on(table.appPk)],
);

/**
 * WITHOUT ROWID. What was served of all images of an App on a day, for a month: what ceilings and the usual are compared with. No foreign key:
 * whoever removes an App need not know of it.
 */
export const deliveryDays = sqliteTable(
	"delivery_days",
	{
		/** Days since 1970, UTC. */
		day: integer().notNull(),
		appPk: integer("app_pk").notNull(),
		bytes: integer().notNull(),
		renditions: integer().notNull(),
		/** When the App's team was told that it is far more than usual; null while it was not. */
		warnedMs: integer("warned_ms"),
	},
	(table) => [primaryKey({ columns: [table.day, table.appPk] })],
);
