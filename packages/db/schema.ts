import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { among, bytes } from "./columns.ts";

/*
 * `pk` is internal and never leaves the service; `id` is public. Times are milliseconds since 1970 and end in `_ms`. STRICT, WITHOUT ROWID
 * and triggers cannot be said here: they are written into the generated migrations by hand. Partial indexes compare with literals,
 * and so must the queries that want them, since SQLite cannot prove `state = ?`.
 */

export const accounts = sqliteTable(
	"accounts",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		/** As it was typed, for showing and mailing. */
		email: text().notNull(),
		emailNorm: text("email_norm").notNull().unique(),
		status: text({ enum: ["active", "disabled", "deleting"] }).notNull(),
		verifiedMs: integer("verified_ms"),
		createdMs: integer("created_ms").notNull(),
		/** Deleted for good: the row stays for what refers to it, without an address. */
		deletedMs: integer("deleted_ms"),
	},
	() => [check("accounts_status", among("status", ["active", "disabled", "deleting"]))],
);

/** Accounts that run the service itself. */
export const operators = sqliteTable("operators", {
	accountPk: integer("account_pk")
		.primaryKey()
		.references(() => accounts.pk),
	createdByPk: integer("created_by_pk").references(() => accounts.pk),
	createdMs: integer("created_ms").notNull(),
});

export const apps = sqliteTable(
	"apps",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		name: text().notNull(),
		/** The name folded for comparison, so that look-alikes collide. */
		nameFold: text("name_fold").notNull(),
		pausedMs: integer("paused_ms"),
		pausedBy: text("paused_by", { enum: ["owner", "operator"] }),
		blockedMs: integer("blocked_ms"),
		blockReason: text("block_reason"),
		deletingMs: integer("deleting_ms"),
		signIn: integer("sign_in", { mode: "boolean" }).notNull().default(false),
		selling: integer({ mode: "boolean" }).notNull().default(false),
		plan: text({ enum: ["free", "pro", "unlimited"] })
			.notNull()
			.default("free"),
		/** Null: the plan's own limit. */
		imagesLimit: integer("images_limit"),
		usersLimit: integer("users_limit"),
		createdMs: integer("created_ms").notNull(),
	},
	() => [
		check("apps_plan", among("plan", ["free", "pro", "unlimited"])),
		check("apps_flags", sql.raw("sign_in IN (0, 1) AND selling IN (0, 1)")),
		check("apps_limits", sql.raw("coalesce(images_limit, 0) >= 0 AND coalesce(users_limit, 0) >= 0")),
	],
);

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
	},
	(table) => [
		primaryKey({ columns: [table.storagePk, table.month] }),
		check("monthly_usage_counters", sql.raw("uploads >= 0 AND month GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]'")),
	],
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
		role: text({ enum: ["viewer", "editor", "admin", "owner"] }).notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.appPk, table.accountPk] }),
		uniqueIndex("members_one_owner").on(table.appPk).where(sql.raw("role = 'owner'")),
		index("members_account").on(table.accountPk),
		check("members_role", among("role", ["viewer", "editor", "admin", "owner"])),
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
		kind: text({ enum: ["app", "user", "personal", "anonymous"] }).notNull(),
		accountPk: integer("account_pk").references(() => accounts.pk),
		/** The team segment of every image address: a capability. */
		teamHash: text("team_hash").notNull().unique(),
		state: text({ enum: ["active", "deleting"] }).notNull(),
		images: integer().notNull().default(0),
		bytes: integer().notNull().default(0),
		createdMs: integer("created_ms").notNull(),
		/** What it may take in, where the interface sells storages rather than Apps. */
		tier: text({ enum: ["free", "pro", "scale", "max"] })
			.notNull()
			.default("free"),
		/** What an image becomes whose create says nothing, where images have a visibility. */
		publicByDefault: integer("public_by_default", { mode: "boolean" }).notNull().default(false),
	},
	(table) => [
		uniqueIndex("storages_app").on(table.appPk).where(sql.raw("kind = 'app'")),
		// A storage that is being deleted stays beside the fresh one of a reconnected user.
		uniqueIndex("storages_user").on(table.appPk, table.accountPk).where(sql.raw("kind = 'user' AND state = 'active'")),
		uniqueIndex("storages_personal").on(table.accountPk).where(sql.raw("kind = 'personal' AND state = 'active'")),
		uniqueIndex("storages_anonymous").on(table.kind).where(sql.raw("kind = 'anonymous'")),
		// Of whatever kind and state: what an App or an account that is deleted still holds.
		index("storages_of_app").on(table.appPk),
		index("storages_of_account").on(table.accountPk).where(sql.raw("account_pk IS NOT NULL")),
		check("storages_kind", among("kind", ["app", "user", "personal", "anonymous"])),
		check("storages_state", among("state", ["active", "deleting"])),
		check("storages_counters", sql.raw("images >= 0 AND bytes >= 0")),
		check("storages_tier", among("tier", ["free", "pro", "scale", "max"])),
		check("storages_visibility", sql.raw("public_by_default IN (0, 1)")),
	],
);

