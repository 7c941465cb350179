import type { Log } from "@svc/base/ports";
import type { Stripe } from "stripe";
import type { ChangeTime, Snapshot } from "../ports.ts";
import { idOf, isRefusal, type KeyedOnce } from "./api.ts";
import {
	discountsOf,
	endsWithPeriod,
	isExtended,
	isOver,
	itemOf,
	listInvoices,
	pendingOf,
	readSnapshot,
	retrieveSubscription,
	scheduleOf,
	unpaidPriceOf,
} from "./snapshot.ts";

/* Changes of a subscription. Each step first reads its state, so that an interrupted step can be repeated. */

export interface StripeContext {
	readonly api: Stripe;
	readonly once: KeyedOnce;
	readonly log: Log;
	/** In whole seconds, as Stripe counts. */
	readonly now: () => number;
}

type Sub = Stripe.Subscription;

const ATTEMPTS = 4;

/** Does the step, again where the subscription was changed meanwhile. One that has ended stays as it is. */
export async function alter({ api }: StripeContext, ref: string, step: (sub: Sub) => Promise<void>): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		const sub = await retrieveSubscription(api, ref);
		if (isOver(sub)) return;
		try {
			return await step(sub);
		} catch (cause) {
			if (attempt === ATTEMPTS || !isRefusal(cause)) throw cause;
		}
	}
}

export async function change(
	context: StripeContext,
	ref: string,
	price: string,
	when: ChangeTime,
	atMs?: number,
): Promise<Snapshot> {
	await alter(context, ref, async (sub) => {
		if (waitsForRenewal(sub, when)) await changeAtRenewal(context, sub, price);
		else if (sub.status === "trialing") await changeInTrial(context, sub, price);
		else await changeWhenPaid(context, sub, price, atMs);
	});
	return await readSnapshot(context.api, ref);
}

/** During a trial a change takes effect at once; in a term to which time was added none does, since Stripe would charge nothing for it. */
export function waitsForRenewal(sub: Sub, when: ChangeTime): boolean {
	return isExtended(sub) || (when === "renewal" && sub.status !== "trialing");
}

/** Nothing is charged: the trial ends when it would have. */
async function changeInTrial(context: StripeContext, sub: Sub, price: string): Promise<void> {
	const item = itemOf(sub);
	if (item.price.id === price || sub.trial_end === null) return;
	await release(context, sub);
	const items = [{ id: item.id, price }];
	await context.api.subscriptions.update(sub.id, { items, trial_end: sub.trial_end, proration_behavior: "none" });
}

async function changeWhenPaid(
	context: StripeContext,
	sub: Sub,
	price: string,
	atMs: number | undefined,
): Promise<void> {
	const item = itemOf(sub);
	if (item.price.id === price || unpaidPriceOf(sub) === price) return;
	await release(context, sub);
	await dropUnpaidChange(context, sub);
	// The newest invoice tells this change from an equal one later, which follows another invoice.
	const key = await context.once(
		"change",
		sub.id,
		item.price.id,
		price,
		sub.latest_invoice && idOf(sub.latest_invoice),
		// Stripe refuses a key that comes again with other parameters.
		...(atMs === undefined ? [] : [toSeconds(atMs)]),
	);
	await context.api.subscriptions.update(
		sub.id,
		{
			items: [{ id: item.id, price }],
			payment_behavior: "pending_if_incomplete",
			proration_behavior: "always_invoice",
			...(atMs !== undefined && { proration_date: toSeconds(atMs) }),
		},
		key,
	);
}

