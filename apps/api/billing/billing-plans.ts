import { INTERVALS } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import type { SoldPlan } from "@svc/billing/plans/plan";
import { parseLimit } from "@svc/images/list/lists";
import { about, integer, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference, encodeReference } from "../apps/app-reference.ts";
import { keyRoute, ok } from "../kit/call.ts";
import type { KeyCall } from "../kit/call-types.ts";
import { listEntries } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

/* The plans that an App's own backend sees (specification, "GET /v1/billing/plans"). */

export const priceEntries = {
	id: v.string(),
	object: v.literal("price"),
	amount: about(integer, "In the currency's smallest unit."),
	currency: about(v.string(), "ISO 4217, in lower case."),
	interval: named("Interval", v.picklist(INTERVALS, "must be month or year")),
	trial_days: integer,
};

export const priceSchema = named("Price", v.object(priceEntries), "A price as buyers see it.");

export const planEntries = {
	id: v.string(),
	object: v.literal("plan"),
	key: about(v.string(), "What the App's code knows the plan by; never changes."),
	name: v.string(),
	description: v.string(),
	benefits: v.array(v.string()),
	display_order: integer,
};

const planSchema = named(
	"Plan",
	v.object({ ...planEntries, prices: v.array(priceSchema) }),
	"A plan as an App's backend shows it to buyers, with the prices on sale.",
);

const plansSchema = named(
	"PlanList",
	v.object({
		...listEntries(planSchema),
		app: appReference,
		purchasing_enabled: about(v.boolean(), "False: show no buy buttons; subscribers can still manage what they have."),
	}),
	"The plans on sale, by `display_order` and then by name.",
);

const PATH = "/v1/billing/plans";

export function billingPlans(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", PATH, keyRoute(rooms, "read"), {
		anyQuery: true,
		operationId: "listPlans",
		summary: "The plans that the key's App has on sale, in their order",
		tags: ["billing"],
		answers: { 200: plansSchema },
		run: (call) => listOnSale(rooms, call),
	});
}

async function listOnSale(rooms: ApiRooms, { access, url }: KeyCall) {
	if (access.key.reach !== "app") {
		const message = "Listing plans needs an App-wide key with read; this key reaches one storage only.";
		throw Failure.saying("forbidden", message);
	}
	const { app } = access;
	const { limit, cursor } = readQuery(url.searchParams);
	const scope = `${PATH} ${app.id}`;
	const after = cursor === undefined ? undefined : await rooms.cursors.open(cursor, scope);
	const [selling, found] = await Promise.all([
		rooms.billing.plans.isSelling(app.pk),
		rooms.billing.plans.listOnSale(app.pk, { limit: limit + 1, afterPk: after?.pk }),
	]);
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	const next = found.length > limit && last ? await rooms.cursors.seal({ publishedMs: 0, pk: last.pk }, scope) : null;
	return ok<v.InferOutput<typeof plansSchema>>({
		object: "list",
		app: encodeReference(app),
		purchasing_enabled: selling && rooms.billing.processor.takesPayments,
		data: shown.map(encode),
		pagination: {
			has_more: next !== null,
			next_cursor: next,
			next_url:
				next === null
					? null
					: `${rooms.addresses.base}${PATH}?${new URLSearchParams({ limit: String(limit), cursor: next })}`,
		},
	});
}

/** There is no other parameter; none names an App, since the key does. */
function readQuery(params: URLSearchParams) {
	// The names are the caller's: an ordinary object would lose a value under "__proto__".
	const faults = Object.create(null) as Record<string, string[]>;
	const limit = parseLimit(params.get("limit"), faults);
	for (const name of new Set(params.keys())) {
		if (name !== "limit" && name !== "cursor") faults[name.slice(0, 100)] = ["is not a parameter of this list"];
		else if (params.getAll(name).length > 1) faults[name] = ["is sent more than once"];
	}
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
	return { limit, cursor: params.get("cursor") ?? undefined };
}

function encode(plan: SoldPlan): v.InferOutput<typeof planSchema> {
	return {
		id: plan.id,
		object: "plan",
		key: plan.key,
		name: plan.name,
		description: plan.description,
		benefits: [...plan.benefits],
		display_order: plan.displayOrder,
		prices: plan.prices.map(({ id, amount, currency, interval, trialDays }) => ({
			id,
			object: "price",
			amount,
			currency,
			interval,
			trial_days: trialDays,
		})),
	};
}
