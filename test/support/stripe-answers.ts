import { missing, type Values } from "./stripe-form.ts";
import { changePrice, itemOf, prorated } from "./stripe-life.ts";
import {
	type FakeInvoice,
	type FakePhase,
	type FakePrice,
	type FakeSchedule,
	type FakeSubscription,
	fakeId,
	listOf,
} from "./stripe-objects.ts";
import { type Charged, linesOf, refusal } from "./stripe-payments.ts";
import type { StripeState } from "./stripe-state.ts";
import { sumsOf } from "./stripe-tax.ts";

/* What the fake Stripe does and answers to the calls of its API. */

/** Fewer than are asked for, as Stripe may: whoever wants all has to go on asking. */
const MAX_PAGE = 3;

export const text = (value: unknown): string => String(value);
export const optional = (value: unknown): string | null => (value === undefined ? null : String(value));
export const texts = (value: unknown) => (value ?? {}) as Readonly<Record<string, string>>;
export const fieldsOf = (value: unknown) => (value ?? {}) as Values;
const listed = (value: unknown) => (value ?? []) as readonly Values[];

export function find<T>(map: ReadonlyMap<string, T>, what: string, id: string): T {
	const found = map.get(id);
	if (found === undefined) throw missing(what, id);
	return found;
}

/** Newest first, from where the last page ended. */
export function page<T extends { readonly id: string }>(url: string, oldestFirst: readonly T[], sent: Values) {
	const all = oldestFirst.toReversed();
	const from = sent.starting_after === undefined ? 0 : all.findIndex(({ id }) => id === sent.starting_after) + 1;
	const wanted = Math.min(Number(sent.limit ?? 10), MAX_PAGE);
	return listOf(url, all.slice(from, from + wanted), all.length > from + wanted);
}

export function expands(sent: Values, name: string): boolean {
	return ((sent.expand ?? []) as readonly string[]).includes(name);
}

export function shownSubscription(state: StripeState, sub: FakeSubscription, sent: Values): unknown {
	return expands(sent, "schedule") ? { ...sub, schedule: state.schedules.get(sub.schedule ?? "") ?? null } : sub;
}

function editable(sub: FakeSubscription): FakeSubscription {
	if (sub.status === "canceled" || sub.status === "incomplete_expired") {
		throw refusal("resource_missing", "A canceled subscription can only update its cancellation_details and metadata.");
	}
	return sub;
}

export function refuseScheduled(sub: FakeSubscription): void {
	if (sub.schedule === null) return;
	throw refusal(
		"subscription_schedule_managed",
		`The subscription is managed by the subscription schedule \`${sub.schedule}\`, and updating any cancelation behavior directly is not allowed.`,
	);
}

export function createPrice(state: StripeState, sent: Values) {
	const key = optional(sent.lookup_key);
	if (key !== null && [...state.prices.values()].some(({ lookup_key }) => lookup_key === key)) {
		throw refusal("resource_already_exists", `A price (\`${key}\`) already uses that lookup key.`);
	}
	const recurring = fieldsOf(sent.recurring);
	const behavior = sent.tax_behavior;
	const price = {
		id: fakeId("price"),
		object: "price",
		active: true,
		currency: text(sent.currency),
		unit_amount: Number(sent.unit_amount),
		lookup_key: key,
		tax_behavior: behavior === "inclusive" || behavior === "exclusive" ? behavior : "unspecified",
		product: fakeId("prod"),
		recurring: {
			interval: recurring.interval === "year" ? "year" : "month",
			interval_count: 1,
			usage_type: "licensed",
		},
		type: "recurring",
		metadata: {},
		livemode: false,
	} as const;
	state.prices.set(price.id, price);
	return price;
}

/** Where the payer is decides on the tax, and a customer's address is changed only where that is allowed. */
function refuseUntaxable(sent: Values, taxed: boolean, price: FakePrice): void {
	const { address, name } = fieldsOf(sent.customer_update);
	if (taxed && address !== "auto")
		throw refusal("parameter_invalid", "Automatic tax needs `customer_update[address]`.");
	if (fieldsOf(sent.tax_id_collection).enabled === true && name !== "auto") {
		throw refusal("parameter_invalid", "Tax ID collection needs `customer_update[name]` for a customer that exists.");
	}
	if (taxed && price.tax_behavior === "unspecified") {
		throw refusal("parameter_invalid", "Automatic tax needs a price with a tax behavior.");
	}
}

export function openSession(state: StripeState, sent: Values) {
	const [line] = listed(sent.line_items);
	const price = find(state.prices, "price", text(line?.price));
	const customer = find(state.customers, "customer", text(sent.customer)).id;
	const data = fieldsOf(sent.subscription_data);
	const taxed = fieldsOf(sent.automatic_tax).enabled === true;
	refuseUntaxable(sent, taxed, price);
	const id = fakeId("cs_test");
	state.terms.set(id, {
		price,
		trialDays: Number(data.trial_period_days ?? 0),
		metadata: texts(data.metadata),
		description: optional(data.description),
		taxed,
		discounts: sent.allow_promotion_codes === true && state.promotion > 0 ? [`di_${state.promotion}`] : [],
	});
	const session = {
		id,
		object: "checkout.session",
		mode: "subscription",
		status: "open",
		payment_status: "unpaid",
		customer,
		client_reference_id: optional(sent.client_reference_id),
		metadata: texts(sent.metadata),
		subscription: null,
		url: `https://checkout.stripe.com/c/pay/${id}`,
		success_url: text(sent.success_url),
		cancel_url: text(sent.cancel_url),
		livemode: false,
	} as const;
	state.sessions.set(id, { ...session });
	return session;
}

