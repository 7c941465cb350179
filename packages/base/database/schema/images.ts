import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
	BLOB_STATES,
	BLOCK_REASONS,
	DAMAGE_KINDS,
	IMAGE_FORMATS,
	IMAGE_STATUSES,
	KEPT_CREATE_STATES,
	KEPT_FACTS,
} from "../../enumerations.ts";
import { apps, storages } from "./apps.ts";
import { among, bytes } from "./columns.ts";

type TextMap = Readonly<Record<string, string>>;

export const images = sqliteTable(
	"images",
	{
		/** AUTOINCREMENT: a cursor holds it, so it must never be given to a second image. */
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk),
		status: text({ enum: IMAGE_STATUSES }).notNull(),
		lockedMs: integer("locked_ms"),
		blockReason: text("block_reason", { enum: BLOCK_REASONS }),
		nsfw: integer({ mode: "boolean" }).notNull().default(false),
		/** Null where the variant knows no visibility. */
		public: integer({ mode: "boolean" }),
		filename: text().notNull(),
		format: text({ enum: IMAGE_FORMATS }).notNull(),
		width: integer().notNull(),
		height: integer().notNull(),
		bytes: integer().notNull(),
		sha256: bytes().notNull(),
		/** Of the bytes that were sent or fetched, where these are others than the stored ones. */
		sentSha256: bytes("sent_sha256"),
		/** The App's own name for it; null where it gave none. */
		externalId: text("external_id"),
		blobKey: text("blob_key").notNull().unique(),
		publishedMs: integer("published_ms").notNull(),
		expiresMs: integer("expires_ms"),
		createdMs: integer("created_ms").notNull(),
		caption: text().notNull().default(""),
		metadata: text({ mode: "json" }).$type<TextMap>().notNull().default({}),
		labels: text({ mode: "json" }).$type<TextMap>().notNull().default({}),
		revision: integer().notNull().default(1),
		/** The hash of the create's Idempotency-Key: a lost idempotency row can be rebuilt from the image itself. */
		idempotencyHash: bytes("idempotency_hash"),
		idempotencyFingerprint: bytes("idempotency_fingerprint"),
		/** What it is found by, as `search-words.ts` writes it; null while that is to be written. Triggers bring it to `image_words`. */
		words: text(),
	},
	(table) => [
		index("images_list").on(table.storagePk, sql`published_ms DESC`, sql`pk DESC`).where(sql.raw("status = 'ready'")),
		index("images_processing")
			.on(table.storagePk, sql`published_ms DESC`, sql`pk DESC`)
			.where(sql.raw("status = 'processing'")),
		// Lists of an App's team by state: what no list shows, and what nobody may change.
		index("images_unlisted")
			.on(table.storagePk, table.status, sql`published_ms DESC`, sql`pk DESC`)
			.where(sql.raw("status = 'blocked' OR status = 'failed'")),
		index("images_held")
			.on(table.storagePk, sql`published_ms DESC`, sql`pk DESC`)
			.where(sql.raw("locked_ms IS NOT NULL")),
		// What lists are narrowed by: formats in the order of a list, the others to find the few that fit.
		index("images_formats")
			.on(table.storagePk, table.format, sql`published_ms DESC`, sql`pk DESC`)
			.where(sql.raw("status = 'ready'")),
		index("images_created").on(table.storagePk, table.createdMs).where(sql.raw("status = 'ready'")),
		index("images_filenames").on(table.storagePk, table.filename).where(sql.raw("status = 'ready'")),
		index("images_expiring")
			.on(table.storagePk, table.expiresMs)
			.where(sql.raw("status = 'ready' AND expires_ms IS NOT NULL")),
		index("images_expiry").on(table.expiresMs).where(sql.raw("expires_ms IS NOT NULL")),
		uniqueIndex("images_idempotency")
			.on(table.storagePk, table.idempotencyHash)
			.where(sql.raw("idempotency_hash IS NOT NULL")),
		// For images of any status: those that a deleted storage still holds, and whether it holds any.
		index("images_storage").on(table.storagePk),
		index("images_unworded").on(table.pk).where(sql.raw("words IS NULL")),
		index("images_unready").on(table.status, table.pk).where(sql.raw("status <> 'ready'")),
		index("images_locked").on(table.pk).where(sql.raw("locked_ms IS NOT NULL")),
		index("images_nsfw").on(table.pk).where(sql.raw("nsfw = 1")),
		index("images_public").on(table.pk).where(sql.raw("public = 1")),
		index("images_app").on(table.appPk, table.pk),
		uniqueIndex("images_external_id").on(table.storagePk, table.externalId).where(sql.raw("external_id IS NOT NULL")),
		index("images_sent").on(table.storagePk, sql.raw("coalesce(sent_sha256, sha256)")),
		check("images_status", among("status", IMAGE_STATUSES)),
		check("images_flags", sql.raw("nsfw IN (0, 1) AND coalesce(public, 0) IN (0, 1)")),
		check("images_sizes", sql.raw("width >= 0 AND height >= 0 AND bytes >= 0")),
		check("images_sha256", sql.raw("length(sha256) = 32")),
		check("images_json", sql.raw("json_type(metadata) = 'object' AND json_type(labels) = 'object'")),
	],
);

