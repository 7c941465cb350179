import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ACCOUNT_STATUSES } from "../../enumerations.ts";
import { among } from "./columns.ts";

export const accounts = sqliteTable(
	"accounts",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		/** The address as it was typed, for showing and mailing. */
		email: text().notNull(),
		emailNorm: text("email_norm").notNull().unique(),
		status: text({ enum: ACCOUNT_STATUSES }).notNull(),
		/** The language that the person has chosen; null: the browser's. */
		locale: text(),
		/** The language of the pages when the person signed in last, or chose one: that of mails. */
		mailLocale: text("mail_locale"),
		verifiedMs: integer("verified_ms"),
		createdMs: integer("created_ms").notNull(),
		/** Deleted for good: the row stays without an address, since other rows refer to it. */
		deletedMs: integer("deleted_ms"),
	},
	() => [check("accounts_status", among("status", ACCOUNT_STATUSES))],
);

/** Accounts that run the service itself. */
export const operators = sqliteTable("operators", {
	accountPk: integer("account_pk")
		.primaryKey()
		.references(() => accounts.pk),
	createdByPk: integer("created_by_pk").references(() => accounts.pk),
	createdMs: integer("created_ms").notNull(),
});
