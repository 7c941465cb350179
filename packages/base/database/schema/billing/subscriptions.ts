import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
	DISPUTE_STATES,
	OWN_PLAN_KEYS,
	PAID_OWN_PLAN_KEYS,
	SUBSCRIPTION_SUBJECTS,
	TAX_BEHAVIORS,
} from "../../../enumerations.ts";
import { accounts } from "../accounts.ts";
import { apps } from "../apps.ts";
import { among, echoedText } from "../columns.ts";
import { connections } from "../connect.ts";
import { prices } from "./plans.ts";

/** A payer was sent to the processor. `app` buys the App's own plan, `user` one that the App sells. */
export const checkouts = sqliteTable(
	"checkouts",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		subject: text({ enum: SUBSCRIPTION_SUBJECTS }).notNull(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		connectionPk: integer("connection_pk").references(() => connections.pk),
		pricePk: integer("price_pk").references(() => prices.pk),
		appPlan: text("app_plan", { enum: PAID_OWN_PLAN_KEYS }),
		/** The trial as granted when the checkout was opened; 0 for none. */
		trialDays: integer("trial_days").notNull().default(0),
		/** Where the browser goes afterwards, with `state`; null for a page of ours. */
		redirectUri: text("redirect_uri"),
		state: echoedText(),
		processor: text().notNull(),
		ref: text().notNull(),
		/** Public id of the account that opened it. */
		startedBy: text("started_by").notNull(),
		doneMs: integer("done_ms"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("checkouts_ref").on(table.processor, table.ref),
		index("checkouts_app").on(table.appPk, table.pk),
		index("checkouts_open").on(table.createdMs).where(sql.raw("done_ms IS NULL")),
		check("checkouts_subject", among("subject", SUBSCRIPTION_SUBJECTS)),
		check("checkouts_bought", sql.raw("iif(subject = 'app', app_plan, price_pk * connection_pk) IS NOT NULL")),
	],
);

/** Mirrors the processor's own, as it was last read; packages/billing decides what it grants. */
export const subscriptions = sqliteTable(
	"subscriptions",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		subject: text({ enum: SUBSCRIPTION_SUBJECTS }).notNull(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		connectionPk: integer("connection_pk").references(() => connections.pk),
		pricePk: integer("price_pk").references(() => prices.pk),
		/** What an App pays for itself; a tier has its price beside it. */
		appPlan: text("app_plan", { enum: PAID_OWN_PLAN_KEYS }),
		processor: text().notNull(),
		ref: text().notNull(),
		/** The status in the processor's own words. */
		status: text().notNull(),
		trialEndMs: integer("trial_end_ms"),
		periodStartMs: integer("period_start_ms").notNull(),
		periodEndMs: integer("period_end_ms").notNull(),
		cancelAtPeriodEnd: integer("cancel_at_period_end", { mode: "boolean" }).notNull(),
		cancelAtMs: integer("cancel_at_ms"),
		/** The price that it has from `pending_ms` on. */
		pendingPricePk: integer("pending_price_pk").references(() => prices.pk),
		pendingAppPlan: text("pending_app_plan", { enum: PAID_OWN_PLAN_KEYS }),
		pendingMs: integer("pending_ms"),
		/** The price that it has once `unpaid_amount` is paid. */
		unpaidPricePk: integer("unpaid_price_pk").references(() => prices.pk),
		unpaidAppPlan: text("unpaid_app_plan", { enum: PAID_OWN_PLAN_KEYS }),
		unpaidAmount: integer("unpaid_amount"),
		/** What the payer is owed, and later invoices use up. */
		credit: integer().notNull().default(0),
		/** Whether what is paid holds its tax, as when it was bought; null where none is taken. */
		taxBehavior: text("tax_behavior", { enum: TAX_BEHAVIORS }),
		/** What the next term costs with tax and discount, before credit; null where that is its price alone. */
		nextTotal: integer("next_total"),
		/** Its term goes on for longer than was paid for. */
		extended: integer({ mode: "boolean" }).notNull().default(false),
		/** Nothing is collected for now: its App is paused or blocked, say. */
		collectionPaused: integer("collection_paused", { mode: "boolean" }).notNull().default(false),
		/** Its payer knows that nothing is collected, because the App is away, and is told when that is over. */
		heldForApp: integer("held_for_app", { mode: "boolean" }).notNull().default(false),
		/** The plan that it gives its App; null for what is not an App's own. */
		grantedPlan: text("granted_plan", { enum: OWN_PLAN_KEYS }),
		/** Who pays an App's own plan: its Owner, also after the App is gone. */
		payerPk: integer("payer_pk").references(() => accounts.pk),
		/** The App that it is for, under its last name. */
		appName: text("app_name").notNull().default(""),
		startedMs: integer("started_ms").notNull(),
		/** Until then the plan stays although its payment failed, where an operator has given more time than there is for all. */
		graceUntilMs: integer("grace_until_ms"),
		/** When the subscriber withdrew: saved before the processor is asked, so that a lost answer is asked for again. */
		withdrawnMs: integer("withdrawn_ms"),
		endedMs: integer("ended_ms"),
		/** The newest payment that the payer's bank asked back; all three null where none was. */
		disputeState: text("dispute_state", { enum: DISPUTE_STATES }),
		disputeAmount: integer("dispute_amount"),
		disputeMs: integer("dispute_ms"),
		/** Increases with every reading; a reading that began before another was saved is not saved over it. */
		revision: integer().notNull().default(1),
		syncedMs: integer("synced_ms").notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("subscriptions_ref").on(table.processor, table.ref),
		uniqueIndex("subscriptions_seller")
			.on(table.connectionPk, table.appPk)
			.where(sql.raw("ended_ms IS NULL AND subject = 'user'")),
		uniqueIndex("subscriptions_own").on(table.appPk).where(sql.raw("ended_ms IS NULL AND subject = 'app'")),
		index("subscriptions_app").on(table.appPk, table.pk),
		index("subscriptions_connection").on(table.connectionPk, table.pk),
		index("subscriptions_payer").on(table.payerPk, table.pk).where(sql.raw("payer_pk IS NOT NULL")),
		index("subscriptions_due").on(table.periodEndMs).where(sql.raw("ended_ms IS NULL")),
		index("subscriptions_unpaid").on(table.periodStartMs).where(sql.raw("ended_ms IS NULL AND status = 'past_due'")),
		index("subscriptions_trials").on(table.trialEndMs).where(sql.raw("ended_ms IS NULL AND trial_end_ms IS NOT NULL")),
		index("subscriptions_disputed").on(table.pk).where(sql.raw("dispute_state IS NOT NULL")),
		index("subscriptions_withdrawn").on(table.pk).where(sql.raw("withdrawn_ms IS NOT NULL")),
		check("subscriptions_subject", among("subject", SUBSCRIPTION_SUBJECTS)),
		check("subscriptions_bought", sql.raw("iif(subject = 'app', app_plan, price_pk * connection_pk) IS NOT NULL")),
	],
);

/** What an App's feed said last of where a user stands with what the App sells. */
export const publishedStatuses = sqliteTable(
	"told_statuses",
	{
		connectionPk: integer("connection_pk")
			.primaryKey()
			.references(() => connections.pk),
		/** Id of the storage at that time: a connection that began anew has another one, and nothing of what was told before. */
		storage: text(),
		/** JSON: the access and the subscription. */
		shown: text().notNull(),
		/** Id of the subscription that was told of; null for none. */
		subscription: text(),
		/** Whether there was access. */
		held: integer({ mode: "boolean" }).notNull(),
		/** When that access ends by the clock alone; null where it does not. */
		endsMs: integer("ends_ms"),
	},
	(table) => [index("told_statuses_ends").on(table.endsMs).where(sql.raw("ends_ms IS NOT NULL"))],
);

/** Subscriptions to what the running interface version does not sell: they end with their term, unless it is sold again before. */
export const unsoldSubscriptions = sqliteTable("unsold_subscriptions", {
	subscriptionPk: integer("subscription_pk")
		.primaryKey()
		.references(() => subscriptions.pk),
	sinceMs: integer("since_ms").notNull(),
	/** Since when a round lets it go on, as it is sold again; null while none does. */
	resumingMs: integer("resuming_ms"),
});
