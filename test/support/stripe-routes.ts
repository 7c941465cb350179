import {
	adjustBalance,
	createPrice,
	createSchedule,
	expands,
	fieldsOf,
	find,
	openSession,
	optional,
	page,
	previewInvoice,
	refuseScheduled,
	shownInvoice,
	shownSubscription,
	text,
	texts,
	updateSchedule,
	updateSubscription,
} from "./stripe-answers.ts";
import { type Fields, missing, readForm, StripeRefusal, type Values } from "./stripe-form.ts";
import { endSubscription, payInvoice, releaseSchedule } from "./stripe-life.ts";
import { type FakeInvoice, fakeId } from "./stripe-objects.ts";
import { finalizeInvoice, refund, refusal, voidInvoice } from "./stripe-payments.ts";
import { held, type StripeState } from "./stripe-state.ts";

/* The calls of Stripe's API that the fake takes, each with the parameters that it takes and no others. */

interface Route {
	readonly method: string;
	readonly path: RegExp;
	readonly fields: Fields;
	answer(state: StripeState, call: { readonly id: string; readonly sent: Values }): unknown;
}

const PAGE: Fields = {
	limit: "integer",
	starting_after: "string",
	ending_before: "string",
	expand: { list: "string" },
};
const SINCE: Fields[string] = { fields: { gte: "timestamp" } };
const ENABLED: Fields[string] = { fields: { "enabled!": "boolean" } };
const DISCOUNTS: Fields[string] = { list: { fields: { "discount!": "string" } } };
const EXPAND: Fields = { expand: { list: "string" } };
const invoiceCall = (
	action: string,
	fields: Fields,
	answer: (state: StripeState, invoice: FakeInvoice, sent: Values) => unknown,
): Route => ({
	method: "POST",
	path: new RegExp(`^/v1/invoices/([^/]+)/${action}$`),
	fields: { ...fields, ...EXPAND },
	answer: (state, { id, sent }) => answer(state, find(state.invoices, "invoice", id), sent),
});

