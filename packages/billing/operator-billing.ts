import { conflict } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Person, requireFresh } from "@svc/people/people";
import { order } from "./operator-deeds.ts";
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
	await order(room, known, { kind: "cancel", at }, { changes: { at }, reason, by: operator.by });
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
	const { number, amountRefunded: refundedBefore } = before;
	const deed = { kind: "refund", invoiceId, number, amount, refundedBefore } as const;
	await order(room, known, deed, { changes: { invoice: invoiceId, amount }, reason, by: operator.by });
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
