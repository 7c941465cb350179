import type { ModerationVerb } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import {
	deleteModerated,
	getModerated,
	MODERATION_STATES,
	type ModeratedImage,
	type ModerationState,
	moderate,
} from "@svc/moderation/moderation";
import { oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { tombstone } from "../kit/batch.ts";
import type { Answer } from "../kit/call.ts";
import { schemaOf } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute, operatorRoute, type PersonCall } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { tombstoneSchema } from "../kit/tombstone.ts";
import { moderationBatch } from "./moderation-batch.ts";
import { encodeTeamAction, itemSchema, note, reason, showItem, teamActionSchema } from "./moderation-item.ts";
import { preview } from "./preview.ts";

const revision = v.optional(v.nullable(v.pipe(v.number("must be a number"), v.integer("must be a whole number"))));
const optionalNote = v.optional(v.nullable(note));

/** What each of these takes; `revision`, from the item, makes sure that nobody has changed the image since. */
const BODIES = {
	lock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision },
	unlock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision },
	block: { reason, note: optionalNote, revision },
	unblock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision },
} as const;

const SUMMARIES = {
	lock: "Locks an image: nobody changes it until it is unlocked; it stays visible and can be deleted",
	unlock: "Unlocks an image",
	block: "Blocks an image: it is not served any more, and its open reports are settled",
	unblock: "Serves a blocked image again",
} as const;

const flags = { nsfw: v.boolean("must be true or false"), note: optionalNote, revision };

export function moderation(app: Elysia, rooms: ApiRooms): void {
	const item = itemSchema(rooms.variant);
	route(app, "GET", "/v1/moderation/images", operatorRoute(rooms, { scope: "moderation:read" }), {
		operationId: "listModeratedImages",
		summary: "Images of all Apps: those with open reports, or those in the state that is asked for",
		tags: ["moderation"],
		parameters: [stateParameter, appParameter],
		answers: { 200: listSchema(item) },
		run: (call) => list(rooms, call),
	});
	route(app, "GET", "/v1/moderation/images/:id", operatorRoute(rooms, { scope: "moderation:read" }), {
		operationId: "getModeratedImage",
		summary: "One image in whatever state, with its open reports and its history",
		tags: ["moderation"],
		answers: { 200: item },
		run: async ({ params }) => answer(rooms, await getModerated(rooms.moderation, params.id ?? "")),
	});
	for (const verb of ["lock", "unlock", "block", "unblock"] as const) {
		route(app, "POST", `/v1/moderation/images/:id/${verb}`, operatorRoute(rooms, { scope: "moderation:write" }), {
			operationId: `${verb}Image`,
			summary: SUMMARIES[verb],
			tags: ["moderation"],
			body: BODIES[verb],
			answers: { 200: item },
			run: async (call) => {
				const sent = await call.input();
				return answer(rooms, await moderate(rooms.moderation, call.params.id ?? "", { verb, ...sent }, call.by));
			},
		});
	}
	route(app, "PATCH", "/v1/moderation/images/:id", operatorRoute(rooms, { scope: "moderation:write" }), {
		operationId: "flagImage",
		summary: "Says whether an image is not safe for work",
		tags: ["moderation"],
		body: flags,
		answers: { 200: item },
		run: async (call) => {
			const { nsfw, ...sent } = await call.input();
			const verb: ModerationVerb = nsfw ? "nsfw" : "not_nsfw";
			return answer(rooms, await moderate(rooms.moderation, call.params.id ?? "", { verb, ...sent }, call.by));
		},
	});
	route(app, "DELETE", "/v1/moderation/images/:id", operatorRoute(rooms, { scope: "moderation:write", fresh: true }), {
		operationId: "deleteModeratedImage",
		summary: "Deletes an image for good; its history stays, and its open reports are settled",
		tags: ["moderation"],
		answers: { 200: tombstoneSchema },
		run: (call) => remove(rooms, call),
	});
	preview(app, rooms);
	moderationBatch(app, rooms);
	route(app, "GET", "/v1/apps/:id/moderation", appRoute(rooms, { scope: "apps:read", role: "viewer" }), {
		operationId: "listAppModeration",
		summary: "What operators did to the App's images",
		tags: ["apps"],
		answers: { 200: listSchema(teamActionSchema) },
		run: (call) =>
			listPage(rooms, call, {
				find: (span) => rooms.moderation.store.listActions(call.app.pk, span),
				encode: encodeTeamAction,
			}),
	});
}

const stateParameter = {
	name: "state",
	in: "query" as const,
	schema: schemaOf(v.optional(oneOf("ModerationState", MODERATION_STATES), "reported")),
	description: "Which images; with open reports unless said otherwise",
};
const appParameter = {
	name: "app",
	in: "query" as const,
	schema: { type: "string" as const },
	description: "Id of the App whose images are meant",
};

function list(rooms: ApiRooms, call: PersonCall): Promise<Answer> {
	return listPage(rooms, call, {
		filters: ["state", "app"],
		find: ({ filters, limit, beforePk }) => {
			const query = { state: stateOf(filters.state), appId: filters.app, limit, beforePk };
			return rooms.moderation.store.list(query, rooms.clock.now());
		},
		encode: (found) => showItem(rooms, found),
	});
}

function stateOf(sent = "reported"): ModerationState {
	const state = MODERATION_STATES.find((one) => one === sent);
	if (!state) throw invalid("state", `must be one of ${MODERATION_STATES.join(", ")}`);
	return state;
}

async function remove(rooms: ApiRooms, call: PersonCall): Promise<Answer> {
	const id = call.params.id ?? "";
	await deleteModerated(rooms.moderation, id, {}, call.by);
	return { status: 200, body: tombstone(id) };
}

function answer(rooms: ApiRooms, found: ModeratedImage): Answer {
	return { status: 200, body: showItem(rooms, found) };
}
