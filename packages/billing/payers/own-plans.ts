import type { Actor } from "@svc/base/actor";
import { Conflict } from "@svc/base/conflicts";
import { found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { withdrawnMail } from "../mails/billing-mails.ts";
import { withinChange, withinRequest } from "../patience.ts";
import { termsOf, WITHDRAWAL_MS } from "../plans/bought.ts";
import type { ProcessorPreview } from "../ports.ts";
import type { Billing } from "../room.ts";
import type { OwnInvoice, OwnPlan } from "../subscription.ts";
import { accessOf, type Subscription, type SubscriptionAccess, type Withdrawal } from "../subscription.ts";
import { trialMacsOf } from "../subscriptions/reading.ts";
import { syncAfter, syncSubscription } from "../subscriptions/subscription-readings.ts";
import { cancelAtEnd, isUnsold } from "../subscriptions/unsold.ts";
import { changesWhen, ensureOfferRef, mayWithdraw, payingBack, withdraw } from "./user-billing.ts";

/* One's own plans: whoever pays can see, stop and take back what they pay for, whatever became of the App, and without it. */

export interface OwnPayer {
	readonly account: { readonly pk: number; readonly email: string };
	readonly by: Actor;
}

/** @throws Failure not_found for what is not this person's */
export async function getOwnPlan(room: Billing, account: { readonly pk: number }, id: string): Promise<OwnPlan> {
	return found(isId("sub", id) ? await room.ownPlans.find(account.pk, id) : undefined);
}

/** @throws Failure not_found for what is not this person's */
export async function getOwnInvoice(room: Billing, account: { readonly pk: number }, id: string): Promise<OwnInvoice> {
	return found(isId("ivc", id) ? await room.ownPlans.findInvoice(account.pk, id) : undefined);
}

/** The plan as the processor has it now, where it answers; as it was read last where it does not. */
export async function readOwnPlan(room: Billing, account: { readonly pk: number }, id: string): Promise<OwnPlan> {
	const known = await getOwnPlan(room, account, id);
	if (ownAccessOf(room, known).status !== "unconfirmed") return known;
	await syncSubscription(room, known.ref).catch(() => undefined);
	return await getOwnPlan(room, account, id);
}

/** Ends a plan with its term, at once where the term was never paid; doing it again changes nothing. @throws Failure state_conflict for one that has ended */
export async function cancelOwnPlan(room: Billing, payer: OwnPayer, id: string): Promise<OwnPlan> {
	const plan = await getLivePlan(room, payer, id);
	await cancelAtEnd(room, plan, payer.by);
	return await getOwnPlan(room, payer.account, id);
}

/** Takes a cancellation back. @throws Failure state_conflict for a plan that has ended, and for what is not sold at present */
export async function resumeOwnPlan(room: Billing, payer: OwnPayer, id: string): Promise<OwnPlan> {
	const plan = await getLivePlan(room, payer, id);
	if (isOwnUnsold(room, plan)) throw new Conflict("not_sold");
	if (plan.cancelAtPeriodEnd) {
		await syncAfter(room, plan.ref, payer.by, () => room.processor.resume(plan.ref));
	}
	return await getOwnPlan(room, payer.account, id);
}

/** Whether the running interface version does not sell it: then it cannot be renewed. What an App sells is its own affair. */
export function isOwnUnsold(room: Pick<Billing, "unsoldGoods">, plan: OwnPlan): boolean {
	return plan.seller.kind === "service" && isUnsold(room, plan);
}

/** Ends a plan at once and pays everything back. @throws Failure state_conflict when the time for it is over */
export async function withdrawOwnPlan(room: Billing, payer: OwnPayer, id: string): Promise<OwnPlan> {
	const plan = await getOwnPlan(room, payer.account, id);
	if (!mayWithdraw(plan, room.clock.now())) throw new Conflict("withdrawal_over");
	await withdraw(room, await withdrawalOf(room, plan, payer));
	return await getOwnPlan(room, payer.account, id);
}

/** What is written when one's own plan is withdrawn from: a mail among it, and that the trial is used up. */
export async function withdrawalOf(room: Billing, plan: OwnPlan, payer: OwnPayer): Promise<Withdrawal> {
	return { subscription: plan, by: payer.by, ...(await lastWordsOf(room, plan, payer)) };
}

/** The processor's page on which what is paid with is changed. @throws Failure state_conflict for a plan that has ended */
export async function ownPaymentMethodUrl(
	room: Billing,
	account: { readonly pk: number },
	id: string,
): Promise<string> {
	const plan = await getOwnPlan(room, account, id);
	if (plan.endedMs !== null || plan.withdrawnMs !== null) throw new Conflict("plan_ended");
	const back = `${room.addresses.web}/account/plans/${plan.id}`;
	return await withinChange(room.processor.paymentMethodUrl(plan.ref, back));
}

async function lastWordsOf(room: Billing, plan: OwnPlan, { account }: OwnPayer) {
	const { subscriber } = plan;
	const payer = subscriber.subject === "user" ? await room.payers.findByConnection(subscriber.connectionPk) : undefined;
	const app = {
		pk: subscriber.appPk,
		id: "",
		name: plan.appName,
		suspended: false,
		suspendedMs: null,
		deleting: false,
	};
	const recipient = payer ?? { email: account.email, app };
	return {
		mail: withdrawnMail(room, plan, recipient, await payingBack(room, plan)),
		trialMacs: payer ? await trialMacsOf(room, payer) : [],
	};
}

async function getLivePlan(room: Billing, { account }: OwnPayer, id: string): Promise<OwnPlan> {
	const plan = await getOwnPlan(room, account, id);
	if (plan.endedMs !== null || plan.withdrawnMs !== null) throw new Conflict("plan_ended");
	return plan;
}

/**
 * What a change to another price would cost now.
 * @throws Failure validation_error under `price_id` for a price that is unknown, not on sale or of another seller; state_conflict for a
 * plan that has ended
 */
export async function previewOwnPlan(
	room: Billing,
	account: { readonly pk: number },
	id: string,
	priceId: string,
): Promise<ProcessorPreview> {
	const plan = await getOwnPlan(room, account, id);
	const { bought, subscriber } = plan;
	// What an App buys for itself at a price the service sells.
	const sellerPk = subscriber.subject === "app" ? (await room.apps.ownApp.find())?.app.pk : subscriber.appPk;
	const known = isId("prc", priceId) && sellerPk !== undefined;
	const offer = known ? await room.plans.findPrice(sellerPk, priceId) : undefined;
	if (!offer || bought.subject !== "user" || offer.plan.archivedMs !== null || !offer.price.onSale) {
		throw invalid("price_id", "is no price on sale of the one who sells this plan");
	}
	if (offer.price.currency !== bought.terms.currency)
		throw invalid("price_id", "is in another currency than this plan");
	if (plan.endedMs !== null || plan.withdrawnMs !== null) throw new Conflict("plan_ended");
	const when = changesWhen(plan, bought.terms, offer.price);
	const ref = await ensureOfferRef(room, offer, bought.taxBehavior);
	return await withinRequest(room.processor.preview(plan.ref, ref, when, room.clock.now()));
}

export function ownAccessOf(room: Pick<Billing, "clock" | "graceMs">, plan: Subscription): SubscriptionAccess {
	return accessOf(plan, room.clock.now(), room.graceMs);
}

export interface NextCharge {
	readonly amount: number;
	readonly currency: string;
	readonly atMs: number;
}

/** What is charged next without the payer doing anything; null where nothing is. */
export function nextChargeOf(plan: Subscription): NextCharge | null {
	const { status, endedMs, withdrawnMs, cancelAtPeriodEnd, collectionPaused, credit } = plan;
	const over = endedMs !== null || withdrawnMs !== null || cancelAtPeriodEnd;
	if (over || collectionPaused || (status !== "active" && status !== "trialing")) return null;
	const { amount, currency } = termsOf(plan.pending?.bought ?? plan.bought);
	return {
		amount: Math.max(0, (plan.nextTotal ?? amount) - credit),
		currency,
		atMs: plan.trialEndMs !== null && status === "trialing" ? plan.trialEndMs : plan.periodEndMs,
	};
}

/** Until when everything can be taken back; null where it cannot any more. */
export function withdrawUntilOf(plan: Subscription, nowMs: number): number | null {
	return mayWithdraw(plan, nowMs) ? plan.startedMs + WITHDRAWAL_MS : null;
}

/** Until when a plan stays whose payment failed. */
export function graceUntilOf(
	{ status, endedMs, periodStartMs, graceUntilMs }: Subscription,
	graceMs: number,
): number | null {
	return status === "past_due" && endedMs === null ? Math.max(periodStartMs + graceMs, graceUntilMs ?? 0) : null;
}
