import { readAppEvent } from "@svc/apps/apps";
import type { Addresses } from "@svc/base/addresses";
import { EVENT_TYPES, type EventNoun, type EventType } from "@svc/base/enumerations";
import { readStatusEvent } from "@svc/billing/subscriptions/published-statuses";
import { readUserEvent } from "@svc/connect/users";
import type { Event, EventData } from "@svc/events/event";
import { nounOf } from "@svc/events/events";
import { readImageEvent } from "@svc/images/images";
import { readImportEvent } from "@svc/imports/imports";
import { readKeyEvent } from "@svc/keys/app-keys";
import { readTicketEvent } from "@svc/tickets/tickets";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import type { Endpoint } from "@svc/webhooks/endpoint";
import { readEndpointEvent } from "@svc/webhooks/endpoints";
import type { Describe } from "@svc/webhooks/ports";
import * as v from "valibot";
import { encodeApp } from "../apps/apps.ts";
import { encodeStatus } from "../billing/billing-status.ts";
import { encodeUser } from "../connect/users.ts";
import { encodeFacts } from "../images/facts.ts";
import { encodeJob } from "../jobs/jobs.ts";
import { encodeManagedKey } from "../keys/key.ts";
import { isoDate } from "../kit/dates.ts";
import { encodeTicket } from "../tickets/upload-tickets.ts";
import { encodeEndpoint } from "../webhooks/webhook-document.ts";

/* How an event looks, in the feed and in what webhooks deliver: its object is encoded as the call that reads it does. */

const servedSchema = named("ServedOnDay", v.object({ bytes: integer, renditions: integer }));

const dataSchema = named(
	"EventData",
	v.object({
		object: about(
			named("EventObject", v.looseObject({ id: v.optional(v.string()), object: v.string() })),
			"As the change left it; of an erased user's only `id` and `object`.",
		),
		previous: about(
			v.optional(v.record(v.string(), v.unknown())),
			"On `image.updated` and `image.moved`: the former values of what changed.",
		),
		reason: about(v.optional(v.string()), "On `image.locked` and `image.blocked`."),
		usage: about(
			v.optional(named("DeliveryUsage", v.object({ today: servedSchema, usual: servedSchema }))),
			"On `app.delivery_unusual`: so far on that day, and on a day of the two weeks before it.",
		),
	}),
);

export const eventSchema = named(
	"Event",
	v.object({
		id: v.string(),
		object: v.literal("event"),
		created_at: dateTime,
		type: oneOf("EventType", EVENT_TYPES),
		app_id: v.string(),
		user_id: about(v.nullable(v.string()), "Null: about the App itself, or its own storage."),
		request_id: about(v.nullable(v.string()), "Of the call that made the change; null where none did."),
		data: dataSchema,
	}),
	"What happened to an App. Readers ignore types and fields that they do not know.",
);

type Data = v.InferOutput<typeof dataSchema>;

/** What decides how an object looks. */
export interface Looks {
	readonly variant: Variant;
	readonly addresses: Addresses;
}

export function encodeEvent(looks: Looks, event: Event, appId: string): v.InferOutput<typeof eventSchema> {
	return {
		id: event.id,
		object: "event",
		created_at: isoDate(event.createdMs),
		type: event.type,
		app_id: appId,
		user_id: event.userId,
		request_id: event.requestId,
		data: encodeData(looks, event),
	};
}

/** What `POST …/test` sends: an event that is in no feed. */
export function encodeTest(
	endpoint: Endpoint,
	{ id, appId, requestId, createdMs }: Parameters<Describe["test"]>[1],
): Omit<v.InferOutput<typeof eventSchema>, "type"> & { readonly type: "webhook.test" } {
	return {
		id,
		object: "event",
		created_at: isoDate(createdMs),
		type: "webhook.test",
		app_id: appId,
		user_id: null,
		request_id: requestId,
		data: { object: encodeEndpoint(endpoint) },
	};
}

function encodeData(looks: Looks, { type, subject: id, data, appPk }: Event): Data {
	const noun = nounOf(type);
	const object = OBJECTS[noun] ?? noun;
	if (data === null) return { object: { id, object } };
	if (TOMBSTONES.has(type)) return { object: { id, object, deleted: true } };
	return ENCODERS[noun](looks, data, appPk);
}

/** What objects are called whose types of events begin with something else. */
const OBJECTS: Readonly<Partial<Record<EventNoun, string>>> = { subscription: "billing_status", import: "job" };

const TOMBSTONES: ReadonlySet<EventType> = new Set(["image.deleted", "image.expired", "user.disconnected"]);

type Encode = (looks: Looks, data: EventData, appPk: number) => Data;

const ENCODERS = {
	image: encodeImageData,
	key: (_, { object }) => ({ object: encodeManagedKey(readKeyEvent(object)) }),
	app: ({ variant }, { object, usage }) => ({
		object: encodeApp(variant, readAppEvent(object)),
		...(usage && { usage: usage as Data["usage"] & {} }),
	}),
	// Whoever reads the feed is not to upload with it.
	upload_ticket: (_, { object }) => ({ object: encodeTicket({ ticket: readTicketEvent(object), url: null }) }),
	subscription: ({ addresses }, { object }) => ({ object: encodeStatus(addresses, readStatusEvent(object)) }),
	webhook_endpoint: (_, { object }) => ({ object: encodeEndpoint(readEndpointEvent(object)) }),
	import: (_, { object }) => ({ object: encodeJob(readImportEvent(object)) }),
	// What they have bought and are given is told by events of its own.
	user: (_, { object }) => ({
		object: encodeUser({ ...readUserEvent(object), access: null, grant: null, limits: null }),
	}),
} satisfies Record<EventNoun, Encode>;

function encodeImageData({ variant, addresses }: Looks, data: EventData, appPk: number): Data {
	const { object, facts, before, reason } = readImageEvent(data, appPk);
	const after = variant.image.encode(object, addresses);
	return {
		object: { ...after, ...(facts && { facts: encodeFacts(facts) }) },
		...(before && { previous: formerValues({ ...variant.image.encode(before, addresses) }, { ...after }) }),
		...(reason !== null && { reason }),
	};
}

/** The fields that are others by now; null for one that was not shown. */
function formerValues(
	before: Readonly<Record<string, unknown>>,
	after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const names = new Set([...Object.keys(before), ...Object.keys(after)]);
	const former = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
	return Object.fromEntries(former.map((name) => [name, before[name] ?? null]));
}
