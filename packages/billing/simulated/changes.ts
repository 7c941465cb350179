import { stepOf } from "../plans/currencies.ts";
import type { ChangeTime, InvoiceLine, ProcessorPreview } from "../ports.ts";
import { afterIntervals } from "./intervals.ts";
import { invoiced, termLine, voidOpen, withInvoice } from "./invoices.ts";
import { isExtended, isLive, isOpen, pays, type SimInvoice, type SimPrice, type SimSubscription } from "./state.ts";

/* Changes of the price of a simulated subscription, and what they cost. */

export function change(
	sub: SimSubscription,
	price: SimPrice,
	when: ChangeTime,
	nowMs: number,
	fromMs: number = nowMs,
): SimSubscription {
	if (!isLive(sub)) return sub;
	if (sub.status === "trialing") return { ...sub, price, pending: null };
	const waits = waitsForRenewal(sub, when);
	// The same change asked for twice, perhaps because the answer was lost, is charged once.
	if (!waits && (price.ref === sub.price.ref || sub.unpaidChange?.price.ref === price.ref)) return sub;
	const fresh = withoutUnpaidChange(sub);
	if (waits) return { ...fresh, pending: price.ref === sub.price.ref ? null : price };
	const invoiced = withInvoice(fresh, proration(sub, price, fromMs), pays(sub) ? "paid" : "open", nowMs);
	const { ref: invoice = "", status } = invoiced.invoices.at(-1) ?? {};
	return status === "paid" ? switched(invoiced, price, invoice) : { ...invoiced, unpaidChange: { price, invoice } };
}

/** What is left of an extended term was not paid for: nothing can be counted against it. */
function waitsForRenewal(sub: SimSubscription, when: ChangeTime): boolean {
	return when === "renewal" || isExtended(sub);
}

/** What a change at `atMs` costs, and what comes after it. */
export function preview(sub: SimSubscription, price: SimPrice, when: ChangeTime, atMs: number): ProcessorPreview {
	const { currency } = price;
	const next = (credit: number, nextMs: number) => {
		const { sums } = invoiced([{ ...termLine(sub), amount: price.amount }], price, credit);
		return { nextAmount: sums.amountDue, nextMs };
	};
	if (waitsForRenewal(sub, when) || sub.status === "trialing") {
		const effectiveMs = sub.status === "trialing" ? atMs : sub.periodEndMs;
		return { amountNow: 0, currency, credit: sub.credit, ...next(sub.credit, sub.periodEndMs), effectiveMs, lines: [] };
	}
	const { lines, sums, credit } = invoiced(proration(sub, price, atMs), price, withoutUnpaidChange(sub).credit);
	const nextMs = lines.at(-1)?.periodEndMs ?? sub.periodEndMs;
	return { amountNow: sums.amountDue, currency, credit, ...next(credit, nextMs), effectiveMs: atMs, lines };
}

/** A change that has not been paid for gives way to the next one; other debts stay. */
export function withoutUnpaidChange(sub: SimSubscription): SimSubscription {
	const ref = sub.unpaidChange?.invoice;
	return { ...voidOpen(sub, (one) => one.ref === ref && isOpen(one)), unpaidChange: null };
}

/** The rest of the period at the new price, less what was paid for it; for another interval a whole period. */
function proration(sub: SimSubscription, price: SimPrice, fromMs: number): readonly [InvoiceLine, InvoiceLine] {
	const rest = Math.max(0, sub.periodEndMs - fromMs) / (sub.periodEndMs - sub.periodStartMs);
	const stays = price.interval === sub.price.interval;
	const step = stepOf(price.currency);
	const round = (amount: number) => Math.round(amount / step) * step;
	const left = round(sub.price.amount * rest);
	// Rounded once, so that the two lines add up to what was always charged.
	const difference = round(price.amount * (stays ? rest : 1) - sub.price.amount * rest);
	const restOfTerm = { quantity: 1, periodStartMs: fromMs, periodEndMs: sub.periodEndMs };
	const periodEndMs = stays ? sub.periodEndMs : afterIntervals(fromMs, price.interval, 1);
	return [
		{ ...restOfTerm, description: `Unused time of ${sub.price.title}`, amount: -left },
		{ ...restOfTerm, description: price.title, amount: difference + left, periodEndMs },
	];
}

export function payOpen(sub: SimSubscription, paidMs: number): SimSubscription {
	const invoices = sub.invoices.map(
		(one): SimInvoice => (isOpen(one) ? { ...one, status: "paid", amountPaid: one.amountDue, paidMs } : one),
	);
	const paid: SimSubscription = { ...sub, invoices, status: sub.status === "past_due" ? "active" : sub.status };
	return sub.unpaidChange ? switched(paid, sub.unpaidChange.price, sub.unpaidChange.invoice) : paid;
}

/** Within an interval the period stays; another interval begins with its payment. */
function switched(sub: SimSubscription, price: SimPrice, invoiceRef: string): SimSubscription {
	const changed: SimSubscription = { ...sub, price, pending: null, unpaidChange: null };
	if (price.interval === sub.price.interval) return changed;
	const anchorMs = sub.invoices.find(({ ref }) => ref === invoiceRef)?.createdMs ?? sub.periodStartMs;
	return {
		...changed,
		anchorMs,
		periods: 1,
		periodStartMs: anchorMs,
		periodEndMs: afterIntervals(anchorMs, price.interval, 1),
	};
}
