import { APP_PLAN_CURRENCY, APP_PLANS } from "@svc/apps/app-plan";
import type { AppRecord } from "@svc/apps/apps";
import { conflict } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { APP_PLAN_NAMES, type AppPlan, type PaidAppPlan } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import type { Person } from "@svc/people/people";
import { ensureCustomerRef, ensurePriceRef, findLive, syncAfter, withinChange } from "./billing.ts";
import { takeOverPaid } from "./checkouts.ts";
import type { Billing } from "./room.ts";
import { accessOf, isUnpaid, type Subscription, type SubscriptionAccess } from "./subscriptions.ts";
import { cancelAtEnd } from "./unsold.ts";

/* An App's own plan: started, changed and ended by its team, paid through the payment processor. */

export interface AppBilling {
	/** The plan in force: the better one of those that it pays for and that operators have granted. */
	readonly plan: AppPlan;
	/** Null where it pays for none, or not any more. */
	readonly paidPlan: PaidAppPlan | null;
	/** What is charged next, in the smallest unit, and when; null where nothing will be. */
	readonly nextCharge: { readonly amount: number; readonly currency: string; readonly atMs: number } | null;
	/** While a payment fails: when the plan that it is for ends. */
	readonly locksMs: number | null;
	readonly access: SubscriptionAccess;
	/** Null for an App that pays nothing. */
	readonly subscription: Subscription | null;
}

const SMALLEST_UNITS = 100;

/** How an App's own plan stands; what the processor does not answer is shown as it was last read. */
export async function getAppBilling(room: Billing, app: AppRecord): Promise<AppBilling> {
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const subscription = await findLive(room, subscriber).catch(() => room.subscriptions.findLive(subscriber));
	const access = accessOf(subscription, room.clock.now(), room.graceMs);
	const paid = subscription?.grantedPlan ?? "free";
	return {
		plan: better(paid, app.grantedPlan ?? "free"),
		paidPlan: paid === "free" ? null : paid,
		nextCharge: subscription ? nextChargeOf(subscription) : null,
		locksMs: access.status === "grace" ? access.expiresMs : null,
		access,
		subscription: subscription ?? null,
	};
}

function better(one: AppPlan, other: AppPlan): AppPlan {
	return APP_PLAN_NAMES.indexOf(one) > APP_PLAN_NAMES.indexOf(other) ? one : other;
}

function nextChargeOf(live: Subscription): AppBilling["nextCharge"] {
	if (live.cancelAtPeriodEnd || live.collectionPaused || isUnpaid(live)) return null;
	const next = live.pending?.bought ?? live.bought;
	if (next.subject !== "app") return null;
	const amount = Math.max(0, APP_PLANS[next.appPlan].pricePerMonth * SMALLEST_UNITS - live.credit);
	return { amount, currency: APP_PLAN_CURRENCY, atMs: live.periodEndMs };
}

export interface AppCheckout {
	readonly plan: PaidAppPlan;
	/** When the plan that was chosen begins. */
	readonly effective: "after_payment" | "now" | "at_renewal";
	/** Where the payer has to go; null when there is nothing left to do. */
	readonly url: string | null;
}

/**
 * Starts an App's plan or moves it to another one: a dearer one as soon as it is paid, a cheaper one at the next renewal.
 * @throws Failure validation_error for free; state_conflict for the plan that it has, and while a payment or cancellation prevents it
 */
export async function checkoutAppPlan(
	room: Billing,
	app: AppRecord,
	plan: AppPlan,
	{ person, by }: { readonly person: Person; readonly by: Actor },
): Promise<AppCheckout> {
	if (plan !== "free" && !room.appPlans.includes(plan)) {
		throw invalid("plan", "is not sold here");
	}
	if (plan === "free") throw invalid("plan", "is what an App has without paying: cancel the plan that it pays for");
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const known = await findLive(room, subscriber);
	const taken = !known && (await takeOverPaid(room, subscriber));
	const live = taken ? await findLive(room, subscriber) : known;
	return live ? await changePlan(room, live, plan, by) : await openCheckout(room, app, plan, { person, by });
}

