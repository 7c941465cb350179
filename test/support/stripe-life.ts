import { afterIntervals } from "@svc/billing/simulated/intervals";
import {
	type FakeInvoice,
	type FakeItem,
	type FakePrice,
	type FakeSchedule,
	type FakeSession,
	type FakeSubscription,
	fakeId,
	listOf,
} from "./stripe-objects.ts";
import { addInvoice, type Charged, collect, finalizeInvoice, refusal, voidInvoice } from "./stripe-payments.ts";
import { type CardBehaviour, held, type StripeState } from "./stripe-state.ts";

/* How subscriptions begin, change, renew and end at the fake Stripe. */

const DAY = 86_400;
/** After that a change that was not paid for is dropped. */
const PENDING_SECONDS = 23 * 3_600;

export function itemOf(sub: FakeSubscription): FakeItem {
	return held(sub.items.data[0], "an item");
}

function after(start: number, { recurring }: FakePrice, count = 1): number {
	return Math.floor(afterIntervals(start * 1_000, recurring.interval, count) / 1_000);
}

/** A payer fills in the page of a checkout. False when the card was declined: the page stays open. */
export function completeCheckout(state: StripeState, session: FakeSession, behaviour: CardBehaviour): boolean {
	if (session.status !== "open" || behaviour !== "pays") return false;
	const { price, trialDays, metadata, description, taxed, discounts } = held(
		state.terms.get(session.id),
		"a checkout's terms",
	);
	const now = state.now();
	const trialEnd = trialDays > 0 ? now + trialDays * DAY : null;
	const id = fakeId("sub");
	const item: FakeItem = {
		id: fakeId("si"),
		object: "subscription_item",
		price,
		quantity: 1,
		current_period_start: now,
		current_period_end: trialEnd ?? after(now, price),
		subscription: id,
	};
	const sub: FakeSubscription = {
		id,
		object: "subscription",
		status: trialEnd === null ? "active" : "trialing",
		customer: session.customer,
		currency: price.currency,
		collection_method: "charge_automatically",
		created: now,
		start_date: now,
		ended_at: null,
		canceled_at: null,
		cancel_at: null,
		cancel_at_period_end: false,
		trial_start: trialEnd === null ? null : now,
		trial_end: trialEnd,
		billing_cycle_anchor: trialEnd ?? now,
		latest_invoice: null,
		default_payment_method: state.addCard(behaviour),
		description,
		metadata,
		schedule: null,
		pause_collection: null,
		automatic_tax: { enabled: taxed },
		discounts,
		pending_update: null,
		items: listOf(`/v1/subscription_items?subscription=${id}`, [item]),
		livemode: false,
	};
	state.subscriptions.set(id, sub);
	const amount = trialEnd === null ? price.unit_amount : 0;
	const invoice = addInvoice(state, sub, [{ ...termOf(item), amount }], "subscription_create");
	collect(state, invoice, sub.default_payment_method);
	session.status = "complete";
	session.payment_status = trialEnd === null ? "paid" : "no_payment_required";
	session.subscription = id;
	state.emit("customer.subscription.created", sub);
	state.emit("checkout.session.completed", session);
	return true;
}

/** A new price at once: prorated and charged, or in a trial for nothing. */
export function changePrice(
	state: StripeState,
	sub: FakeSubscription,
	price: FakePrice,
	{ prorate, onlyIfPaid, at }: { readonly prorate: boolean; readonly onlyIfPaid: boolean; readonly at: number },
): void {
	const item = itemOf(sub);
	if (price.id === item.price.id || !prorate) {
		item.price = price;
		return;
	}
	const now = state.now();
	const invoice = addInvoice(state, sub, prorated(item, price, at), "subscription_update");
	if (collect(state, invoice, state.cardOf(sub)) || !onlyIfPaid) {
		switchTo(state, sub, price);
		return;
	}
	const expires = Math.min(now + PENDING_SECONDS, item.current_period_end);
	sub.pending_update = { expires_at: expires, subscription_items: [{ id: item.id, price }] };
}

/** What is left of the term at `at`, at the old price and at the new one. */
export function prorated(item: FakeItem, price: FakePrice, at: number): readonly Charged[] {
	const { current_period_start: start, current_period_end: end } = item;
	if (at < start || at > end) throw refusal("parameter_invalid", "The proration date lies outside of the period.");
	const share = (end - at) / (end - start);
	const restarts = price.recurring.interval !== item.price.recurring.interval;
	return [
		{ description: "Unused time", amount: -Math.round(item.price.unit_amount * share), period: { start: at, end } },
		{
			description: "Remaining time",
			amount: Math.round(price.unit_amount * (restarts ? 1 : share)),
			period: { start: at, end: restarts ? after(at, price) : end },
		},
	];
}

function termOf({ price, current_period_start: start, current_period_end: end }: FakeItem): Charged {
	return { description: "Subscription", amount: price.unit_amount, period: { start, end } };
}

function switchTo(state: StripeState, sub: FakeSubscription, price: FakePrice): void {
	const item = itemOf(sub);
	if (price.recurring.interval !== item.price.recurring.interval) {
		const now = state.now();
		sub.billing_cycle_anchor = now;
		item.current_period_start = now;
		item.current_period_end = after(now, price);
	}
	item.price = price;
	sub.pending_update = null;
}

