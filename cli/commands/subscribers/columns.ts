import type { Invoice, ManagedSubscription } from "@svc/sdk/billing-types";
import type { Column } from "../../table.ts";
import { money } from "../plans/columns.ts";

/** When it ends, where that is known. */
function endOf({ ended_at, cancel_at, cancel_at_period_end, current_period_end }: ManagedSubscription): string | null {
	return ended_at ?? cancel_at ?? (cancel_at_period_end ? current_period_end : null);
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const SUBSCRIPTION_COLUMNS: readonly Column<ManagedSubscription>[] = [
	{ name: "id", value: (subscription) => subscription.id },
	{ name: "user", value: (subscription) => subscription.user_id },
	{ name: "plan", value: (subscription) => subscription.plan_key },
	{ name: "price", value: (subscription) => subscription.price_id },
	{ name: "status", value: (subscription) => subscription.status },
	{ name: "current_period_end", value: (subscription) => subscription.current_period_end },
	{ name: "ends_at", value: endOf },
];

function invoiceText({ created_at, status, amount_due, amount_paid, amount_refunded, currency }: Invoice): string {
	const refunded = amount_refunded > 0 ? `, ${money(amount_refunded, currency)} refunded` : "";
	return `${created_at} ${status}: ${money(amount_paid, currency)} of ${money(amount_due, currency)} paid${refunded}`;
}

/** One subscription, all of it. */
export const SUBSCRIPTION_DETAIL: readonly Column<ManagedSubscription>[] = [
	...SUBSCRIPTION_COLUMNS,
	{ name: "trial_end", value: (subscription) => subscription.trial_end },
	{ name: "pending_plan", value: (subscription) => subscription.pending_plan_key },
	{ name: "pending_from", value: (subscription) => subscription.pending_effective_at },
	{ name: "invoices", value: ({ invoices }) => invoices.map(invoiceText).join(" · ") },
	{ name: "created_at", value: (subscription) => subscription.created_at },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
	{ name: "id", value: (invoice) => invoice.id },
	{ name: "created_at", value: (invoice) => invoice.created_at },
	{ name: "status", value: (invoice) => invoice.status },
	{ name: "due", value: (invoice) => money(invoice.amount_due, invoice.currency) },
	{ name: "paid", value: (invoice) => money(invoice.amount_paid, invoice.currency) },
	{ name: "refunded", value: (invoice) => money(invoice.amount_refunded, invoice.currency) },
];
