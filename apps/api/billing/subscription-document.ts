import { DISPUTE_STATES } from "@svc/base/enumerations";
import { priceIdOf, termsOf } from "@svc/billing/plans/bought";
import type { Bought, PlanGrant } from "@svc/billing/plans/plan";
import { HELD_STATUSES, type Seller, type Subscription, type SubscriptionAccess } from "@svc/billing/subscription";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { priceSchema } from "./billing-plans.ts";
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
	price_id: v.string(),
	status: about(v.string(), "The payment processor's own."),
	trial_end: v.nullable(dateTime),
	current_period_end: v.nullable(dateTime),
	cancel_at_period_end: v.boolean(),
	cancel_at: v.nullable(dateTime),
	pending_plan_key: v.nullable(v.string()),
	pending_effective_at: v.nullable(dateTime),
};

export const subscriptionSchema = named("Subscription", v.object(subscriptionEntries));

export function encodePrice(bought: Bought): v.InferOutput<typeof priceSchema> {
	const { amount, currency, interval, trialDays } = termsOf(bought);
	return { id: priceIdOf(bought), object: "price", amount, currency, interval, trial_days: trialDays };
}

export const sellerSchema = named(
	"PlanSeller",
	v.object({
		kind: oneOf("PlanSellerKind", ["app", "service"]),
		id: about(v.nullable(v.string()), "Null for the service itself."),
		name: v.string(),
	}),
);

export function encodeSeller({ name }: Pick<ApiRooms, "name">, seller: Seller): v.InferOutput<typeof sellerSchema> {
	return seller.kind === "app" ? { ...seller } : { kind: "service", id: null, name };
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
		seller: about(sellerSchema, "In an App's list the App itself; operators see what the service sold too."),
		price: priceSchema,
		user_id: about(v.nullable(v.string()), "Null for an App's own plan, which the service sells."),
		email: about(v.nullable(v.string()), "Of this user; null for one who is not connected any more."),
		ended_at: v.nullable(dateTime),
		dispute: v.nullable(disputeSchema),
		invoices: v.array(invoiceSchema),
		created_at: dateTime,
	}),
	"A subscription as the team of the App that sold it sees it, and operators.",
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
		price_id: priceIdOf(bought),
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
