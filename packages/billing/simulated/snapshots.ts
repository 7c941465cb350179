import type { ProcessorDispute, Snapshot } from "../ports.ts";
import { isDisputed } from "./disputes.ts";
import { isExtended, type SimInvoice, type SimSubscription } from "./state.ts";
import { termOf } from "./tax.ts";

/* A simulated subscription in the port's terms. */

export function snapshotOf(sub: SimSubscription): Snapshot {
	return {
		ref: sub.ref,
		checkout: sub.checkout,
		price: sub.price.ref,
		status: sub.status,
		trialEndMs: sub.trialEndMs,
		periodStartMs: sub.periodStartMs,
		periodEndMs: sub.periodEndMs,
		cancelAtPeriodEnd: sub.cancelAtPeriodEnd,
		cancelAtMs: sub.cancelAtPeriodEnd ? sub.periodEndMs : null,
		pending: sub.pending && { price: sub.pending.ref, atMs: sub.periodEndMs },
		unpaidChange: sub.unpaidChange && {
			price: sub.unpaidChange.price.ref,
			amount: sub.invoices.find(({ ref }) => ref === sub.unpaidChange?.invoice)?.amountDue ?? 0,
		},
		credit: sub.credit,
		nextTotal: nextTotalOf(sub),
		extended: isExtended(sub),
		collectionPaused: sub.heldMs !== null,
		dispute: sub.dispute && toDispute(sub.dispute),
		startedMs: sub.startedMs,
		endedMs: sub.endedMs,
		invoices: sub.invoices.map((one) => ({ ...one, amountDisputed: heldOf(sub, one) })),
	};
}

function heldOf(sub: SimSubscription, { ref, amountPaid, amountRefunded }: SimInvoice): number {
	return isDisputed(sub, ref) ? Math.min(sub.dispute?.amount ?? 0, amountPaid - amountRefunded) : 0;
}

function toDispute({ invoice: _, ...dispute }: NonNullable<SimSubscription["dispute"]>): ProcessorDispute {
	return dispute;
}

function nextTotalOf(sub: SimSubscription): number | null {
	const price = sub.pending ?? sub.price;
	const { total } = termOf(price);
	return total === price.amount ? null : total;
}
