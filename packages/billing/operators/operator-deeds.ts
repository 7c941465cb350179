import { authorityOf, conflict, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { Failure, found } from "@svc/base/failure";
import { type BillingDeed, type JobPayloads, newJob } from "@svc/jobs/jobs";
import { newMail } from "@svc/mail/mail";
import { factsOf, type Recipient, receiptOf } from "../mails/billing-mails.ts";
import { findRecipient } from "../mails/recipients.ts";
import type { Billing } from "../room.ts";
import type { Subscription } from "../subscription.ts";
import { syncAfter } from "../subscriptions/subscription-readings.ts";
import { cancelAtEnd } from "../subscriptions/unsold.ts";

/*
 * What operators, and for refunds an App's Owner, order of the payment processor (decisions 0061, 0209). The order is kept first, with its entry in the audit; then the processor is
 * asked, under the order's own id; then the order ends in one commit with the mail. A process that dies in between leaves a job behind, which
 * goes on where it stopped: each of the three happens once.
 */

type Deed = JobPayloads["billing.deed"];

/** The request does it itself; should it not live to see the end, a job does from then on. */
const HEAD_START_MS = 15_000;

/** What the audit has of each kind of order. */
const EVENTS = {
	cancel: "operator.subscription_cancelled",
	refund: "operator.invoice_refunded",
	extend: "operator.subscription_extended",
} as const satisfies Record<BillingDeed["kind"], string>;

interface Ordered {
	/** What the audit has beside the reason. */
	readonly changes: Readonly<Record<string, unknown>>;
	readonly reason: string;
	readonly by: Actor;
	/** The Owner of the App that sold it, where no operator orders it: they must still be that. */
	readonly owner?: TeamMember | undefined;
}

/**
 * Does what somebody wants of a subscription, now or as soon as the processor answers.
 * @throws Failure state_conflict while another such order is under way, and for an invoice of which more was paid back meanwhile; forbidden
 * and not_found for who is its Owner no more; server_error with Retry-After, and then it is done later
 */
export async function order(room: Billing, known: Subscription, deed: BillingDeed, ordered: Ordered): Promise<void> {
	const { changes, reason, by, owner } = ordered;
	const { id, subscriber } = known;
	const about = deed.kind === "refund" ? deed.invoiceId : id;
	const dedupe = `billing.deed ${deed.kind} ${about}`;
	const orderer = { by: { actor: by.actor, requestId: by.requestId }, ...(owner && { bySeller: true as const }) };
	const job = newJob("billing.deed", { subscriptionId: id, deed, reason, ...orderer }, { dedupe });
	const event = owner ? "subscription.refunded" : EVENTS[deed.kind];
	const entry = { appPk: subscriber.appPk, event, target: id, changes: { ...changes, reason } };
	const authority = owner && authorityOf(owner, "owner");
	const order = { job, dueMs: by.nowMs + HEAD_START_MS, entry, by, authority };
	const refused = await room.operatorDeeds.begin(order);
	if (refused === undefined) return await perform(room, job);
	if (refused === "demoted" && owner) await refuseDemoted(room.apps, owner);
	if (refused === "moved") throw conflict("Some of this invoice was paid back meanwhile; look at it again.");
	// The same order sent again, perhaps because its answer was lost, is the one that is under way.
	const underWay = await room.operatorDeeds.findUnderWay(dedupe);
	if (underWay && sameOrder(underWay.payload, job.payload)) return await perform(room, underWay);
	throw conflict("Another order about this is under way; look at it again in a minute.");
}

function sameOrder(one: Deed, other: Deed): boolean {
	const told = ({ deed, reason, bySeller }: Deed) => JSON.stringify([deed, reason, bySeller]);
	return told(one) === told(other);
}

/** Goes on with an order, from whatever point it had come to. */
export async function perform(
	room: Billing,
	{ id, payload }: { readonly id: string; readonly payload: Deed },
): Promise<void> {
	const { subscriptionId, deed, reason, by, bySeller } = payload;
	const known = found(await room.subscriptions.find(subscriptionId));
	const actor = { ...by, nowMs: room.clock.now() };
	await ask(room, known, { id, deed, by: actor, reason });
	const done = found(await room.subscriptions.find(subscriptionId));
	const payer = await findRecipient(room, done);
	const told = payer && { ...factsOfDeed(room, done, payer, deed), reason };
	const words = told && bySeller ? { ...told, deed: "returned" as const } : told;
	const mails = payer && words ? [newMail("plan_by_operator", payer.email, words)] : [];
	await room.operatorDeeds.end(id, mails, room.clock.now());
}

function factsOfDeed(
	room: Billing,
	{ id, bought, subscriber, periodEndMs, endedMs }: Subscription,
	payer: Recipient,
	deed: BillingDeed,
) {
	const facts = factsOf(room, { id, bought, payer, sellerPk: subscriber.appPk });
	if (deed.kind === "refund") {
		const receipt = receiptOf(room, deed.invoiceId);
		return { ...facts, ...receipt, deed: "refunded", refund: deed.amount, invoices: deed.number } as const;
	}
	if (deed.kind === "extend") {
		return { ...facts, deed: "extended", until: new Date(deed.untilMs).toISOString() } as const;
	}
	// A term that was never paid for has no end to last until, whatever was ordered.
	if (deed.at === "now" || endedMs !== null) return { ...facts, deed: "ended" } as const;
	return { ...facts, deed: "cancelled", until: new Date(periodEndMs).toISOString() } as const;
}

interface AskedDeed {
	readonly id: string;
	readonly deed: BillingDeed;
	readonly reason: string;
	readonly by: Actor;
}

async function ask(room: Billing, known: Subscription, { id, deed, reason, by }: AskedDeed): Promise<void> {
	if (deed.kind === "refund") return await payBackPart(room, known, { id, deed, reason, by });
	if (deed.kind === "extend") return await giveTime(room, known, deed, by);
	if (deed.at === "period_end") return await cancelAtEnd(room, known, by);
	await syncAfter(room, known.ref, by, () => room.processor.cancel(known.ref, "now"));
}

/** How long a failed payment is waited for is ours to say; every other end is the processor's. */
async function giveTime(
	room: Billing,
	known: Subscription,
	{ end, untilMs }: Extract<BillingDeed, { readonly kind: "extend" }>,
	by: Actor,
): Promise<void> {
	if (end === "grace") await room.subscriptions.extendGrace(known, untilMs, by);
	else await syncAfter(room, known.ref, by, () => room.processor.extend(known.ref, untilMs));
}

type PayingBack = AskedDeed & { readonly deed: Extract<BillingDeed, { readonly kind: "refund" }> };

/** The processor may refuse it for now, since the payment is being disputed, say: then it is asked again. */
async function payBackPart(room: Billing, known: Subscription, { id, deed, reason, by }: PayingBack): Promise<void> {
	const { invoiceId, amount, refundedBefore } = deed;
	const invoice = found(await room.subscriptions.findInvoiceRef(known.pk, invoiceId));
	await syncAfter(room, known.ref, by, () => room.processor.refund(known.ref, { id, invoice, amount, reason }));
	const owned = await room.subscriptions.findOwned(known.id);
	const refunded = owned?.invoices.find((one) => one.id === invoiceId)?.amountRefunded ?? 0;
	if (refunded < refundedBefore + amount) {
		const message = "The payment processor has not paid this back yet; it is asked again by itself.";
		throw new Failure("server_error", undefined, { message, retryAfterSeconds: 30 });
	}
}
