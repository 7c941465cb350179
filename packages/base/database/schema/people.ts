import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LETTER_DEEDS, LOGIN_PURPOSES, PASSKEY_PURPOSES, SESSION_KINDS } from "../../enumerations.ts";
import { accounts } from "./accounts.ts";
import { apps } from "./apps.ts";
import { among, bytes, echoedText } from "./columns.ts";

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
		/** The time until which what a thief must not do needs no new code. */
		freshMs: integer("fresh_ms"),
		expiresMs: integer("expires_ms").notNull(),
		lastUsedMs: integer("last_used_ms"),
		revokedMs: integer("revoked_ms"),
		device: text(),
		ipHash: bytes("ip_hash"),
		/** The network that it was begun in, as `192.0.2.0/24`: coarse enough to show, and to keep. */
		network: text(),
		/** What the next page says has been done. Shown once: the page that reads it removes it. */
		notice: text(),
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
		state: echoedText(),
		/** JSON: what a page does for a signed-in person once a step-up's code is right. */
		deed: text(),
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

/**
 * WITHOUT ROWID. Changes of an account's address. For a week the old address is kept for its account, and the letter that went there
 * leads back to it.
 */
export const addressChanges = sqliteTable(
	"address_changes",
	{
		/** Letters only: the readable part of the link in the letter. */
		ref: text().primaryKey(),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		oldEmail: text("old_email").notNull(),
		oldEmailNorm: text("old_email_norm").notNull(),
		newEmail: text("new_email").notNull(),
		/** When it was taken back, or one before it was. */
		undoneMs: integer("undone_ms"),
		untilMs: integer("until_ms").notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("address_changes_account").on(table.accountPk),
		index("address_changes_old").on(table.oldEmailNorm),
		index("address_changes_end").on(table.untilMs),
	],
);

/** WITHOUT ROWID. Deeds that a person was told of in a letter, and can take back by its link. */
export const securityLetters = sqliteTable(
	"security_letters",
	{
		/** Letters only: the readable part of the link in the letter. */
		ref: text().primaryKey(),
		/** The person it went to. */
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		deed: text({ enum: LETTER_DEEDS }).notNull(),
		/** Public id of what came to be by the deed. */
		subject: text().notNull(),
		/** JSON: what the letter says of it, and what taking it back needs. */
		facts: text().notNull(),
		/** The letter that sums it up, where it has none of its own. */
		summedUpIn: text("summed_up_in"),
		usedMs: integer("used_ms"),
		untilMs: integer("until_ms").notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("security_letters_account").on(table.accountPk),
		index("security_letters_end").on(table.untilMs),
		check("security_letters_facts", sql.raw("json_valid(facts)")),
	],
);

/** Passkeys of people: the public halves, which a reader of the database can sign nothing with. */
export const passkeys = sqliteTable(
	"passkeys",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		/** The authenticator's name for it. */
		credentialId: bytes("credential_id").notNull().unique(),
		/** As COSE writes keys (RFC 9052). */
		publicKey: bytes("public_key").notNull(),
		/** How often it has signed, as far as its authenticator counts; else 0. */
		counter: integer().notNull(),
		/** How browsers reach it, separated by spaces. */
		transports: text().notNull(),
		name: text().notNull(),
		lastUsedMs: integer("last_used_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [index("passkeys_account").on(table.accountPk)],
);

/** WITHOUT ROWID. What passkeys were asked to sign: each once, within minutes. */
export const passkeyOptions = sqliteTable(
	"passkey_options",
	{
		id: text().primaryKey(),
		purpose: text({ enum: PASSKEY_PURPOSES }).notNull(),
		challenge: bytes().notNull(),
		/** Whoever is signed in; null where somebody is to sign in. */
		accountPk: integer("account_pk").references(() => accounts.pk),
		sessionId: text("session_id"),
		expiresMs: integer("expires_ms").notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("passkey_options_account").on(table.accountPk),
		index("passkey_options_expiry").on(table.expiresMs),
		check("passkey_options_purpose", among("purpose", PASSKEY_PURPOSES)),
		check("passkey_options_challenge", sql.raw("length(challenge) = 32")),
	],
);