async function openCheckout(
	room: Billing,
	app: AppRecord,
	appPlan: PaidAppPlan,
	{ person, by }: { readonly person: Person; readonly by: Actor },
): Promise<AppCheckout> {
	const id = newId("chk");
	const back = `${room.addresses.web}/billing/return?checkout=${id}`;
	const { ref, url } = await withinChange(
		room.processor.checkout({
			id,
			customer: await ensureCustomerRef(room, app.id, { email: person.account.email, name: app.name }),
			price: await appPlanPrice(room, appPlan),
			trialDays: 0,
			title: titleOf(room, appPlan),
			seller: room.name,
			successUrl: back,
			cancelUrl: back,
		}),
	);
	const bought = { subject: "app", appPlan } as const;
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const facts = { trialDays: 0, redirectUri: null, state: null, processor: room.processor.name, ref };
	await room.subscriptions.addCheckout({ id, subscriber, bought, ...facts }, by);
	return { plan: appPlan, effective: "after_payment", url };
}

async function changePlan(room: Billing, live: Subscription, plan: PaidAppPlan, by: Actor): Promise<AppCheckout> {
	const now = appPlanOf(live);
	const pending = live.pending?.bought.subject === "app" ? live.pending.bought.appPlan : undefined;
	if (live.cancelAtPeriodEnd) throw conflict("This plan is cancelled to the end of its term; resume it first.");
	if (plan === (pending ?? now))
		throw conflict(`This App has the plan ${plan} already, or will from its next renewal on.`);
	if (isUnpaid(live)) throw conflict("The last payment failed; pay it first, with another payment method.");
	const when = APP_PLANS[plan].pricePerMonth > APP_PLANS[now].pricePerMonth ? "when_paid" : "renewal";
	const price = await appPlanPrice(room, plan);
	const read = await syncAfter(room, live.ref, by, () => room.processor.change(live.ref, price, when));
	if (when === "renewal") return { plan, effective: "at_renewal", url: null };
	if (read && appPlanOf(read) === plan) return { plan, effective: "now", url: null };
	return { plan, effective: "after_payment", url: await paymentMethodUrl(room, live) };
}

function appPlanOf({ bought }: Subscription): PaidAppPlan {
	if (bought.subject !== "app") throw new Error("This is no App's own subscription.");
	return bought.appPlan;
}

function titleOf({ name }: Billing, plan: PaidAppPlan): string {
	return `${name} ${plan === "pro" ? "Pro" : "Unlimited"}`;
}

// The price is part of its name: should it ever change, those who pay the old one keep it.
async function appPlanPrice(room: Billing, plan: PaidAppPlan): Promise<string> {
	const amount = APP_PLANS[plan].pricePerMonth * SMALLEST_UNITS;
	const terms = { amount, currency: APP_PLAN_CURRENCY, interval: "month", title: titleOf(room, plan) } as const;
	return await ensurePriceRef(room, `app_plan:${plan}:${APP_PLAN_CURRENCY}:${amount}`, terms);
}

/** Ends the plan with its term. Nothing that the App holds is deleted then. @throws Failure state_conflict for an App that pays nothing */
export async function cancelAppPlan(room: Billing, app: AppRecord, by: Actor): Promise<AppBilling> {
	const live = await getLive(room, app);
	await cancelAtEnd(room, live, by);
	return await getAppBilling(room, app);
}

/** Withdraws a cancellation. @throws Failure state_conflict for an App that pays nothing, and for what is not sold at present */
export async function resumeAppPlan(room: Billing, app: AppRecord, by: Actor): Promise<AppBilling> {
	const live = await getLive(room, app);
	if (room.unsoldGoods.includes("app_plan")) throw conflict("This plan is not sold any more: it ends with its term.");
	if (live.cancelAtPeriodEnd) {
		await syncAfter(room, live.ref, by, () => room.processor.resume(live.ref));
	}
	return await getAppBilling(room, app);
}

/** Where the App's team changes what it pays with. @throws Failure state_conflict for an App that pays nothing */
export async function appPaymentMethodUrl(room: Billing, app: AppRecord): Promise<string> {
	return await paymentMethodUrl(room, await getLive(room, app));
}

function paymentMethodUrl({ processor, addresses }: Billing, { id, ref }: Subscription): Promise<string> {
	return withinChange(processor.paymentMethodUrl(ref, `${addresses.web}/billing/return?subscription=${id}`));
}

async function getLive(room: Billing, app: AppRecord): Promise<Subscription> {
	const live = await findLive(room, { subject: "app", appPk: app.pk });
	if (!live) throw conflict("This App pays for no plan.");
	return live;
}
