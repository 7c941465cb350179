import { WEBHOOK_DELIVERY_STATES } from "@svc/base/enumerations";
import { found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { typesIn } from "@svc/events/events";
import { date } from "@svc/images/image-fields";
import type { EndpointDelivery } from "@svc/webhooks/deliveries";
import { getEndpoint, redeliver, startRecovery, testEndpoint } from "@svc/webhooks/endpoints";
import { bodyOf } from "@svc/webhooks/request-body";
import type { Elysia } from "elysia";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import type { Guard } from "../kit/call-types.ts";
import { includeParameter, readInclude } from "../kit/include.ts";
import { readWord } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { deliverySchema, encodeDelivery } from "./webhook-document.ts";
import { webhookTags as tags, WEBHOOKS_PATH } from "./webhook-endpoints.ts";

const PATH = `${WEBHOOKS_PATH}/:endpoint` as const;

/** What was sent to an endpoint, and sending it again. */
export function webhookDeliveries(app: Elysia, rooms: ApiRooms): void {
	const reads = appRoute(rooms, "events:read", "viewer");
	list(app, rooms, `${PATH}/deliveries`, reads, {
		operationId: "listWebhookDeliveries",
		summary: "What was sent to an endpoint in the last 30 days, newest first",
		tags,
		filters: [
			query("state", { type: "string", enum: [...WEBHOOK_DELIVERY_STATES] }),
			query("event_id"),
			query(
				"types",
				{ type: "string" },
				"Types of events, separated by commas; `image.*` stands for all of an object's",
			),
		],
		of: deliverySchema,
		find: async ({ filters, ...page }, call) => {
			const { pk } = await getEndpoint(rooms.webhooks, call, call.params.endpoint);
			const state = readWord("state", filters.state, WEBHOOK_DELIVERY_STATES);
			const types = typesIn(filters.types, TEST);
			return await rooms.webhooks.deliveries.list(pk, { ...page, state, eventId: filters.event_id, types });
		},
		encode: encodeDelivery,
	});
	route(app, "GET", `${PATH}/deliveries/:delivery`, reads, {
		operationId: "getWebhookDelivery",
		summary: "A delivery with its attempts",
		tags,
		parameters: [includeParameter(INCLUDES, "request: what is sent, and where to")],
		answers: { 200: deliverySchema },
		run: async (call) => {
			const includes = readInclude(call.url.searchParams, INCLUDES);
			const { pk, url } = await getEndpoint(rooms.webhooks, call, call.params.endpoint);
			const { delivery } = call.params;
			const one = found(isId("whd", delivery) ? await rooms.webhooks.deliveries.find(pk, delivery) : undefined);
			const of = { appPk: call.app.pk, appId: call.app.id };
			const request = includes.has("request") && { url, body: await bodyOf(rooms.webhooks, of, one) };
			return ok({ ...encodeDelivery(one), ...(request && { request }) });
		},
	});
	sending(app, rooms);
}

const INCLUDES = ["request"] as const;
/** Sent to one endpoint because somebody asked for it. */
const TEST = "webhook.test";

function queued(delivery: EndpointDelivery) {
	return { status: 202, body: encodeDelivery(delivery) };
}

/** What makes the service send to an address of the caller's choice, so many times a minute. */
function sendingRoute(rooms: ApiRooms): Guard<AppCall> {
	return (run) =>
		appRoute(
			rooms,
			"events:write",
			"admin",
		)(async (call) => {
			rooms.limits.webhookSends.take(call.person.account.id);
			return await run(call);
		});
}

function sending(app: Elysia, rooms: ApiRooms): void {
	const writes = sendingRoute(rooms);
	route(app, "POST", `${PATH}/test`, writes, {
		operationId: "testWebhookEndpoint",
		summary: "Sends an event of the type webhook.test, which is in no feed",
		tags,
		answers: { 202: deliverySchema },
		run: async (call) => queued(await testEndpoint(rooms.webhooks, call, call.params.endpoint)),
	});
	route(app, "POST", `${PATH}/deliveries/:delivery/redeliver`, writes, {
		operationId: "redeliverWebhook",
		summary: "Sends an event again, under the webhook-id that it had",
		tags,
		answers: { 202: deliverySchema },
		run: async (call) => {
			const { endpoint, delivery } = call.params;
			return queued(await redeliver(rooms.webhooks, call, endpoint, delivery));
		},
	});
	route(app, "POST", `${PATH}/recover`, writes, {
		operationId: "recoverWebhooks",
		summary: "Sends everything since then that was not delivered, also what was missed while the endpoint was disabled",
		tags,
		body: { since: date },
		answers: { 202: jobSchema },
		run: async (call) => {
			const { since } = await call.input();
			return accepted(await startRecovery(rooms.webhooks, call, call.params.endpoint, since));
		},
	});
}
