import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BLOCK_REASONS, MODERATION_VERBS, REPORT_OUTCOMES } from "../../enumerations.ts";
import { bytes } from "./columns.ts";

/** Reports from the public about an image. Holds the image's id, so that it outlives the image. */
export const reports = sqliteTable(
	"reports",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		imageId: text("image_id").notNull(),
		appPk: integer("app_pk").notNull(),
		reason: text({ enum: BLOCK_REASONS }).notNull(),
		note: text(),
		/** The reporter's address, for questions; forgotten some time after the report is resolved. */
		email: text(),
		/** The language of the page on which it was written, for what the reporter hears; null where that is not known. */
		locale: text(),
		/** HMAC of the network address that sent it. */
		ipHash: bytes("ip_hash").notNull(),
		resolvedMs: integer("resolved_ms"),
		resolvedBy: text("resolved_by"),
		outcome: text({ enum: REPORT_OUTCOMES }),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("reports_open").on(table.imageId).where(sql.raw("resolved_ms IS NULL")),
		index("reports_image").on(table.imageId),
		index("reports_contact").on(table.resolvedMs).where(sql.raw("resolved_ms IS NOT NULL AND email IS NOT NULL")),
		check("reports_outcome", sql.raw("(outcome IS NULL) = (resolved_ms IS NULL)")),
	],
);

/** Operators' actions on images: the history that is shown. Holds ids, so that it outlives the image. */
export const moderationActions = sqliteTable(
	"moderation_actions",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		imageId: text("image_id").notNull(),
		appPk: integer("app_pk").notNull(),
		/** Public id of the operator. */
		actor: text().notNull(),
		action: text({ enum: MODERATION_VERBS }).notNull(),
		reason: text({ enum: BLOCK_REASONS }),
		note: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("moderation_actions_image").on(table.imageId, table.pk),
		index("moderation_actions_app").on(table.appPk, table.pk),
	],
);
