import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { APP_LIMITS, INTERVALS, TRIAL_REASONS } from "../../../enumerations.ts";
import { apps } from "../apps.ts";
import { among, bytes } from "../columns.ts";
import { connections } from "../connect.ts";

/** What an App sells. The row stays for its subscribers when it is archived. */
export const plans = sqliteTable(
	"plans",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		/** The App decides by it what a subscriber gets; never changes and is never given out twice. */
		key: text().notNull(),
		name: text().notNull(),
		description: text().notNull(),
		benefits: text({ mode: "json" }).$type<readonly string[]>().notNull(),
		displayOrder: integer("display_order").notNull(),
		/** What the storage of a user with this plan holds; null: any number. */
		imagesLimit: integer("images_limit"),
		bytesLimit: integer("bytes_limit"),
		archivedMs: integer("archived_ms"),
		/** Increases with every change. */
		revision: integer().notNull().default(1),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("plans_key").on(table.appPk, table.key),
		index("plans_order").on(table.appPk, table.displayOrder, table.name, table.pk),
		check("plans_benefits", sql.raw("json_valid(benefits)")),
	],
);

/** The terms are fixed: only whether it is on sale changes. */
export const prices = sqliteTable(
	"prices",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		planPk: integer("plan_pk")
			.notNull()
			.references(() => plans.pk),
		/** In the currency's smallest unit. */
		amount: integer().notNull(),
		currency: text().notNull(),
		interval: text({ enum: INTERVALS }).notNull(),
		trialDays: integer("trial_days").notNull(),
		onSale: integer("on_sale", { mode: "boolean" }).notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("prices_plan").on(table.planPk),
		check("prices_amount", sql.raw("amount > 0 AND trial_days >= 0 AND on_sale IN (0, 1)")),
		check("prices_currency", sql.raw("currency GLOB '[a-z][a-z][a-z]'")),
		check("prices_interval", among("interval", INTERVALS)),
	],
);

/** WITHOUT ROWID. One trial for a person in an App, remembered by a keyed digest of the address beyond account and connection. */
export const trialGrants = sqliteTable(
	"trial_grants",
	{
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		emailMac: bytes("email_mac").notNull(),
		reason: text({ enum: TRIAL_REASONS }).notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.appPk, table.emailMac] }),
		check("trial_grants_reason", among("reason", TRIAL_REASONS)),
		check("trial_grants_mac", sql.raw("length(email_mac) = 32")),
	],
);

/** A plan that an App's Owner or an operator gives a user for nothing. At most one of a user is not ended. */
export const planGrants = sqliteTable(
	"plan_grants",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		connectionPk: integer("connection_pk")
			.notNull()
			.references(() => connections.pk),
		planPk: integer("plan_pk")
			.notNull()
			.references(() => plans.pk),
		untilMs: integer("until_ms").notNull(),
		reason: text().notNull(),
		/** Public id of the account or key that gave it. */
		grantedBy: text("granted_by").notNull(),
		endedMs: integer("ended_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("plan_grants_user").on(table.connectionPk).where(sql.raw("ended_ms IS NULL")),
		index("plan_grants_until").on(table.untilMs).where(sql.raw("ended_ms IS NULL")),
	],
);

/** WITHOUT ROWID. How much of a limit of an App its Owner was told of. */
export const limitNotices = sqliteTable(
	"limit_notices",
	{
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		limit: text({ enum: APP_LIMITS }).notNull(),
		/** 80 or 100. */
		percent: integer().notNull(),
		atMs: integer("at_ms").notNull(),
	},
	(table) => [primaryKey({ columns: [table.appPk, table.limit] })],
);
