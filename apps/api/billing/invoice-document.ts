import type { Invoice } from "@svc/billing/subscription";
import { text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, uri } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/* How an invoice looks on the wire: to who pays it, and to the team of the App that it is from; and how it is paid back. */

export const amount = about(integer, "In the currency's smallest unit.");

export const invoiceLineSchema = named(
	"InvoiceLine",
	v.object({
		description: v.string(),
		quantity: integer,
		amount,
		period_start: dateTime,
		period_end: dateTime,
	}),
	"What an invoice charges for; below zero what it gives back within itself.",
);

const refundSchema = named("InvoiceRefund", v.object({ amount, at: dateTime, reason: v.string() }));

export const invoiceSchema = named(
	"Invoice",
	v.object({
		id: v.string(),
		object: v.literal("invoice"),
		created_at: dateTime,
		number: about(v.string(), "Ends in digits that each seller counts up without gaps."),
		status: v.string(),
		period_start: dateTime,
		period_end: dateTime,
		lines: v.array(invoiceLineSchema),
		subtotal: amount,
		tax: amount,
		total: about(integer, "With tax and before credit, which may pay some of it."),
		amount_due: amount,
		amount_paid: amount,
		amount_refunded: amount,
		refunds: v.array(refundSchema),
		currency: v.string(),
		paid_at: v.nullable(dateTime),
		receipt_url: about(uri, "A page for who pays it, and for nobody else."),
		processor_url: about(v.nullable(v.string()), "The payment processor's own page of it."),
	}),
);

export function encodeInvoice({ addresses }: Pick<ApiRooms, "addresses">, invoice: Invoice) {
	return {
		id: invoice.id,
		object: "invoice",
		created_at: isoDate(invoice.createdMs),
		number: invoice.number,
		status: invoice.status,
		period_start: isoDate(invoice.periodStartMs),
		period_end: isoDate(invoice.periodEndMs),
		lines: invoice.lines.map(encodeLine),
		subtotal: invoice.subtotal,
		tax: invoice.tax,
		total: invoice.total,
		amount_due: invoice.amountDue,
		amount_paid: invoice.amountPaid,
		amount_refunded: invoice.amountRefunded,
		refunds: invoice.refunds.map(({ amount: paidBack, atMs, reason }) => ({
			amount: paidBack,
			at: isoDate(atMs),
			reason,
		})),
		currency: invoice.currency,
		paid_at: isoDate(invoice.paidMs),
		receipt_url: `${addresses.web}/account/invoices/${invoice.id}`,
		processor_url: invoice.processorUrl,
	} satisfies v.InferOutput<typeof invoiceSchema>;
}

export function encodeLine({ periodStartMs, periodEndMs, ...line }: Invoice["lines"][number]) {
	return {
		...line,
		period_start: isoDate(periodStartMs),
		period_end: isoDate(periodEndMs),
	} satisfies v.InferOutput<typeof invoiceLineSchema>;
}

const REASON_MAX = 500;
const REASON_RULE = `must have at most ${REASON_MAX} characters`;

export const reason = v.pipe(
	text(10 * REASON_MAX, REASON_RULE, "must be text"),
	v.trim(),
	v.minLength(1, "must say why: the payer reads it"),
	v.maxLength(REASON_MAX, REASON_RULE),
);

const part = v.pipe(
	v.number("must be a whole number"),
	v.integer("must be a whole number"),
	v.minValue(1, "must be at least 1"),
);

export const refundEntries = {
	invoice: text(100, undefined, "must be the id of an invoice"),
	amount: v.optional(about(part, "In the currency's smallest unit; left out: all that is left.")),
	reason,
};
