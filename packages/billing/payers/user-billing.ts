import type { Actor } from "@svc/base/actor";
import { Conflict } from "@svc/base/conflicts";
import type { TaxBehavior } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { type PayingBack, withdrawnMail } from "../mails/billing-mails.ts";
import { withinChange } from "../patience.ts";
import { taxBehaviorOf, WITHDRAWAL_MS } from "../plans/bought.ts";
import type { PlanGrant, PlanPrice, PriceTerms, SoldPlan } from "../plans/plan.ts";
import type { ChangeTime } from "../ports.ts";
import type { Billing } from "../room.ts";
import { accessOf, isUnpaid, type Subscription, type SubscriptionAccess, type Withdrawal } from "../subscription.ts";
import { trialMacsOf } from "../subscriptions/reading.ts";
import { payBack, syncAfter, syncSubscription } from "../subscriptions/subscription-readings.ts";
import { cancelAtEnd } from "../subscriptions/unsold.ts";
import { takeOverPaid } from "./checkouts.ts";
import type { Payer } from "./payers.ts";
import { ensureCustomerRef, ensurePriceRef, priceName } from "./processor-refs.ts";

/* What an App's users buy, from the App or from the service (specification, "Subscription access"). */

export type KnownAccess = Exclude<SubscriptionAccess, { readonly status: "unconfirmed" }>;

export interface UserBilling {
	readonly payer: Payer;
	/** By what is paid for, or else by what is given. */
	readonly access: KnownAccess;
	/** What is given, where nothing that is paid for goes before it. */
	readonly grant: PlanGrant | undefined;
	/** The live subscription, or else the one that ended last. */
	readonly subscription: Subscription | undefined;
	readonly trialEligible: boolean;
}

/** @throws Failure server_error with Retry-After while a renewal is being confirmed */
export async function getUserBilling(room: Billing, payer: Payer): Promise<UserBilling> {
	const known = await room.subscriptions.findLatest(subscriberOf(payer));
	const first = accessOf(known, room.clock.now(), room.graceMs);
	const subscription = known && first.status === "unconfirmed" ? await syncSubscription(room, known.ref) : known;
	const access = accessOf(subscription, room.clock.now(), room.graceMs);
	if (access.status === "unconfirmed") throw renewing();
	const found = { payer, subscription, trialEligible: await isTrialEligible(room, payer) };
	const grant =
		access.status === "inactive"
			? await room.grants.find(payer.connectionPk, payer.seller.pk, room.clock.now())
			: undefined;
	return { ...found, grant, access: grant ? { status: "active", expiresMs: grant.untilMs } : access };
}

function renewing(): Failure {
	return new Failure("server_error", undefined, {
		message: "A renewal is being confirmed; keep what was read last and try again.",
		retryAfterSeconds: 30,
		timedOut: true,
	});
}

function subscriberOf({ seller, connectionPk }: Payer) {
	return { subject: "user", appPk: seller.pk, connectionPk } as const;
}

async function isTrialEligible(room: Billing, payer: Payer): Promise<boolean> {
	return !(await room.payers.hadTrial(payer.seller.pk, await trialMacsOf(room, payer)));
}

/** Whether a user has a plan that has neither ended nor been withdrawn from. */
export function hasPlan({ subscription }: Pick<UserBilling, "subscription">): boolean {
	return subscription !== undefined && subscription.endedMs === null && subscription.withdrawnMs === null;
}

/** Whether prices hold their tax for this user: as their plan was bought, or as the seller sells now. */
export function taxBehaviorFor({ payer, subscription }: UserBilling): TaxBehavior | null {
	const lives = subscription && subscription.endedMs === null && subscription.withdrawnMs === null;
	return lives ? taxBehaviorOf(subscription.bought) : payer.seller.taxBehavior;
}

/** A price of a plan. */
export interface Offer {
	readonly plan: SoldPlan;
	readonly price: PlanPrice;
}

/** A price that can be bought now; undefined for any other. */
export async function findOffer(room: Billing, payer: Payer, priceId: string): Promise<Offer | undefined> {
	const found = isId("prc", priceId) ? await room.plans.findPrice(payer.seller.pk, priceId) : undefined;
	return found && found.plan.archivedMs === null && found.price.onSale ? found : undefined;
}

