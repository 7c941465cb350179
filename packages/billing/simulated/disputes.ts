import type { DisputeOutcome } from "../ports.ts";
import { DAY_MS, type SimSubscription } from "./state.ts";

/* Payments that a bank asks back from the simulated processor. */

const ANSWERED_WITHIN_MS = 7 * DAY_MS;

/** A dispute is of the newest payment of which anything is left. One that is lost before it was told of was opened at the same time. */
export function disputed(sub: SimSubscription, outcome: DisputeOutcome, nowMs: number): SimSubscription {
	if (sub.dispute?.state === "open") return outcome === "dispute" ? sub : decided(sub, sub.dispute, outcome);
	const paid = sub.invoices.findLast(({ amountPaid, amountRefunded }) => amountPaid > amountRefunded);
	if (!paid || outcome === "dispute_won") return sub;
	const amount = paid.amountPaid - paid.amountRefunded;
	const dueMs = nowMs + ANSWERED_WITHIN_MS;
	const dispute = { state: "open", amount, atMs: nowMs, dueMs, invoice: paid.ref } as const;
	return outcome === "dispute" ? { ...sub, dispute } : decided(sub, dispute, outcome);
}

function decided(
	sub: SimSubscription,
	dispute: NonNullable<SimSubscription["dispute"]>,
	outcome: DisputeOutcome,
): SimSubscription {
	if (outcome === "dispute_won") return { ...sub, dispute: { ...dispute, state: "won", dueMs: null } };
	const invoices = sub.invoices.map((one) => {
		const amountRefunded = Math.min(one.amountPaid, one.amountRefunded + dispute.amount);
		return one.ref === dispute.invoice ? { ...one, amountRefunded } : one;
	});
	return { ...sub, dispute: { ...dispute, state: "lost", dueMs: null }, invoices };
}

/** Nothing can be paid back of it for now. */
export function isDisputed({ dispute }: SimSubscription, invoice: string): boolean {
	return dispute?.state === "open" && dispute.invoice === invoice;
}
