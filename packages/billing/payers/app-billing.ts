import type { AppRecord } from "@svc/apps/app-record";
import type { Actor } from "@svc/base/actor";
import { Conflict } from "@svc/base/conflicts";
import type { AppPlan, Interval, OwnPlanKey, PaidOwnPlanKey, Tier } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import type { Person } from "@svc/people/people";
import { withinChange, withinRequest } from "../patience.ts";
import type { AppOffer } from "../plans/app-plans.ts";
import { ownPlanKeyOf, termsOf } from "../plans/bought.ts";
import type { ProcessorPreview } from "../ports.ts";
import type { Billing } from "../room.ts";
import { accessOf, isUnpaid, type Subscription, type SubscriptionAccess } from "../subscription.ts";
import { findLive, syncAfter } from "../subscriptions/subscription-readings.ts";
import { cancelAtEnd, isUnsold } from "../subscriptions/unsold.ts";
import { takeOverPaid } from "./checkouts.ts";
import { type NextCharge, nextChargeOf } from "./own-plans.ts";
import { ensureCustomerRef, ensurePriceRef } from "./processor-refs.ts";
import { changesWhen } from "./user-billing.ts";

/* An App's own plan: started, changed and ended by its team, paid through the payment processor. */

export interface AppBilling {
	/** The plan in force: the better one of those that it pays for and that operators have granted. */
	readonly plan: AppPlan | Tier;
	/** Null where it pays for none, or not any more. */
	readonly paidPlan: PaidOwnPlanKey | null;
	/** How often it is paid for; null where nothing is. */
	readonly interval: Interval | null;
	readonly nextCharge: NextCharge | null;
	/** While a payment fails: when the plan that it is for ends. */
	readonly locksMs: number | null;
	readonly access: SubscriptionAccess;
	/** Null for an App that pays nothing. */
	readonly subscription: Subscription | null;
}

/** How an App's own plan stands; what the processor does not answer is shown as it was last read. */
export async function getAppBilling(room: Billing, app: AppRecord): Promise<AppBilling> {
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const subscription = await findLive(room, subscriber).catch(() => room.subscriptions.findLive(subscriber));
	const access = accessOf(subscription, room.clock.now(), room.graceMs);
	const paid = subscription?.grantedPlan ?? "free";
	return {
		plan: room.appPlans.best(paid, app.grantedPlan),
		paidPlan: paid === "free" ? null : paid,
		interval: subscription ? termsOf(subscription.bought).interval : null,
		nextCharge: subscription ? nextChargeOf(subscription) : null,
		locksMs: access.status === "grace" ? access.expiresMs : null,
		access,
		subscription: subscription ?? null,
	};
}

/** What is chosen for an App. */
export interface AppChoice {
	readonly plan: OwnPlanKey;
	readonly interval: Interval;
}

export interface AppCheckout {
	readonly plan: PaidOwnPlanKey;
	/** When the plan that was chosen begins. */
	readonly effective: "after_payment" | "now" | "at_renewal";
	/** Where the payer has to go; null when there is nothing left to do. */
	readonly url: string | null;
}

interface ByOwner {
	readonly person: Pick<Person, "account">;
	readonly by: Actor;
	/** What is left of the term is counted from then; left out: from now. */
	readonly atMs?: number;
}

/**
 * Starts an App's plan or moves it to another one: a dearer one as soon as it is paid, a cheaper one at the next renewal.
 * @throws Failure validation_error for what is not sold; state_conflict for the plan that it has, while a payment or cancellation
 * prevents it, and while the App is paused or blocked
 */
export async function checkoutAppPlan(
	room: Billing,
	app: AppRecord,
	choice: AppChoice,
	owner: ByOwner,
): Promise<AppCheckout> {
	const offer = await getAppOffer(room, choice);
	if (app.paused || app.blocked) {
		throw new Conflict("app_away", {
			message: "This App is paused or blocked: nothing is bought for it until it is back.",
		});
	}
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const known = await findLive(room, subscriber);
	const taken = !known && (await takeOverPaid(room, subscriber));
	const live = taken ? await findLive(room, subscriber) : known;
	return live ? await changePlan(room, live, offer, owner) : await openCheckout(room, app, offer, owner);
}

/** @throws Failure validation_error under `plan`, or `interval`, for what is not sold */
async function getAppOffer(room: Billing, { plan, interval }: AppChoice): Promise<AppOffer> {
	const offer = await room.appPlans.findOffer(room, plan, interval);
	if (offer) return offer;
	if (plan === "free") throw invalid("plan", "is what an App has without paying: cancel the plan that it pays for");
	const sold = room.appPlans.listed.filter(({ prices }) => prices.length > 0);
	if (sold.length === 0) throw invalid("plan", "is not sold here");
	const keys = sold.map(({ key }) => key);
	if (!keys.some((key) => key === plan)) {
		throw invalid("plan", `must be ${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}`);
	}
	throw invalid("interval", "is none at which this plan is sold");
}