async function getOffer(room: Billing, payer: Payer, priceId: string): Promise<Offer> {
	const offer = await findOffer(room, payer, priceId);
	if (!offer) throw new Conflict("price_gone");
	return offer;
}

/** The page to which a payer returns after paying. */
export interface ReturnPlace {
	readonly redirectUri: string;
	readonly state: string | null;
}

interface TeamMember {
	readonly payer: Payer;
	readonly by: Actor;
}

/**
 * Opens the processor's page for a plan; with a trial where the price has one and this person has not had one here.
 * @throws Failure state_conflict for a user who has a plan, for a price that is not on sale, and while the App may not sell
 */
export async function openUserCheckout(
	room: Billing,
	{ payer, by }: TeamMember,
	priceId: string,
	place: ReturnPlace,
): Promise<string> {
	const known = await getUserBilling(room, payer);
	// One that was paid in another window, or before the browser was closed, is what they have.
	const taken = !hasPlan(known) && (await takeOverPaid(room, subscriberOf(payer)));
	const billing = taken ? await getUserBilling(room, payer) : known;
	if (hasPlan(billing)) throw new Conflict("has_plan");
	if (!payer.seller.selling) throw new Conflict("sells_none");
	if (payer.app.suspended) throw new Conflict("app_away");
	const offer = await getOffer(room, payer, priceId);
	const trialDays = billing.trialEligible ? offer.price.trialDays : 0;
	const { name, taxBehavior, promotionCodes } = payer.seller;
	const id = newId("chk");
	const back = `${room.addresses.web}/billing/return?checkout=${id}`;
	const { ref, url } = await withinChange(
		room.processor.checkout({
			id,
			customer: await ensureCustomerRef(room, payer.connectionId, { email: payer.email, name: payer.email }),
			price: await ensureOfferRef(room, offer, taxBehavior),
			trialDays,
			title: offer.plan.name,
			seller: name,
			taxBehavior,
			promotionCodes,
			successUrl: back,
			cancelUrl: back,
		}),
	);
	const bought = { subject: "user", pricePk: offer.price.pk } as const;
	const facts = { trialDays, ...place, processor: room.processor.name, ref };
	await room.checkouts.add({ id, subscriber: subscriberOf(payer), bought, ...facts }, by);
	return url;
}

/** The processor's id of a price that is offered, taxed in that way: a subscription stays with the one with which it began. */
export function ensureOfferRef(
	room: Billing,
	{ plan, price }: Offer,
	taxBehavior: TaxBehavior | null,
): Promise<string> {
	const { amount, currency, interval } = price;
	const terms = { amount, currency, interval, taxBehavior, title: plan.name };
	return ensurePriceRef(room, priceName(price.id, taxBehavior), terms);
}

/** `kept`: a change that waited for the renewal is withdrawn. */
export type Switched = "now" | "at_renewal" | "after_payment" | "kept";

/**
 * Moves a user to another plan: a dearer one as soon as it is paid, a cheaper one at the renewal, either at once during a trial,
 * whose end stays. What is left of the term is counted from `atMs`.
 * @throws Failure state_conflict where that is not possible
 */
export async function switchUserPlan(
	room: Billing,
	{ payer, by }: TeamMember,
	priceId: string,
	atMs: number = room.clock.now(),
): Promise<Switched> {
	if (payer.app.suspended) throw new Conflict("app_away");
	const live = await getLive(room, payer);
	const current =
		live.bought.subject === "user" ? await room.plans.findPrice(payer.seller.pk, live.bought.priceId) : undefined;
	// Bought from the service itself, while this deployment sold storages rather than Apps' plans.
	if (!current) throw new Conflict("other_plan");
	const offer = await getOffer(room, payer, priceId);
	refuseSwitch(live, current.price, offer.price);
	const when = changesWhen(live, current.price, offer.price);
	const wanted = await ensureOfferRef(room, offer, taxBehaviorOf(live.bought));
	const read = await syncAfter(room, live.ref, by, () => room.processor.change(live.ref, wanted, when, atMs));
	if (when === "renewal") return offer.price.id === current.price.id ? "kept" : "at_renewal";
	return read?.bought.subject === "user" && read.bought.priceId === priceId ? "now" : "after_payment";
}