function endWithPeriod(state: StripeState, sub: FakeSubscription, ends: boolean): void {
	refuseScheduled(sub);
	sub.cancel_at_period_end = ends;
	sub.cancel_at = ends ? itemOf(sub).current_period_end : null;
	sub.canceled_at = ends ? state.now() : null;
	if (ends) state.mail(sub.customer, "cancellation");
}

function refuseUnpendable(sub: FakeSubscription, sent: Values): void {
	if (Object.keys(sent).some((name) => !PENDING_FIELDS.includes(name))) {
		throw refusal("parameter_invalid", "This parameter is not supported with pending_if_incomplete.");
	}
	if (sub.schedule !== null) throw refusal("parameter_invalid", "Pending updates are not supported here.");
}

export function updateSubscription(state: StripeState, id: string, sent: Values): unknown {
	const sub = editable(find(state.subscriptions, "subscription", id));
	const pending = sent.payment_behavior === "pending_if_incomplete";
	if (pending) refuseUnpendable(sub, sent);
	const { default_payment_method: card, cancel_at_period_end: ends } = sent;
	if (card !== undefined) {
		find(state.cards, "PaymentMethod", text(card));
		sub.default_payment_method = text(card);
	}
	if (ends !== undefined) endWithPeriod(state, sub, ends === true);
	if (sent.cancel_at === "") sub.cancel_at = null;
	updateCollection(state, sub, sent);
	const [item] = listed(sent.items);
	if (item) {
		if (item.id !== itemOf(sub).id) throw missing("subscription item", text(item.id));
		const price = find(state.prices, "price", text(item.price));
		const at = Number(sent.proration_date ?? state.now());
		const prorate = sent.proration_behavior === "always_invoice";
		changePrice(state, sub, price, { prorate, onlyIfPaid: pending, at });
	}
	state.emit("customer.subscription.updated", sub);
	return shownSubscription(state, sub, sent);
}

function updateCollection(state: StripeState, sub: FakeSubscription, sent: Values): void {
	if (sent.pause_collection !== undefined) {
		sub.pause_collection = sent.pause_collection === "" ? null : { behavior: "void" };
	}
	if (sent.metadata !== undefined) sub.metadata = { ...sub.metadata, ...texts(sent.metadata) };
	if (sent.trial_end !== undefined && Number(sent.trial_end) !== sub.trial_end) {
		endTrialAt(state, sub, Number(sent.trial_end));
	}
}

function endTrialAt(state: StripeState, sub: FakeSubscription, at: number): void {
	const live = sub.status === "trialing" || sub.status === "active";
	if (!live || at <= state.now()) throw refusal("parameter_invalid", "A trial ends in the future.");
	// Time that is free is a trial, whatever went before it.
	sub.status = "trialing";
	sub.trial_end = at;
	sub.billing_cycle_anchor = at;
	itemOf(sub).current_period_end = at;
}

/** The invoice of a change that nobody has made, of the next renewal, or of a subscription that nobody has begun. */
export function previewInvoice(state: StripeState, sent: Values): unknown {
	const [wanted] = listed(fieldsOf(sent.subscription_details).items);
	if (sent.subscription === undefined && sent.schedule === undefined)
		return previewFirst(state, sent, text(wanted?.price));
	const schedule = sent.schedule === undefined ? undefined : find(state.schedules, "schedule", text(sent.schedule));
	const sub = editable(find(state.subscriptions, "subscription", text(sent.subscription ?? schedule?.subscription)));
	return wanted ? previewChange(state, sub, sent) : previewRenewal(state, sub, schedule);
}

function previewFirst(state: StripeState, sent: Values, priceId: string): unknown {
	const { id } = find(state.customers, "customer", text(sent.customer));
	const price = find(state.prices, "price", priceId);
	const automatic_tax = { enabled: fieldsOf(sent.automatic_tax).enabled === true };
	const discounts = listed(sent.discounts).map(({ discount }) => text(discount));
	return drawn(state, { customer: id, currency: price.currency, automatic_tax, discounts }, price, [
		termOf(state, price),
	]);
}

function previewRenewal(state: StripeState, sub: FakeSubscription, schedule: FakeSchedule | undefined): unknown {
	const next = schedule?.phases.find(({ start_date }) => start_date >= (schedule.current_phase?.end_date ?? 0));
	const price = next ? find(state.prices, "price", next.items[0]?.price ?? "") : itemOf(sub).price;
	return drawn(state, sub, price, [termOf(state, price)]);
}

function termOf(state: StripeState, { unit_amount: amount }: FakePrice): Charged {
	return { description: "Subscription", amount, period: { start: state.now(), end: state.now() } };
}

