import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

const INVOICE = {
	id: "inv_1",
	object: "invoice",
	status: "paid",
	amount_due: 2000,
	amount_paid: 2000,
	amount_refunded: 500,
	currency: "usd",
	created_at: "2026-01-01T00:00:00.000Z",
};

const BILLING = {
	id: "app_1",
	object: "app_billing",
	plan: "pro",
	status: "active",
	current_period_end: "2026-02-01T00:00:00.000Z",
	cancel_at_period_end: false,
	pending_plan: null,
	pending_effective_at: null,
	plans: [{ object: "app_plan", key: "free", limits: {}, price_per_month: 0, currency: "usd" }],
	created_at: "2026-01-01T00:00:00.000Z",
};

const SUBSCRIPTION = {
	id: "sub_1",
	object: "subscription",
	user_id: "usr_1",
	plan_key: "gold",
	price_id: "pri_1",
	status: "active",
	trial_end: null,
	current_period_end: "2026-02-01T00:00:00.000Z",
	cancel_at_period_end: true,
	cancel_at: null,
	pending_plan_key: null,
	pending_effective_at: null,
	ended_at: null,
	invoices: [INVOICE],
	created_at: "2026-01-01T00:00:00.000Z",
};

const PAGE = "https://pay.test/checkout/1";

/** An App's own plan, and those who pay the App. */
export const BILLING_ANSWERS: readonly FakeAnswer[] = [
	["GET", /\/billing\/invoices$/, () => listOf(INVOICE)],
	["GET", /^\/v1\/apps\/[^/]+\/billing$/, () => ({ ...BILLING, plan: "free", status: "inactive" })],
	[
		"POST",
		/\/billing\/checkout$/,
		() => ({ object: "app_checkout", plan: "pro", effective: "after_payment", url: PAGE }),
	],
	["POST", /\/billing\/payment_method$/, () => ({ object: "payment_method", url: PAGE })],
	["POST", /\/billing\/(cancel|resume)$/, () => BILLING],
	["GET", /\/subscriptions$/, () => listOf(SUBSCRIPTION)],
	["GET", /\/subscriptions\//, () => SUBSCRIPTION],
];
