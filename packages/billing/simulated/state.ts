import type { PaymentOutcome, ProcessorDispute, ProcessorInvoice, SimulatedPrice } from "../ports.ts";

/* What the simulated processor keeps of a subscription. */

export interface SimPrice extends SimulatedPrice {
	readonly ref: string;
}

export interface SimInvoice extends Omit<ProcessorInvoice, "amountDisputed"> {
	readonly status: "open" | "paid" | "void";
	/** What of its total the payer's credit has paid. */
	readonly creditUsed: number;
}

export interface SimSubscription extends Omit<Begin, "trialDays"> {
	readonly status: "trialing" | "active" | "past_due" | "canceled";
	readonly startedMs: number;
	readonly trialEndMs: number | null;
	/** Where periods are counted from, and how many have begun since. */
	readonly anchorMs: number;
	readonly periods: number;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
	readonly cancelAtPeriodEnd: boolean;
	readonly endedMs: number | null;
	/** The price that takes effect at the period's end. */
	readonly pending: SimPrice | null;
	/** The change that takes effect once its invoice is paid. */
	readonly unpaidChange: { readonly price: SimPrice; readonly invoice: string } | null;
	/** After a withdrawal: the time from which a refund that was held back goes through. */
	readonly refundFromMs: number | null;
	/** What the payer is owed, and later invoices use up. */
	readonly credit: number;
	/** Since when nothing is collected; null while all is. */
	readonly heldMs: number | null;
	/** With the invoice that was disputed. */
	readonly dispute: (ProcessorDispute & { readonly invoice: string }) | null;
	/** The ids of refunds that were made. */
	readonly refunds: readonly string[];
	readonly invoices: readonly SimInvoice[];
}

export interface Begin {
	readonly ref: string;
	readonly customer: string;
	readonly checkout: string;
	readonly price: SimPrice;
	readonly trialDays: number;
	readonly outcome: PaymentOutcome;
}

export const NOTHING_YET = { credit: 0, heldMs: null, dispute: null, refunds: [] } as const;

/** What an earlier release stored, with the fields that it did not know. */
export function readStored(value: unknown): SimSubscription {
	const sub = { ...NOTHING_YET, ...(value as SimSubscription) };
	return { ...sub, invoices: sub.invoices.map((one) => ({ ...storedSums(sub, one), ...one })) };
}

function storedSums(sub: SimSubscription, { amountDue, status, createdMs }: SimInvoice): Partial<SimInvoice> {
	const { periodStartMs, periodEndMs } = sub;
	const sums = { subtotal: amountDue, tax: 0, total: amountDue, creditUsed: 0 };
	const paidMs = status === "paid" ? createdMs : null;
	return { ...sums, periodStartMs, periodEndMs, paidMs, lines: [], processorUrl: null };
}

export const DAY_MS = 86_400_000;

export function isLive(sub: SimSubscription): boolean {
	return sub.endedMs === null;
}

export function pays({ outcome }: SimSubscription): boolean {
	return outcome !== "decline" && outcome !== "bank_confirmation";
}

/** Periods are counted anew from the end of the time that was given. */
export function isExtended({ status, periods }: SimSubscription): boolean {
	return status !== "trialing" && periods === 0;
}

export function isOpen({ status }: SimInvoice): boolean {
	return status === "open";
}
