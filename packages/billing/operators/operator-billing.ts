import { conflict, type TeamMember } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import { found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Person, requireFresh } from "@svc/people/people";
import type { Billing } from "../room.ts";
import { accessOf, type Invoice, type OwnedSubscription, type Subscription } from "../subscription.ts";
import { syncSubscription } from "../subscriptions/subscription-readings.ts";
import { order } from "./operator-deeds.ts";

/* What operators do for a payer: end a subscription, pay an invoice back, give more time. Each has a reason, which the payer reads. An Owner pays back what the App has sold. */

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
	return found(await room.subscriptions.findOwned(id));
}

/**
 * Pays an invoice back, or part of it.
 * @throws Failure not_found; validation_error under `invoice` and `amount`; forbidden for a session that is not fresh; server_error
 */
export async function refundByOperator(
	room: Billing,
	id: string,
	wish: RefundWish,
	operator: ByOperator,
): Promise<Invoice> {
	return await refund(room, await getSubscription(room, id), wish, { ...operator, owner: undefined });
}

/**
 * The Owner of the App that sold it pays an invoice back, or part of it, whether or not the App may sell by now.
 * @throws Failure as for operators, and forbidden for who has just lost the role
 */
export async function refundBySeller(room: Billing, owner: TeamMember, id: string, wish: RefundWish): Promise<Invoice> {
	const known = found(isId("sub", id) ? await room.subscriptions.findSold(owner.app.pk, id) : undefined);
	return await refund(room, known, wish, { ...owner, owner });
}

async function refund(
	room: Billing,
	known: Subscription,
	{ invoice: invoiceId, amount: wanted, reason }: RefundWish,
	{ person, by, owner }: ByOperator & { readonly owner: TeamMember | undefined },
): Promise<Invoice> {
	const before = await findInvoice(room, known, invoiceId);
	if (!before) throw invalid("invoice", "is none of this subscription");
	const left = before.amountPaid - before.amountRefunded;
	const amount = wanted ?? left;
	if (amount > left || left === 0) throw invalid("amount", `must be at most ${left}: that is what is left of it`);
	requireFresh(person, room.clock.now());
	const { number, amountRefunded: refundedBefore } = before;
	const deed = { kind: "refund", invoiceId, number, amount, refundedBefore } as const;
	await order(room, known, deed, { changes: { invoice: invoiceId, amount }, reason, by, owner });
	return found(await findInvoice(room, known, invoiceId));
}

/**
 * Moves the end of a trial, of the term that is paid for, or of the time for a failed payment, without a charge.
 * @throws Failure not_found; state_conflict for one that gives nothing at present, is not collected, or is about to change; forbidden for a
 * session that is not fresh; server_error
 */
export async function extendByOperator(
	room: Billing,
	id: string,
	{ days, reason }: { readonly days: number; readonly reason: string },
	operator: ByOperator,
): Promise<OwnedSubscription> {
	const { ref } = await getSubscription(room, id);
	await syncSubscription(room, ref);
	const known = await getSubscription(room, id);
	const access = accessOf(known, room.clock.now(), room.graceMs);
	if (access.status === "inactive" || access.status === "unconfirmed") {
		throw conflict("This subscription gives nothing at present, so there is nothing to extend.");
	}
	if (known.collectionPaused) {
		throw conflict("Nothing is charged for it at present: its App is paused or blocked, or a payment is disputed.");
	}
	if (known.pending) throw conflict("A change waits for the end of the term; it has to be taken back first.");
	requireFresh(operator.person, room.clock.now());
	const untilMs = access.expiresMs + days * DAY_MS;
	const deed = { kind: "extend", end: ENDS[access.status], untilMs } as const;
	await order(room, known, deed, { changes: { days, untilMs }, reason, by: operator.by });
	return found(await room.subscriptions.findOwned(id));
}

const DAY_MS = 86_400_000;
const ENDS = { trialing: "trial", active: "term", grace: "grace" } as const;

export interface RefundWish {
	readonly invoice: string;
	/** In the smallest unit; left out: all that is left. */
	readonly amount?: number | undefined;
	readonly reason: string;
}

async function getSubscription(room: Billing, id: string): Promise<Subscription> {
	return found(isId("sub", id) ? await room.subscriptions.find(id) : undefined);
}

async function findInvoice(room: Billing, { id }: Subscription, invoiceId: string) {
	const owned = await room.subscriptions.findOwned(id);
	return owned?.invoices.find((one) => one.id === invoiceId);
}
