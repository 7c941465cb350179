import { DISPUTE_STATES } from "@svc/base/enumerations";
import type { PlanGrant } from "@svc/billing/operators/grants";
import { termsOf } from "@svc/billing/subscriptions/bought";
import {
	type Bought,
	HELD_STATUSES,
	type Subscription,
	type SubscriptionAccess,
} from "@svc/billing/subscriptions/subscriptions";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import { priceEntries } from "./billing-plans.ts";
import { invoiceSchema } from "./invoice-document.ts";

/* How a subscription, and what it gives, look on the wire (specification, "Billing status"). */

export const accessSchema = named(
	"Access",
	v.object({
		plan_key: about(v.nullable(v.string()), "Null without a plan."),
		status: oneOf("AccessStatus", ["inactive", ...HELD_STATUSES]),
		expires_at: v.nullable(dateTime),
	}),
	"What a connected user may use of what an App sells.",
);

const subscriptionEntries = {
	id: v.string(),
	object: v.literal("subscription"),
	plan_key: v.nullable(v.string()),
	price_id: about(v.nullable(v.string()), "Null for an App's own plan."),
	status: about(v.string(), "The payment processor's own."),
	trial_end: v.nullable(dateTime),
	current_period_end: v.nullable(dateTime),
	cancel_at_period_end: v.boolean(),
	cancel_at: v.nullable(dateTime),
	pending_plan_key: v.nullable(v.string()),
	pending_effective_at: v.nullable(dateTime),
};

export const subscriptionSchema = named("Subscription", v.object(subscriptionEntries));

/** As a team or a payer sees it: what an App pays for itself is sold under no price of an App. */
export const paidPriceSchema = named(
	"PaidPrice",
	v.object({ ...priceEntries, id: about(v.nullable(v.string()), "Null for an App's own plan.") }),
	"What is paid for a subscription.",
);

export function encodePaidPrice(bought: Bought): v.InferOutput<typeof paidPriceSchema> {
	const { amount, currency, interval, trialDays } = termsOf(bought);
	const id = bought.subject === "user" ? bought.priceId : null;
	return { id, object: "price", amount, currency, interval, trial_days: trialDays };
}

const disputeSchema = named(
	"Dispute",
	v.object({ state: oneOf("DisputeState", DISPUTE_STATES), amount: integer, at: dateTime }),
	"A payment that the payer's bank asked back; of several the newest.",
);

export function encodeDispute({ dispute }: Pick<Subscription, "dispute">): v.InferOutput<typeof disputeSchema> | null {
	return dispute && { state: dispute.state, amount: dispute.amount, at: isoDate(dispute.atMs) };
}

export const managedSubscriptionSchema = named(
	"ManagedSubscription",
	v.object({
		...subscriptionEntries,
		price: paidPriceSchema,
		user_id: about(v.nullable(v.string()), "Null for the App's own plan."),
		ended_at: v.nullable(dateTime),
		dispute: v.nullable(disputeSchema),
		invoices: v.array(invoiceSchema),
		created_at: dateTime,
	}),
	"A subscription as the App's team sees it.",
);

/** While it is not confirmed how a subscription goes on, what was read last still counts. */
export function encodeAccess(
	access: SubscriptionAccess,
	subscription: Subscription | undefined,
): v.InferOutput<typeof accessSchema> {
	if (access.status === "inactive" || !subscription) return { plan_key: null, status: "inactive", expires_at: null };
	const planKey = keyOf(subscription.bought);
	if (access.status === "unconfirmed") {
		const status = subscription.status === "trialing" ? "trialing" : "active";
		return { plan_key: planKey, status, expires_at: isoDate(subscription.periodEndMs) };
	}
	return { plan_key: planKey, status: access.status, expires_at: isoDate(access.expiresMs) };
}

/** What is given looks like what is paid for, and ends when the grant does. */
export function encodeGranted({ plan, untilMs }: PlanGrant): v.InferOutput<typeof accessSchema> {
	return { plan_key: plan.key, status: "active", expires_at: isoDate(untilMs) };
}

export function encodeSubscription(subscription: Subscription): v.InferOutput<typeof subscriptionSchema> {
	const { bought, pending } = subscription;
	return {
		id: subscription.id,
		object: "subscription",
		plan_key: keyOf(bought),
		price_id: bought.subject === "user" ? bought.priceId : null,
		status: subscription.status,
		trial_end: isoDate(subscription.trialEndMs),
		current_period_end: isoDate(subscription.periodEndMs),
		cancel_at_period_end: subscription.cancelAtPeriodEnd,
		cancel_at: isoDate(subscription.cancelAtMs),
		pending_plan_key: pending ? keyOf(pending.bought) : null,
		pending_effective_at: isoDate(pending?.atMs ?? null),
	};
}

function keyOf(bought: Bought): string {
	return bought.subject === "user" ? bought.planKey : bought.appPlan;
}
