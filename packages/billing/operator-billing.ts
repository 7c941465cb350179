import { conflict } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { newMail } from "@svc/mail/mail";
import { type Person, requireFresh } from "@svc/people/people";
import { syncAfter } from "./billing.ts";
import type { Billing } from "./room.ts";
import type { Invoice, OwnedSubscription, Subscription } from "./subscriptions.ts";

/* What operators do for a payer: end a subscription, pay an invoice back. Each has a reason, which the payer reads. */

interface ByOperator {
	readonly person: Person;
	readonly by: Actor;
}

/**
 * Ends a subscription at once, without a refund, or with its term. One that does so already stays as it is.
 * @throws Failure not_found; state_conflict for one that has ended; forbidden for a session that is not fresh; server_error with Retry-After
 */
export async function cancelByOperator(
	room: Billing,
	id: string,
	{ at, reason }: { readonly at: "now" | "period_end"; readonly reason: string },
	operator: ByOperator,
): Promise<OwnedSubscription> {
	const known = await getSubscription(room, id);
	if (known.endedMs !== null) throw conflict("This subscription has ended.");
	requireFresh(operator.person, room.clock.now());
	await syncAfter(room, known.ref, operator.by, () => room.processor.cancel(known.ref, at));
	const told = { event: "operator.subscription_cancelled", changes: { at, reason } };
	await tell(room, known, { ...told, deed: at === "now" ? "ended" : "cancelled", reason }, operator.by);
	return found(await room.subscriptions.findOwned(known.subscriber.appPk, id));
}

/**
 * Pays an invoice back, or part of it.
 * @throws Failure not_found; validation_error under `invoice` and `amount`; forbidden for a session that is not fresh; server_error
 */
export async function refundByOperator(
	room: Billing,
	id: string,
	{ invoice: invoiceId, amount: wanted, reason }: RefundWish,
	operator: ByOperator,
): Promise<Invoice> {
	const known = await getSubscription(room, id);
	const before = await findInvoice(room, known, invoiceId);
	if (!before) throw invalid("invoice", "is none of this subscription");
	const left = before.amountPaid - before.amountRefunded;
	const amount = wanted ?? left;
	if (amount > left || left === 0) throw invalid("amount", `must be at most ${left}: that is what is left of it`);
	requireFresh(operator.person, room.clock.now());
	const ref = found(await room.subscriptions.findInvoiceRef(known.pk, invoiceId));
	// The same refund sent again, perhaps because its answer was lost, finds the same sum paid back so far.
	const intent = { id: `${invoiceId}_${before.amountRefunded}_${amount}`, invoice: ref, amount, reason };
	await syncAfter(room, known.ref, operator.by, () => room.processor.refund(known.ref, intent));
	const told = { event: "operator.invoice_refunded", changes: { invoice: invoiceId, amount, reason } };
	await tell(room, known, { ...told, deed: "refunded", reason }, operator.by);
	return found(await findInvoice(room, known, invoiceId));
}

export interface RefundWish {
	readonly invoice: string;
	/** In the smallest unit; left out: all that is left. */
	readonly amount?: number | undefined;
	readonly reason: string;
}

async function getSubscription(room: Billing, id: string): Promise<Subscription> {
	return found(isId("sub", id) ? await room.subscriptions.find(id) : undefined);
}

async function findInvoice(room: Billing, { id, subscriber }: Subscription, invoiceId: string) {
	const owned = await room.subscriptions.findOwned(subscriber.appPk, id);
	return owned?.invoices.find((one) => one.id === invoiceId);
}

interface Deed {
	readonly event: string;
	readonly changes: Readonly<Record<string, unknown>>;
	readonly deed: "ended" | "cancelled" | "refunded";
	readonly reason: string;
}

/** Audits it with its reason, and mails the payer. Of an App's own plan its team reads the audit. */
async function tell(room: Billing, known: Subscription, { event, changes, deed, reason }: Deed, by: Actor) {
	const { id, subscriber, bought } = known;
	const payer = subscriber.subject === "user" ? await room.payers.findByConnection(subscriber.connectionPk) : undefined;
	const plan = bought.subject === "user" ? bought.planName : bought.appPlan;
	const mails = payer ? [newMail("plan_by_operator", payer.email, { app: payer.app.name, plan, deed, reason })] : [];
	await room.subscriptions.auditDeed({ appPk: subscriber.appPk, event, target: id, changes }, mails, by);
}
