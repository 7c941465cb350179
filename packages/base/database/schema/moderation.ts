import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import {
	BLOCK_REASONS,
	IMAGE_FORMATS,
	LIKENESS_KINDS,
	MODERATION_VERBS,
	REPORT_OUTCOMES,
	REPORT_SOURCES,
	SCAN_VERDICTS,
} from "../../enumerations.ts";
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
		source: text({ enum: REPORT_SOURCES }).notNull().default("person"),
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
		/** The blocked image because of whose picture the service did it; null for all that somebody else did. */
		similarId: text("similar_id"),
		similarKind: text("similar_kind", { enum: LIKENESS_KINDS }),
		/** 0 to 1. */
		similarScore: real("similar_score"),
	},
	(table) => [
		index("moderation_actions_similar").on(table.similarId).where(sql.raw("similar_id IS NOT NULL")),
		index("moderation_actions_image").on(table.imageId, table.pk),
		index("moderation_actions_app").on(table.appPk, table.pk),
	],
);

/**
 * What is kept of each picture that was blocked, so that it does not come back: never the picture, and nothing of whose it was. It outlives the image;
 * an unblock removes it.
 */
export const blockedPictures = sqliteTable("blocked_pictures", {
	pk: integer().primaryKey({ autoIncrement: true }),
	imageId: text("image_id").notNull().unique(),
	reason: text({ enum: BLOCK_REASONS }).notNull(),
	note: text(),
	/** Where the picture is as long as there is one. */
	blobKey: text("blob_key").notNull(),
	format: text({ enum: IMAGE_FORMATS }).notNull(),
	width: integer().notNull(),
	height: integer().notNull(),
	sha256: bytes().notNull(),
	sentSha256: bytes("sent_sha256"),
	/** The small grey picture; empty where the picture has too little detail, null where it cannot be seen. */
	likeness: bytes(),
	/** A digest of all its pixels; null until it was looked at, empty where that cannot be. */
	pixels: text(),
	blockedMs: integer("blocked_ms").notNull(),
});

/** Pictures that are to be compared with the blocked ones, and to be found by their likeness from then on. Triggers on `images` fill it. */
export const pictureQueue = sqliteTable("picture_queue", {
	imagePk: integer("image_pk").primaryKey(),
	dueMs: integer("due_ms").notNull().default(0),
	tries: integer().notNull().default(0),
});

/** WITHOUT ROWID. The parts of the hashes of pictures, each with its number above its 16 bits. Triggers on `images` move and remove them. */
export const likenessBands = sqliteTable(
	"likeness_bands",
	{
		band: integer().notNull(),
		storagePk: integer("storage_pk").notNull(),
		imagePk: integer("image_pk").notNull(),
		/** The other parts, in their order, as one number. */
		rest: integer().notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.band, table.storagePk, table.imagePk] }),
		index("likeness_bands_image").on(table.imagePk),
	],
);

/** Images whose pictures wait for the judge of the operator's own; written by triggers where there is one. */
export const scans = sqliteTable(
	"scans",
	{
		/** Another one when the picture changes. */
		pk: integer().primaryKey({ autoIncrement: true }),
		imageId: text("image_id").notNull().unique(),
		dueMs: integer("due_ms").notNull().default(0),
		tries: integer().notNull().default(0),
		/** When what holds without a judge was done to it; null while it was not. */
		heldMs: integer("held_ms"),
	},
	(table) => [
		index("scans_due").on(table.dueMs, table.pk),
		index("scans_unheld").on(table.pk).where(sql.raw("held_ms IS NULL")),
	],
);

/** WITHOUT ROWID. What the judge has said of a picture, by the digest of its bytes as they were sent: it is asked once. */
export const scanVerdicts = sqliteTable(
	"scan_verdicts",
	{
		sha256: bytes().primaryKey(),
		verdict: text({ enum: SCAN_VERDICTS }).notNull(),
		reason: text({ enum: BLOCK_REASONS }).notNull(),
		judgedMs: integer("judged_ms").notNull(),
	},
	(table) => [index("scan_verdicts_age").on(table.judgedMs)],
);
