import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { plans, prices } from "@svc/base/database/schema/billing/plans";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { PAID_APP_PLANS } from "@svc/base/enumerations";
import { and, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Bought } from "../plans/plan.ts";
import type { Subscriber, Subscription } from "../subscription.ts";

const pendingPrices = alias(prices, "pending_prices");
const pendingPlans = alias(plans, "pending_plans");
const unpaidPrices = alias(prices, "unpaid_prices");
const unpaidPlans = alias(plans, "unpaid_plans");

type PriceRow = typeof prices.$inferSelect;
type PlanRow = typeof plans.$inferSelect;

export interface SubscriptionRow {
	readonly subscription: typeof subscriptions.$inferSelect;
	readonly price: PriceRow | null;
	readonly plan: PlanRow | null;
	readonly pendingPrice: PriceRow | null;
	readonly pendingPlan: PlanRow | null;
	readonly unpaidPrice: PriceRow | null;
	readonly unpaidPlan: PlanRow | null;
	readonly amountRefunded: number;
	readonly amountKept: number;
}

/** Subscriptions joined with what they are for. */
export function selectSubscriptions(
	{ queries, read }: Database,
	{ where, order, limit }: { readonly where: SQL | undefined; readonly order: readonly SQL[]; readonly limit: number },
): Promise<readonly SubscriptionRow[]> {
	return read(() =>
		queries
			.select({
				subscription: subscriptions,
				price: prices,
				plan: plans,
				pendingPrice: pendingPrices,
				pendingPlan: pendingPlans,
				unpaidPrice: unpaidPrices,
				unpaidPlan: unpaidPlans,
				amountRefunded: sum(sql`${invoices.amountRefunded}`),
				amountKept: sum(sql`${invoices.amountPaid} - ${invoices.amountRefunded}`),
			})
			.from(subscriptions)
			.leftJoin(prices, eq(prices.pk, subscriptions.pricePk))
			.leftJoin(plans, eq(plans.pk, prices.planPk))
			.leftJoin(pendingPrices, eq(pendingPrices.pk, subscriptions.pendingPricePk))
			.leftJoin(pendingPlans, eq(pendingPlans.pk, pendingPrices.planPk))
			.leftJoin(unpaidPrices, eq(unpaidPrices.pk, subscriptions.unpaidPricePk))
			.leftJoin(unpaidPlans, eq(unpaidPlans.pk, unpaidPrices.planPk))
			.where(where)
			.orderBy(...order)
			.limit(limit),
	);
}

function sum(amount: SQL) {
	return sql<number>`(SELECT coalesce(sum(${amount}), 0) FROM ${invoices}
		WHERE ${invoices.subscriptionPk} = ${subscriptions.pk})`;
}

type Subject = Pick<SubscriptionRow["subscription"], "subject" | "appPk" | "connectionPk">;

export function toSubscriber({ subject, appPk, connectionPk }: Subject): Subscriber {
	if (subject === "app") return { subject, appPk };
	if (connectionPk === null) throw new Error("A user's subscription without a connection.");
	return { subject, appPk, connectionPk };
}

/**
 * The subscriptions of a subscriber with one seller: what the service sold to a user of an App is none of the App's plans.
 * The literals let SQLite see that its partial index will do.
 */
export function ofSubscriber(subscriber: Subscriber): SQL | undefined {
	const ofSeller = eq(subscriptions.appPk, subscriber.appPk);
	if (subscriber.subject === "app") return and(ofSeller, sql`${subscriptions.subject} = 'app'`);
	return and(eq(subscriptions.connectionPk, subscriber.connectionPk), ofSeller, sql`${subscriptions.subject} = 'user'`);
}

/** Bought for an earlier storage of the connection, which it has no more: it gives nothing to the one that came after. */
export function isOfEarlierStorage({ queries }: Pick<Database, "queries">): SQL {
	const present = queries
		.select({ pk: storages.pk })
		.from(connections)
		.innerJoin(storages, eq(storages.pk, connections.storagePk))
		.where(and(eq(connections.pk, subscriptions.connectionPk), gt(storages.createdMs, subscriptions.createdMs)));
	return exists(present);
}

export function toSubscription(row: SubscriptionRow): Subscription {
	const { subscription, amountRefunded, amountKept } = row;
	const { pricePk: _, appPlan, pendingPricePk: __, pendingAppPlan, pendingMs, ...more } = subscription;
	const {
		unpaidPricePk: ___,
		unpaidAppPlan,
		unpaidAmount,
		taxBehavior,
		disputeState: state,
		disputeAmount,
		disputeMs,
		...rest
	} = more;
	const { syncedMs: ____, ...facts } = rest;
	const dispute = state && { state, amount: disputeAmount ?? 0, atMs: disputeMs ?? 0 };
	const bought = toBought(appPlan, row.price, row.plan, taxBehavior);
	if (!bought) throw new Error("A subscription to nothing.");
	const becomes = toBought(pendingAppPlan, row.pendingPrice, row.pendingPlan, taxBehavior);
	const pending = becomes && pendingMs !== null ? { bought: becomes, atMs: pendingMs } : null;
	const wanted = toBought(unpaidAppPlan, row.unpaidPrice, row.unpaidPlan, taxBehavior);
	const unpaidChange = wanted && unpaidAmount !== null ? { bought: wanted, amount: unpaidAmount } : null;
	const subscriber = toSubscriber(subscription);
	return { ...facts, subscriber, bought, pending, unpaidChange, dispute, amountRefunded, amountKept };
}

/** What is paid for, from the rows of its price and plan; undefined where there are none. */
export function toBought(
	appPlan: SubscriptionRow["subscription"]["appPlan"],
	price: PriceRow | null,
	plan: PlanRow | null,
	taxBehavior: SubscriptionRow["subscription"]["taxBehavior"],
): Bought | undefined {
	if (!price || !plan) {
		const own = PAID_APP_PLANS.find((one) => one === appPlan);
		return own && { subject: "app", appPlan: own };
	}
	const { pk: pricePk, id: priceId, amount, currency, interval, trialDays } = price;
	const terms = { amount, currency, interval, trialDays };
	return { subject: "user", pricePk, priceId, planKey: plan.key, planName: plan.name, terms, taxBehavior };
}
