import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
	APP_LIMITS,
	DISPUTE_STATES,
	INTERVALS,
	OWN_PLAN_KEYS,
	PAID_OWN_PLAN_KEYS,
	SIM_KINDS,
	SUBSCRIPTION_SUBJECTS,
	TAX_BEHAVIORS,
	TRIAL_REASONS,
} from "../../enumerations.ts";
import { accounts } from "./accounts.ts";
import { apps } from "./apps.ts";
import { among, bytes, echoedText } from "./columns.ts";
import { connections } from "./connect.ts";

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

/** WITHOUT ROWID. The payment processor's name for a price or a payer of ours. */
export const processorRefs = sqliteTable(
	"processor_refs",
	{
		processor: text().notNull(),
		/** The public id of a price, a connection or an App; for an App's own plan `app_plan:pro`. */
		subject: text().notNull(),
		ref: text().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.processor, table.subject] }),
		uniqueIndex("processor_refs_ref").on(table.processor, table.ref),
	],
);

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

/** As `invoices.lines` holds them. */
interface InvoiceLineRow {
	readonly description: string;
	readonly quantity: number;
	readonly amount: number;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
}

/** As `invoices.refunds` holds them. */
interface RefundRow {
	readonly amount: number;
	readonly atMs: number;
	readonly reason: string;
}

/** Mirrors the processor's own. Amounts are in the currency's smallest unit. */
export const invoices = sqliteTable(
	"invoices",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		subscriptionPk: integer("subscription_pk")
			.notNull()
			.references(() => subscriptions.pk),
		ref: text().notNull(),
		/** The status in the processor's own words: `open`, `paid`, `void`, … */
		status: text().notNull(),
		amountDue: integer("amount_due").notNull(),
		amountPaid: integer("amount_paid").notNull(),
		amountRefunded: integer("amount_refunded").notNull(),
		/** What the payer's bank holds of it until a dispute is decided. */
		amountDisputed: integer("amount_disputed").notNull().default(0),
		currency: text().notNull(),
		/** Who it is from: the number of an App, 0 for the service. Each seller counts its invoices without gaps. */
		sellerPk: integer("seller_pk").notNull().default(0),
		seq: integer().notNull().default(0),
		/** As payers read it: some letters for the seller, and `seq`. */
		number: text().notNull().default(""),
		periodStartMs: integer("period_start_ms").notNull().default(0),
		periodEndMs: integer("period_end_ms").notNull().default(0),
		lines: text({ mode: "json" }).$type<readonly InvoiceLineRow[]>().notNull().default([]),
		subtotal: integer().notNull().default(0),
		tax: integer().notNull().default(0),
		/** With tax, before credit; below zero where it gives credit. */
		total: integer().notNull().default(0),
		paidMs: integer("paid_ms"),
		/** What was paid back, as it was read. */
		refunds: text({ mode: "json" }).$type<readonly RefundRow[]>().notNull().default([]),
		processorUrl: text("processor_url"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("invoices_ref").on(table.subscriptionPk, table.ref),
		uniqueIndex("invoices_number").on(table.sellerPk, table.seq),
		check("invoices_amounts", sql.raw("amount_due >= 0 AND amount_paid >= 0 AND amount_refunded >= 0")),
	],
);

/** WITHOUT ROWID. Deliveries of the processor, each processed once. */
export const processorEvents = sqliteTable(
	"processor_events",
	{
		processor: text().notNull(),
		id: text().notNull(),
		type: text().notNull(),
		/** The processor's id of the subscription; it is read again, so that neither order nor content of deliveries matters. */
		subscriptionRef: text("subscription_ref"),
		receivedMs: integer("received_ms").notNull(),
		/** How often a subscription that the processor does not know was asked for in vain, and when it is asked for again. */
		tries: integer().notNull().default(0),
		nextMs: integer("next_ms"),
		doneMs: integer("done_ms"),
	},
	(table) => [
		primaryKey({ columns: [table.processor, table.id] }),
		index("processor_events_due").on(table.receivedMs).where(sql.raw("done_ms IS NULL")),
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

/** What an App's feed said last of where a user stands with what the App sells. */
export const toldStatuses = sqliteTable(
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

/** WITHOUT ROWID. The whole state of the simulated processor. */
export const simObjects = sqliteTable(
	"sim_objects",
	{
		kind: text({ enum: SIM_KINDS }).notNull(),
		id: text().notNull(),
		revision: integer().notNull(),
		/** When it is next due; null for never. */
		dueMs: integer("due_ms"),
		value: text().notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.kind, table.id] }),
		index("sim_objects_due").on(table.kind, table.dueMs).where(sql.raw("due_ms IS NOT NULL")),
		check("sim_objects_kind", among("kind", SIM_KINDS)),
		check("sim_objects_value", sql.raw("json_valid(value)")),
	],
);

/** How far the service's clock is ahead; moved only while the processor is simulated, and never backwards. */
export const simClock = sqliteTable(
	"sim_clock",
	{ one: integer().primaryKey(), offsetMs: integer("offset_ms").notNull() },
	() => [check("sim_clock_one", sql.raw("one = 1 AND offset_ms >= 0"))],
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
