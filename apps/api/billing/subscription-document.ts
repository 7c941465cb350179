import { type Bought, HELD_STATUSES, type Subscription, type SubscriptionAccess } from "@svc/billing/subscriptions";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

/* How a subscription, and what it gives, look on the wire (specification, "Billing status"). */

const dateTime = v.pipe(v.string(), v.metadata({ jsonSchema: { type: "string", format: "date-time" } }));

export const accessSchema = v.object({
	plan_key: v.nullable(v.string()),
	status: v.picklist(["inactive", ...HELD_STATUSES]),
	expires_at: v.nullable(dateTime),
});

export const subscriptionSchema = v.object({
	id: v.string(),
	object: v.literal("subscription"),
	/** Null for an App's own plan, like the price. */
	plan_key: v.nullable(v.string()),
	price_id: v.nullable(v.string()),
	/** The payment processor's own. */
	status: v.string(),
	trial_end: v.nullable(dateTime),
	current_period_end: v.nullable(dateTime),
	cancel_at_period_end: v.boolean(),
	cancel_at: v.nullable(dateTime),
	pending_plan_key: v.nullable(v.string()),
	pending_effective_at: v.nullable(dateTime),
});

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
