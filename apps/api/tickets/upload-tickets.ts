import { TICKET_FORMATS, TICKET_STATES } from "@svc/base/enumerations";
import { Faults } from "@svc/base/http/faults";
import { ORIGINS_MAX, originFault } from "@svc/tickets/origins";
import type { Ticket } from "@svc/tickets/ticket";
import {
	cancelTicket,
	createTicket,
	findTokenOf,
	getTicket,
	listTickets,
	type ShownTicket,
} from "@svc/tickets/tickets";
import { listOf, text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, oneOf, uri } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { STORAGE_HEADERS } from "../images/images-document.ts";
import { judgeFields } from "../kit/body/fields.ts";
import { created, ok, storageRoute } from "../kit/call.ts";
import type { StorageCall } from "../kit/call-types.ts";
import { duration, isoDate } from "../kit/dates.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { errorObject } from "../kit/refusals/failure.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";

/* Permissions to upload one image, which an App's backend hands to a browser or a phone. */

const MAX_BYTES = 20_000_000;
/** One that is named twice counts once. */
const FORMATS_MAX = 100;
const HOUR_SECONDS = 3_600;

const state = oneOf("UploadTicketState", TICKET_STATES);
const format = oneOf("UploadTicketFormat", TICKET_FORMATS);

const ticketSchema = named(
	"UploadTicket",
	v.object({
		id: v.string(),
		object: v.literal("upload_ticket"),
		created_at: dateTime,
		state,
		url: about(
			v.nullable(uri),
			"Where the file is sent, by whoever has this address; null for callers who may not write, and once the secret of the deployment is another one.",
		),
		image_id: about(v.string(), "The id of the image to be, from the beginning."),
		user_id: about(v.nullable(v.string()), "Null: the App storage."),
		max_bytes: integer,
		formats: v.array(format),
		origins: about(v.nullable(v.array(v.string())), "Null: any."),
		fields: about(v.record(v.string(), v.unknown()), "Of the image to be, as they were sent."),
		expires_at: dateTime,
		used_at: v.nullable(dateTime),
		attempts: about(integer, "Uploads that were judged, the one that made the image included."),
		failure: about(v.nullable(errorObject), "Why the last attempt was refused; null before one, and once used."),
	}),
	"Lets whoever has its address upload one image, without a key.",
);

interface Shown {
	readonly ticket: ShownTicket;
	readonly url: string | null;
}

export function encodeTicket({ ticket, url }: Shown): v.InferOutput<typeof ticketSchema> {
	return {
		id: ticket.id,
		object: "upload_ticket",
		created_at: isoDate(ticket.createdMs),
		state: ticket.state,
		url,
		image_id: ticket.imageId,
		user_id: ticket.userId,
		max_bytes: ticket.maxBytes,
		formats: [...ticket.formats],
		origins: ticket.origins && [...ticket.origins],
		fields: ticket.fields,
		expires_at: isoDate(ticket.expiresMs),
		used_at: isoDate(ticket.usedMs),
		attempts: ticket.attempts,
		failure: ticket.failure as v.InferOutput<typeof ticketSchema>["failure"],
	};
}

/** A reader must not get to write: the address is for those who may. */
async function shown(
	{ tickets, addresses }: ApiRooms,
	{ access }: StorageCall,
	ticket: Ticket,
): Promise<Shown & { readonly pk: number }> {
	const writes = access.caller.permissions.has("write");
	const token = writes ? await findTokenOf(tickets, ticket) : undefined;
	return { pk: ticket.pk, ticket, url: token === undefined ? null : `${addresses.base}/v1/uploads/${token}` };
}

const origin = v.pipe(
	text(1_000, "must be origins of at most 1,000 characters", "must be strings"),
	v.rawCheck(({ dataset, addIssue }) => {
		const fault = dataset.typed ? originFault(dataset.value) : undefined;
		if (fault !== undefined) addIssue({ message: fault });
	}),
);

/** A record of the schema library would drop members of some names, such as `constructor`, without a word. */
const fieldsObject = v.pipe(
	v.custom<Readonly<Record<string, unknown>>>(
		(sent) => typeof sent === "object" && sent !== null && !Array.isArray(sent),
		"must be an object",
	),
	v.metadata({ jsonSchema: { type: "object", additionalProperties: {} } }),
);

