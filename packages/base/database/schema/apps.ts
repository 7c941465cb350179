import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
	APP_PLAN_NAMES,
	BLOCK_REASONS,
	DELIVERY_POLICIES,
	GIVABLE_ROLES,
	IMAGE_HOST_STATES,
	OWN_PLAN_KEYS,
	PAUSERS,
	ROLES,
	STORAGE_KINDS,
	STORAGE_STATES,
	TAX_BEHAVIORS,
	TAX_MODES,
	TIER_NAMES,
} from "../../enumerations.ts";
import { accounts } from "./accounts.ts";
import { among, bytes } from "./columns.ts";

export const invites = sqliteTable(
	"invites",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		email: text().notNull(),
		emailNorm: text("email_norm").notNull(),
		role: text({ enum: GIVABLE_ROLES }).notNull(),
		/** SHA-256 of the token in the link. */
		tokenHash: bytes("token_hash").notNull().unique(),
		createdByPk: integer("created_by_pk")
			.notNull()
			.references(() => accounts.pk),
		expiresMs: integer("expires_ms").notNull(),
		acceptedMs: integer("accepted_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("invites_open").on(table.appPk, table.emailNorm).where(sql.raw("accepted_ms IS NULL")),
		check("invites_role", among("role", GIVABLE_ROLES)),
		check("invites_hash", sql.raw("length(token_hash) = 32")),
	],
);

export const redirectUris = sqliteTable(
	"redirect_uris",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		/** Compared byte for byte. */
		uri: text().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [uniqueIndex("redirect_uris_app").on(table.appPk, table.uri)],
);

/*
 * `pk` is internal and never leaves the service; `id` is public. Times are milliseconds since 1970 and end in `_ms`. All tables are STRICT,
 * and those whose primary key is not an integer WITHOUT ROWID: make-migration.ts sees to it. Drizzle has no triggers; they are written into
 * a migration by hand. Partial indexes compare with literals, and so must the queries that use them, since SQLite cannot prove `state = ?`.
 */

export const apps = sqliteTable(
	"apps",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		name: text().notNull(),
		/** The name folded for comparison, so that look-alikes collide. */
		nameFold: text("name_fold").notNull(),
		pausedMs: integer("paused_ms"),
		pausedBy: text("paused_by", { enum: PAUSERS }),
		blockedMs: integer("blocked_ms"),
		blockReason: text("block_reason", { enum: BLOCK_REASONS }),
		deletingMs: integer("deleting_ms"),
		signIn: integer("sign_in", { mode: "boolean" }).notNull().default(false),
		selling: integer({ mode: "boolean" }).notNull().default(false),
		/** The plan in force: the better one of what is paid for and what operators have granted. */
		plan: text({ enum: APP_PLAN_NAMES }).notNull().default("free"),
		/** The same where the service sells tiers: that of the App's own storage. */
		tier: text({ enum: TIER_NAMES }).notNull().default("free"),
		/** What operators have granted; null for nothing. */
		grantedPlan: text("granted_plan", { enum: OWN_PLAN_KEYS }),
		/** Whether the processor adds tax to what the App sells from now on, and whether prices hold it already. */
		taxMode: text("tax_mode", { enum: TAX_MODES }).notNull().default("none"),
		taxBehavior: text("tax_behavior", { enum: TAX_BEHAVIORS }).notNull().default("exclusive"),
		/** Whether buyers may enter the processor's own promotion codes. */
		promotionCodes: integer("promotion_codes", { mode: "boolean" }).notNull().default(false),
		/** Who is behind it, as JSON; null where nobody said so. */
		profile: text(),
		/** Which addresses of its images the transform host answers. */
		delivery: text({ enum: DELIVERY_POLICIES }).notNull().default("open"),
		/** The hosts whose pages may show its images; null: all. */
		deliveryReferrers: text("delivery_referrers", { mode: "json" }).$type<readonly string[]>(),
		/** What is served, and made, of its images on a day at most; null: any number. */
		deliveryBytesLimit: integer("delivery_bytes_limit"),
		deliveryRenditionsLimit: integer("delivery_renditions_limit"),
		/** Counts the changes of its presets and signing keys: who has read them knows by it whether they are still the same. */
		deliveryVersion: integer("delivery_version").notNull().default(0),
		/** The host of its own that its images are to be served at, and whether its record has been seen. */
		imageHost: text("image_host"),
		imageHostState: text("image_host_state", { enum: IMAGE_HOST_STATES }),
		/** What the record has to say. */
		imageHostValue: text("image_host_value"),
		/** Since when the record is not there; null where it was at the last look, or nobody has looked. */
		imageHostMissingMs: integer("image_host_missing_ms"),
		imageHostAskedMs: integer("image_host_asked_ms"),
		/** Null: the plan's own limit. */
		imagesLimit: integer("images_limit"),
		usersLimit: integer("users_limit"),
		/** What the storage of a user without a plan holds; null: any number. */
		freeImagesLimit: integer("free_images_limit"),
		freeBytesLimit: integer("free_bytes_limit"),
		/** Whether those two or any of its plans limit users' storages: uploads of all other Apps ask no further. */
		limitsUsers: integer("limits_users", { mode: "boolean" }).notNull().default(false),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("apps_verified_host").on(table.imageHost).where(sql.raw("image_host_state = 'verified'")),
		index("apps_asked_host").on(table.imageHostAskedMs).where(sql.raw("image_host IS NOT NULL")),
		check("apps_plan", among("plan", APP_PLAN_NAMES)),
		check("apps_flags", sql.raw("sign_in IN (0, 1) AND selling IN (0, 1)")),
		check("apps_limits", sql.raw("coalesce(images_limit, 0) >= 0 AND coalesce(users_limit, 0) >= 0")),
	],
);

