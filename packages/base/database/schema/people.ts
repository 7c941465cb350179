import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LOGIN_PURPOSES, SESSION_KINDS } from "../../enumerations.ts";
import { among, bytes } from "../columns.ts";
import { accounts } from "./accounts.ts";
import { apps } from "./apps.ts";

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
		kind: text({ enum: SESSION_KINDS }).notNull(),
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
		check("sessions_kind", among("kind", SESSION_KINDS)),
		check("sessions_hash", sql.raw("length(hash) = 32")),
	],
);

/** WITHOUT ROWID. E-mail codes that were sent: to sign in, to connect to an App, to confirm, to change an address. */
export const logins = sqliteTable(
	"logins",
	{
		id: text().primaryKey(),
		purpose: text({ enum: LOGIN_PURPOSES }).notNull(),
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
