import { APP_PLAN_CURRENCY, APP_PLANS } from "@svc/apps/plans";
import { APP_PLAN_NAMES } from "@svc/base/enumerations";
import {
	type AppBilling,
	appPaymentMethodUrl,
	cancelAppPlan,
	checkoutAppPlan,
	EFFECTIVE,
	getAppBilling,
	resumeAppPlan,
} from "@svc/billing/app-billing";
import { HELD_STATUSES, type Invoice } from "@svc/billing/subscriptions";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer, RouteHandler } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";

/* The App's own plan (specification, "Limits"): what it costs, what it is, and how its team pays for it. */

const dateTime = v.pipe(v.string(), v.metadata({ jsonSchema: { type: "string", format: "date-time" } }));
const limit = v.nullable(v.pipe(v.number(), v.integer()));

const billingSchema = v.object({
	id: v.string(),
	object: v.literal("app_billing"),
	created_at: dateTime,
	plan: v.picklist(APP_PLAN_NAMES),
	/** Of the subscription that pays for it; `inactive` where nothing is paid. */
	status: v.picklist(["inactive", ...HELD_STATUSES, "unconfirmed"]),
	current_period_end: v.nullable(dateTime),
	cancel_at_period_end: v.boolean(),
	pending_plan: v.nullable(v.picklist(APP_PLAN_NAMES)),
	pending_effective_at: v.nullable(dateTime),
	plans: v.array(
		v.object({
			object: v.literal("app_plan"),
			key: v.picklist(APP_PLAN_NAMES),
			limits: v.object({ images: limit, users: limit }),
			price_per_month: v.pipe(v.number(), v.integer()),
			currency: v.string(),
		}),
	),
});

const checkoutSchema = v.object({
	object: v.literal("app_checkout"),
	plan: v.picklist(APP_PLAN_NAMES),
	effective: v.picklist(EFFECTIVE),
	url: v.nullable(v.string()),
});

const urlSchema = v.object({ object: v.literal("payment_method"), url: v.string() });

export const invoiceSchema = v.object({
	id: v.string(),
	object: v.literal("invoice"),
	created_at: dateTime,
	status: v.string(),
	amount_due: v.pipe(v.number(), v.integer()),
	amount_paid: v.pipe(v.number(), v.integer()),
	amount_refunded: v.pipe(v.number(), v.integer()),
	currency: v.string(),
});

const checkoutEntries = { plan: v.picklist(APP_PLAN_NAMES, "must be pro or unlimited") };

const ROOT = "/v1/apps/:id/billing";

export function appBilling(app: Elysia, deps: ApiDeps): void {
	app.get(
		ROOT,
		appRoute(deps, { scope: "apps:read", role: "viewer" }, async (call) =>
			shown(call, await getAppBilling(deps, call.app)),
		),
		{
			detail: {
				operationId: "getAppBilling",
				summary: "The App's own plan, and the plans that there are",
				tags: ["app billing"],
				...answers(200, billingSchema),
			},
		},
	);
	app.post(`${ROOT}/checkout`, checkoutRoute(deps), {
		parse: "none",
		detail: {
			operationId: "checkoutAppPlan",
			summary: "Starts the App's own plan or moves it to another one; `url` is where to pay",
			tags: ["app billing"],
			...jsonBody(v.object(checkoutEntries)),
			...answers(200, checkoutSchema),
		},
	});
	app.post(
		`${ROOT}/cancel`,
		adminRoute(deps, async (call) => shown(call, await cancelAppPlan(deps, call.app))),
		{
			parse: "none",
			detail: {
				operationId: "cancelAppPlan",
				summary: "Ends the App's own plan with its term; nothing is deleted",
				tags: ["app billing"],
				...answers(200, billingSchema),
			},
		},
	);
	app.post(
		`${ROOT}/resume`,
		adminRoute(deps, async (call) => shown(call, await resumeAppPlan(deps, call.app))),
		{
			parse: "none",
			detail: {
				operationId: "resumeAppPlan",
				summary: "Takes a cancellation back",
				tags: ["app billing"],
				...answers(200, billingSchema),
			},
		},
	);
	app.post(
		`${ROOT}/payment_method`,
		adminRoute(deps, async ({ app: record }) => {
			const body = { object: "payment_method", url: await appPaymentMethodUrl(deps, record) };
			return { status: 200, body };
		}),
		{
			parse: "none",
			detail: {
				operationId: "changeAppPaymentMethod",
				summary: "The address of the page where the App's payment details are changed",
				tags: ["app billing"],
				...answers(200, urlSchema),
			},
		},
	);
	app.get(`${ROOT}/invoices`, invoicesRoute(deps), {
		detail: {
			operationId: "listAppInvoices",
			summary: "What the App was charged for its own plan, newest first",
			tags: ["app billing"],
			...answers(200, listSchema(invoiceSchema)),
		},
	});
}

function checkoutRoute(deps: ApiDeps): RouteHandler {
	return appRoute(deps, { scope: "apps:write", role: "owner" }, async (call) => {
		const { plan } = await readInput(call, checkoutEntries);
		const opened = await checkoutAppPlan(deps, call.app, plan, call);
		return { status: 200, body: { object: "app_checkout", ...opened } };
	});
}

function adminRoute(deps: ApiDeps, run: (call: AppCall) => Promise<Answer>): RouteHandler {
	return appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
		await readInput(call, {});
		return await run(call);
	});
}

function invoicesRoute(deps: ApiDeps): RouteHandler {
	return appRoute(deps, { scope: "apps:read", role: "admin" }, (call) =>
		listPage(deps, call, {
			find: (page) => deps.subscriptions.listOwnInvoices(call.app.pk, page),
			encode: encodeInvoice,
		}),
	);
}

function shown({ app }: AppCall, { plan, access, subscription }: AppBilling): Answer {
	const pending = subscription?.pending;
	const body: v.InferOutput<typeof billingSchema> = {
		id: app.id,
		object: "app_billing",
		created_at: isoDate(app.createdMs),
		plan,
		status: access.status,
		current_period_end: subscription ? isoDate(subscription.periodEndMs) : null,
		cancel_at_period_end: subscription?.cancelAtPeriodEnd ?? false,
		pending_plan: pending?.bought.subject === "app" ? pending.bought.appPlan : null,
		pending_effective_at: pending ? isoDate(pending.atMs) : null,
		plans: APP_PLAN_NAMES.map((key) => ({
			object: "app_plan",
			key,
			limits: { images: APP_PLANS[key].images, users: APP_PLANS[key].users },
			price_per_month: APP_PLANS[key].pricePerMonth,
			currency: APP_PLAN_CURRENCY,
		})),
	};
	return { status: 200, body };
}

export function encodeInvoice(invoice: Invoice): v.InferOutput<typeof invoiceSchema> {
	return {
		id: invoice.id,
		object: "invoice",
		created_at: isoDate(invoice.createdMs),
		status: invoice.status,
		amount_due: invoice.amountDue,
		amount_paid: invoice.amountPaid,
		amount_refunded: invoice.amountRefunded,
		currency: invoice.currency,
	};
}
