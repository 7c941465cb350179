import { Failure, found, invalid } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import type { PlacedTicket } from "@svc/tickets/ticket";
import { allowsOrigin, findTicket, judged, type SentFile, type Upload, useTicket } from "@svc/tickets/ticket-uploads";
import type { Elysia } from "elysia";
import { answerCreate } from "../images/create.ts";
import { mediaType, unreadable } from "../kit/body/body.ts";
import { decodeFields } from "../kit/body/fields.ts";
import { readForm } from "../kit/body/form.ts";
import { countRefusals } from "../kit/call.ts";
import type { Answer, Call, RouteHandler } from "../kit/call-types.ts";
import { answers } from "../kit/document/document.ts";
import { refuseParameters } from "../kit/page.ts";
import { methodRefused, respond } from "../kit/respond.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";

/* The address of an upload ticket: open to whoever has it, from the pages that the ticket names. */

const PATH = "/v1/uploads/:token";
/** Of a form with a file alone: its delimiters and heads of parts, and a few short fields that are refused by name. */
const FRAME_MAX_BYTES = 64 * 1_024;
const EXPOSED = "Retry-After, Idempotent-Replayed, X-Request-Id, Link";

export function uploads(app: Elysia, rooms: ApiRooms): void {
	const uploading = atTicket(rooms, (call, placed, admit) => upload(rooms, call, placed, admit));
	register(app, "POST", PATH, uploading, describe(rooms));
	register(app, "OPTIONS", PATH, atTicket(rooms, preflight), { hide: true });
	// Here rather than where all unknown methods end: this answer, too, says which pages may read it.
	for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
		const refused = atTicket(rooms, async (_call, _placed, admit) => {
			admit();
			return methodRefused("OPTIONS, POST");
		});
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
			"The same bytes again, within a day, are answered with the same image and `Idempotent-Replayed: true`, so that a connection that was cut is no reason to fear a second image; other bytes are 409. A refused attempt leaves the ticket open, whatever it was refused for (400, 401, 403 or 422); after 20 of them it is cancelled. Browsers may call this from the ticket's `origins`; a page of another one reads the 403, which names its origin.",
		tags: ["tickets"],
		security: [],
		requestBody: { required: true, content: { "multipart/form-data": { schema: form } } },
		...answers(201, variant.image.schema),
	};
}

/** Runs a route with the ticket of its address, and tells browsers which pages may read the answer. */
function atTicket(
	rooms: ApiRooms,
	run: (call: Call, placed: PlacedTicket | undefined, admit: () => void) => Promise<Answer>,
): RouteHandler {
	return async (context) => {
		const { request, params } = context;
		const origin = request.headers.get("origin");
		let allowed = "*";
		// Nothing is shown at this address: what it may have changed is the App's to see.
		const response = await respond(rooms, { ...context, seenAt: undefined }, async (call) => {
			const placed = await findTicket(rooms.tickets, params?.token ?? "");
			const isAllowed = !placed || allowsOrigin(placed.ticket, origin);
			// Whoever asked reads the answer, a refusal too: it names the origin that the App has to add, and nothing else.
			if (placed?.ticket.origins && origin !== null) allowed = origin;
			return await run(call, placed, () => {
				if (!isAllowed) throw Failure.saying("forbidden", otherOrigin(origin));
			});
		});
		return withOrigin(response, allowed);
	};
}

const ORIGIN_MAX = 255;

function otherOrigin(origin: string | null): string {
	const asked = origin !== null && origin.length <= ORIGIN_MAX ? origin : "this one";
	return `This ticket is for pages of other origins, not of ${asked}: name it in origins where the ticket is made.`;
}

function withOrigin(response: Response, allowed: string): Response {
	const { headers } = response;
	headers.set("Access-Control-Expose-Headers", EXPOSED);
	headers.append("Vary", "Origin");
	headers.set("Access-Control-Allow-Origin", allowed);
	return response;
}

/** Passes for every page: a refusal here is one that no script can read, and the upload itself is judged. */
async function preflight(): Promise<Answer> {
	const headers = {
		"Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "Content-Type",
		"Access-Control-Max-Age": "7200",
	};
	return { status: 204, body: undefined, headers };
}

async function upload(
	rooms: ApiRooms,
	call: Call,
	placed: PlacedTicket | undefined,
	admit: () => void,
): Promise<Answer> {
	const { request, url, requestId } = call;
	rooms.limits.uploads.take(networkOf(rooms.addressOf(request)));
	return await countRefusals(rooms, call, () =>
		judged(rooms.tickets, found(placed), requestId, async (begin) => {
			admit();
			refuseParameters(url.searchParams, () => false);
			const begun = await begin();
			if (mediaType(request) !== "multipart/form-data")
				throw unreadable("Send multipart/form-data with the part file.");
			return await useUpload(rooms, request, begun);
		}),
	);
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
async function readFile(rooms: ApiRooms, request: Request, fileMaxBytes: number): Promise<SentFile> {
	const { file, fields } = await readForm(request, rooms.images.blobs.stage, {
		fileMaxBytes,
		frameMaxBytes: FRAME_MAX_BYTES,
		client: networkOf(rooms.addressOf(request)),
	});
	const others = Object.keys(fields).map((name) => [name.slice(0, 100), ["is not taken here: send file alone"]]);
	if (file && others.length === 0) return file;
	await file?.staged.discard();
	if (others.length > 0) throw new Failure("validation_error", Object.fromEntries(others));
	throw invalid("file", "is required, as a file part");
}
