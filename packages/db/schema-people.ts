import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { among, bytes } from "./columns.ts";
import { accounts, apps, connections } from "./schema.ts";

/** WITHOUT ROWID. E-mail codes that were sent: to sign in, to connect to an App, to confirm, to change an address. */
export const logins = sqliteTable(
	"logins",
	{
		id: text().primaryKey(),
		purpose: text({ enum: ["console", "connect", "account", "step_up", "email"] }).notNull(),
		/** SHA-256 of what binds the code to the browser or client that asked for it. */
		secretHash: bytes("secret_hash").notNull(),
		email: text().notNull(),
		emailNorm: text("email_norm").notNull(),
		/** HMAC over id and code. */
		codeMac: bytes("code_mac").notNull(),
		/** Whose session or address it is about; null while nobody is signed in. */
		accountPk: integer("account_pk").references(() => accounts.pk),
		sessionId: text("session_id"),
		/** Where a hosted sign-in came from. */
		appPk: integer("app_pk").references(() => apps.pk),
		redirectUri: text("redirect_uri"),
		state: text(),
		/** What the client says of itself. */
		device: text().notNull(),
		/** Whose budget a wrong code is taken from. */
		budget: text().notNull(),
		attempts: integer().notNull().default(0),
		sends: integer().notNull().default(1),
		sentMs: integer("sent_ms").notNull(),
		expiresMs: integer("expires_ms").notNull(),
		doneMs: integer("done_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("logins_expiry").on(table.expiresMs),
		check("logins_purpose", among("purpose", ["console", "connect", "account", "step_up", "email"])),
		check("logins_hashes", sql.raw("length(secret_hash) = 32 AND length(code_mac) = 32")),
	],
);

/** WITHOUT ROWID. Counters of what may happen so often in a window: here rather than in memory, so that a restart forgives nothing. */
export const throttles = sqliteTable(
	"throttles",
	{
		bucket: text().primaryKey(),
		count: integer().notNull(),
		endsMs: integer("ends_ms").notNull(),
	},
	(table) => [index("throttles_end").on(table.endsMs)],
);

/** WITHOUT ROWID. What a callback is given and an App's backend exchanges, once. */
export const exchangeCodes = sqliteTable(
	"exchange_codes",
	{
		/** SHA-256 of the code. */
		hash: bytes().primaryKey(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		connectionPk: integer("connection_pk")
			.notNull()
			.references(() => connections.pk),
		expiresMs: integer("expires_ms").notNull(),
		usedMs: integer("used_ms"),
	},
	(table) => [
		index("exchange_codes_expiry").on(table.expiresMs),
		check("exchange_codes_hash", sql.raw("length(hash) = 32")),
	],
);

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
		role: text({ enum: ["viewer", "editor", "admin"] }).notNull(),
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
		check("invites_role", among("role", ["viewer", "editor", "admin"])),
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