/** `when_paid`: at once, since it costs more, or nothing yet. What is left of an extended term was not paid for, so that it is waited for. */
export function changesWhen(
	{ status, extended }: Pick<Subscription, "status" | "extended">,
	current: PriceTerms,
	wanted: PriceTerms,
): ChangeTime {
	if (extended) return "renewal";
	return perYear(wanted) > perYear(current) || status === "trialing" ? "when_paid" : "renewal";
}

function refuseSwitch(live: Subscription, current: PlanPrice, wanted: PlanPrice): void {
	const becomes = live.pending?.bought ?? live.bought;
	if (becomes.subject === "user" && becomes.priceId === wanted.id) throw new Conflict("plan_is_yours");
	if (live.cancelAtPeriodEnd) throw new Conflict("plan_cancelled");
	if (isUnpaid(live)) throw new Conflict("plan_unpaid");
	if (live.collectionPaused) throw new Conflict("plan_held");
	if (wanted.currency !== current.currency) throw new Conflict("other_currency");
}

function perYear({ amount, interval }: PriceTerms): number {
	return interval === "year" ? amount : amount * 12;
}

/** @throws Failure state_conflict for a user without a plan; server_error while the processor does not answer */
async function getLive(room: Billing, payer: Payer): Promise<Subscription> {
	const billing = await getUserBilling(room, payer);
	if (!billing.subscription || !hasPlan(billing)) throw new Conflict("no_plan");
	return billing.subscription;
}

/** Cancels the plan; access stays to the end of the term. */
export async function cancelUserPlan(room: Billing, { payer, by }: TeamMember): Promise<void> {
	await cancelAtEnd(room, await getLive(room, payer), by);
}

export async function resumeUserPlan(room: Billing, { payer, by }: TeamMember): Promise<void> {
	const { ref } = await getLive(room, payer);
	await syncAfter(room, ref, by, () => room.processor.resume(ref));
}

export async function userPaymentMethodUrl(room: Billing, payer: Payer, returnUrl: string): Promise<string> {
	const live = await getLive(room, payer);
	return await withinChange(room.processor.paymentMethodUrl(live.ref, returnUrl));
}

/** The time is counted from the first checkout: a change of plan does not restart it. */
export function mayWithdraw(subscription: Subscription | undefined, nowMs: number): boolean {
	if (!subscription || subscription.endedMs !== null || subscription.withdrawnMs !== null) return false;
	return nowMs <= subscription.startedMs + WITHDRAWAL_MS;
}

/**
 * Ends a plan at once and refunds everything. What the processor does not do now is done as soon as it answers.
 * @throws Failure state_conflict for a user without a plan, or when the time for it is over
 */
export async function withdrawUserPlan(room: Billing, { payer, by }: TeamMember): Promise<void> {
	// The processor's answer does not matter here: withdrawing is a right that does not wait for it.
	const live = await room.subscriptions.findLive(subscriberOf(payer));
	if (!live || !mayWithdraw(live, room.clock.now())) throw new Conflict("nothing_to_withdraw");
	const mail = withdrawnMail(room, live, payer, await payingBack(room, live));
	await withdraw(room, { subscription: live, trialMacs: await trialMacsOf(room, payer), mail, by });
}

/** What a withdrawal pays back, and what it cannot, since a bank has asked it back already. */
export async function payingBack({ ownPlans }: Billing, { pk }: Subscription): Promise<PayingBack> {
	const invoices = await ownPlans.listInvoices(pk, { limit: INVOICES_NAMED, beforePk: undefined });
	const paid = invoices.filter((one) => one.amountPaid > one.amountRefunded + one.amountDisputed);
	return {
		newest: paid[0]?.id,
		numbers: paid.map(({ number }) => number).reverse(),
		held: invoices.reduce((sum, { amountDisputed }) => sum + amountDisputed, 0),
	};
}

const INVOICES_NAMED = 24;

/** Marked first, so that it is done whenever the processor answers. @throws Failure state_conflict for what has ended meanwhile */
export async function withdraw(room: Billing, withdrawal: Withdrawal): Promise<void> {
	const { subscription } = withdrawal;
	if (!(await room.subscriptions.markWithdrawn(withdrawal))) throw new Conflict("plan_ended");
	await payBack(room, subscription, withdrawal.by).catch((cause: unknown) => {
		room.log.warn("a withdrawal has to be ended later", { subscription: subscription.id, cause });
	});
}
