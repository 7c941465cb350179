import type { Interval } from "@svc/base/enumerations";
import { stepOf } from "../plans/currencies.ts";
import type {
	ChangeTime,
	DisputeOutcome,
	InvoiceLine,
	PaymentOutcome,
	ProcessorDispute,
	ProcessorInvoice,
	ProcessorPreview,
	RefundIntent,
	SimulatedOutcome,
	SimulatedPrice,
	Snapshot,
} from "../ports.ts";
import { taxed, termOf } from "./tax.ts";

/* A subscription of the simulated processor: pure functions from one state to the next, at a given time. */

export interface SimPrice extends SimulatedPrice {
	readonly ref: string;
}

interface SimInvoice extends Omit<ProcessorInvoice, "amountDisputed"> {
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

const HELD_REFUND_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface Begin {
	readonly ref: string;
	readonly customer: string;
	readonly checkout: string;
	readonly price: SimPrice;
	readonly trialDays: number;
	readonly outcome: PaymentOutcome;
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
		...NOTHING_YET,
		invoices: [],
	};
	return trialEndMs === null ? withInvoice(started, [termLine(started)], "paid", nowMs) : started;
}

const NOTHING_YET = { credit: 0, heldMs: null, dispute: null, refunds: [] } as const;

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

function termLine({ price, periodStartMs, periodEndMs }: SimSubscription): InvoiceLine {
	return { description: price.title, quantity: 1, amount: price.amount, periodStartMs, periodEndMs };
}

/** The sums of an invoice: credit pays first, and what an invoice gives back becomes credit. */
function invoiced(charged: readonly InvoiceLine[], { taxBehavior = null, currency }: SimPrice, credit: number) {
	const { lines, subtotal, tax, total } = taxed(charged, taxBehavior, currency);
	const creditUsed = Math.max(0, Math.min(credit, total));
	return {
		lines,
		sums: { subtotal, tax, total, creditUsed, amountDue: Math.max(0, total - creditUsed) },
		credit: credit - creditUsed + Math.max(0, -total),
	};
}

function withInvoice(
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
	if (sub.heldMs !== null && sub.status === "trialing") return withTrialEnd(sub, atMs + DAY_MS);
	const price = sub.pending ?? sub.price;
	// Another interval starts counting anew, since periods of both would drift apart.
	const restarts = price.interval !== sub.price.interval;
	const anchorMs = restarts ? atMs : sub.anchorMs;
	const periods = restarts ? 1 : sub.periods + 1;
	const held = sub.heldMs !== null;
	const paid = held || pays(sub);
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
	const fresh = voidOpen(renewed, isOpen);
	const owed = withInvoice(fresh, [termLine(renewed)], held ? "void" : paid ? "paid" : "open", atMs);
	return owed.invoices.at(-1)?.status === "open" ? owed : { ...owed, status: "active" };
}

function pays({ outcome }: SimSubscription): boolean {
	return outcome !== "decline" && outcome !== "bank_confirmation";
}

function withTrialEnd(sub: SimSubscription, atMs: number): SimSubscription {
	return { ...sub, trialEndMs: atMs, periodEndMs: atMs, anchorMs: atMs };
}

function end(sub: SimSubscription, atMs: number): SimSubscription {
	const ended: SimSubscription = { ...sub, status: "canceled", endedMs: atMs, pending: null, unpaidChange: null };
	return voidOpen(ended, isOpen);
}

function isOpen({ status }: SimInvoice): boolean {
	return status === "open";
}

/** What credit has paid of an invoice that is void becomes credit again. */
function voidOpen(sub: SimSubscription, which: (invoice: SimInvoice) => boolean): SimSubscription {
	const gone = sub.invoices.filter(which);
	const credit = gone.reduce((sum, { creditUsed }) => sum + creditUsed, sub.credit);
	return { ...sub, credit, invoices: sub.invoices.map((one) => (which(one) ? { ...one, status: "void" } : one)) };
}

