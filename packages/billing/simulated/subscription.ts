import type { Interval } from "@svc/base/enumerations";
import type { ProcessorInvoice, ProcessorPrice, SimulatedOutcome, Snapshot } from "../ports.ts";

/* A subscription of the simulated processor: pure functions from one state to the next, at a given time. */

export interface SimPrice extends ProcessorPrice {
	readonly ref: string;
}

interface SimInvoice extends ProcessorInvoice {
	readonly status: "open" | "paid" | "void";
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
	readonly invoices: readonly SimInvoice[];
}

const HELD_REFUND_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface Begin {
	readonly ref: string;
	readonly customer: string;
	readonly checkout: string;
	readonly price: SimPrice;
	readonly trialDays: number;
	readonly outcome: SimulatedOutcome;
}

/** The payer has paid, or has left a card for the time after the trial. */
export function begin(intent: Begin, nowMs: number): SimSubscription {
	const { trialDays, ...facts } = intent;
	const trialEndMs = trialDays > 0 ? nowMs + trialDays * DAY_MS : null;
	const started: SimSubscription = {
		...facts,
		status: trialEndMs === null ? "active" : "trialing",
		startedMs: nowMs,
		trialEndMs,
		anchorMs: trialEndMs ?? nowMs,
		periods: trialEndMs === null ? 1 : 0,
		periodStartMs: nowMs,
		periodEndMs: trialEndMs ?? afterIntervals(nowMs, facts.price.interval, 1),
		cancelAtPeriodEnd: false,
		endedMs: null,
		pending: null,
		unpaidChange: null,
		refundFromMs: null,
		invoices: [],
	};
	return trialEndMs === null ? withInvoice(started, facts.price.amount, "paid", nowMs) : started;
}

function withInvoice(
	sub: SimSubscription,
	amount: number,
	status: "open" | "paid",
	createdMs: number,
): SimSubscription & { readonly invoices: readonly SimInvoice[] } {
	const invoice: SimInvoice = {
		ref: `${sub.ref}_in${sub.invoices.length + 1}`,
		status,
		amountDue: amount,
		amountPaid: status === "paid" ? amount : 0,
		amountRefunded: 0,
		currency: sub.price.currency,
		createdMs,
	};
	return { ...sub, invoices: [...sub.invoices, invoice] };
}

function isLive(sub: SimSubscription): boolean {
	return sub.endedMs === null;
}

/** When the next change without a call is due; null for never. */
export function nextMs(sub: SimSubscription): number | null {
	const renews = sub.status === "active" || sub.status === "trialing";
	return isLive(sub) && (renews || sub.cancelAtPeriodEnd) && sub.outcome !== "silent" ? sub.periodEndMs : null;
}

/** Applies all renewals up to now, one after the other. */
export function settle(sub: SimSubscription, nowMs: number): SimSubscription {
	let settled = sub;
	for (let due = nextMs(settled); due !== null && due <= nowMs; due = nextMs(settled)) settled = renew(settled);
	return settled;
}

function renew(sub: SimSubscription): SimSubscription {
	const atMs = sub.periodEndMs;
	if (sub.cancelAtPeriodEnd) return end(sub, atMs);
	const price = sub.pending ?? sub.price;
	// Another interval starts counting anew, since periods of both would drift apart.
	const restarts = price.interval !== sub.price.interval;
	const anchorMs = restarts ? atMs : sub.anchorMs;
	const periods = restarts ? 1 : sub.periods + 1;
	const paid = sub.outcome !== "decline" && sub.outcome !== "bank_confirmation";
	const renewed: SimSubscription = {
		...sub,
		price,
		pending: null,
		unpaidChange: null,
		status: paid ? "active" : "past_due",
		anchorMs,
		periods,
		periodStartMs: atMs,
		periodEndMs: afterIntervals(anchorMs, price.interval, periods),
	};
	return withInvoice(voidOpen(renewed), price.amount, paid ? "paid" : "open", atMs);
}

function end(sub: SimSubscription, atMs: number): SimSubscription {
	const ended: SimSubscription = { ...sub, status: "canceled", endedMs: atMs, pending: null, unpaidChange: null };
	return voidOpen(ended);
}

function voidOpen(sub: SimSubscription): SimSubscription {
	return { ...sub, invoices: sub.invoices.map((one) => (one.status === "open" ? { ...one, status: "void" } : one)) };
}