const ROUTES: readonly Route[] = [
	{
		method: "GET",
		path: /^\/v1\/account$/,
		fields: EXPAND,
		answer: (state) => ({ id: state.account, object: "account" }),
	},
	{
		method: "GET",
		path: /^\/v1\/prices$/,
		fields: { ...PAGE, lookup_keys: { list: "string" }, active: "boolean" },
		answer(state, { sent }) {
			const keys = (sent.lookup_keys ?? []) as readonly string[];
			const found = [...state.prices.values()].filter((one) => keys.includes(one.lookup_key ?? ""));
			return page("/v1/prices", found, sent);
		},
	},
	{
		method: "POST",
		path: /^\/v1\/prices$/,
		fields: {
			"currency!": "string",
			"unit_amount!": "integer",
			lookup_key: "string",
			tax_behavior: { one: ["inclusive", "exclusive"] },
			"recurring!": { fields: { "interval!": { one: ["day", "week", "month", "year"] }, interval_count: "integer" } },
			"product_data!": { fields: { "name!": "string", metadata: "metadata" } },
			metadata: "metadata",
		},
		answer: (state, { sent }) => createPrice(state, sent),
	},
	{
		method: "POST",
		path: /^\/v1\/customers$/,
		fields: { email: "string", name: "string", metadata: "metadata" },
		answer(state, { sent }) {
			const email = optional(sent.email);
			if (email !== null && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) {
				throw refusal("email_invalid", `Invalid email address: ${email}`);
			}
			const customer = {
				id: fakeId("cus"),
				object: "customer",
				email,
				name: optional(sent.name),
				balance: 0,
				currency: null,
				metadata: texts(sent.metadata),
				invoice_settings: { default_payment_method: null },
				created: state.now(),
				livemode: false,
			} as const;
			state.customers.set(customer.id, { ...customer });
			return customer;
		},
	},
	{
		method: "GET",
		path: /^\/v1\/customers\/([^/]+)$/,
		fields: EXPAND,
		answer: (state, { id }) => find(state.customers, "customer", id),
	},
	{
		method: "GET",
		path: /^\/v1\/customers\/([^/]+)\/balance_transactions$/,
		fields: PAGE,
		answer: (state, { id, sent }) =>
			page(
				"/v1/balance_transactions",
				state.credits.filter(({ customer }) => customer === id),
				sent,
			),
	},
	{
		method: "POST",
		path: /^\/v1\/customers\/([^/]+)\/balance_transactions$/,
		fields: { "amount!": "integer", "currency!": "string", description: "string", metadata: "metadata" },
		answer: (state, { id, sent }) => adjustBalance(state, id, sent),
	},
	{
		method: "POST",
		path: /^\/v1\/checkout\/sessions$/,
		fields: {
			"mode!": { one: ["subscription"] },
			"customer!": "string",
			client_reference_id: "string",
			"line_items!": { list: { fields: { "price!": "string", "quantity!": "integer" } } },
			payment_method_collection: { one: ["always", "if_required"] },
			allowed_payment_method_types: { list: { one: ["card"] } },
			adaptive_pricing: ENABLED,
			automatic_tax: ENABLED,
			tax_id_collection: ENABLED,
			customer_update: { fields: { address: { one: ["auto", "never"] }, name: { one: ["auto", "never"] } } },
			allow_promotion_codes: "boolean",
			metadata: "metadata",
			subscription_data: {
				fields: { metadata: "metadata", description: "string", trial_period_days: "integer" },
			},
			"success_url!": "url",
			"cancel_url!": "url",
		},
		answer: (state, { sent }) => openSession(state, sent),
	},
	{
		method: "GET",
		path: /^\/v1\/checkout\/sessions\/([^/]+)$/,
		fields: EXPAND,
		answer: (state, { id }) => find(state.sessions, "checkout.session", id),
	},
	{
		method: "POST",
		path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
		fields: EXPAND,
		answer(state, { id }) {
			const session = find(state.sessions, "checkout.session", id);
			if (session.status !== "open") {
				throw refusal(
					"parameter_invalid",
					`Only sessions that are open can be expired; this one is ${session.status}.`,
				);
			}
			session.status = "expired";
			state.emit("checkout.session.expired", session);
			return session;
		},
	},
	{
		method: "GET",
		path: /^\/v1\/subscriptions$/,
		fields: { ...PAGE, customer: "string", status: "string" },
		answer(state, { sent }) {
			const found = [...state.subscriptions.values()].filter(
				({ customer, status }) => (sent.customer === undefined || customer === sent.customer) && status !== "canceled",
			);
			return page("/v1/subscriptions", found, sent);
		},
	},
	{
		method: "GET",
		path: /^\/v1\/subscriptions\/([^/]+)$/,
		fields: EXPAND,
		answer: (state, { id, sent }) => shownSubscription(state, find(state.subscriptions, "subscription", id), sent),
	},
	{
		method: "POST",
		path: /^\/v1\/subscriptions\/([^/]+)$/,
		fields: {
			...EXPAND,
			items: { list: { fields: { "id!": "string", "price!": "string", quantity: "integer" } } },
			payment_behavior: { one: ["allow_incomplete", "pending_if_incomplete", "error_if_incomplete"] },
			proration_behavior: { one: ["always_invoice", "create_prorations", "none"] },
			proration_date: "timestamp",
			pause_collection: {
				emptyable: true,
				fields: { "behavior!": { one: ["void", "keep_as_draft", "mark_uncollectible"] } },
			},
			metadata: "metadata",
			trial_end: "timestamp",
			cancel_at_period_end: "boolean",
			cancel_at: "text",
			default_payment_method: "string",
		},
		answer: (state, { id, sent }) => updateSubscription(state, id, sent),
	},
	{
		method: "DELETE",
		path: /^\/v1\/subscriptions\/([^/]+)$/,
		fields: { invoice_now: "boolean", prorate: "boolean" },
		answer(state, { id }) {
			const sub = find(state.subscriptions, "subscription", id);
			if (sub.status === "canceled") throw missing("subscription", id);
			refuseScheduled(sub);
			endSubscription(state, sub, state.now());
			return sub;
		},
	},
	{
		method: "GET",
		path: /^\/v1\/invoices$/,
		fields: { ...PAGE, subscription: "string", customer: "string", status: "string" },
		answer(state, { sent }) {
			const found = state.invoicesOf(text(sent.subscription)).map((one) => shownInvoice(state, one, sent));
			return page("/v1/invoices", found, sent);
		},
	},
	{
		method: "POST",
		path: /^\/v1\/invoices\/create_preview$/,
		fields: {
			subscription: "string",
			schedule: "string",
			customer: "string",
			automatic_tax: ENABLED,
			discounts: DISCOUNTS,
			subscription_details: {
				fields: {
					"items!": { list: { fields: { id: "string", "price!": "string" } } },
					proration_behavior: { one: ["always_invoice", "create_prorations", "none"] },
					proration_date: "timestamp",
				},
			},
		},
		answer: (state, { sent }) => previewInvoice(state, sent),
	},
	{
		method: "GET",
		path: /^\/v1\/prices\/([^/]+)$/,
		fields: EXPAND,
		answer: (state, { id }) => find(state.prices, "price", id),
	},
	{
		method: "GET",
		path: /^\/v1\/refunds$/,
		fields: { ...PAGE, payment_intent: "string", charge: "string", created: SINCE },
		answer(state, { sent }) {
			const { payment_intent: intent } = sent;
			const found = since(state.refunds, sent).filter((one) => intent === undefined || one.payment_intent === intent);
			return page("/v1/refunds", found, sent);
		},
	},
	invoiceCall("void", {}, voidInvoice),
	invoiceCall("finalize", { auto_advance: "boolean" }, (state, invoice, sent) =>
		finalizeInvoice(state, invoice, sent.auto_advance !== false),
	),
	invoiceCall("pay", { payment_method: "string" }, (state, invoice, sent) => {
		if (invoice.status !== "open") throw refusal("invoice_not_payable", "Invoice is already paid or not open.");
		if (payInvoice(state, invoice, optional(sent.payment_method))) return invoice;
		throw new StripeRefusal(402, { type: "card_error", code: "card_declined", message: "Your card was declined." });
	}),
	{
		method: "GET",
		path: /^\/v1\/invoice_payments$/,
		fields: {
			...PAGE,
			invoice: "string",
			payment: { fields: { "type!": { one: ["payment_intent"] }, "payment_intent!": "string" } },
		},
		answer(state, { sent }) {
			const intent = fieldsOf(sent.payment).payment_intent;
			const found = state.payments.filter(({ payment }) => payment.payment_intent === intent);
			const shown = expands(sent, "data.invoice")
				? found.map((one) => ({ ...one, invoice: held(state.invoices.get(one.invoice), "an invoice") }))
				: found;
			return page("/v1/invoice_payments", shown as readonly { readonly id: string }[], sent);
		},
	},
	{
		method: "GET",
		path: /^\/v1\/charges$/,
		fields: { ...PAGE, customer: "string" },
		answer(state, { sent }) {
			const found = state.charges.filter(({ customer }) => customer === sent.customer);
			return page("/v1/charges", found, sent);
		},
	},
	{
		method: "GET",
		path: /^\/v1\/disputes$/,
		fields: { ...PAGE, payment_intent: "string", created: SINCE },
		answer(state, { sent }) {
			const { payment_intent: intent } = sent;
			const found = since(state.disputes, sent).filter((one) => intent === undefined || one.payment_intent === intent);
			return page("/v1/disputes", found, sent);
		},
	},
	{
		method: "POST",
		path: /^\/v1\/refunds$/,
		fields: { "payment_intent!": "string", amount: "integer", metadata: "metadata" },
		answer: (state, { sent }) =>
			refund(
				state,
				text(sent.payment_intent),
				texts(sent.metadata),
				sent.amount === undefined ? undefined : Number(sent.amount),
			),
	},
	{
		method: "POST",
		path: /^\/v1\/subscription_schedules$/,
		fields: { "from_subscription!": "string" },
		answer: (state, { sent }) => createSchedule(state, sent),
	},
	{
		method: "POST",
		path: /^\/v1\/subscription_schedules\/([^/]+)$/,
		fields: {
			end_behavior: { one: ["release", "cancel"] },
			proration_behavior: { one: ["always_invoice", "create_prorations", "none"] },
			default_settings: { fields: { default_payment_method: "string" } },
			phases: {
				list: {
					fields: {
						"items!": { list: { fields: { "price!": "string", "quantity!": "integer" } } },
						automatic_tax: ENABLED,
						discounts: DISCOUNTS,
						start_date: "timestamp",
						end_date: "timestamp",
						proration_behavior: { one: ["always_invoice", "create_prorations", "none"] },
						trial: "boolean",
						duration: { fields: { "interval!": { one: ["month"] }, "interval_count!": "integer" } },
					},
				},
			},
		},
		answer: (state, { id, sent }) => updateSchedule(state, id, sent),
	},
	{
		method: "POST",
		path: /^\/v1\/subscription_schedules\/([^/]+)\/release$/,
		fields: { preserve_cancel_date: "boolean" },
		answer(state, { id }) {
			const schedule = find(state.schedules, "subscription_schedule", id);
			releaseSchedule(state, schedule);
			return schedule;
		},
	},
	{
		method: "POST",
		path: /^\/v1\/billing_portal\/sessions$/,
		fields: {
			"customer!": "string",
			"return_url!": "url",
			flow_data: {
				fields: {
					"type!": { one: ["payment_method_update"] },
					after_completion: {
						fields: { "type!": { one: ["redirect"] }, redirect: { fields: { "return_url!": "url" } } },
					},
				},
			},
		},
		answer(state, { sent }) {
			const { id } = find(state.customers, "customer", text(sent.customer));
			const session = fakeId("bps");
			const url = `https://billing.stripe.com/p/session/${session}`;
			return { id: session, object: "billing_portal.session", customer: id, url, return_url: sent.return_url };
		},
	},
];

function since<T extends { readonly created: number }>(all: readonly T[], sent: Values): readonly T[] {
	return all.filter(({ created }) => created >= Number(fieldsOf(sent.created).gte ?? 0));
}

/** @throws StripeRefusal */
export function answerCall(
	state: StripeState,
	{ method, path, form }: { readonly method: string; readonly path: string; readonly form: URLSearchParams },
): unknown {
	for (const route of ROUTES) {
		const [, id = ""] = route.method === method ? (route.path.exec(path) ?? [undefined]) : [undefined];
		if (route.method !== method || !route.path.test(path)) continue;
		return route.answer(state, { id: decodeURIComponent(id), sent: readForm(route.fields, form) });
	}
	throw new StripeRefusal(404, { message: `Unrecognized request URL (${method}: ${path}).` });
}