const requestFields = {
	expires_in: v.optional(
		about(
			duration({ minSeconds: 60, maxSeconds: 24 * HOUR_SECONDS }),
			"Until when an upload may begin; 1h when left out.",
		),
	),
	max_bytes: v.optional(
		v.pipe(
			v.number("must be a whole number"),
			v.integer("must be a whole number"),
			v.minValue(1, "must be at least 1"),
			v.maxValue(MAX_BYTES, `must be at most ${MAX_BYTES.toLocaleString("en")}`),
		),
	),
	formats: v.optional(
		about(
			listOf(format, "must be a list", {
				min: 1,
				max: FORMATS_MAX,
				tooFew: "must name at least one; leave it out for all",
				tooMany: `must name at most ${FORMATS_MAX}`,
			}),
			"Judged by the bytes; all when left out.",
		),
	),
	origins: v.optional(
		about(
			listOf(origin, "must be a list", {
				min: 1,
				max: ORIGINS_MAX,
				tooFew: "must name at least one; leave it out for any",
				tooMany: `must be at most ${ORIGINS_MAX}`,
			}),
			"The pages that may upload, as https://app.example.com; any when left out.",
		),
	),
	fields: v.optional(
		about(fieldsObject, "Fields of the image to be, as POST /v1/images takes them in JSON. Whoever uploads sees them."),
	),
};

/** As they were sent, once they are known to be right. @throws Failure validation_error naming each as `fields.<name>` */
function checkedFields(rooms: ApiRooms, sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const faults = new Faults();
	const decoded = judgeFields(rooms, sent, { ...rooms.variant.create, ignored: new Set() }, faults, "fields");
	if (faults.some) throw faults.failure();
	return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(decoded, name)));
}

export function uploadTickets(app: Elysia, rooms: ApiRooms): void {
	const reads = storageRoute(rooms, "read");
	const writes = storageRoute(rooms, "write");
	route(app, "POST", "/v1/upload_tickets", writes, {
		operationId: "createUploadTicket",
		summary: "Lets a browser or a phone upload one image to an address of its own, without a key",
		tags: ["tickets"],
		parameters: STORAGE_HEADERS,
		body: requestFields,
		answers: { 201: ticketSchema },
		async run(call) {
			const { access, request } = call;
			rooms.limits.creates.take(access.caller.pk);
			const asked = await call.input();
			const ticket = await createTicket(rooms.tickets, access, {
				expiresIn: asked.expires_in ?? HOUR_SECONDS,
				maxBytes: asked.max_bytes ?? MAX_BYTES,
				formats: [...new Set(asked.formats ?? TICKET_FORMATS)],
				origins: asked.origins ? [...new Set(asked.origins)] : null,
				fields: checkedFields(rooms, asked.fields ?? {}),
				userId: access.storage.kind === "user" ? request.headers.get("x-svc-user") : null,
			});
			return created(encodeTicket(await shown(rooms, call, ticket)));
		},
	});
	list(app, rooms, "/v1/upload_tickets", reads, {
		operationId: "listUploadTickets",
		summary: "Upload tickets of the selected storage, newest first; `state` filters",
		tags: ["tickets"],
		headers: STORAGE_HEADERS,
		filters: [query("state", schemaOf(state))],
		of: ticketSchema,
		scope: ({ access }) => access.storage.id,
		async find({ filters, ...page }, call) {
			const one = readWord("state", filters.state, TICKET_STATES);
			const found = await listTickets(rooms.tickets, call.access, { ...page, state: one });
			return await Promise.all(found.map((ticket) => shown(rooms, call, ticket)));
		},
		encode: encodeTicket,
	});
	route(app, "GET", "/v1/upload_tickets/:id", reads, {
		operationId: "getUploadTicket",
		summary: "An upload ticket",
		tags: ["tickets"],
		parameters: STORAGE_HEADERS,
		answers: { 200: ticketSchema },
		async run(call) {
			return ok(encodeTicket(await shown(rooms, call, await getTicket(rooms.tickets, call.access, call.params.id))));
		},
	});
	route(app, "POST", "/v1/upload_tickets/:id/cancel", writes, {
		operationId: "cancelUploadTicket",
		summary: "Ends an open ticket; once it was used it cannot be cancelled",
		tags: ["tickets"],
		parameters: STORAGE_HEADERS,
		answers: { 200: ticketSchema },
		async run(call) {
			return ok(encodeTicket(await shown(rooms, call, await cancelTicket(rooms.tickets, call.access, call.params.id))));
		},
	});
}
