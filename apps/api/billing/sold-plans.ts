import { INTERVALS } from "@svc/base/enumerations";
import {
	archivePlan,
	createPlan,
	createPrice,
	type Price,
	requireSelling,
	type SoldPlan,
	setOnSale,
	updatePlan,
} from "@svc/billing/sold-plans";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer, RouteHandler } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";

/* What an App sells, as its team manages it. */

const CURRENCIES: ReadonlySet<string> = new Set(
	Intl.supportedValuesOf("currency").map((currency) => currency.toLowerCase()),
);
/** What payment processors take as one amount. */
const AMOUNT_MAX = 99_999_999;
const TRIAL_DAYS_MAX = 730;

/** Text as it is stored: trimmed, one spelling for each letter, nothing that a database or a page would cut or hide. */
function text(max: number, min = 0) {
	return v.pipe(
		v.string("must be text"),
		v.normalize("NFC"),
		v.trim(),
		v.minLength(min, "must not be empty"),
		v.maxLength(max, `must have at most ${max} characters`),
		v.check((value) => value.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(value), "must not hold control characters"),
	);
}

function integer(min: number, max: number) {
	const message = `must be a whole number from ${min} to ${max}`;
	return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

const fields = {
	name: v.pipe(
		text(100, 1),
		v.check((name) => !/[\n\t]/.test(name), "must be one line"),
	),
	description: text(2_000),
	benefits: v.pipe(v.array(text(200, 1), "must be a list of texts"), v.maxLength(30, "must be at most 30 benefits")),
	display_order: integer(-1_000_000, 1_000_000),
};

const createEntries = {
	key: v.pipe(
		v.string("must be text"),
		v.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit"),
	),
	name: fields.name,
	description: v.optional(fields.description, ""),
	benefits: v.optional(fields.benefits, []),
	display_order: v.optional(fields.display_order, 0),
};

const updateEntries = {
	name: v.optional(fields.name),
	description: v.optional(fields.description),
	benefits: v.optional(fields.benefits),
	display_order: v.optional(fields.display_order),
};

const priceEntries = {
	amount: integer(1, AMOUNT_MAX),
	currency: v.pipe(
		v.string("must be text"),
		v.check((code) => CURRENCIES.has(code), "must be a currency's code in lower case, as usd"),
	),
	interval: v.picklist(INTERVALS, `must be ${INTERVALS.join(" or ")}`),
	trial_days: v.optional(integer(0, TRIAL_DAYS_MAX), 0),
};

const onSaleEntries = { on_sale: v.boolean("must be true or false") };

const dateTime = v.pipe(v.string(), v.metadata({ jsonSchema: { type: "string", format: "date-time" } }));

const managedPriceSchema = v.object({
	id: v.string(),
	object: v.literal("price"),
	created_at: dateTime,
	amount: v.pipe(v.number(), v.integer()),
	currency: v.string(),
	interval: v.picklist(INTERVALS),
	trial_days: v.pipe(v.number(), v.integer()),
	on_sale: v.boolean(),
});

const managedPlanSchema = v.object({
	id: v.string(),
	object: v.literal("plan"),
	created_at: dateTime,
	key: v.string(),
	name: v.string(),
	description: v.string(),
	benefits: v.array(v.string()),
	display_order: v.pipe(v.number(), v.integer()),
	archived_at: v.nullable(dateTime),
	prices: v.array(managedPriceSchema),
});

export function soldPlans(app: Elysia, deps: ApiDeps): void {
	app.get("/v1/apps/:id/plans", listRoute(deps), {
		detail: {
			operationId: "listAppPlans",
			summary: "The plans that an App sells or has sold, newest first",
			tags: ["plans"],
			...answers(200, listSchema(managedPlanSchema)),
		},
	});
	app.post("/v1/apps/:id/plans", createRoute(deps), {
		parse: "none",
		detail: {
			operationId: "createAppPlan",
			summary: "Adds a plan to what an App sells; it is on sale once it has a price",
			tags: ["plans"],
			...jsonBody(v.object(createEntries)),
			...answers(201, managedPlanSchema),
		},
	});
	app.patch("/v1/apps/:id/plans/:plan", updateRoute(deps), {
		parse: "none",
		detail: {
			operationId: "updateAppPlan",
			summary: "Changes how a plan is described; its key stays",
			tags: ["plans"],
			...jsonBody(v.object(updateEntries)),
			...answers(200, managedPlanSchema),
		},
	});
	app.post("/v1/apps/:id/plans/:plan/archive", archiveRoute(deps), {
		parse: "none",
		detail: {
			operationId: "archiveAppPlan",
			summary: "Takes a plan off sale for good; its subscribers keep it",
			tags: ["plans"],
			...answers(200, managedPlanSchema),
		},
	});
	app.post("/v1/apps/:id/plans/:plan/prices", createPriceRoute(deps), {
		parse: "none",
		detail: {
			operationId: "createAppPrice",
			summary: "Adds a price to a plan, on sale at once; its terms never change",
			tags: ["plans"],
			...jsonBody(v.object(priceEntries)),
			...answers(201, managedPriceSchema),
		},
	});
	app.patch("/v1/apps/:id/plans/:plan/prices/:price", updatePriceRoute(deps), {
		parse: "none",
		detail: {
			operationId: "updateAppPrice",
			summary: "Puts a price on sale or takes it off; those who pay it go on paying it",
			tags: ["plans"],
			...jsonBody(v.object(onSaleEntries)),
			...answers(200, managedPriceSchema),
		},
	});
}

function listRoute(deps: ApiDeps): RouteHandler {
	return appRoute(deps, { scope: "plans:read", role: "viewer" }, (call) =>
		listPage(deps, call, { find: (page) => deps.plans.list(call.app.pk, page), encode: encodePlan }),
	);
}

/** Everything that changes is the Owner's, while the App may sell; asked before the body is read. */
function sellingRoute(deps: ApiDeps, run: (call: AppCall) => Promise<Answer>): RouteHandler {
	return appRoute(deps, { scope: "plans:write", role: "owner" }, async (call) => {
		requireSelling(call.app);
		return await run(call);
	});
}

function createRoute(deps: ApiDeps): RouteHandler {
	return sellingRoute(deps, async (call) => {
		const { display_order: displayOrder, ...fields } = await readInput(call, createEntries);
		const plan = await createPlan(deps, call, { ...fields, displayOrder });
		return { status: 201, body: encodePlan(plan) };
	});
}

function updateRoute(deps: ApiDeps): RouteHandler {
	return sellingRoute(deps, async (call) => {
		const { display_order: displayOrder, ...sent } = await readInput(call, updateEntries);
		const changes = {
			...(sent.name !== undefined && { name: sent.name }),
			...(sent.description !== undefined && { description: sent.description }),
			...(sent.benefits !== undefined && { benefits: sent.benefits }),
			...(displayOrder !== undefined && { displayOrder }),
		};
		const plan = await updatePlan(deps, call, call.params.plan ?? "", changes);
		return { status: 200, body: encodePlan(plan) };
	});
}

function archiveRoute(deps: ApiDeps): RouteHandler {
	return sellingRoute(deps, async (call) => {
		await readInput(call, {});
		const plan = await archivePlan(deps, call, call.params.plan ?? "");
		return { status: 200, body: encodePlan(plan) };
	});
}

function createPriceRoute(deps: ApiDeps): RouteHandler {
	return sellingRoute(deps, async (call) => {
		const { trial_days: trialDays, ...terms } = await readInput(call, priceEntries);
		const price = await createPrice(deps, call, call.params.plan ?? "", { ...terms, trialDays });
		return { status: 201, body: encodePrice(price) };
	});
}

function updatePriceRoute(deps: ApiDeps): RouteHandler {
	return sellingRoute(deps, async (call) => {
		const { on_sale: onSale } = await readInput(call, onSaleEntries);
		const place = { planId: call.params.plan ?? "", priceId: call.params.price ?? "" };
		return { status: 200, body: encodePrice(await setOnSale(deps, call, place, onSale)) };
	});
}

function encodePlan(plan: SoldPlan): v.InferOutput<typeof managedPlanSchema> {
	return {
		id: plan.id,
		object: "plan",
		created_at: isoDate(plan.createdMs),
		key: plan.key,
		name: plan.name,
		description: plan.description,
		benefits: [...plan.benefits],
		display_order: plan.displayOrder,
		archived_at: plan.archivedMs === null ? null : isoDate(plan.archivedMs),
		prices: plan.prices.map(encodePrice),
	};
}

function encodePrice(price: Price): v.InferOutput<typeof managedPriceSchema> {
	return {
		id: price.id,
		object: "price",
		created_at: isoDate(price.createdMs),
		amount: price.amount,
		currency: price.currency,
		interval: price.interval,
		trial_days: price.trialDays,
		on_sale: price.onSale,
	};
}