/**
 * WITHOUT ROWID. The labels of listed images only (`ready`, or `processing` too), in the order of a list: every leg of a label query streams from one of these
 * indexes. `expires_ms` is the image's own, kept here so that a leg can leave out expired images without visiting them.
 */
export const imageLabels = sqliteTable(
	"image_labels",
	{
		storagePk: integer("storage_pk").notNull(),
		key: text().notNull(),
		value: text().notNull(),
		publishedMs: integer("published_ms").notNull(),
		imagePk: integer("image_pk")
			.notNull()
			.references(() => images.pk, { onDelete: "cascade" }),
		expiresMs: integer("expires_ms"),
	},
	(table) => [
		primaryKey({ columns: [table.storagePk, table.key, table.value, table.publishedMs, table.imagePk] }),
		index("labels_by_key").on(table.storagePk, table.key, table.publishedMs, table.imagePk),
		uniqueIndex("labels_by_image").on(table.imagePk, table.key),
	],
);

/** WITHOUT ROWID. The words by which images are found, each where an image has it; written and removed by triggers on `images`. */
export const imageWords = sqliteTable(
	"image_words",
	{
		storagePk: integer("storage_pk").notNull(),
		word: text().notNull(),
		imagePk: integer("image_pk").notNull(),
	},
	(table) => [primaryKey({ columns: [table.storagePk, table.word, table.imagePk] })],
);

/** WITHOUT ROWID. Creates with an Idempotency-Key; the claim is a random nonce that fences off a request that lost the lease. */
export const idempotency = sqliteTable(
	"idempotency",
	{
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk),
		keyHash: bytes("key_hash").notNull(),
		fingerprint: bytes().notNull(),
		imageId: text("image_id").notNull(),
		claim: text().notNull(),
		state: text({ enum: KEPT_CREATE_STATES }).notNull(),
		leaseMs: integer("lease_ms").notNull(),
		/** The image as JSON: a takeover finishes a stored create with it, without the caller's file; once done, it is the answer. */
		recovery: text(),
		createdMs: integer("created_ms").notNull(),
		/** When the row expires: a day after the image's creation, or two leases after a claim's own. */
		expiresMs: integer("expires_ms").notNull(),
		/** The id of the process that holds the claim; null for one of a release that did not say. */
		process: text(),
	},
	(table) => [
		primaryKey({ columns: [table.storagePk, table.keyHash] }),
		index("idempotency_expiry").on(table.expiresMs),
		check("idempotency_state", among("state", KEPT_CREATE_STATES)),
	],
);

/**
 * WITHOUT ROWID. Images that were deleted and can be restored for a day. No foreign keys: whoever removes a storage need not know of them. A
 * row goes before the bytes of its blob do, so that none is restored without them.
 */
export const deletedImages = sqliteTable(
	"deleted_images",
	{
		id: text().primaryKey(),
		storagePk: integer("storage_pk").notNull(),
		blobKey: text("blob_key").notNull(),
		deletedMs: integer("deleted_ms").notNull(),
		/** All columns of the image as JSON, by their names in the database; bytes in hexadecimal. */
		image: text().notNull(),
	},
	(table) => [
		index("deleted_images_storage").on(table.storagePk),
		index("deleted_images_list").on(table.storagePk, sql`deleted_ms DESC`, sql`(image ->> 'pk') DESC`),
		index("deleted_images_age").on(table.deletedMs),
		uniqueIndex("deleted_images_blob").on(table.blobKey),
	],
);

/** WITHOUT ROWID. Every blob that may have been written and may still exist; dead ones are removed a day later. */
export const blobs = sqliteTable(
	"blobs",
	{
		blobKey: text("blob_key").primaryKey(),
		state: text({ enum: BLOB_STATES }).notNull(),
		/** When it entered this state. */
		sinceMs: integer("since_ms").notNull(),
	},
	(table) => [
		index("blobs_pending").on(table.sinceMs).where(sql.raw("state = 'pending'")),
		index("blobs_dead").on(table.sinceMs).where(sql.raw("state = 'dead'")),
		check("blobs_state", among("state", BLOB_STATES)),
	],
);

/**
 * WITHOUT ROWID. Blobs that were found damaged or missing, until they are found whole again or are forgotten. A row says nothing about
 * an image that is gone: whoever reads joins the images.
 */
export const damagedBlobs = sqliteTable("damaged_blobs", {
	blobKey: text("blob_key").primaryKey(),
	kind: text({ enum: DAMAGE_KINDS }).notNull(),
	/** Null where there is nothing, or nothing that can be read. */
	foundBytes: integer("found_bytes"),
	foundMs: integer("found_ms").notNull(),
});

/**
 * WITHOUT ROWID. Facts about a picture, so that they are found once. Apart from the images, which are read for every
 * request: a mask takes thousands of bytes.
 */
export const imageAnalyses = sqliteTable(
	"image_facts",
	{
		blobKey: text("blob_key").notNull(),
		kind: text({ enum: KEPT_FACTS }).notNull(),
		value: bytes().notNull(),
		foundMs: integer("found_ms").notNull(),
	},
	(table) => [primaryKey({ columns: [table.blobKey, table.kind] })],
);
