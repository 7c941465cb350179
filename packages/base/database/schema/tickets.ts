import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { TICKET_MAKERS, TICKET_STATES, type TicketFormat } from "../../enumerations.ts";
import { apps, storages } from "./apps.ts";
import { among, bytes } from "./columns.ts";

/** Permissions to upload one image without a key. The address holds a token, of which this is the hash. */
export const uploadTickets = sqliteTable(
	"upload_tickets",
	{
		/** AUTOINCREMENT: a cursor holds it. */
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		/** SHA-256 of the token. */
		hash: bytes().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		/** With the storage its tickets go, whichever release removes it. */
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk, { onDelete: "cascade" }),
		/** The connected user, as the App knows them; null for the App's own storage. */
		userId: text("user_id"),
		/** Whose authority it has: the public id of a key, or of a session or token. */
		maker: text().notNull(),
		makerKind: text("maker_kind", { enum: TICKET_MAKERS }).notNull(),
		/** As it was last written. An open one may have ended since: by its time, or with its maker. */
		state: text({ enum: TICKET_STATES }).notNull(),
		/** Chosen at the ticket's birth; no two attempts make two images. */
		imageId: text("image_id").notNull(),
		maxBytes: integer("max_bytes").notNull(),
		formats: text({ mode: "json" }).$type<readonly TicketFormat[]>().notNull(),
		/** Null: any. */
		origins: text({ mode: "json" }).$type<readonly string[]>(),
		/** Of the image to be, as they were sent. */
		fields: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
		createdMs: integer("created_ms").notNull(),
		expiresMs: integer("expires_ms").notNull(),
		usedMs: integer("used_ms"),
		/** When it ended, or will end by its time. */
		endedMs: integer("ended_ms").notNull(),
		attempts: integer().notNull().default(0),
		/** The error object of the last refusal. */
		failure: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>(),
	},
	(table) => [
		index("upload_tickets_storage").on(table.storagePk, table.pk),
		index("upload_tickets_state").on(table.storagePk, table.state, table.pk),
		index("upload_tickets_open").on(table.appPk, table.endedMs).where(sql.raw("state = 'open'")),
		index("upload_tickets_due").on(table.endedMs).where(sql.raw("state = 'open'")),
		index("upload_tickets_over").on(table.endedMs).where(sql.raw("state <> 'open'")),
		check("upload_tickets_state", among("state", TICKET_STATES)),
		check("upload_tickets_maker", among("maker_kind", TICKET_MAKERS)),
		check("upload_tickets_hash", sql.raw("length(hash) = 32")),
	],
);