/** A person connected to an App. */
export const connections = sqliteTable(
	"connections",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		/** What the App knows this person by: another one in every App, the same over reconnects. */
		userId: text("user_id").notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		storagePk: integer("storage_pk").references(() => storages.pk),
		state: text({ enum: ["connected", "disconnecting", "gone"] }).notNull(),
		emailAtConsent: text("email_at_consent").notNull(),
		consentVersion: integer("consent_version").notNull(),
		createdMs: integer("created_ms").notNull(),
		endedMs: integer("ended_ms"),
	},
	(table) => [
		uniqueIndex("connections_person").on(table.appPk, table.accountPk),
		index("connections_app").on(table.appPk, table.pk),
		index("connections_account").on(table.accountPk),
		uniqueIndex("connections_storage").on(table.storagePk).where(sql.raw("storage_pk IS NOT NULL")),
		check("connections_state", among("state", ["connected", "disconnecting", "gone"])),
		check("connections_connected", sql.raw("state <> 'connected' OR storage_pk IS NOT NULL")),
	],
);

export const keys = sqliteTable(
	"keys",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		reach: text({ enum: ["app", "bucket", "user"] }).notNull(),
		/** What the key reaches without a selected user. */
		storagePk: integer("storage_pk")
			.notNull()
			.references(() => storages.pk),
		creatorPk: integer("creator_pk")
			.notNull()
			.references(() => accounts.pk),
		name: text().notNull(),
		/** Bits: 1 read, 2 write. */
		permissions: integer().notNull(),
		/** SHA-256 of the secret. */
		hash: bytes().notNull().unique(),
		prefix: text().notNull(),
		last4: text().notNull(),
		/** Id of the key that a rotation made. */
		replacedBy: text("replaced_by"),
		expiresMs: integer("expires_ms"),
		lastUsedMs: integer("last_used_ms"),
		revokedMs: integer("revoked_ms"),
		revokedBy: text("revoked_by"),
		revokeReason: text("revoke_reason"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("keys_app").on(table.appPk, table.pk),
		index("keys_team").on(table.appPk, table.pk).where(sql.raw("reach <> 'user'")),
		index("keys_storage").on(table.storagePk),
		index("keys_creator").on(table.creatorPk).where(sql.raw("revoked_ms IS NULL")),
		check("keys_reach", among("reach", ["app", "bucket", "user"])),
		check("keys_permissions", sql.raw("permissions BETWEEN 1 AND 3")),
		check("keys_hash", sql.raw("length(hash) = 32")),
	],
);

/** WITHOUT ROWID. What people hold rather than Apps: browser and console sessions, and personal access tokens. */
export const sessions = sqliteTable(
	"sessions",
	{
		/** SHA-256 of the secret. */
		hash: bytes().primaryKey(),
		id: text().notNull().unique(),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		kind: text({ enum: ["web", "console", "pat"] }).notNull(),
		name: text(),
		/** A token may be bound to one App. */
		appPk: integer("app_pk").references(() => apps.pk),
		/** Space-separated; null for all that the account may do. */
		scopes: text(),
		/** Until when destructive operator calls need no new code. */
		freshMs: integer("fresh_ms"),
		expiresMs: integer("expires_ms").notNull(),
		lastUsedMs: integer("last_used_ms"),
		revokedMs: integer("revoked_ms"),
		device: text(),
		ipHash: bytes("ip_hash"),
		/** Id of the token that made this one: it dies with it. */
		parent: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("sessions_account").on(table.accountPk),
		index("sessions_expiry").on(table.expiresMs),
		check("sessions_kind", among("kind", ["web", "console", "pat"])),
		check("sessions_hash", sql.raw("length(hash) = 32")),
	],
);

/** WITHOUT ROWID. What the deployment as a whole remembers: secrets that its processes share, the health probe's mark. */
export const meta = sqliteTable("meta", { key: text().primaryKey(), value: text().notNull() });
