import { INTERVALS, OWN_PLAN_KEYS } from "@svc/base/enumerations";
import {
	type AppBilling,
	appPaymentMethodUrl,
	cancelAppPlan,
	checkoutAppPlan,
	getAppBilling,
	previewAppChange,
	requireShown,
	resumeAppPlan,
} from "@svc/billing/payers/app-billing";
import type { AppPlans } from "@svc/billing/plans/app-plans";
import { ownPlanKeyOf } from "@svc/billing/plans/bought";
import { HELD_STATUSES } from "@svc/billing/subscription";
import { date } from "@svc/images/image-fields";
import { about, dateTime, integer, named, oneOf, ownPlanKey } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { limitsSchema } from "../apps/apps.ts";
import { readInput } from "../kit/body/body.ts";
import { ok } from "../kit/call.ts";
import type { Guard } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { readWord } from "../kit/page.ts";
import { type AppCall, appRoute, furthered } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { encodeInvoice, invoiceSchema } from "./invoice-document.ts";

/* The routes of the App's own plan (specification, "Limits"): its price, its state, and how the team pays for it. */

const intervals = named("Interval", v.picklist(INTERVALS));

const offerSchema = named(
	"AppPlanOffer",
	v.object({
		object: v.literal("app_plan"),
		key: ownPlanKey,
		limits: limitsSchema,
		price_per_month: about(integer, "In whole units of its currency."),
		currency: v.string(),
		monthly_uploads: integer,
		storage_bytes: integer,
		prices: about(
			v.array(named("AppPlanPrice", v.object({ amount: integer, currency: v.string(), interval: intervals }))),
			"In the currency's smallest unit; none for a plan that cannot be bought.",
		),
	}),
	"One of the plans that an App itself can be on.",
);

const billingSchema = named(
	"AppBilling",
	v.object({
		id: about(v.string(), "The App's."),
		object: v.literal("app_billing"),
		created_at: dateTime,
		plan: about(
			ownPlanKey,
			"The plan in force: the better one of those that it pays for and that operators have granted.",
		),
		paid_plan: about(v.nullable(ownPlanKey), "Null where it pays for none."),
		granted_plan: about(v.nullable(ownPlanKey), "What operators have granted; what is paid for goes on beside it."),
		interval: about(v.nullable(intervals), "How often it is paid for; null where nothing is."),
		next_charge: about(
			v.nullable(named("NextCharge", v.object({ amount: integer, currency: v.string(), at: dateTime }))),
			"In the currency's smallest unit; null where nothing will be charged.",
		),
		locks_at: about(v.nullable(dateTime), "While a payment fails: when the plan ends that it is for."),
		status: about(
			oneOf("AppBillingStatus", ["inactive", ...HELD_STATUSES, "unconfirmed"]),
			"Of the subscription that pays for it; `inactive` where nothing is paid.",
		),
		current_period_end: v.nullable(dateTime),
		cancel_at_period_end: v.boolean(),
		pending_plan: v.nullable(ownPlanKey),
		pending_effective_at: v.nullable(dateTime),
		plans: v.array(offerSchema),
	}),
	"The App's own plan.",
);

const changeSchema = named(
	"AppPlanChange",
	v.object({
		object: v.literal("app_plan_change"),
		plan: ownPlanKey,
		effective: oneOf("AppChangeEffect", ["now", "at_renewal"]),
		amount_now: about(integer, "What is charged at once, in the currency's smallest unit."),
		next_amount: about(integer, "What is charged next, in the currency's smallest unit."),
		next_at: dateTime,
		currency: v.string(),
		at: about(dateTime, "Sent with the checkout within 15 minutes, the change costs just this."),
	}),
	"What a change of the plan that an App pays for would cost.",
);

const checkoutSchema = named(
	"AppCheckout",
	v.object({
		object: v.literal("app_checkout"),
		plan: ownPlanKey,
		effective: oneOf("CheckoutEffect", ["after_payment", "now", "at_renewal"]),
		url: about(v.nullable(v.string()), "Where to pay; null where nothing is to be paid."),
	}),
);

const urlSchema = named(
	"PaymentMethodPage",
	v.object({ object: v.literal("payment_method"), url: v.string() }),
	"Where the payment details are changed.",
);

/** As plans have it, or in the words of the card that sells tiers. */
const INTERVAL_WORDS = { month: "month", year: "year", monthly: "month", annual: "year" } as const;

const checkoutEntries = {
	plan: named("OwnPlanKey", v.picklist(OWN_PLAN_KEYS, "must be one of the plans that are listed")),
	interval: v.optional(
		v.pipe(
			v.picklist(["month", "year", "monthly", "annual"], "must be month or year"),
			v.transform((word) => INTERVAL_WORDS[word]),
		),
	),
	/** `at` of a preview. */
	at: v.optional(date),
};

const ROOT = "/v1/apps/:id/billing";