/** From now on nothing is collected, what is unpaid neither; terms go on as if they were paid. */
export function hold(sub: SimSubscription, atMs: number): SimSubscription {
	if (!isLive(sub) || sub.heldMs !== null) return sub;
	const free = voidOpen({ ...sub, unpaidChange: null, heldMs: atMs }, isOpen);
	return free.status === "past_due" ? { ...free, status: "active" } : free;
}

/** A trial that would be over by now ends a day later. */
export function unhold(sub: SimSubscription, nowMs: number): SimSubscription {
	if (!isLive(sub) || sub.heldMs === null) return sub;
	const free: SimSubscription = { ...sub, heldMs: null };
	const short = sub.status === "trialing" && sub.periodEndMs < nowMs + DAY_MS;
	return short ? withTrialEnd(free, nowMs + DAY_MS) : free;
}

/** More time at no charge; the terms after it are counted from its end. */
export function extend(sub: SimSubscription, untilMs: number): SimSubscription {
	if (!isLive(sub) || sub.periodEndMs >= untilMs) return sub;
	if (sub.status === "trialing") return withTrialEnd(sub, untilMs);
	return { ...sub, periodEndMs: untilMs, anchorMs: untilMs, periods: 0 };
}

/** Periods are counted anew from the end of the time that was given. */
function isExtended({ status, periods }: SimSubscription): boolean {
	return status !== "trialing" && periods === 0;
}

/** Pays back part of what an invoice took, once for one id and never more than is left of it. */
export function refund(sub: SimSubscription, { id, invoice, amount }: RefundIntent): SimSubscription {
	if (sub.refunds.includes(id) || isDisputed(sub, invoice)) return sub;
	const invoices = sub.invoices.map((one) => {
		const amountRefunded = Math.min(one.amountPaid, one.amountRefunded + amount);
		return one.ref === invoice ? { ...one, amountRefunded } : one;
	});
	return { ...sub, refunds: [...sub.refunds, id], invoices };
}

/** Sets how its payments go from now on; an open invoice is tried again at once. */
export function tell(sub: SimSubscription, outcome: SimulatedOutcome, nowMs: number): SimSubscription {
	if (outcome === "dispute" || outcome === "dispute_won" || outcome === "dispute_lost") {
		return disputed(settle(sub, nowMs), outcome, nowMs);
	}
	const change = settle({ ...sub, outcome }, nowMs);
	return outcome === "pay" && isLive(change) ? payOpen(change, nowMs) : change;
}

const ANSWERED_WITHIN_MS = 7 * DAY_MS;

/** A dispute is of the newest payment of which anything is left. One that is lost before it was told of was opened at the same time. */
function disputed(sub: SimSubscription, outcome: DisputeOutcome, nowMs: number): SimSubscription {
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
function isDisputed({ dispute }: SimSubscription, invoice: string): boolean {
	return dispute?.state === "open" && dispute.invoice === invoice;
}

function payOpen(sub: SimSubscription, paidMs: number): SimSubscription {
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
function withoutUnpaidChange(sub: SimSubscription): SimSubscription {
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

export function cancel(sub: SimSubscription, when: "period_end" | "now", nowMs: number): SimSubscription {
	if (!isLive(sub)) return sub;
	// A period that was never paid for has no end to stay until.
	if (when === "now" || sub.status === "past_due") return end(sub, nowMs);
	return { ...withoutUnpaidChange(sub), cancelAtPeriodEnd: true, pending: null };
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
	const waits = (ref: string) => (held && ref === newest) || isDisputed(sub, ref);
	const invoices = ended.invoices.map((one) =>
		one.status === "paid" && !waits(one.ref) ? { ...one, amountRefunded: one.amountPaid } : one,
	);
	// Credit was paid for with what is paid back now.
	return { ...ended, credit: 0, refundFromMs, invoices };
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
