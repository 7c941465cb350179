import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
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