async function changeAtRenewal(context: StripeContext, sub: Sub, price: string): Promise<void> {
	const item = itemOf(sub);
	const becomes = pendingOf(sub)?.price ?? item.price.id;
	await dropUnpaidChange(context, sub);
	if (becomes === price) return;
	await release(context, sub);
	if (item.price.id === price) return;
	// Stripe refuses a second schedule for one subscription, so that this needs no key of its own.
	const schedule = await context.api.subscriptionSchedules.create({ from_subscription: sub.id });
	const start = schedule.phases[0]?.start_date ?? item.current_period_start;
	// A phase does not take over what it is not given.
	const free = sub.status === "trialing" && { trial: true };
	const terms = { ...(sub.automatic_tax?.enabled && { automatic_tax: { enabled: true } }), ...discountsOf(sub) };
	await context.api.subscriptionSchedules.update(schedule.id, {
		end_behavior: "release",
		proration_behavior: "none",
		phases: [
			{
				items: [{ price: item.price.id, quantity: 1 }],
				start_date: start,
				end_date: item.current_period_end,
				...free,
				...terms,
			},
			// A phase has to last some time; released after it, the subscription goes on at its own intervals.
			{
				items: [{ price, quantity: 1 }],
				duration: { interval: "month", interval_count: 1 },
				proration_behavior: "none",
				...terms,
			},
		],
	});
}

/** Stripe counts in whole seconds. */
function toSeconds(ms: number): number {
	return Math.floor(ms / 1_000);
}

/** A change that has not been paid for gives way. */
async function dropUnpaidChange(context: StripeContext, sub: Sub): Promise<void> {
	if (sub.pending_update === null) return;
	const invoices = await listInvoices(context.api, sub.id);
	await voidUnpaid(
		context,
		invoices.filter(({ billing_reason }) => billing_reason === "subscription_update"),
	);
}

/** While a schedule exists, only it may change its subscription. */
async function release({ api }: StripeContext, sub: Sub): Promise<void> {
	const schedule = scheduleOf(sub);
	if (schedule) await api.subscriptionSchedules.release(schedule.id);
}

export async function cancel(context: StripeContext, ref: string, when: "period_end" | "now"): Promise<Snapshot> {
	let ends = when === "now";
	await alter(context, ref, async (sub) => {
		// A period that was never paid for has no end to last until.
		ends ||= sub.status !== "active" && sub.status !== "trialing";
		if (ends) await end(context, sub);
		else await endWithPeriod(context, sub);
	});
	if (ends) await voidUnpaid(context, await listInvoices(context.api, ref));
	return await readSnapshot(context.api, ref);
}

export async function end(context: StripeContext, sub: Sub): Promise<void> {
	await release(context, sub);
	await context.api.subscriptions.cancel(sub.id, { invoice_now: false, prorate: false });
}

async function endWithPeriod(context: StripeContext, sub: Sub): Promise<void> {
	await release(context, sub);
	await dropUnpaidChange(context, sub);
	if (!endsWithPeriod(sub)) await context.api.subscriptions.update(sub.id, { cancel_at_period_end: true });
}

export async function resume(context: StripeContext, ref: string): Promise<Snapshot> {
	await alter(context, ref, async ({ id, cancel_at_period_end, cancel_at }) => {
		if (cancel_at_period_end) await context.api.subscriptions.update(id, { cancel_at_period_end: false });
		else if (cancel_at !== null) await context.api.subscriptions.update(id, { cancel_at: "" });
	});
	return await readSnapshot(context.api, ref);
}

/** An invoice that Stripe refuses to void, since it is just being paid, stays. */
export async function voidUnpaid(context: StripeContext, invoices: readonly Stripe.Invoice[]): Promise<void> {
	const unpaid = invoices.filter(({ status }) => status === "draft" || status === "open" || status === "uncollectible");
	for (const { id, status } of unpaid) {
		await bear(context, "an invoice could not be voided", async () => {
			// Left alone, a draft would be charged within the hour.
			const final = status === "draft" && (await context.api.invoices.finalizeInvoice(id, { auto_advance: false }));
			if (!final || final.status === "open") await context.api.invoices.voidInvoice(id);
		});
	}
}

/** What Stripe refuses in the present state is left to a later call; a missing answer is not. */
export async function bear({ log }: StripeContext, message: string, work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
	} catch (cause) {
		if (!isRefusal(cause)) throw cause;
		const { code, requestId } = cause as Stripe.errors.StripeError;
		log.warn(message, { code, request: requestId });
	}
}