function previewChange(state: StripeState, sub: FakeSubscription, sent: Values): unknown {
	const details = fieldsOf(sent.subscription_details);
	const [item] = listed(details.items);
	if (item?.id !== itemOf(sub).id) throw missing("subscription item", text(item?.id));
	const price = find(state.prices, "price", text(item.price));
	return drawn(state, sub, price, prorated(itemOf(sub), price, Number(details.proration_date ?? state.now())));
}

function drawn(
	state: StripeState,
	sub: Pick<FakeSubscription, "customer" | "currency" | "automatic_tax" | "discounts">,
	price: FakePrice,
	charged: readonly Charged[],
): unknown {
	const amounts = charged.map(({ amount }) => amount);
	const sums = sumsOf({ ...sub, items: listOf("", [{ price } as FakeSubscription["items"]["data"][number]]) }, amounts);
	const { total } = sums;
	const { balance } = find(state.customers, "customer", sub.customer);
	const used = total > 0 ? Math.min(total, Math.max(0, -balance)) : total;
	const due = { amount_due: Math.max(0, total - used), starting_balance: balance, ending_balance: balance + used };
	return { object: "invoice", ...sums, ...due, currency: sub.currency, lines: linesOf(charged, sums) };
}

/** What may be sent along with it. */
const PENDING_FIELDS = ["items", "payment_behavior", "proration_behavior", "proration_date", "expand"];

export function createSchedule(state: StripeState, sent: Values): FakeSchedule {
	const sub = editable(find(state.subscriptions, "subscription", text(sent.from_subscription)));
	if (sub.schedule !== null) throw refusal("resource_already_exists", "It is already attached to a schedule.");
	const { price, current_period_start, current_period_end } = itemOf(sub);
	const phase = { start_date: current_period_start, end_date: current_period_end };
	const schedule: FakeSchedule = {
		id: fakeId("sub_sched"),
		object: "subscription_schedule",
		status: "active",
		customer: sub.customer,
		subscription: sub.id,
		released_subscription: null,
		end_behavior: "release",
		current_phase: { ...phase },
		default_settings: { default_payment_method: sub.default_payment_method },
		phases: [{ ...phase, items: [{ price: price.id, quantity: 1 }] }],
		livemode: false,
	};
	state.schedules.set(schedule.id, schedule);
	sub.schedule = schedule.id;
	state.emit("subscription_schedule.created", schedule);
	return schedule;
}

export function updateSchedule(state: StripeState, id: string, sent: Values): FakeSchedule {
	const schedule = find(state.schedules, "subscription_schedule", id);
	if (schedule.status !== "active") throw refusal("subscription_schedule_not_active", "It is not active any more.");
	const card = fieldsOf(sent.default_settings).default_payment_method;
	if (card !== undefined) schedule.default_settings = { default_payment_method: text(card) };
	if (sent.phases !== undefined) {
		const [present] = listed(sent.phases);
		const sub = state.subscriptions.get(schedule.subscription ?? "");
		// A phase that does not go on with it ends a trial.
		if (sub?.status === "trialing" && present?.trial !== true) sub.status = "active";
		schedule.phases = readPhases(schedule, listed(sent.phases));
	}
	if (sent.end_behavior !== undefined) schedule.end_behavior = sent.end_behavior === "cancel" ? "cancel" : "release";
	state.emit("subscription_schedule.updated", schedule);
	return schedule;
}

function readPhases({ current_phase }: FakeSchedule, sent: readonly Values[]): readonly FakePhase[] {
	let at = Number(sent[0]?.start_date ?? Number.NaN);
	if (at !== current_phase?.start_date) throw refusal("parameter_invalid", "The current phase has to start as it did.");
	return sent.map((phase) => {
		const months = Number(fieldsOf(phase.duration).interval_count ?? 0);
		const end = phase.end_date === undefined ? at + months * 30 * 86_400 : Number(phase.end_date);
		if (end <= at) throw refusal("parameter_invalid", "A phase has to last some time.");
		const items = listed(phase.items).map(({ price, quantity }) => ({
			price: text(price),
			quantity: Number(quantity),
		}));
		const read = { start_date: at, end_date: end, items };
		at = end;
		return read;
	});
}

export function adjustBalance(state: StripeState, id: string, sent: Values) {
	const customer = find(state.customers, "customer", id);
	customer.balance += Number(sent.amount);
	const move = {
		id: fakeId("cbtxn"),
		object: "customer_balance_transaction",
		amount: Number(sent.amount),
		currency: text(sent.currency),
		customer: id,
		ending_balance: customer.balance,
		metadata: texts(sent.metadata),
		type: "adjustment",
	} as const;
	state.credits.push(move);
	return move;
}

export function shownInvoice(state: StripeState, invoice: FakeInvoice, sent: Values): FakeInvoice {
	if (!expands(sent, "data.payments")) return invoice;
	const payments = state.payments.filter((one) => one.invoice === invoice.id);
	return { ...invoice, payments: listOf("/v1/invoice_payments", payments) } as FakeInvoice;
}
