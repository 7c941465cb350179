import { readAppEvent } from "@svc/apps/app-events";
import type { Addresses } from "@svc/base/addresses";
import { EVENT_TYPES } from "@svc/base/enumerations";
import { readStatusEvent } from "@svc/billing/subscriptions/status-events";
import { readUserEvent } from "@svc/connect/user-events";
import type { Event } from "@svc/events/events";
import { readImageEvent } from "@svc/images/image-events";
import { readKeyEvent } from "@svc/keys/key-events";
import { readTicketEvent } from "@svc/tickets/ticket-events";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import type { Endpoint } from "@svc/webhooks/endpoints";
import type { Describe } from "@svc/webhooks/ports";
import * as v from "valibot";
import { encodeApp } from "../apps/apps.ts";
import { encodeStatus } from "../billing/billing-status.ts";
import { encodeUser } from "../connect/users.ts";
import { encodeFacts } from "../images/facts.ts";
import { encodeJob, type ShownJob } from "../jobs/jobs.ts";
import { encodeManagedKey } from "../keys/key.ts";
import { isoDate } from "../kit/dates.ts";
import { encodeTicket } from "../tickets/upload-tickets.ts";
import { encodeEndpoint } from "../webhooks/webhook-document.ts";

/* How an event looks, in the feed and in what webhooks deliver: its object is encoded as the call that reads it does. */

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

function encodeData(looks: Looks, { type, subject: id, data }: Event): Data {
	const [noun = ""] = type.split(".");
	const object = OBJECTS[noun] ?? noun;
	if (data === null) return { object: { id, object } };
	if (TOMBSTONES.has(type)) return { object: { id, object, deleted: true } };
	const encode = ENCODERS[noun];
	return encode ? encode(looks, data) : (data as Data);
}

/** What objects are called whose types of events begin with something else. */
const OBJECTS: Readonly<Record<string, string>> = { subscription: "billing_status", import: "job" };

const TOMBSTONES: ReadonlySet<string> = new Set(["image.deleted", "image.expired", "user.disconnected"]);

type Encode = (looks: Looks, data: NonNullable<Event["data"]>) => Data;

/** By the part of the type before the dot. Where there is none, the data was written as it is shown. */
const ENCODERS: Readonly<Record<string, Encode>> = {
	image: encodeImageData,
	key: (_, data) => ({ object: encodeManagedKey(readKeyEvent(data)) }),
	app: ({ variant }, data) => ({ object: encodeApp(variant, readAppEvent(data)) }),
	// Whoever reads the feed is not to upload with it.
	upload_ticket: (_, data) => ({ object: encodeTicket({ ticket: readTicketEvent(data), url: null }) }),
	subscription: ({ addresses }, data) => ({ object: encodeStatus(addresses, readStatusEvent(data)) }),
	webhook_endpoint: (_, { object }) => ({ object: encodeEndpoint(object as Endpoint) }),
	import: (_, { object }) => ({ object: encodeJob(object as ShownJob) }),
	// What they have bought and are given is told by events of its own.
	user: (_, data) => ({ object: encodeUser({ ...readUserEvent(data), access: null, grant: null, limits: null }) }),
};

function encodeImageData({ variant, addresses }: Looks, data: NonNullable<Event["data"]>): Data {
	const { object, facts, before, reason } = readImageEvent(data);
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
