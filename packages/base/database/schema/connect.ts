import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CONNECTION_STATES } from "../../enumerations.ts";
import { accounts } from "./accounts.ts";
import { apps, storages } from "./apps.ts";
import { among, bytes } from "./columns.ts";

/** WITHOUT ROWID. Codes that a callback gets and an App's backend exchanges, once. */
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

/** A person connected to an App. */
export const connections = sqliteTable(
	"connections",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		/** The App's id for this person: a different one in every App, the same over reconnects. */
		userId: text("user_id").notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		accountPk: integer("account_pk")
			.notNull()
			.references(() => accounts.pk),
		storagePk: integer("storage_pk").references(() => storages.pk),
		state: text({ enum: CONNECTION_STATES }).notNull(),
		emailAtConsent: text("email_at_consent").notNull(),
		consentVersion: integer("consent_version").notNull(),
		createdMs: integer("created_ms").notNull(),
		endedMs: integer("ended_ms"),
		/** Since when somebody whom an App brought along has not yet agreed here; null for all others. */
		pendingMs: integer("pending_ms"),
	},
	(table) => [
		uniqueIndex("connections_person").on(table.appPk, table.accountPk),
		index("connections_app").on(table.appPk, table.pk),
		index("connections_account").on(table.accountPk),
		uniqueIndex("connections_storage").on(table.storagePk).where(sql.raw("storage_pk IS NOT NULL")),
		check("connections_state", among("state", CONNECTION_STATES)),
		check("connections_connected", sql.raw("state <> 'connected' OR storage_pk IS NOT NULL")),
	],
);
