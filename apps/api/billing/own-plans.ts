import { invalid } from "@svc/base/failure";
import {
	cancelOwnPlan,
	getOwnInvoice,
	getOwnPlan,
	graceUntilOf,
	nextChargeOf,
	ownAccessOf,
	previewOwnPlan,
	readOwnPlan,
	resumeOwnPlan,
	withdrawOwnPlan,
	withdrawUntilOf,
} from "@svc/billing/payers/own-plans";
import { planNameOf } from "@svc/billing/plans/bought";
import type { Bought } from "@svc/billing/plans/plan";
import type { ProcessorPreview } from "@svc/billing/ports";
import type { OwnPlan } from "@svc/billing/subscription";
import { OWN_PLAN_STORAGES } from "@svc/billing/subscription";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { EXAMPLE_ID } from "../kit/document/example-values.ts";
import { type PersonCall, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { priceSchema } from "./billing-plans.ts";
import { amount, encodeInvoice, encodeLine, invoiceLineSchema, invoiceSchema } from "./invoice-document.ts";
import { accessSchema, encodeAccess, encodePrice, encodeSeller, sellerSchema } from "./subscription-document.ts";

/* One's own plans: what a person pays for, in Apps, for storages, and for the Apps that they own. */

const chargeSchema = named("OwnPlanCharge", v.object({ amount, currency: v.string(), at: dateTime }));

const placeSchema = named("PlanPlace", v.object({ id: v.string(), name: v.string() }));

const waitingChangeSchema = named(
	"WaitingChange",
	v.object({
		plan_name: v.string(),
		price: priceSchema,
		effective: oneOf("WaitingChangeEffect", ["at_renewal", "after_payment"]),
		amount_due: about(v.nullable(integer), "What has to be paid first, in the currency's smallest unit."),
		at: v.nullable(dateTime),
	}),
	"What a plan becomes at its renewal, or once that is paid.",
);

const ownPlanSchema = named(
	"OwnPlan",
	v.object({
		id: about(v.string(), "The subscription's."),
		object: v.literal("own_plan"),
		seller: sellerSchema,
		storage: about(
			oneOf("OwnPlanStorage", OWN_PLAN_STORAGES),
			"What it is for: an App's own storage, what one has in an App, or what one has in none.",
		),
		app: about(v.nullable(placeSchema), "The App in which it is of use; null for one's own storage."),
		plan_name: v.string(),
		price: priceSchema,
		access: accessSchema,
		status: about(v.string(), "The payment processor's own."),
		next_charge: v.nullable(chargeSchema),
		credit: about(integer, "What later invoices use up, in the currency's smallest unit."),
		cancel_at: v.nullable(dateTime),
		withdraw_until: about(v.nullable(dateTime), "Until then everything can be taken back."),
		waiting_change: v.nullable(waitingChangeSchema),
		paused_collection: about(
			v.boolean(),
			"Nothing is charged for now: the App is paused or blocked, or a payment is disputed.",
		),
		grace_until: about(v.nullable(dateTime), "Until then the plan stays although its payment failed."),
		ended_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
	"A plan that one pays for.",
);

const previewSchema = named(
	"ChangePreview",
	v.object({
		object: v.literal("change_preview"),
		amount_now: about(integer, "What is charged at once, in the currency's smallest unit."),
		currency: v.string(),
		credit: about(integer, "What is left for later invoices once the change is made."),
		next_amount: amount,
		next_at: dateTime,
		effective_at: dateTime,
		lines: v.array(invoiceLineSchema),
	}),
	"What a change to another price would cost now.",
);

const tags = ["own plans"];
const PATH = "/v1/me/plans";

export function ownPlans(app: Elysia, rooms: ApiRooms): void {
	const { billing } = rooms;
	list(app, rooms, PATH, sessionRoute(rooms), {
		operationId: "listOwnPlans",
		summary: "What one pays or has paid for, newest first, whatever became of the App",
		tags,
		of: ownPlanSchema,
		scope: ({ person }) => person.account.id,
		find: (page, { person }) => billing.ownPlans.list(person.account.pk, page),
		encode: (plan) => encodeOwnPlan(rooms, plan),
	});
	route(app, "GET", `${PATH}/:plan`, sessionRoute(rooms), {
		operationId: "getOwnPlan",
		summary: "One of one's own plans",
		tags,
		answers: { 200: ownPlanSchema },
		run: async ({ person, params }) =>
			ok(encodeOwnPlan(rooms, await readOwnPlan(billing, person.account, params.plan))),
	});
	route(app, "GET", `${PATH}/:plan/preview`, sessionRoute(rooms), {
		operationId: "previewOwnPlan",
		summary: "What a change to another price of the same seller would cost now",
		tags,
		parameters: [{ ...query("price_id", { type: "string", examples: [`prc_${EXAMPLE_ID}`] }), required: true }],
		answers: { 200: previewSchema },
		run: async ({ person, params, url }) => {
			const priceId = readPriceId(url);
			return ok(encodePreview(await previewOwnPlan(billing, person.account, params.plan, priceId)));
		},
	});
	actions(app, rooms);
	list(app, rooms, `${PATH}/:plan/invoices`, sessionRoute(rooms), {
		operationId: "listOwnInvoices",
		summary: "The invoices of one of one's own plans, newest first",
		tags,
		of: invoiceSchema,
		find: async (page, { person, params }) => {
			const { pk } = await getOwnPlan(billing, person.account, params.plan);
			return await billing.ownPlans.listInvoices(pk, page);
		},
		encode: (invoice) => encodeInvoice(rooms, invoice),
	});
	route(app, "GET", "/v1/me/invoices/:invoice", sessionRoute(rooms), {
		operationId: "getOwnInvoice",
		summary: "One of one's own invoices",
		tags,
		answers: { 200: invoiceSchema },
		run: async ({ person, params }) =>
			ok(encodeInvoice(rooms, await getOwnInvoice(billing, person.account, params.invoice))),
	});
}

function actions(app: Elysia, rooms: ApiRooms): void {
	const { billing } = rooms;
	const change = (
		name: "cancel" | "resume" | "withdraw",
		summary: string,
		run: (call: PersonCall, id: string) => Promise<OwnPlan>,
	) =>
		route(app, "POST", `${PATH}/:plan/${name}`, sessionRoute(rooms), {
			operationId: `${name}OwnPlan`,
			summary,
			tags,
			answers: { 200: ownPlanSchema },
			run: async (call) => {
				await call.input();
				return ok(encodeOwnPlan(rooms, await run(call, call.params.plan ?? "")));
			},
		});
	change("cancel", "Ends a plan with its term; doing it again changes nothing", ({ person, by }, id) =>
		cancelOwnPlan(billing, { account: person.account, by }, id),
	);
	change("resume", "Takes a cancellation back", ({ person, by }, id) =>
		resumeOwnPlan(billing, { account: person.account, by }, id),
	);
	change("withdraw", "Ends a plan at once and pays everything back, while there is time for it", ({ person, by }, id) =>
		withdrawOwnPlan(billing, { account: person.account, by }, id),
	);
}

/** There is no other parameter. */
function readPriceId({ searchParams }: URL): string {
	for (const name of new Set(searchParams.keys())) {
		if (name !== "price_id") throw invalid(name.slice(0, 100), "is not a parameter of this call");
		if (searchParams.getAll(name).length > 1) throw invalid(name, "is sent more than once");
	}
	return searchParams.get("price_id") ?? "";
}

export function encodeOwnPlan(
	rooms: Pick<ApiRooms, "billing" | "clock" | "name">,
	plan: OwnPlan,
): v.InferOutput<typeof ownPlanSchema> {
	const { billing, clock } = rooms;
	const next = nextChargeOf(plan);
	return {
		id: plan.id,
		object: "own_plan",
		seller: encodeSeller(rooms, plan.seller),
		storage: plan.storage,
		app: plan.app && { id: plan.app.id, name: plan.app.name },
		plan_name: planNameOf(plan.bought),
		price: encodePrice(plan.bought),
		access: encodeAccess(ownAccessOf(billing, plan), plan),
		status: plan.status,
		next_charge: next && { amount: next.amount, currency: next.currency, at: isoDate(next.atMs) },
		credit: plan.credit,
		cancel_at: isoDate(plan.cancelAtMs),
		withdraw_until: isoDate(withdrawUntilOf(plan, clock.now())),
		waiting_change: encodeWaiting(plan),
		paused_collection: plan.collectionPaused,
		grace_until: isoDate(graceUntilOf(plan, billing.graceMs)),
		ended_at: isoDate(plan.endedMs),
		created_at: isoDate(plan.createdMs),
	};
}

function encodeWaiting({ pending, unpaidChange }: OwnPlan): v.InferOutput<typeof ownPlanSchema>["waiting_change"] {
	const described = (bought: Bought) => ({ plan_name: planNameOf(bought), price: encodePrice(bought) });
	if (unpaidChange) {
		const { bought, amount: due } = unpaidChange;
		return { ...described(bought), effective: "after_payment", amount_due: due, at: null };
	}
	if (!pending) return null;
	return { ...described(pending.bought), effective: "at_renewal", amount_due: null, at: isoDate(pending.atMs) };
}

function encodePreview(preview: ProcessorPreview): v.InferOutput<typeof previewSchema> {
	return {
		object: "change_preview",
		amount_now: preview.amountNow,
		currency: preview.currency,
		credit: preview.credit,
		next_amount: preview.nextAmount,
		next_at: isoDate(preview.nextMs),
		effective_at: isoDate(preview.effectiveMs),
		lines: preview.lines.map(encodeLine),
	};
}
