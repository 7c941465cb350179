import type { Addresses } from "@svc/base/addresses";
import { type MailFacts, type NewMail, newMail, type PlanFacts } from "@svc/mail/mail";
import { planNameOf, taxBehaviorOf, termsOf, WITHDRAWAL_MS } from "../plans/bought.ts";
import type { Bought } from "../plans/plan.ts";
import type { Snapshot } from "../ports.ts";
import type { Subscriber, Subscription } from "../subscription.ts";

/* Mails to those who pay (specification, "Events"); the processor itself sends the receipts. Each mail names the App, and goes once. */

/** Who gets a mail, and in whose App they pay. */
export interface Recipient {
	readonly email: string;
	readonly app: {
		readonly pk: number;
		readonly id: string;
		readonly name: string;
		/** Paused or blocked. */
		readonly suspended: boolean;
		/** Since when it is; null while it is neither. */
		readonly suspendedMs: number | null;
		readonly deleting: boolean;
	};
}

/** Where the pages are. */
export interface PagePlace {
	readonly addresses: Addresses;
}

export interface SubscriptionChange {
	readonly before: Subscription | undefined;
	readonly snapshot: Snapshot;
	readonly bought: Bought;
	readonly payer: Recipient;
	/** Public id of the subscription. */
	readonly id: string;
	readonly subject: Subscriber["subject"];
	/** Id of the newest invoice that was known before. */
	readonly newestInvoice: string | undefined;
	/** The number of the App that sells. */
	readonly sellerPk: number;
	/** It began while the App was paused or blocked. */
	readonly closed: boolean;
	/** Nothing is collected because of that; so it stays until something is again, whatever else holds it. */
	readonly heldForApp: boolean;
	/** Who else is told of an App's own plan: those who run it beside its Owner. */
	readonly admins: readonly string[];
	/** How long a plan goes on while its payment fails. */
	readonly graceMs: number;
	readonly nowMs: number;
	/** The addresses of those who are told of a dispute. */
	readonly watchers: readonly string[];
}

/** Whether a dispute began, or was decided, since the last reading. */
export function hasNewDispute(before: Subscription | undefined, { dispute }: Snapshot): boolean {
	return dispute !== null && (dispute.state !== before?.dispute?.state || dispute.atMs !== before.dispute.atMs);
}

/** Whether one was lost since the last reading: what it took counts as paid back. */
export function hasLost(before: Subscription | undefined, snapshot: Snapshot): boolean {
	return snapshot.dispute?.state === "lost" && hasNewDispute(before, snapshot);
}

/** How long before its end people are mailed that a trial becomes a plan that is paid for. */
export const TRIAL_WARNING_MS = 3 * 86_400_000;

/** The mails that a reading causes. */
export function mailsOf(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { before } = change;
	const disputes = disputeMails(place, change);
	if (!before) return [...firstMails(place, change), ...disputes];
	return [...refundMails(place, change, before), ...pauseMails(place, change, before), ...disputes];
}

function firstMails(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, payer, id } = change;
	if (snapshot.endedMs === null) return change.subject === "user" ? startMails(place, change) : [];
	// It gave way as it began: to another one, or because the App was not there for it.
	const refund = refundedIn(snapshot);
	const template = change.closed ? "paid_unavailable" : "paid_twice";
	if (refund === 0 && !change.closed) return [];
	return [newMail(template, payer.email, { ...factsOf(place, change), refund }, `${template} ${id}`)];
}

function refundedIn({ invoices }: Snapshot): number {
	return invoices.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
}

function refundMails(place: PagePlace, change: SubscriptionChange, before: Subscription): readonly NewMail[] {
	const refunded = refundedIn(change.snapshot);
	const gone = change.payer.app.deleting;
	// What is paid back with the withdrawal itself, or as the App was deleted, has its own mail.
	const further =
		!hasLost(before, change.snapshot) &&
		(before.withdrawnMs !== null || gone) &&
		before.endedMs !== null &&
		refunded > before.amountRefunded;
	if (!further) return [];
	const why = before.withdrawnMs === null ? ({ gone } as const) : {};
	const facts = {
		...factsOf(place, change),
		...receiptOf(place, change.newestInvoice),
		...why,
		refund: refunded - before.amountRefunded,
	};
	return [newMail("further_refund", change.payer.email, facts, `further_refund ${change.id} ${refunded}`)];
}

/** One when nothing is charged for a while, because the App is paused or blocked, and one when it is charged for again. */
function pauseMails(place: PagePlace, change: SubscriptionChange, before: Subscription): readonly NewMail[] {
	const { snapshot, payer, id, nowMs, heldForApp } = change;
	if (snapshot.endedMs !== null || before.heldForApp === heldForApp) return [];
	const facts = factsOf(place, change);
	if (heldForApp) return [newMail("plan_paused", payer.email, facts, `plan_paused ${id} ${nowMs}`)];
	const endMs = snapshot.status === "trialing" ? (snapshot.trialEndMs ?? snapshot.periodEndMs) : snapshot.periodEndMs;
	const until = new Date(endMs).toISOString();
	const next = { ...nextOf(facts, snapshot.nextTotal), until };
	return [newMail("plan_resumed", payer.email, next, `plan_resumed ${id} ${nowMs}`)];
}

