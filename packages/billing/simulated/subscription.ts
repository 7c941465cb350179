import type { RefundIntent, SimulatedOutcome } from "../ports.ts";
import { payOpen, withoutUnpaidChange } from "./changes.ts";
import { disputed, isDisputed } from "./disputes.ts";
import { afterIntervals } from "./intervals.ts";
import { termLine, voidOpen, withInvoice } from "./invoices.ts";
import { type Begin, DAY_MS, isLive, isOpen, NOTHING_YET, pays, type SimSubscription } from "./state.ts";

/* A subscription of the simulated processor: pure functions from one state to the next, at a given time. */

const HELD_REFUND_MS = 3_600_000;

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

function withTrialEnd(sub: SimSubscription, atMs: number): SimSubscription {
	return { ...sub, trialEndMs: atMs, periodEndMs: atMs, anchorMs: atMs };
}

function end(sub: SimSubscription, atMs: number): SimSubscription {
	const ended: SimSubscription = { ...sub, status: "canceled", endedMs: atMs, pending: null, unpaidChange: null };
	return voidOpen(ended, isOpen);
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
