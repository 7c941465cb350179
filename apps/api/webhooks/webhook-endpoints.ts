import { ENDPOINT_STATES } from "@svc/base/enumerations";
import { listOf, text } from "@svc/variants/bounds";
import {
	changeEndpoint,
	createEndpoint,
	deleteEndpoint,
	getEndpoint,
	type MadeEndpoint,
	rotateSecret,
} from "@svc/webhooks/endpoints";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { created, ok } from "../kit/call.ts";
import { duration } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { encodeEndpoint, endpointSchema, newEndpointSchema } from "./webhook-document.ts";

/** More than an address may have, so that the rules of addresses say what is wrong with a longer one. */
const URL_MAX = 8_000;
const TYPES_MAX = 50;
const DESCRIPTION_MAX = 500;
const OLD_MAX_SECONDS = 7 * 86_400;
const OLD_SECONDS = 86_400;

const url = v.pipe(text(URL_MAX), v.metadata({ jsonSchema: { type: "string", format: "uri", maxLength: 2_048 } }));
const types = listOf(text(60), "must be a list of types", {
	min: 1,
	max: TYPES_MAX,
	tooFew: "must name a type, or *",
	tooMany: `must name at most ${TYPES_MAX} types`,
});
const description = text(DESCRIPTION_MAX);
const creating = { url, types: v.optional(types, ["*"]), description: v.optional(description, "") };
const changing = {
	url: v.optional(url),
	types: v.optional(types),
	description: v.optional(description),
	state: v.optional(v.picklist(ENDPOINT_STATES, "must be enabled or disabled")),
};
const rotating = { old_expires_in: v.optional(duration({ minSeconds: 0, maxSeconds: OLD_MAX_SECONDS })) };

export const WEBHOOKS_PATH = "/v1/apps/:id/webhook_endpoints";
export const webhookTags = ["events"];

/** The one answer that holds the secret. */
function withSecret({ endpoint, secret }: MadeEndpoint) {
	return { ...encodeEndpoint(endpoint), secret };
}

/** Where an App's events are sent. */
export function webhookEndpoints(app: Elysia, rooms: ApiRooms): void {
	const reads = appRoute(rooms, "events:read", "viewer");
	list(app, rooms, WEBHOOKS_PATH, reads, {
		operationId: "listWebhookEndpoints",
		summary: "Where the App's events are sent",
		tags: webhookTags,
		of: endpointSchema,
		find: (page, call) => rooms.webhooks.endpoints.list(call.app.pk, page),
		encode: encodeEndpoint,
	});
	route(app, "GET", `${WEBHOOKS_PATH}/:endpoint`, reads, {
		operationId: "getWebhookEndpoint",
		summary: "A webhook endpoint",
		tags: webhookTags,
		answers: { 200: endpointSchema },
		run: async (call) => ok(encodeEndpoint(await getEndpoint(rooms.webhooks, call, call.params.endpoint))),
	});
	changes(app, rooms);
}

function changes(app: Elysia, rooms: ApiRooms): void {
	const writes = appRoute(rooms, "events:write", "admin");
	route(app, "POST", WEBHOOKS_PATH, writes, {
		operationId: "createWebhookEndpoint",
		summary: "Sends the App's events from now on to an https address, signed as Standard Webhooks says; at most 10",
		tags: webhookTags,
		body: creating,
		answers: { 201: newEndpointSchema },
		run: async (call) => created(withSecret(await createEndpoint(rooms.webhooks, call, await call.input()))),
	});
	route(app, "PATCH", `${WEBHOOKS_PATH}/:endpoint`, writes, {
		operationId: "changeWebhookEndpoint",
		summary: "Changes the fields that are sent; one that is enabled again gets what happens from then on",
		tags: webhookTags,
		body: changing,
		answers: { 200: endpointSchema },
		run: async (call) =>
			ok(encodeEndpoint(await changeEndpoint(rooms.webhooks, call, call.params.endpoint, await call.input()))),
	});
	route(app, "DELETE", `${WEBHOOKS_PATH}/:endpoint`, writes, {
		operationId: "deleteWebhookEndpoint",
		summary: "Removes an endpoint with its deliveries",
		tags: webhookTags,
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			await deleteEndpoint(rooms.webhooks, call, call.params.endpoint);
			return deleted("webhook_endpoint", call.params.endpoint);
		},
	});
	route(app, "POST", `${WEBHOOKS_PATH}/:endpoint/rotate`, writes, {
		operationId: "rotateWebhookSecret",
		summary: "Makes a new secret; for a day, or as long as is asked for, the old one signs as well",
		tags: webhookTags,
		body: rotating,
		answers: { 200: newEndpointSchema },
		run: async (call) => {
			const { old_expires_in: seconds = OLD_SECONDS } = await call.input();
			return ok(withSecret(await rotateSecret(rooms.webhooks, call, call.params.endpoint, seconds * 1_000)));
		},
	});
}