/** To whoever has to answer it, once for each step of it. */
function disputeMails(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, watchers, id } = change;
	if (!snapshot.dispute || watchers.length === 0) return [];
	const { state, amount: disputed, atMs, dueMs } = snapshot.dispute;
	const { app, plan, currency = "" } = factsOf(place, change);
	const due = state === "open" && dueMs !== null ? { until: new Date(dueMs).toISOString() } : {};
	return watchers.map((email) => {
		const once = `payment_disputed ${id} ${atMs} ${state} ${email}`;
		return newMail("payment_disputed", email, { app, plan, state, disputed, currency, ...due }, once);
	});
}

/** What all mails about a plan say. */
export function factsOf(
	{ addresses }: PagePlace,
	{ bought, payer, id, sellerPk }: Pick<SubscriptionChange, "bought" | "payer" | "id" | "sellerPk">,
): PlanFacts {
	const { amount, currency, interval } = termsOf(bought);
	const page = `${addresses.web}/account/plans/${id}`;
	const seller = bought.subject === "user" && sellerPk === payer.app.pk ? "app" : "service";
	const taxed = taxBehaviorOf(bought);
	const facts: PlanFacts = { app: payer.app.name, plan: planNameOf(bought), seller, amount, currency, interval, page };
	return taxed ? { ...facts, taxed } : facts;
}

/** With what the next term costs, tax and discount counted in. */
function nextOf(facts: PlanFacts, nextTotal: number | null): PlanFacts {
	return nextTotal === null ? facts : { ...facts, amount: nextTotal };
}

function startMails(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, payer, id, nowMs } = change;
	const { trialEndMs, periodEndMs, startedMs, invoices } = snapshot;
	const facts = factsOf(place, change);
	const withdraw = new Date(startedMs + WITHDRAWAL_MS).toISOString();
	if (trialEndMs === null || snapshot.status !== "trialing") {
		const tax = invoices.reduce((sum, one) => sum + one.tax, 0);
		const started = { ...facts, tax, withdraw, until: new Date(periodEndMs).toISOString() };
		return [newMail("subscription_started", payer.email, started, `subscription_started ${id}`)];
	}
	const until = new Date(trialEndMs).toISOString();
	const started = newMail("trial_started", payer.email, { ...facts, until, withdraw }, `trial_started ${id}`);
	const short = trialEndMs - nowMs < TRIAL_WARNING_MS;
	const due = { ...nextOf(facts, snapshot.nextTotal), until };
	const ending = newMail("trial_ending", payer.email, due, trialEndingKey(id, String(trialEndMs)));
	return short ? [started, ending] : [started];
}

export function trialEndingMail(place: PagePlace, trial: Subscription, payer: Recipient): NewMail {
	const { id, bought, subscriber, trialEndMs, periodEndMs, nextTotal } = trial;
	const endMs = trialEndMs ?? periodEndMs;
	const facts = {
		...nextOf(factsOf(place, { id, bought, payer, sellerPk: subscriber.appPk }), nextTotal),
		until: new Date(endMs).toISOString(),
	};
	return newMail("trial_ending", payer.email, facts, trialEndingKey(id, String(endMs)));
}

/** The dedupe key of the mail that warns a subscriber of the trial's end: one for each end that it has had. */
export function trialEndingKey(subscriptionId: string, endMs: string): string {
	return `trial_ending ${subscriptionId}${endMs === "" ? "" : ` ${endMs}`}`;
}

/** The page of an invoice, where the money that went back is seen. */
export function receiptOf({ addresses }: PagePlace, invoiceId: string | undefined): Pick<PlanFacts, "receipt"> {
	return invoiceId === undefined ? {} : { receipt: `${addresses.web}/account/invoices/${invoiceId}` };
}

/** What is paid back with a withdrawal. */
export interface PayingBack {
	/** Id of the newest of them. */
	readonly newest: string | undefined;
	/** Of the invoices that are paid back. */
	readonly numbers: readonly string[];
	/** What a bank holds, so that it is not paid back for now. */
	readonly held: number;
}

export function withdrawnMail(
	place: PagePlace,
	{ id, bought, subscriber, amountKept }: Subscription,
	payer: Recipient,
	{ newest, numbers, held }: PayingBack,
): NewMail {
	const facts: MailFacts["withdrawn"] = {
		...factsOf(place, { id, bought, payer, sellerPk: subscriber.appPk }),
		...receiptOf(place, newest),
		refund: amountKept - held,
		...(held > 0 && { held }),
		invoices: numbers.join(", "),
	};
	return newMail("withdrawn", payer.email, facts, `withdrawn ${id}`);
}

interface Gone extends Pick<PayingBack, "held"> {
	readonly payer: Recipient;
	readonly paidBack: number;
	readonly atMs: number;
}

/** To those whose plan ends because its App is deleted. */
export function appDeletedMail(
	place: PagePlace,
	{ id, bought, subscriber }: Subscription,
	{ payer, paidBack, held, atMs }: Gone,
): NewMail {
	const facts = {
		...factsOf(place, { id, bought, payer, sellerPk: subscriber.appPk }),
		refund: paidBack,
		...(held > 0 && { held }),
		until: new Date(atMs).toISOString(),
	};
	return newMail("plan_gone", payer.email, facts, `plan_gone ${id}`);
}