export function appBilling(app: Elysia, rooms: ApiRooms): void {
	const { listed } = rooms.variant.billing.appPlans;
	route(app, "GET", ROOT, appRoute(rooms, "apps:read", "viewer"), {
		operationId: "getAppBilling",
		summary: "The App's own plan, and the plans that there are",
		tags: ["app billing"],
		answers: { 200: billingSchema },
		run: async (call) => shown(listed, call, await getAppBilling(rooms.billing, call.app)),
	});
	route(app, "POST", `${ROOT}/checkout`, appRoute(rooms, "apps:write", "owner"), {
		operationId: "checkoutAppPlan",
		summary: "Starts the App's own plan or moves it to another one; `url` is where to pay",
		tags: ["app billing"],
		body: checkoutEntries,
		answers: { 200: checkoutSchema },
		run: async (call) => {
			const { plan, interval = "month", at } = await call.input();
			if (at !== undefined) requireShown(rooms.billing, at);
			const owner = at === undefined ? call : { ...call, atMs: at };
			return ok({
				object: "app_checkout",
				...(await checkoutAppPlan(rooms.billing, call.app, { plan, interval }, owner)),
			});
		},
	});
	route(app, "GET", `${ROOT}/preview`, appRoute(rooms, "apps:read", "owner"), {
		operationId: "previewAppPlan",
		summary: "What a change of the plan that the App pays for would cost now",
		tags: ["app billing"],
		parameters: [
			{ ...query("plan", { type: "string", enum: OWN_PLAN_KEYS }), required: true },
			query("interval", { type: "string", enum: INTERVALS, default: "month" }),
		],
		answers: { 200: changeSchema },
		run: async ({ app: record, url }) => {
			const word = (name: string) => url.searchParams.get(name) ?? undefined;
			const plan = readWord("plan", word("plan"), OWN_PLAN_KEYS) ?? "free";
			const interval = readWord("interval", word("interval"), INTERVALS) ?? "month";
			const change = await previewAppChange(rooms.billing, record, { plan, interval });
			const { amountNow, nextAmount, nextMs, atMs, ...same } = change;
			return ok({
				...{ object: "app_plan_change", plan, ...same, amount_now: amountNow, next_amount: nextAmount },
				...{ next_at: isoDate(nextMs), at: isoDate(atMs) },
			});
		},
	});
	route(app, "POST", `${ROOT}/cancel`, adminRoute(rooms), {
		operationId: "cancelAppPlan",
		summary: "Ends the App's own plan with its term; nothing is deleted",
		tags: ["app billing"],
		answers: { 200: billingSchema },
		run: async (call) => shown(listed, call, await cancelAppPlan(rooms.billing, call.app, call.by)),
	});
	route(app, "POST", `${ROOT}/resume`, adminRoute(rooms), {
		operationId: "resumeAppPlan",
		summary: "Takes a cancellation back",
		tags: ["app billing"],
		answers: { 200: billingSchema },
		run: async (call) => shown(listed, call, await resumeAppPlan(rooms.billing, call.app, call.by)),
	});
	route(app, "POST", `${ROOT}/payment_method`, adminRoute(rooms), {
		operationId: "changeAppPaymentMethod",
		summary: "The address of the page where the App's payment details are changed",
		tags: ["app billing"],
		answers: { 200: urlSchema },
		run: async ({ app: record }) => {
			return ok({ object: "payment_method", url: await appPaymentMethodUrl(rooms.billing, record) });
		},
	});
	list(app, rooms, `${ROOT}/invoices`, appRoute(rooms, "apps:read", "admin"), {
		operationId: "listAppInvoices",
		summary: "What the App was charged for its own plan, newest first",
		tags: ["app billing"],
		of: invoiceSchema,
		find: (page, call) => rooms.billing.subscriptions.listOwnInvoices(call.app.pk, page),
		encode: (invoice) => encodeInvoice(rooms, invoice),
	});
}

/** The schema of a body without fields, which refuses any. */
function adminRoute(rooms: ApiRooms): Guard<AppCall> {
	return furthered(appRoute(rooms, "apps:write", "admin"), (call) => readInput(call, {}));
}

function shown(listed: AppPlans["listed"], { app }: AppCall, billing: AppBilling) {
	const { plan, paidPlan, interval, nextCharge, locksMs, access, subscription } = billing;
	const pending = subscription?.pending;
	return ok<v.InferOutput<typeof billingSchema>>({
		id: app.id,
		object: "app_billing",
		created_at: isoDate(app.createdMs),
		plan,
		paid_plan: paidPlan,
		granted_plan: app.grantedPlan,
		interval,
		next_charge: nextCharge && {
			amount: nextCharge.amount,
			currency: nextCharge.currency,
			at: isoDate(nextCharge.atMs),
		},
		locks_at: isoDate(locksMs),
		status: access.status,
		current_period_end: subscription ? isoDate(subscription.periodEndMs) : null,
		cancel_at_period_end: subscription?.cancelAtPeriodEnd ?? false,
		pending_plan: pending ? ownPlanKeyOf(pending.bought) : null,
		pending_effective_at: pending ? isoDate(pending.atMs) : null,
		plans: listed.map(({ key, limits, monthlyUploads, storageBytes, pricePerMonth, currency, prices }) => ({
			object: "app_plan",
			key,
			limits,
			price_per_month: pricePerMonth,
			currency,
			monthly_uploads: monthlyUploads,
			storage_bytes: storageBytes,
			prices: [...prices],
		})),
	});
}
