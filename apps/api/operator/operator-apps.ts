import { APP_STATES } from "@svc/apps/apps";
import { APP_PLAN_NAMES } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import {
	blockApp,
	changeOperatedApp,
	getOperatedApp,
	type OperatedApp,
	searchOf,
	unblockApp,
} from "@svc/operator/operator-apps";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appEntries, encodeApp, limitsSchema } from "../apps/app-object.ts";
import type { Answer } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute, type PersonCall } from "../kit/person.ts";
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
	plan: v.optional(v.picklist(APP_PLAN_NAMES, `must be one of ${APP_PLAN_NAMES.join(", ")}`)),
	selling_enabled: v.optional(v.boolean("must be true or false")),
	limits: v.optional(
		v.pipe(
			v.unknown(),
			// To the library a list is an object without fields.
			v.check((sent) => !Array.isArray(sent), LIMITS_RULE),
			v.strictObject({ images: limit, users: limit }, LIMITS_RULE),
		),
	),
};

const blocking = { reason, note: v.optional(v.nullable(note)) };
const unblocking = { note: v.optional(v.nullable(note)) };

const count = v.pipe(v.number(), v.integer());
const operatedAppSchema = v.object({
	...appEntries,
	block_reason: v.nullable(reason),
	/** What operators set; null: the plan's own. */
	own_limits: limitsSchema,
	images: count,
	bytes: count,
	users: count,
	owner: v.nullable(v.object({ id: v.string(), email: v.string() })),
});

export function operatorApps(app: Elysia, deps: ApiDeps): void {
	const one = answers(200, operatedAppSchema);
	app.get(
		"/v1/operator/apps",
		operatorRoute(deps, { scope: "operator:read" }, (call) => list(deps, call)),
		{
			detail: {
				operationId: "listAllApps",
				summary: "All Apps; q is an id, or how a name or the Owner's e-mail address begins",
				tags: ["operator"],
				parameters: [
					{ name: "q", in: "query", schema: { type: "string" } },
					{ name: "state", in: "query", schema: { type: "string", enum: [...APP_STATES] } },
				],
				...answers(200, listSchema(operatedAppSchema)),
			},
		},
	);
	app.get(
		"/v1/operator/apps/:id",
		operatorRoute(deps, { scope: "operator:read" }, async ({ params }) =>
			answer(await getOperatedApp(deps, params.id ?? "")),
		),
		{ detail: { operationId: "getAnyApp", summary: "One App, whoever runs it", tags: ["operator"], ...one } },
	);
	app.patch(
		"/v1/operator/apps/:id",
		operatorRoute(deps, { scope: "operator:write" }, (call) => change(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "changeAnyApp",
				summary: "Changes an App's plan and limits, and whether it may sell plans",
				tags: ["operator"],
				...jsonBody(v.object(changes)),
				...one,
			},
		},
	);
	app.post(
		"/v1/operator/apps/:id/block",
		operatorRoute(deps, { scope: "operator:write", fresh: true }, async (call) =>
			answer(await blockApp(deps, call.params.id ?? "", await readInput(call, blocking), call.by)),
		),
		{
			parse: "none",
			detail: {
				operationId: "blockApp",
				summary:
					"Stops an App: its App-wide keys are refused, its storage can only be read; its Owner and Admins get a mail",
				tags: ["operator"],
				...jsonBody(v.object(blocking)),
				...one,
			},
		},
	);
	app.post(
		"/v1/operator/apps/:id/unblock",
		operatorRoute(deps, { scope: "operator:write" }, async (call) => {
			const sent = await readInput(call, unblocking);
			return answer(await unblockApp(deps, call.params.id ?? "", sent.note, call.by));
		}),
		{
			parse: "none",
			detail: {
				operationId: "unblockApp",
				summary: "Lets a blocked App go on",
				tags: ["operator"],
				...jsonBody(v.object(unblocking)),
				...one,
			},
		},
	);
}

function list(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	return listPage(deps, call, {
		filters: ["q", "state"],
		find: ({ filters, ...span }) =>
			deps.operatorApps.list({ ...span, search: searchOf(filters.q), state: stateFilter(filters.state) }),
		encode,
	});
}

function stateFilter(sent: string | undefined) {
	const state = APP_STATES.find((one) => one === sent);
	if (sent !== undefined && !state) throw invalid("state", `must be one of ${APP_STATES.join(", ")}`);
	return state;
}

async function change(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const { plan, selling_enabled: selling, limits = {}, ...rest } = await readInput(call, changes);
	const { images: imagesLimit, users: usersLimit, ...others } = limits;
	rest satisfies Record<string, never>;
	others satisfies Record<string, never>;
	const asked = { plan, selling, imagesLimit, usersLimit };
	return answer(await changeOperatedApp(deps, call.params.id ?? "", asked, call.by));
}

function answer(app: OperatedApp): Answer {
	return { status: 200, body: encode(app) };
}

function encode(app: OperatedApp): v.InferOutput<typeof operatedAppSchema> {
	return {
		...encodeApp(app),
		block_reason: app.blockReason,
		own_limits: { images: app.imagesLimit, users: app.usersLimit },
		images: app.images,
		bytes: app.bytes,
		users: app.users,
		owner: app.owner,
	};
}
