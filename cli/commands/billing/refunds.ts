import { UsageError } from "@svc/base/processes/exit";
import type { Invoice } from "@svc/sdk/shapes";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";

/* What paying an invoice back takes and shows, whoever does it. */

export const REFUND_ARGS = {
	subscription: takes.id("Subscription id"),
	invoice: takes.id("Invoice id"),
	amount: takes.text("In the currency's smallest unit; all that is left otherwise", "n"),
	reason: takes.demanded("Why; the payer reads it", "text"),
} as const;

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const REFUNDED_COLUMNS: readonly Column<Invoice>[] = [
	...fields("id", "status", "amount_paid", "amount_refunded", "currency"),
];

interface Args {
	readonly invoice: string;
	readonly amount?: string | undefined;
	readonly reason: string;
}

/** @throws UsageError */
export function readRefund({ invoice, amount, reason }: Args) {
	if (amount !== undefined && !/^[1-9]\d{0,9}$/.test(amount))
		throw new UsageError("--amount is a whole number above 0");
	return { invoice, ...(amount !== undefined && { amount: Number(amount) }), reason };
}