/** Somebody pays an open invoice. */
export function payInvoice(state: StripeState, invoice: FakeInvoice, card: string | null): boolean {
	const sub = held(state.subscriptions.get(invoice.parent.subscription_details.subscription), "a subscription");
	if (!collect(state, invoice, card)) return false;
	const pending = sub.latest_invoice === invoice.id ? sub.pending_update?.subscription_items[0] : undefined;
	if (pending) switchTo(state, sub, pending.price);
	const owes = state.invoicesOf(sub.id).some(({ status, billing_reason }) => {
		return status === "open" && billing_reason === "subscription_cycle";
	});
	if (sub.status === "past_due" && !owes) sub.status = "active";
	state.emit("customer.subscription.updated", sub);
	return true;
}

export function endSubscription(state: StripeState, sub: FakeSubscription, at: number): void {
	sub.status = "canceled";
	sub.ended_at = at;
	sub.canceled_at ??= at;
	sub.pending_update = null;
	state.emit("customer.subscription.deleted", sub);
	state.mail(sub.customer, "cancellation");
}

export function releaseSchedule(state: StripeState, schedule: FakeSchedule): void {
	if (schedule.status !== "active") {
		throw refusal("subscription_schedule_not_active", `A schedule that is ${schedule.status} cannot be released.`);
	}
	const sub = state.subscriptions.get(schedule.subscription ?? "");
	if (sub) sub.schedule = null;
	schedule.released_subscription = schedule.subscription;
	schedule.subscription = null;
	schedule.status = "released";
	schedule.current_phase = null;
	state.emit("subscription_schedule.released", schedule);
	if (sub) state.emit("customer.subscription.updated", sub);
}

/** All that has come due by now, in order. */
export function catchUp(state: StripeState): void {
	for (const sub of state.subscriptions.values()) {
		while (dueAt(state, sub) <= state.now()) step(state, sub);
	}
}

function isLive({ status }: FakeSubscription): boolean {
	return status === "active" || status === "trialing" || status === "past_due";
}

/** A draft is charged even where its subscription has ended meanwhile. */
function dueAt(state: StripeState, sub: FakeSubscription): number {
	const drafts = draftsOf(state, sub).map(({ created }) => created + state.draftSeconds);
	const live = isLive(sub) ? [itemOf(sub).current_period_end] : [];
	return Math.min(
		Number.MAX_SAFE_INTEGER,
		sub.pending_update?.expires_at ?? Number.MAX_SAFE_INTEGER,
		...live,
		...drafts,
	);
}

function draftsOf(state: StripeState, { id }: FakeSubscription): FakeInvoice[] {
	return state.invoicesOf(id).filter(({ status, auto_advance }) => status === "draft" && auto_advance);
}

function step(state: StripeState, sub: FakeSubscription): void {
	const due = dueAt(state, sub);
	const draft = draftsOf(state, sub).find(({ created }) => created + state.draftSeconds === due);
	if (sub.pending_update?.expires_at === due) {
		voidInvoice(state, held(state.invoices.get(sub.latest_invoice ?? ""), "an invoice"));
	} else if (draft) {
		collectCycle(state, sub, finalizeInvoice(state, draft, true));
	} else if (sub.cancel_at_period_end) {
		endSubscription(state, sub, due);
	} else {
		renew(state, sub, due);
	}
}

function renew(state: StripeState, sub: FakeSubscription, due: number): void {
	const item = itemOf(sub);
	const { interval } = item.price.recurring;
	enterPhase(state, sub, due);
	if (item.price.recurring.interval !== interval) sub.billing_cycle_anchor = due;
	if (sub.status === "trialing") sub.status = "active";
	item.current_period_start = due;
	// Counted from the anchor, so that the 31st comes back after February.
	let count = 1;
	while (after(sub.billing_cycle_anchor, item.price, count) <= due) count++;
	item.current_period_end = after(sub.billing_cycle_anchor, item.price, count);
	const draft = state.draftSeconds > 0;
	const invoice = addInvoice(state, sub, [termOf(item)], "subscription_cycle", { draft, at: due });
	if (sub.pause_collection) {
		if (invoice.status === "draft") finalizeInvoice(state, invoice, false);
		if (invoice.status === "open") voidInvoice(state, invoice);
		state.emit("customer.subscription.updated", sub);
		return;
	}
	state.mail(sub.customer, "upcoming_renewal");
	if (draft) state.emit("customer.subscription.updated", sub);
	else collectCycle(state, sub, invoice);
}

function collectCycle(state: StripeState, sub: FakeSubscription, invoice: FakeInvoice): void {
	if (!collect(state, invoice, state.cardOf(sub)) && isLive(sub)) sub.status = "past_due";
	state.emit("customer.subscription.updated", sub);
}

function enterPhase(state: StripeState, sub: FakeSubscription, due: number): void {
	const schedule = state.schedules.get(sub.schedule ?? "");
	if (!schedule?.current_phase || schedule.current_phase.end_date > due) return;
	const next = schedule.phases.find(({ start_date, end_date }) => start_date <= due && due < end_date);
	if (!next) {
		releaseSchedule(state, schedule);
		return;
	}
	const { start_date, end_date } = next;
	schedule.current_phase = { start_date, end_date };
	itemOf(sub).price = held(state.prices.get(next.items[0]?.price ?? ""), "a price");
	sub.default_payment_method = schedule.default_settings.default_payment_method ?? sub.default_payment_method;
	state.emit("subscription_schedule.updated", schedule);
}