/** Hosts of Apps that have ended, for as long as no other App can have them. */
export const endedImageHosts = sqliteTable("ended_image_hosts", {
	host: text().primaryKey(),
	endedMs: integer("ended_ms").notNull(),
});

/** Counters over all storages of an App; the quota is a condition on this row. */
export const appUsage = sqliteTable(
	"app_usage",
	{
		appPk: integer("app_pk")
			.primaryKey()
			.references(() => apps.pk),
		images: integer().notNull().default(0),
		bytes: integer().notNull().default(0),
		users: integer().notNull().default(0),
		/** When a recount last agreed with the counters. */
		checkedMs: integer("checked_ms"),
	},
	() => [check("app_usage_counters", sql.raw("images >= 0 AND bytes >= 0 AND users >= 0"))],
);

/** WITHOUT ROWID. Deleting an image never lowers it: an upload has happened. */
export const monthlyUsage = sqliteTable(
	"monthly_usage",
	{
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk),
		/** UTC, as `2026-11`. */
		month: text().notNull(),
		uploads: integer().notNull().default(0),
		/** The same by the day of the month, as `{"07": 3}`: counted in the statement that counts the month, which costs a create nothing. */
		days: text({ mode: "json" }).$type<Readonly<Record<string, number>>>().notNull().default({}),
	},
	(table) => [
		primaryKey({ columns: [table.storagePk, table.month] }),
		check("monthly_usage_counters", sql.raw("uploads >= 0 AND month GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]'")),
	],
);

/** WITHOUT ROWID. What was served of a storage on a day, besides its uploads; each process adds to it at most a minute late. */
export const dailyUsage = sqliteTable(
	"daily_usage",
	{
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk, { onDelete: "cascade" }),
		/** Days since 1970, UTC. */
		day: integer().notNull(),
		requests: integer().notNull(),
		imageRequests: integer("image_requests").notNull(),
		bytesServed: integer("bytes_served").notNull(),
		renditions: integer().notNull(),
	},
	(table) => [primaryKey({ columns: [table.storagePk, table.day] })],
);

/** WITHOUT ROWID. The people of an App. */
export const members = sqliteTable(
	"members",
	{
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		role: text({ enum: ROLES }).notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.appPk, table.accountPk] }),
		uniqueIndex("members_one_owner").on(table.appPk).where(sql.raw("role = 'owner'")),
		index("members_account").on(table.accountPk),
		check("members_role", among("role", ROLES)),
	],
);

export const storages = sqliteTable(
	"storages",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		kind: text({ enum: STORAGE_KINDS }).notNull(),
		accountPk: integer("account_pk").references(() => accounts.pk),
		/** The team segment of every image address: a capability. */
		teamHash: text("team_hash").notNull().unique(),
		state: text({ enum: STORAGE_STATES }).notNull(),
		images: integer().notNull().default(0),
		bytes: integer().notNull().default(0),
		createdMs: integer("created_ms").notNull(),
		/** The storage's size limit, where the interface sells storages rather than Apps. */
		tier: text({ enum: TIER_NAMES }).notNull().default("free"),
		/** The visibility of an image whose create names none, where images have a visibility. */
		publicByDefault: integer("public_by_default", { mode: "boolean" }).notNull().default(false),
	},
	(table) => [
		uniqueIndex("storages_app").on(table.appPk).where(sql.raw("kind = 'app'")),
		// A storage that is being deleted stays beside the fresh one of a reconnected user.
		uniqueIndex("storages_user").on(table.appPk, table.accountPk).where(sql.raw("kind = 'user' AND state = 'active'")),
		uniqueIndex("storages_personal").on(table.accountPk).where(sql.raw("kind = 'personal' AND state = 'active'")),
		uniqueIndex("storages_anonymous").on(table.kind).where(sql.raw("kind = 'anonymous'")),
		// For storages of any kind and state: those that an App or an account that is deleted still has.
		index("storages_of_app").on(table.appPk),
		index("storages_of_account").on(table.accountPk).where(sql.raw("account_pk IS NOT NULL")),
		check("storages_kind", among("kind", STORAGE_KINDS)),
		check("storages_state", among("state", STORAGE_STATES)),
		check("storages_counters", sql.raw("images >= 0 AND bytes >= 0")),
		check("storages_tier", among("tier", TIER_NAMES)),
		check("storages_visibility", sql.raw("public_by_default IN (0, 1)")),
	],
);
