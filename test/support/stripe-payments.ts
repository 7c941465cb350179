import { StripeRefusal } from "./stripe-form.ts";
import {
	type FakeDispute,
	type FakeInvoice,
	type FakeLine,
	type FakeList,
	type FakeRefund,
	type FakeSubscription,
	fakeId,
	listOf,
} from "./stripe-objects.ts";
import { held, type StripeState } from "./stripe-state.ts";
import { type FakeSums, sumsOf } from "./stripe-tax.ts";

/* Money at the fake Stripe: invoices, charges, refunds, credit. */

/** What an invoice is for, and for which time, in seconds. */
export interface Charged {
	readonly description: string;
	readonly amount: number;
	readonly period: { readonly start: number; readonly end: number };
}

/** The last line holds the tax of all. */
export function linesOf(charged: readonly Charged[], { total_taxes }: FakeSums): FakeList<FakeLine> {
	const lines = charged.map((one, place): FakeLine => {
		const taxes = place === charged.length - 1 ? total_taxes : [];
		return { id: fakeId("il"), object: "line_item", quantity: 1, ...one, taxes };
	});
	return listOf("/v1/invoices/lines", lines);
}

/** A final invoice; nothing is tried yet, unless nothing is due. */
export function addInvoice(
	state: StripeState,
	sub: FakeSubscription,
	charged: readonly Charged[],
	reason: FakeInvoice["billing_reason"],
	{ draft = false, at = state.now() }: { readonly draft?: boolean; readonly at?: number } = {},
): FakeInvoice {
	const customer = held(state.customers.get(sub.customer), "a customer");
	const starting = customer.balance;
	const sums = sumsOf(
		sub,
		charged.map(({ amount }) => amount),
	);
	const { total } = sums;
	const used = total > 0 ? Math.min(total, Math.max(0, -starting)) : total;
	customer.balance = starting + used;
	const due = Math.max(0, total - used);
	const invoice: FakeInvoice = {
		id: fakeId("in"),
		object: "invoice",
		status: due === 0 ? "paid" : draft ? "draft" : "open",
		billing_reason: reason,
		customer: sub.customer,
		currency: sub.currency,
		lines: linesOf(charged, sums),
		...sums,
		amount_due: due,
		amount_paid: 0,
		starting_balance: starting,
		ending_balance: customer.balance,
		attempt_count: 0,
		auto_advance: true,
		created: at,
		parent: {
			type: "subscription_details",
			subscription_details: { subscription: sub.id, metadata: sub.metadata },
		},
		livemode: false,
	};
	state.invoices.set(invoice.id, invoice);
	sub.latest_invoice = invoice.id;
	state.emit("invoice.created", invoice);
	return invoice;
}

/** Tries to collect an open invoice. */
export function collect(state: StripeState, invoice: FakeInvoice, card: string | null): boolean {
	if (invoice.status === "paid") return true;
	invoice.attempt_count++;
	const behaviour = card === null ? "declines" : (state.cards.get(card) ?? "declines");
	const intent = fakeId("pi");
	const paid = behaviour === "pays";
	state.charges.push({
		id: fakeId("ch"),
		object: "charge",
		amount: invoice.amount_due,
		amount_refunded: 0,
		currency: invoice.currency,
		customer: invoice.customer,
		payment_intent: intent,
		status: paid ? "succeeded" : "failed",
		refunded: false,
		disputed: false,
		created: state.now(),
		livemode: false,
	});
	if (!paid) {
		state.emit(behaviour === "needs_bank" ? "invoice.payment_action_required" : "invoice.payment_failed", invoice);
		state.mail(invoice.customer, behaviour === "needs_bank" ? "bank_confirmation" : "failed_payment");
		return false;
	}
	invoice.status = "paid";
	invoice.amount_paid = invoice.amount_due;
	state.payments.push({
		id: fakeId("inpay"),
		object: "invoice_payment",
		invoice: invoice.id,
		amount_paid: invoice.amount_due,
		amount_requested: invoice.amount_due,
		currency: invoice.currency,
		is_default: true,
		status: "paid",
		payment: { type: "payment_intent", payment_intent: intent },
	});
	state.emit("invoice.paid", invoice);
	state.mail(invoice.customer, "receipt");
	return true;
}