async function openCheckout(
	room: Billing,
	app: AppRecord,
	offer: AppOffer,
	{ person, by }: ByOwner,
): Promise<AppCheckout> {
	const id = newId("chk");
	const back = `${room.addresses.web}/billing/return?checkout=${id}`;
	const { ref, url } = await withinChange(
		room.processor.checkout({
			id,
			customer: await ensureCustomerRef(room, app.id, { email: person.account.email, name: app.name }),
			price: await ensureAppOfferRef(room, offer),
			trialDays: 0,
			title: offer.title,
			seller: room.name,
			...WITHOUT_TAX,
			promotionCodes: false,
			successUrl: back,
			cancelUrl: back,
		}),
	);
	const subscriber = { subject: "app", appPk: app.pk } as const;
	const facts = { trialDays: 0, redirectUri: null, state: null, processor: room.processor.name, ref };
	await room.checkouts.add({ id, subscriber, bought: offer.bought, ...facts }, by);
	return { plan: offer.key, effective: "after_payment", url };
}

async function changePlan(
	room: Billing,
	live: Subscription,
	offer: AppOffer,
	{ by, atMs }: ByOwner,
): Promise<AppCheckout> {
	refuseChange(room, live, offer);
	const plan = offer.key;
	const when = changesWhen(live, termsOf(live.bought), offer.terms);
	const price = await ensureAppOfferRef(room, offer);
	const read = await syncAfter(room, live.ref, by, () => room.processor.change(live.ref, price, when, atMs));
	if (when === "renewal") return { plan, effective: "at_renewal", url: null };
	if (read && isOffer(read.bought, offer)) return { plan, effective: "now", url: null };
	return { plan, effective: "after_payment", url: await paymentMethodUrl(room, live) };
}

/** @throws Failure state_conflict */
function refuseChange(room: Billing, live: Subscription, offer: AppOffer): void {
	// It cannot be resumed either: what is sold here is bought once it is over.
	if (isUnsold(room, live)) throw new Conflict("not_sold");
	if (live.cancelAtPeriodEnd) {
		throw new Conflict("plan_cancelled", {
			message: "This plan is cancelled to the end of its term; resume it first.",
		});
	}
	if (isOffer((live.pending ?? live).bought, offer)) {
		throw new Conflict("plan_is_yours", {
			message: `This App has the plan ${offer.key} already, or will from its next renewal on.`,
		});
	}
	if (isUnpaid(live)) {
		throw new Conflict("plan_unpaid", {
			message: "The last payment failed; pay it first, with another payment method.",
		});
	}
	if (live.collectionPaused) throw new Conflict("plan_held");
}

function isOffer(bought: Subscription["bought"], { key, terms }: AppOffer): boolean {
	const { amount, currency, interval } = termsOf(bought);
	const same = amount === terms.amount && currency === terms.currency && interval === terms.interval;
	return ownPlanKeyOf(bought) === key && same;
}

/** What a change of the plan that an App pays for would cost. */
export interface CostOfChange {
	readonly effective: "now" | "at_renewal";
	readonly amountNow: number;
	readonly nextAmount: number;
	readonly nextMs: number;
	readonly currency: string;
	/** The change costs this where it is counted from then, for a quarter of an hour. */
	readonly atMs: number;
}

/** @throws Failure as {@link checkoutAppPlan}; state_conflict for an App that pays nothing */
export async function previewAppChange(room: Billing, app: AppRecord, choice: AppChoice): Promise<CostOfChange> {
	const live = await getLive(room, app);
	const atMs = room.clock.now();
	const { offer, preview } = await previewAppPlan(room, live, choice, atMs);
	const { amount, currency } = offer.terms;
	if (!preview)
		return { effective: "at_renewal", amountNow: 0, nextAmount: amount, nextMs: live.periodEndMs, currency, atMs };
	const { amountNow, nextAmount, nextMs } = preview;
	return { effective: "now", amountNow, nextAmount, nextMs, currency, atMs };
}

/** How long a change may cost what was shown. */
const SHOWN_MS = 15 * 60_000;

/** @throws Failure validation_error under `at` for a time at which no preview can have been shown that still holds */
export function requireShown({ clock }: Pick<Billing, "clock">, atMs: number): void {
	const ago = clock.now() - atMs;
	if (!(ago >= 0 && ago <= SHOWN_MS)) throw invalid("at", "is over: ask anew what the change costs");
}

/**
 * What the choice costs at that time; undefined where nothing would be charged at once.
 * @throws Failure as {@link checkoutAppPlan}
 */
export async function previewAppPlan(
	room: Billing,
	live: Subscription,
	choice: AppChoice,
	atMs: number,
): Promise<{ readonly offer: AppOffer; readonly preview: ProcessorPreview | undefined }> {
	const offer = await getAppOffer(room, choice);
	refuseChange(room, live, offer);
	const when = changesWhen(live, termsOf(live.bought), offer.terms);
	if (when === "renewal") return { offer, preview: undefined };
	const price = await ensureAppOfferRef(room, offer);
	return { offer, preview: await withinRequest(room.processor.preview(live.ref, price, when, atMs)) };
}

/** The tax of what the service sells, if there is any, is in its prices: the setting is an App's. */
const WITHOUT_TAX = { taxBehavior: null } as const;

/** The processor's id of a price for Apps. */
function ensureAppOfferRef(room: Billing, { priceId, title, terms }: AppOffer): Promise<string> {
	const { amount, currency, interval } = terms;
	return ensurePriceRef(room, priceId, { amount, currency, interval, ...WITHOUT_TAX, title });
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
	if (isUnsold(room, live)) throw new Conflict("not_sold");
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
	if (!live) throw new Conflict("no_plan", { message: "This App pays for no plan." });
	return live;
}
