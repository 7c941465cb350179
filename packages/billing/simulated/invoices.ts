import type { InvoiceLine } from "../ports.ts";
import type { SimInvoice, SimPrice, SimSubscription } from "./state.ts";
import { taxed } from "./tax.ts";

/* Invoices of the simulated processor: credit pays first. */

export function termLine({ price, periodStartMs, periodEndMs }: SimSubscription): InvoiceLine {
	return { description: price.title, quantity: 1, amount: price.amount, periodStartMs, periodEndMs };
}

/** The sums of an invoice: credit pays first, and what an invoice gives back becomes credit. */
export function invoiced(charged: readonly InvoiceLine[], { taxBehavior = null, currency }: SimPrice, credit: number) {
	const { lines, subtotal, tax, total } = taxed(charged, taxBehavior, currency);
	const creditUsed = Math.max(0, Math.min(credit, total));
	return {
		lines,
		sums: { subtotal, tax, total, creditUsed, amountDue: Math.max(0, total - creditUsed) },
		credit: credit - creditUsed + Math.max(0, -total),
	};
}

export function withInvoice(
	sub: SimSubscription,
	charged: readonly InvoiceLine[],
	wanted: "open" | "paid" | "void",
	createdMs: number,
): SimSubscription & { readonly invoices: readonly SimInvoice[] } {
	const { lines, sums, credit } = invoiced(charged, sub.price, wanted === "void" ? 0 : sub.credit);
	const status = wanted === "open" && sums.amountDue === 0 ? "paid" : wanted;
	const invoice: SimInvoice = {
		ref: `${sub.ref}_in${sub.invoices.length + 1}`,
		status,
		...sums,
		amountPaid: status === "paid" ? sums.amountDue : 0,
		amountRefunded: 0,
		currency: sub.price.currency,
		periodStartMs: lines.at(-1)?.periodStartMs ?? sub.periodStartMs,
		periodEndMs: lines.at(-1)?.periodEndMs ?? sub.periodEndMs,
		lines,
		paidMs: status === "paid" ? createdMs : null,
		processorUrl: null,
		createdMs,
	};
	return { ...sub, credit: status === "void" ? sub.credit : credit, invoices: [...sub.invoices, invoice] };
}

/** What credit has paid of an invoice that is void becomes credit again. */
export function voidOpen(sub: SimSubscription, which: (invoice: SimInvoice) => boolean): SimSubscription {
	const gone = sub.invoices.filter(which);
	const credit = gone.reduce((sum, { creditUsed }) => sum + creditUsed, sub.credit);
	return { ...sub, credit, invoices: sub.invoices.map((one) => (which(one) ? { ...one, status: "void" } : one)) };
}
