import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { APP_IMPORT_STATES } from "../../../enumerations.ts";
import { among, bytes } from "../columns.ts";

/** Apps that come from another installation, item by item: there is no App before the last of them is here. */
export const appImports = sqliteTable(
	"app_imports",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		/** SHA-256 of the file's manifest: the same file goes on where it stopped. */
		file: bytes().notNull(),
		appId: text("app_id").notNull(),
		/** Where it comes from, as the file says. */
		installation: text().notNull(),
		/** How many records of images the file says that it has. */
		images: integer().notNull(),
		state: text({ enum: APP_IMPORT_STATES }).notNull(),
		/** What is stored of it goes a day after it was last heard of. */
		touchedMs: integer("touched_ms").notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("app_imports_app").on(table.appId),
		index("app_imports_age").on(table.touchedMs),
		check("app_imports_state", among("state", APP_IMPORT_STATES)),
		check("app_imports_file", sql.raw("length(file) = 32")),
	],
);

/** What of them is here, each record as it was found to be valid. */
export const appImportRecords = sqliteTable(
	"app_import_records",
	{
		/** In the order in which they came, which is that of the images' own numbers. */
		pk: integer().primaryKey({ autoIncrement: true }),
		importPk: integer("import_pk")
			.notNull()
			.references(() => appImports.pk, { onDelete: "cascade" }),
		kind: text().notNull(),
		id: text().notNull(),
		/** JSON, as the move's own reader of records has written it. */
		data: text().notNull(),
		/** Of an image: what its master is, and where it lies once it is here. */
		sha256: bytes(),
		blobKey: text("blob_key"),
	},
	(table) => [
		uniqueIndex("app_import_records_id").on(table.importPk, table.id),
		index("app_import_records_kind").on(table.importPk, table.kind, table.pk),
		index("app_import_records_master").on(table.importPk, table.sha256).where(sql.raw("sha256 IS NOT NULL")),
	],
);
