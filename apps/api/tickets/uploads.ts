import { Failure, found, invalid } from "@svc/base/failure";
import { networkOf } from "@svc/base/network";
import {
	allowsOrigin,
	beginUpload,
	findTicket,
	judged,
	type SentFile,
	type Upload,
	useTicket,
} from "@svc/tickets/ticket-uploads";
import type { PlacedTicket } from "@svc/tickets/tickets";
import type { Elysia } from "elysia";
import { answerCreate } from "../images/create.ts";
import { mediaType, unreadable } from "../kit/body.ts";
import { type Answer, type Call, methodRefused, type RouteHandler, respond } from "../kit/call.ts";
import { answers } from "../kit/document.ts";
import { decodeFields } from "../kit/fields.ts";
import { readForm } from "../kit/form.ts";
import { refuseParameters } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";

/* The address of an upload ticket: open to whoever has it, from the pages that the ticket names. */

const PATH = "/v1/uploads/:token";
const EXPOSED = "Retry-After, Idempotent-Replayed, X-Request-Id";

export function uploads(app: Elysia, rooms: ApiRooms): void {
	const uploading = atTicket(rooms, (call, placed) => upload(rooms, call, placed));
	register(app, "POST", PATH, uploading, describe(rooms));
	register(app, "OPTIONS", PATH, atTicket(rooms, preflight), { hide: true });
	// Here rather than where all unknown methods end: this answer, too, says which pages may read it.
	for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
		const refused = atTicket(rooms, async () => methodRefused("OPTIONS, POST"));
		register(app, method, PATH, refused, { hide: true });
	}
}

function describe({ variant }: ApiRooms) {
	const file = { type: "string", format: "binary" } as const;
	const form = { type: "object" as const, properties: { file }, required: ["file"] };
	return {
		operationId: "uploadWithTicket",
		summary: "Uploads the image of a ticket: `file`, and nothing else. Takes no key",
		description:
			"The same bytes again, within a day, are answered with the same image and `Idempotent-Replayed: true`, so that a connection that was cut is no reason to fear a second image; other bytes are 409. A refusal of the file leaves the ticket open; after 20 of them it is cancelled. Browsers may call this from the ticket's `origins`.",
		tags: ["tickets"],
		security: [],
		requestBody: { required: true, content: { "multipart/form-data": { schema: form } } },
		...answers(201, variant.image.schema),
	};
}

/** Runs a route with the ticket of its address, and tells browsers which pages may read the answer. */
function atTicket(
	rooms: ApiRooms,
	run: (call: Call, placed: PlacedTicket | undefined) => Promise<Answer>,
): RouteHandler {
	return async (context) => {
		const { request, params } = context;
		const origin = request.headers.get("origin");
		let allowed: string | undefined = "*";
		// Nothing is shown at this address: what it may have changed is the App's to see.
		const response = await respond(rooms, { ...context, seenAt: undefined }, async (call) => {
			const placed = await findTicket(rooms.tickets, params?.token ?? "");
			if (placed && !allowsOrigin(placed.ticket, origin)) {
				allowed = undefined;
				const message = "This ticket is for pages of other origins.";
				throw Failure.saying("forbidden", message);
			}
			if (placed?.ticket.origins) allowed = origin ?? undefined;
			return await run(call, placed);
		});
		return withOrigin(response, allowed);
	};
}

function withOrigin(response: Response, allowed: string | undefined): Response {
	const { headers } = response;
	headers.set("Access-Control-Expose-Headers", EXPOSED);
	headers.append("Vary", "Origin");
	if (allowed === undefined) headers.delete("Access-Control-Allow-Origin");
	else headers.set("Access-Control-Allow-Origin", allowed);
	return response;
}

async function preflight(_call: Call): Promise<Answer> {
	const headers = {
		"Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "Content-Type",
		"Access-Control-Max-Age": "7200",
	};
	return { status: 204, body: undefined, headers };
}

async function upload(rooms: ApiRooms, call: Call, placed: PlacedTicket | undefined): Promise<Answer> {
	const { request, url, requestId } = call;
	rooms.limits.uploads.take(networkOf(rooms.addressOf(request)));
	refuseParameters(url.searchParams, () => false);
	const begun = await beginUpload(rooms.tickets, found(placed), requestId);
	if (mediaType(request) !== "multipart/form-data") throw unreadable("Send multipart/form-data with the part file.");
	return await judged(rooms.tickets, begun, () => useUpload(rooms, request, begun));
}

async function useUpload(rooms: ApiRooms, request: Request, begun: Upload): Promise<Answer> {
	const { variant, tickets } = rooms;
	const { ticket, access } = begun;
	const file = await readFile(rooms, request, Math.min(ticket.maxBytes, variant.files.maxBytes));
	const fields = {
		...decodeFields(rooms, ticket.fields, variant.create.json, variant.create.ignored),
		public: variant.visibility.initial(undefined, access.storage),
	};
	return await answerCreate(rooms, await useTicket(tickets, begun, file, fields, variant.files));
}

/** What the image says is the App's choice: whoever uploads sends the file alone. The caller that gets it owns the staged file. */
async function readFile(rooms: ApiRooms, request: Request, maxBytes: number): Promise<SentFile> {
	const { file, fields } = await readForm(request, rooms.images.blobs.stage, maxBytes);
	const others = Object.keys(fields).map((name) => [name.slice(0, 100), ["is not taken here: send file alone"]]);
	if (file && others.length === 0) return file;
	await file?.staged.discard();
	if (others.length > 0) throw new Failure("validation_error", Object.fromEntries(others));
	throw invalid("file", "is required, as a file part");
}
