import { randomBase62 } from "@svc/base/ids";
import type { FakeSums } from "./stripe-tax.ts";

/* What the fake Stripe keeps, in the shapes in which the real one answers (API version 2026-10-28.endive). Times in seconds. */

export interface FakePrice {
	readonly id: string;
	readonly object: "price";
	readonly active: boolean;
	readonly currency: string;
	readonly unit_amount: number;
	readonly lookup_key: string | null;
	readonly tax_behavior: "inclusive" | "exclusive" | "unspecified";
	readonly product: string;
	readonly recurring: {
		readonly interval: "month" | "year";
		readonly interval_count: 1;
		readonly usage_type: "licensed";
	};
	readonly type: "recurring";
	readonly metadata: Readonly<Record<string, string>>;
	readonly livemode: false;
}

export interface FakeCustomer {
	readonly id: string;
	readonly object: "customer";
	readonly email: string | null;
	readonly name: string | null;
	/** Below zero: in the payer's favour. */
	balance: number;
	readonly currency: string | null;
	readonly metadata: Readonly<Record<string, string>>;
	invoice_settings: { default_payment_method: string | null };
	readonly created: number;
	readonly livemode: false;
}

export interface FakeSession {
	readonly id: string;
	readonly object: "checkout.session";
	readonly mode: "subscription";
	status: "open" | "complete" | "expired";
	payment_status: "unpaid" | "paid" | "no_payment_required";
	readonly customer: string;
	readonly client_reference_id: string | null;
	readonly metadata: Readonly<Record<string, string>>;
	subscription: string | null;
	readonly url: string | null;
	readonly success_url: string;
	readonly cancel_url: string;
	readonly livemode: false;
}

export interface FakeItem {
	readonly id: string;
	readonly object: "subscription_item";
	price: FakePrice;
	readonly quantity: 1;
	current_period_start: number;
	current_period_end: number;
	readonly subscription: string;
}

export interface FakeList<T> {
	readonly object: "list";
	readonly data: readonly T[];
	readonly has_more: boolean;
	readonly url: string;
}

export interface FakeSubscription {
	readonly id: string;
	readonly object: "subscription";
	status: "incomplete" | "incomplete_expired" | "trialing" | "active" | "past_due" | "canceled" | "unpaid" | "paused";
	readonly customer: string;
	readonly currency: string;
	readonly collection_method: "charge_automatically";
	readonly created: number;
	readonly start_date: number;
	ended_at: number | null;
	canceled_at: number | null;
	cancel_at: number | null;
	cancel_at_period_end: boolean;
	readonly trial_start: number | null;
	trial_end: number | null;
	billing_cycle_anchor: number;
	latest_invoice: string | null;
	default_payment_method: string | null;
	readonly description: string | null;
	metadata: Readonly<Record<string, string>>;
	schedule: string | null;
	pause_collection: { behavior: "void" } | null;
	readonly automatic_tax: { readonly enabled: boolean };
	/** Ids. */
	readonly discounts: readonly string[];
	pending_update: { expires_at: number; subscription_items: { id: string; price: FakePrice }[] } | null;
	readonly items: FakeList<FakeItem>;
	readonly livemode: false;
}

export interface FakePayment {
	readonly id: string;
	readonly object: "invoice_payment";
	readonly invoice: string;
	readonly amount_paid: number;
	readonly amount_requested: number;
	readonly currency: string;
	readonly is_default: true;
	readonly status: "paid";
	readonly payment: { readonly type: "payment_intent"; readonly payment_intent: string };
}

export interface FakeLine {
	readonly id: string;
	readonly object: "line_item";
	readonly description: string;
	readonly quantity: 1;
	readonly amount: number;
	readonly period: { readonly start: number; readonly end: number };
	readonly taxes: FakeSums["total_taxes"];
}

export interface FakeInvoice extends FakeSums {
	readonly id: string;
	readonly object: "invoice";
	status: "draft" | "open" | "paid" | "void" | "uncollectible";
	readonly billing_reason: "subscription_create" | "subscription_cycle" | "subscription_update";
	readonly customer: string;
	readonly currency: string;
	readonly lines: FakeList<FakeLine>;
	readonly amount_due: number;
	amount_paid: number;
	readonly starting_balance: number;
	readonly ending_balance: number;
	attempt_count: number;
	auto_advance: boolean;
	readonly created: number;
	readonly parent: {
		readonly type: "subscription_details";
		readonly subscription_details: {
			readonly subscription: string;
			readonly metadata: Readonly<Record<string, string>>;
		};
	};
	readonly livemode: false;
}

export interface FakeCharge {
	readonly id: string;
	readonly object: "charge";
	readonly amount: number;
	amount_refunded: number;
	readonly currency: string;
	readonly customer: string;
	readonly payment_intent: string;
	readonly status: "succeeded" | "failed";
	refunded: boolean;
	disputed: boolean;
	readonly created: number;
	readonly livemode: false;
}

export interface FakePhase {
	readonly start_date: number;
	readonly end_date: number;
	readonly items: readonly { readonly price: string; readonly quantity: number }[];
}

export interface FakeSchedule {
	readonly id: string;
	readonly object: "subscription_schedule";
	status: "active" | "released" | "canceled" | "completed";
	readonly customer: string;
	subscription: string | null;
	released_subscription: string | null;
	end_behavior: "release" | "cancel";
	current_phase: { start_date: number; end_date: number } | null;
	default_settings: { default_payment_method: string | null };
	phases: readonly FakePhase[];
	readonly livemode: false;
}

export interface FakeRefund {
	readonly id: string;
	readonly object: "refund";
	readonly amount: number;
	readonly charge: string;
	readonly currency: string;
	readonly payment_intent: string;
	readonly metadata: Readonly<Record<string, string>>;
	readonly status: "succeeded";
	readonly created: number;
}

export interface FakeDispute {
	readonly id: string;
	readonly object: "dispute";
	readonly amount: number;
	readonly charge: string;
	readonly currency: string;
	readonly payment_intent: string;
	status: "warning_needs_response" | "needs_response" | "under_review" | "won" | "lost";
	readonly created: number;
	readonly evidence_details: { readonly due_by: number };
}

export interface FakeCredit {
	readonly id: string;
	readonly object: "customer_balance_transaction";
	readonly amount: number;
	readonly currency: string;
	readonly customer: string;
	readonly ending_balance: number;
	readonly metadata: Readonly<Record<string, string>>;
	readonly type: "adjustment";
}

export interface FakeEvent {
	readonly id: string;
	readonly object: "event";
	readonly api_version: string;
	readonly created: number;
	readonly type: string;
	readonly livemode: false;
	readonly pending_webhooks: number;
	readonly request: { readonly id: null; readonly idempotency_key: null };
	readonly data: { readonly object: unknown; readonly previous_attributes?: Readonly<Record<string, unknown>> };
}

export function fakeId(prefix: string): string {
	return `${prefix}_${randomBase62(24)}`;
}

export function listOf<T>(url: string, data: readonly T[], hasMore = false): FakeList<T> {
	return { object: "list", data, has_more: hasMore, url };
}
