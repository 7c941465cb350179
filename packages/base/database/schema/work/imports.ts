import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { IMPORT_ITEM_STATES, TICKET_MAKERS } from "../../../enumerations.ts";
import { apps, storages } from "../apps.ts";
import { among } from "../columns.ts";

/** Lists of addresses of which images are made, each by the job with the same id. */
export const imports = sqliteTable(
	"imports",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		/** That of its job. */
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		/** With the storage its imports go, whichever release removes it. */
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk, { onDelete: "cascade" }),
		/** The connected user, as the App knows them; null for the App's own storage. */
		userId: text("user_id"),
		/** Whose authority it has: the public id of a key, or of a session or token. */
		maker: text().notNull(),
		makerKind: text("maker_kind", { enum: TICKET_MAKERS }).notNull(),
		/** The request that made it. */
		requestId: text("request_id"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("imports_storage").on(table.storagePk, table.pk),
		index("imports_app").on(table.appPk),
		index("imports_age").on(table.createdMs),
		check("imports_maker", among("maker_kind", TICKET_MAKERS)),
	],
);

/** WITHOUT ROWID. */
export const importItems = sqliteTable(
	"import_items",
	{
		importPk: integer("import_pk")
			.notNull()
			.references(() => imports.pk, { onDelete: "cascade" }),
		/** Its place in the list, from 0. */
		place: integer().notNull(),
		url: text().notNull(),
		/** The fields of the image to be, as they are understood. */
		fields: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
		/** Chosen at the item's birth; no two tries make two images. */
		imageId: text("image_id").notNull(),
		state: text({ enum: IMPORT_ITEM_STATES }).notNull(),
		/** Tries that came to nothing, when the first of them began, and before when there is no other one. */
		tries: integer().notNull().default(0),
		sinceMs: integer("since_ms"),
		dueMs: integer("due_ms").notNull().default(0),
		/** The error object of an item that failed. */
		error: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>(),
	},
	(table) => [
		primaryKey({ columns: [table.importPk, table.place] }),
		index("import_items_state").on(table.importPk, table.state, table.place),
		check("import_items_state", among("state", IMPORT_ITEM_STATES)),
		check("import_items_place", sql.raw("place >= 0")),
	],
);
