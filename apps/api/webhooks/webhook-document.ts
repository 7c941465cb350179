import { ATTEMPT_ERRORS, DISABLED_REASONS, ENDPOINT_STATES, WEBHOOK_DELIVERY_STATES } from "@svc/base/enumerations";
import { about, dateTime, integer, named, oneOf, shownOnce } from "@svc/variants/shape";
import type { EndpointDelivery } from "@svc/webhooks/deliveries";
import type { Endpoint } from "@svc/webhooks/endpoint";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

/* How webhook endpoints and deliveries look. */

const endpointEntries = {
	id: v.string(),
	object: v.literal("webhook_endpoint"),
	created_at: dateTime,
	url: v.string(),
	types: about(v.array(v.string()), "`*`, `image.*` and the like, or types."),
	description: v.string(),
	state: oneOf("WebhookEndpointState", ENDPOINT_STATES),
	disabled_reason: v.nullable(oneOf("WebhookDisabledReason", DISABLED_REASONS)),
	disabled_at: v.nullable(dateTime),
	last_delivered_at: v.nullable(dateTime),
};
export const endpointSchema = named("WebhookEndpoint", v.object(endpointEntries), "Where an App's events are sent.");
export const newEndpointSchema = named(
	"NewWebhookEndpoint",
	v.object({ ...endpointEntries, secret: shownOnce("Signs every delivery; shown once") }),
);

export function encodeEndpoint(endpoint: Omit<Endpoint, "pk" | "appPk">): v.InferOutput<typeof endpointSchema> {
	return {
		id: endpoint.id,
		object: "webhook_endpoint",
		created_at: isoDate(endpoint.createdMs),
		url: endpoint.url,
		types: [...endpoint.types],
		description: endpoint.description,
		state: endpoint.state,
		disabled_reason: endpoint.disabledReason,
		disabled_at: isoDate(endpoint.disabledMs),
		last_delivered_at: isoDate(endpoint.lastDeliveredMs),
	};
}

const attemptSchema = named(
	"WebhookAttempt",
	v.object({
		at: dateTime,
		status: about(v.nullable(integer), "Null without an answer."),
		ms: integer,
		error: about(v.nullable(oneOf("WebhookAttemptError", ATTEMPT_ERRORS)), "Why there was no answer."),
		response: about(v.nullable(v.string()), "The first 1,024 characters of a public receiver's answer."),
	}),
);

const requestSchema = named(
	"WebhookRequest",
	v.object({ url: v.string(), body: about(v.string(), "What is signed, byte for byte; it says what is known now.") }),
);

export const deliverySchema = named(
	"WebhookDelivery",
	v.object({
		id: v.string(),
		object: v.literal("webhook_delivery"),
		created_at: dateTime,
		event_id: about(v.string(), "What is sent as `webhook-id`, at every attempt."),
		type: v.string(),
		state: oneOf("WebhookDeliveryState", WEBHOOK_DELIVERY_STATES),
		next_attempt_at: about(v.nullable(dateTime), "Null: none."),
		attempts: about(v.array(attemptSchema), "The oldest first."),
		request: about(v.optional(requestSchema), "Of one delivery, with `include=request`: what is sent."),
	}),
	"One event on its way to one endpoint.",
);

export function encodeDelivery(delivery: EndpointDelivery): v.InferOutput<typeof deliverySchema> {
	return {
		id: delivery.id,
		object: "webhook_delivery",
		created_at: isoDate(delivery.createdMs),
		event_id: delivery.eventId,
		type: delivery.type,
		state: delivery.state,
		next_attempt_at: isoDate(delivery.nextMs),
		attempts: delivery.attempts.map(({ atMs, ...attempt }) => ({ at: isoDate(atMs), ...attempt })),
	};
}
