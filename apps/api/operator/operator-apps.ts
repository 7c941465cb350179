import { APP_STATES } from "@svc/apps/apps";
import { invalid } from "@svc/base/failure";
import {
	blockApp,
	changeOperatedApp,
	getOperatedApp,
	type OperatedApp,
	searchOf,
	unblockApp,
} from "@svc/operator/accounts/operator-apps";
import { about, integer as count, named, ownPlanKey } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appEntriesOf, appState, encodeApp, limitsSchema } from "../apps/apps.ts";
import { ok } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { freshAgain, operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { note, reason } from "../moderation/moderation-item.ts";

const LIMIT_RULE = "must be a whole number, or null for the plan's own limit";

const limit = v.optional(
	v.nullable(
		v.pipe(
			v.number(LIMIT_RULE),
			v.safeInteger(LIMIT_RULE),
			v.minValue(0, "must not be negative"),
			v.metadata({ jsonSchema: { type: "integer", minimum: 0 } }),
		),
	),
);

const LIMITS_RULE = "must hold images, users or both";

const changes = {
	plan: v.optional(v.nullable(ownPlanKey)),
	selling_enabled: v.optional(v.boolean("must be true or false")),
	limits: v.optional(
		v.pipe(
			v.unknown(),
			// valibot takes a list for an object without fields.
			v.check((sent) => !Array.isArray(sent), LIMITS_RULE),
			v.strictObject({ images: limit, users: limit }, LIMITS_RULE),
		),
	),
};

const blocking = { reason, note: v.optional(v.nullable(note)) };
const unblocking = { note: v.optional(v.nullable(note)) };

const ownerSchema = named("AppOwner", v.object({ id: v.string(), email: v.string() }));

function schemaFor(variant: Variant) {
	const entries = {
		...appEntriesOf(variant),
		block_reason: v.nullable(reason),
		own_limits: about(limitsSchema, "What operators set; null: the plan's own."),
		images: count,
		bytes: count,
		users: count,
		owner: v.nullable(ownerSchema),
	};
	return named("OperatedApp", v.object(entries), "An App as operators see it.");
}

export function operatorApps(app: Elysia, rooms: ApiRooms): void {
	const schema = schemaFor(rooms.variant);
	const one = { 200: schema };
	const shown = (operated: OperatedApp) => ok(encode(rooms, operated));
	list(app, rooms, "/v1/operator/apps", operatorRoute(rooms, "operator:read"), {
		operationId: "listAllApps",
		summary: "All Apps; q is an id, or how a name or the Owner's e-mail address begins",
		tags: ["operator"],
		filters: [query("q"), query("state", schemaOf(appState))],
		of: schema,
		find({ filters, ...span }) {
			const state = readWord("state", filters.state, APP_STATES);
			return rooms.operator.apps.list({ ...span, search: searchOf(filters.q), state });
		},
		encode: (one) => encode(rooms, one),
	});
	route(app, "GET", "/v1/operator/apps/:id", operatorRoute(rooms, "operator:read"), {
		operationId: "getAnyApp",
		summary: "One App, whoever runs it",
		tags: ["operator"],
		answers: one,
		run: async ({ params }) => shown(await getOperatedApp(rooms.operator, params.id)),
	});
	route(app, "PATCH", "/v1/operator/apps/:id", operatorRoute(rooms, "operator:write"), {
		operationId: "changeAnyApp",
		summary: "Changes an App's plan and limits, and whether it may sell plans",
		tags: ["operator"],
		body: changes,
		answers: one,
		run: async (call) => {
			const { plan, selling_enabled: selling, limits } = await call.input();
			const { grants } = rooms.variant.billing.appPlans;
			if (plan && !grants.includes(plan)) throw invalid("plan", `must be one of ${grants.join(", ")}, or null`);
			const asked = { plan, selling, imagesLimit: limits?.images, usersLimit: limits?.users };
			return shown(await changeOperatedApp(rooms.operator, call.params.id, asked, call.by));
		},
	});
	route(app, "POST", "/v1/operator/apps/:id/block", operatorRoute(rooms, "operator:write"), {
		operationId: "blockApp",
		summary:
			"Stops an App: its App-wide keys are refused, its storage can only be read; its Owner and Admins get a mail",
		tags: ["operator"],
		body: blocking,
		answers: one,
		again: freshAgain,
		run: async (call) => shown(await blockApp(rooms.operator, call.params.id, await call.input(), call.by)),
	});
	route(app, "POST", "/v1/operator/apps/:id/unblock", operatorRoute(rooms, "operator:write"), {
		operationId: "unblockApp",
		summary: "Lets a blocked App go on",
		tags: ["operator"],
		body: unblocking,
		answers: one,
		run: async (call) => {
			const sent = await call.input();
			return shown(await unblockApp(rooms.operator, call.params.id, sent.note, call.by));
		},
	});
}

function encode({ variant }: ApiRooms, app: OperatedApp): v.InferOutput<ReturnType<typeof schemaFor>> {
	return {
		...encodeApp(variant, app),
		block_reason: app.blockReason,
		own_limits: { images: app.imagesLimit, users: app.usersLimit },
		images: app.images,
		bytes: app.bytes,
		users: app.users,
		owner: app.owner,
	};
}