export function voidInvoice(state: StripeState, invoice: FakeInvoice): FakeInvoice {
	if (invoice.status !== "open" && invoice.status !== "uncollectible") {
		throw refusal("invoice_not_editable", `You can only void open invoices, and this one is ${invoice.status}.`);
	}
	const customer = held(state.customers.get(invoice.customer), "a customer");
	customer.balance -= invoice.ending_balance - invoice.starting_balance;
	invoice.status = "void";
	state.emit("invoice.voided", invoice);
	const sub = state.subscriptions.get(invoice.parent.subscription_details.subscription);
	if (sub?.pending_update && sub.latest_invoice === invoice.id) {
		sub.pending_update = null;
		state.emit("customer.subscription.pending_update_expired", sub);
	}
	return invoice;
}

export function finalizeInvoice(state: StripeState, invoice: FakeInvoice, autoAdvance: boolean): FakeInvoice {
	if (invoice.status !== "draft") throw refusal("invoice_not_editable", "This invoice is already finalized.");
	invoice.status = "open";
	invoice.auto_advance = autoAdvance;
	state.emit("invoice.finalized", invoice);
	return invoice;
}

/** Of all that is left. */
export function refund(
	state: StripeState,
	intent: string,
	metadata: Readonly<Record<string, string>>,
	wanted: number | undefined,
): FakeRefund {
	const charge = state.charges.find(
		({ payment_intent, status }) => payment_intent === intent && status === "succeeded",
	);
	if (!charge) throw refusal("resource_missing", `No such payment_intent: '${intent}'`);
	if (state.held.has(intent)) throw refusal("charge_disputed", "This charge is disputed and cannot be refunded now.");
	const left = charge.amount - charge.amount_refunded;
	if (left === 0) throw refusal("charge_already_refunded", `Charge ${charge.id} has already been refunded.`);
	const amount = wanted ?? left;
	if (amount > left) throw refusal("amount_too_large", `Refund amount is greater than unrefunded amount.`);
	charge.amount_refunded += amount;
	charge.refunded = charge.amount_refunded === charge.amount;
	const made: FakeRefund = {
		id: fakeId("re"),
		object: "refund",
		amount,
		charge: charge.id,
		currency: charge.currency,
		payment_intent: intent,
		metadata,
		status: "succeeded",
		created: state.now(),
	};
	state.refunds.push(made);
	state.emit("refund.created", made);
	state.emit("charge.refunded", charge);
	return made;
}

/** The payer's bank asks the newest payment of a subscription back, or has decided about it. */
export function dispute(state: StripeState, subscription: string, status: FakeDispute["status"]): FakeDispute {
	const invoices = new Set(state.invoicesOf(subscription).map(({ id }) => id));
	const paid = held(
		state.payments.findLast(({ invoice }) => invoices.has(invoice)),
		"a payment",
	);
	const intent = paid.payment.payment_intent;
	const charge = held(
		state.charges.find(({ payment_intent }) => payment_intent === intent),
		"a charge",
	);
	const known = state.disputes.find((one) => one.payment_intent === intent);
	const made: FakeDispute = known ?? {
		id: fakeId("dp"),
		object: "dispute",
		amount: charge.amount,
		charge: charge.id,
		currency: charge.currency,
		payment_intent: intent,
		status,
		created: state.now(),
		evidence_details: { due_by: state.now() + 604_800 },
	};
	if (!known) state.disputes.push(made);
	made.status = status;
	charge.disputed = true;
	const decided = status === "won" || status === "lost";
	if (status === "won") state.held.delete(intent);
	else state.held.add(intent);
	if (!known) state.emit("charge.dispute.created", { ...made, status: "needs_response" });
	if (decided) state.emit("charge.dispute.closed", made);
	return made;
}

export function refusal(code: string, message: string): StripeRefusal {
	return new StripeRefusal(400, { code, message });
}
