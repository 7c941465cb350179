import { AMOUNT_MAX, CURRENCY_RULE, currencyFault, isCurrency } from "@svc/billing/plans/currencies";
import type { PlanPrice, SoldPlan } from "@svc/billing/plans/plan";
import { archivePlan, createPlan, createPrice, requireSelling, setOnSale, updatePlan } from "@svc/billing/plans/plans";
import { listOf, text } from "@svc/variants/bounds";
import { about, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { encodeUserLimits, sentUserLimits, userLimitsSchema } from "../apps/user-limits.ts";
import { created, ok } from "../kit/call.ts";
import type { Guard } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { type AppCall, appRoute, furthered } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { planEntries, priceEntries } from "./billing-plans.ts";

/* The plans that an App sells, as its team manages them. */

const TRIAL_DAYS_MAX = 730;

/** Text as it is stored: trimmed, one spelling for each letter, nothing that a database or a page would cut or hide. */
function storedText(max: number, min = 0) {
	const rule = `must have at most ${max} characters`;
	return v.pipe(
		text(2 * max, rule, "must be text"),
		v.normalize("NFC"),
		v.trim(),
		v.minLength(min, "must not be empty"),
		v.maxLength(max, rule),
		v.check((value) => value.isWellFormed() && !/[^\P{Cc}\n\t]/u.test(value), "must not hold control characters"),
	);
}

function integer(min: number, max: number) {
	const message = `must be a whole number from ${min} to ${max}`;
	return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}

const fields = {
	name: v.pipe(
		storedText(100, 1),
		v.check((name) => !/[\n\t]/.test(name), "must be one line"),
	),
	description: storedText(2_000),
	benefits: listOf(storedText(200, 1), "must be a list of texts", { max: 30, tooMany: "must be at most 30 benefits" }),
	display_order: integer(-1_000_000, 1_000_000),
};

const KEY_RULE = "must be 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit";

const createEntries = {
	key: v.pipe(
		text(64, KEY_RULE, "must be text"),
		v.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, KEY_RULE),
		v.examples(["plus"]),
	),
	name: fields.name,
	description: v.optional(fields.description, ""),
	benefits: v.optional(fields.benefits, []),
	display_order: v.optional(fields.display_order, 0),
	limits: v.optional(sentUserLimits),
};

const updateEntries = {
	name: v.optional(fields.name),
	description: v.optional(fields.description),
	benefits: v.optional(fields.benefits),
	display_order: v.optional(fields.display_order),
	limits: v.optional(sentUserLimits),
};

const pricing = {
	amount: integer(1, AMOUNT_MAX),
	currency: v.pipe(
		text(100, CURRENCY_RULE, "must be text"),
		v.check(isCurrency, ({ input }) => currencyFault(input)),
	),
	interval: priceEntries.interval,
	trial_days: v.optional(integer(0, TRIAL_DAYS_MAX), 0),
};

const onSaleEntries = { on_sale: v.boolean("must be true or false") };

const managedPriceSchema = named(
	"ManagedPrice",
	v.object({ ...priceEntries, on_sale: v.boolean(), created_at: dateTime }),
	"A price as the App's team sees it: its terms never change.",
);

const managedPlanSchema = named(
	"ManagedPlan",
	v.object({
		...planEntries,
		limits: about(
			userLimitsSchema,
			"Of each user who has the plan: paid, in a trial, given, or while a payment is late.",
		),
		prices: v.array(managedPriceSchema),
		archived_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
	"A plan as the App's team sees it, with all of its prices.",
);

const tags = ["plans"];
const PATH = "/v1/apps/:id/plans";

export function soldPlans(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, PATH, appRoute(rooms, "plans:read", "viewer"), {
		operationId: "listAppPlans",
		summary: "The plans that an App sells or has sold, newest first",
		tags,
		of: managedPlanSchema,
		find: (page, call) => rooms.billing.plans.list(call.app.pk, page),
		encode: encodePlan,
	});
	route(app, "POST", PATH, sellingRoute(rooms), {
		operationId: "createAppPlan",
		summary: "Adds a plan to what an App sells; it is on sale once it has a price",
		tags,
		body: createEntries,
		answers: { 201: managedPlanSchema },
		run: async (call) => {
			const {
				display_order: displayOrder,
				limits: { images = null, bytes = null } = {},
				...fields
			} = await call.input();
			const plan = { ...fields, displayOrder, imagesLimit: images, bytesLimit: bytes };
			return created(encodePlan(await createPlan(rooms.billing, call, plan)));
		},
	});
	route(app, "PATCH", `${PATH}/:plan`, sellingRoute(rooms), {
		operationId: "updateAppPlan",
		summary: "Changes how a plan is described, and what it lets a user keep; its key stays",
		tags,
		body: updateEntries,
		answers: { 200: managedPlanSchema },
		run: async (call) => {
			const { display_order: displayOrder, limits: { images, bytes } = {}, ...sent } = await call.input();
			const changes = {
				...(sent.name !== undefined && { name: sent.name }),
				...(sent.description !== undefined && { description: sent.description }),
				...(sent.benefits !== undefined && { benefits: sent.benefits }),
				...(displayOrder !== undefined && { displayOrder }),
				...(images !== undefined && { imagesLimit: images }),
				...(bytes !== undefined && { bytesLimit: bytes }),
			};
			return ok(encodePlan(await updatePlan(rooms.billing, call, call.params.plan, changes)));
		},
	});
	route(app, "POST", `${PATH}/:plan/archive`, sellingRoute(rooms), {
		operationId: "archiveAppPlan",
		summary: "Takes a plan off sale for good; its subscribers keep it",
		tags,
		answers: { 200: managedPlanSchema },
		run: async (call) => {
			await call.input();
			return ok(encodePlan(await archivePlan(rooms.billing, call, call.params.plan)));
		},
	});
	prices(app, rooms);
}

function prices(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", `${PATH}/:plan/prices`, sellingRoute(rooms), {
		operationId: "createAppPrice",
		summary: "Adds a price to a plan, on sale at once; its terms never change",
		tags,
		body: pricing,
		answers: { 201: managedPriceSchema },
		run: async (call) => {
			const { trial_days: trialDays, ...terms } = await call.input();
			const price = await createPrice(rooms.billing, call, call.params.plan, { ...terms, trialDays });
			return created(encodePrice(price));
		},
	});
	route(app, "PATCH", `${PATH}/:plan/prices/:price`, sellingRoute(rooms), {
		operationId: "updateAppPrice",
		summary: "Puts a price on sale or takes it off; those who pay it go on paying it",
		tags,
		body: onSaleEntries,
		answers: { 200: managedPriceSchema },
		run: async (call) => {
			const { on_sale: onSale } = await call.input();
			const place = { planId: call.params.plan, priceId: call.params.price };
			return ok(encodePrice(await setOnSale(rooms.billing, call, place, onSale)));
		},
	});
}

/** Only the Owner may change anything, while the App may sell; checked before the body is read. */
function sellingRoute(rooms: ApiRooms): Guard<AppCall> {
	return furthered(appRoute(rooms, "plans:write", "owner"), ({ app }) => {
		requireSelling(app);
		return {};
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
		limits: encodeUserLimits({ images: plan.imagesLimit, bytes: plan.bytesLimit }),
		archived_at: plan.archivedMs === null ? null : isoDate(plan.archivedMs),
		prices: plan.prices.map(encodePrice),
	};
}

function encodePrice(price: PlanPrice): v.InferOutput<typeof managedPriceSchema> {
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