/** Sets how its payments go from now on; an open invoice is tried again at once. */
export function tell(sub: SimSubscription, outcome: SimulatedOutcome, nowMs: number): SimSubscription {
	const change = settle({ ...sub, outcome }, nowMs);
	return outcome === "pay" && isLive(change) ? payOpen(change) : change;
}

function payOpen(sub: SimSubscription): SimSubscription {
	const invoices = sub.invoices.map(
		(one): SimInvoice => (one.status === "open" ? { ...one, status: "paid", amountPaid: one.amountDue } : one),
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

export function change(
	sub: SimSubscription,
	price: SimPrice,
	when: "when_paid" | "renewal",
	nowMs: number,
): SimSubscription {
	if (!isLive(sub)) return sub;
	if (sub.status === "trialing") return { ...sub, price, pending: null };
	// The same change asked for twice, perhaps because the answer was lost, is charged once.
	if (when === "when_paid" && (price.ref === sub.price.ref || sub.unpaidChange?.price.ref === price.ref)) return sub;
	const fresh = withoutUnpaidChange(sub);
	if (when === "renewal") return { ...fresh, pending: price.ref === sub.price.ref ? null : price };
	const pays = sub.outcome !== "decline" && sub.outcome !== "bank_confirmation";
	const invoiced = withInvoice(fresh, proration(sub, price, nowMs), pays ? "paid" : "open", nowMs);
	const invoice = invoiced.invoices.at(-1)?.ref ?? "";
	return pays ? switched(invoiced, price, invoice) : { ...invoiced, unpaidChange: { price, invoice } };
}

/** A change that has not been paid for gives way to the next one; other debts stay. */
function withoutUnpaidChange(sub: SimSubscription): SimSubscription {
	const ref = sub.unpaidChange?.invoice;
	const invoices = sub.invoices.map((one): SimInvoice => (one.ref === ref ? { ...one, status: "void" } : one));
	return { ...sub, invoices, unpaidChange: null };
}

/** The rest of the period at the new price, less what was paid for it; for another interval a whole period. */
function proration(sub: SimSubscription, price: SimPrice, nowMs: number): number {
	const rest = Math.max(0, sub.periodEndMs - nowMs) / (sub.periodEndMs - sub.periodStartMs);
	const share = price.interval === sub.price.interval ? rest : 1;
	return Math.max(0, Math.round(price.amount * share - sub.price.amount * rest));
}

export function cancel(sub: SimSubscription, when: "period_end" | "now", nowMs: number): SimSubscription {
	if (!isLive(sub)) return sub;
	// A period that was never paid for has no end to stay until.
	if (when === "now" || sub.status === "past_due") return end(sub, nowMs);
	return { ...sub, cancelAtPeriodEnd: true, pending: null };
}

export function resume(sub: SimSubscription): SimSubscription {
	return isLive(sub) ? { ...sub, cancelAtPeriodEnd: false } : sub;
}

/** The refund of the newest payment may be held back once: a later call pays it. */
export function withdraw(sub: SimSubscription, nowMs: number): SimSubscription {
	const holds = sub.outcome === "refund_later" && isLive(sub);
	const refundFromMs = holds ? nowMs + HELD_REFUND_MS : sub.refundFromMs;
	const ended = isLive(sub) ? end(sub, nowMs) : sub;
	const held = refundFromMs !== null && nowMs < refundFromMs;
	const newest = ended.invoices.findLast(({ status }) => status === "paid")?.ref;
	const invoices = ended.invoices.map((one) =>
		one.status === "paid" && !(held && one.ref === newest) ? { ...one, amountRefunded: one.amountPaid } : one,
	);
	return { ...ended, refundFromMs, invoices };
}

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
		startedMs: sub.startedMs,
		endedMs: sub.endedMs,
		invoices: sub.invoices,
	};
}

/**
 * The moment `count` intervals after an anchor, in UTC, on the anchor's day or the last day of a month that has no such day: counted
 * from the anchor and not from the period before, so that the 31st comes back after February.
 */
export function afterIntervals(anchorMs: number, interval: Interval, count: number): number {
	const anchor = new Date(anchorMs);
	const months = anchor.getUTCMonth() + (interval === "month" ? count : count * 12);
	const year = anchor.getUTCFullYear() + Math.floor(months / 12);
	const month = ((months % 12) + 12) % 12;
	const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	const sinceMidnight = anchorMs - Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth(), anchor.getUTCDate());
	return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + sinceMidnight;
}
