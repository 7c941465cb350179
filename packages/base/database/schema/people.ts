import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LOGIN_PURPOSES, SESSION_KINDS } from "../../enumerations.ts";
import { among, bytes } from "../columns.ts";
import { accounts } from "./accounts.ts";
import { apps } from "./apps.ts";

/** WITHOUT ROWID. Credentials of people rather than Apps: browser and console sessions, and personal access tokens. */
export const sessions = sqliteTable(
	"sessions",
	{
		/** SHA-256 of the secret. */
		hash: bytes().primaryKey(),
		id: text().notNull().unique(),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		kind: text({ enum: SESSION_KINDS }).notNull(),
		name: text(),
		/** A token may be bound to one App. */
		appPk: integer("app_pk").references(() => apps.pk),
		/** Space-separated; null for everything that the account may do. */
		scopes: text(),
		/** The time until which destructive operator calls need no new code. */
		freshMs: integer("fresh_ms"),
		expiresMs: integer("expires_ms").notNull(),
		lastUsedMs: integer("last_used_ms"),
		revokedMs: integer("revoked_ms"),
		device: text(),
		ipHash: bytes("ip_hash"),
		/** Id of the token that made this one: both end together. */
		parent: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("sessions_account").on(table.accountPk),
		index("sessions_expiry").on(table.expiresMs),
		check("sessions_kind", among("kind", SESSION_KINDS)),
		check("sessions_hash", sql.raw("length(hash) = 32")),
	],
);

/** WITHOUT ROWID. E-mail codes that were sent: to sign in, to connect to an App, to step up, to change an address. */
export const logins = sqliteTable(
	"logins",
	{
		id: text().primaryKey(),
		purpose: text({ enum: LOGIN_PURPOSES }).notNull(),
		/** SHA-256 of the secret that binds the code to the browser or client that asked for it. */
		secretHash: bytes("secret_hash").notNull(),
		email: text().notNull(),
		emailNorm: text("email_norm").notNull(),
		/** HMAC over id and code. */
		codeMac: bytes("code_mac").notNull(),
		/** The account whose session or address it is about; null while no person is signed in. */
		accountPk: integer("account_pk").references(() => accounts.pk),
		sessionId: text("session_id"),
		/** The App that a hosted sign-in came from. */
		appPk: integer("app_pk").references(() => apps.pk),
		redirectUri: text("redirect_uri"),
		state: text(),
		/** The client's description of itself. */
		device: text().notNull(),
		/** The bucket that counts its wrong codes. */
		throttleOwner: text("budget").notNull(),
		attempts: integer().notNull().default(0),
		sends: integer().notNull().default(1),
		sentMs: integer("sent_ms").notNull(),
		expiresMs: integer("expires_ms").notNull(),
		doneMs: integer("done_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("logins_expiry").on(table.expiresMs),
		check("logins_purpose", among("purpose", LOGIN_PURPOSES)),
		check("logins_hashes", sql.raw("length(secret_hash) = 32 AND length(code_mac) = 32")),
	],
);
