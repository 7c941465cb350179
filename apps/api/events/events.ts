import { Failure, found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Feed } from "@svc/events/event";
import { EVENTS_KEPT_MS, readFeed, typesIn } from "@svc/events/events";
import { parseLimit } from "@svc/images/list/lists";
import { about, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { APP_HEADER, USER_HEADER } from "../images/images-document.ts";
import { ok, storageRoute } from "../kit/call.ts";
import type { StorageCall } from "../kit/call-types.ts";
import { listEntries, readWord } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, route } from "../kit/route.ts";
import { encodeEvent, eventSchema } from "./event-document.ts";

const WAIT_MAX_S = 30;
const ORDERS = ["asc", "desc"] as const;
/** Requests of one key, or of one session, that wait in this process. */
const WAITING_MAX = 5;
const RETRY_AFTER_SECONDS = 2;

const listSchema = named(
	"EventList",
	v.object({
		...listEntries(eventSchema),
		latest: about(v.nullable(v.string()), "The id of the App's newest event: take it as `after` to start from now."),
	}),
);

/** The feed of what happened to an App. */
export function events(app: Elysia, rooms: ApiRooms): void {
	const reads = storageRoute(rooms, "read", "events");
	const waiting = new Map<string, number>();
	route(app, "GET", "/v1/events", reads, {
		operationId: "listEvents",
		summary: "What happened to the App, oldest first; with `wait` an empty page is held until there is something",
		tags: ["events"],
		parameters: [
			query("after", { type: "string" }, "Id of the last event that you have seen; without it, from the first one"),
			query("order", { type: "string", enum: [...ORDERS], default: "asc" }, "`desc`: newest first, without `wait`"),
			query("types", { type: "string" }, "Types, separated by commas; `image.*` stands for all of an object's"),
			query("image", { type: "string" }, "Id of an image: only events about it"),
			query("limit", { type: "integer", minimum: 1, maximum: 100, default: 50 }),
			query("wait", { type: "integer", minimum: 0, maximum: WAIT_MAX_S, default: 0 }, "Seconds"),
			{ ...USER_HEADER, description: "A connected user's id: only events about that user" },
			APP_HEADER,
		],
		answers: { 200: listSchema },
		run: (call) => list(rooms, call, waiting),
	});
	route(app, "GET", "/v1/events/:id", reads, {
		operationId: "getEvent",
		summary: "One event of the last 30 days",
		tags: ["events"],
		parameters: [USER_HEADER, APP_HEADER],
		answers: { 200: eventSchema },
		run: async (call) => {
			const { appPk, userId } = feedOf(call);
			const { id } = call.params;
			const sinceMs = rooms.clock.now() - EVENTS_KEPT_MS;
			const event = found(isId("evt", id) ? await rooms.events.store.find(appPk, id, sinceMs) : undefined);
			if (userId !== undefined && event.userId !== userId) throw new Failure("not_found");
			return ok(encodeEvent(rooms, event, call.access.app.id));
		},
	});
}

async function list(rooms: ApiRooms, call: StorageCall, waiting: Map<string, number>) {
	const { searchParams } = call.url;
	const asked = readQuery(searchParams);
	const feed = { ...feedOf(call), subject: asked.image };
	const { id } = call.access.caller;
	const read = () => readFeed(rooms.events, feed, { ...asked, signal: call.request.signal });
	const waits = asked.waitMs > 0;
	const { events: page, hasMore, latest } = await (waits ? inTurn(waiting, id, read) : read());
	// Whoever waited may have lost the right to what came meanwhile.
	if (waits) await call.access.again?.();
	const next = hasMore ? (page.at(-1)?.id ?? null) : null;
	return ok<v.InferOutput<typeof listSchema>>({
		object: "list",
		data: page.map((event) => encodeEvent(rooms, event, call.access.app.id)),
		pagination: {
			has_more: next !== null,
			next_cursor: next,
			next_url: next === null ? null : nextUrl(rooms, searchParams, next),
		},
		latest,
	});
}

/** @throws Failure rate_limited */
async function inTurn<T>(waiting: Map<string, number>, id: string, read: () => Promise<T>): Promise<T> {
	const before = waiting.get(id) ?? 0;
	if (before >= WAITING_MAX) {
		const message = `At most ${WAITING_MAX} requests of a key wait for events at once.`;
		throw new Failure("rate_limited", undefined, { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
	}
	waiting.set(id, before + 1);
	try {
		return await read();
	} finally {
		const left = (waiting.get(id) ?? 1) - 1;
		if (left > 0) waiting.set(id, left);
		else waiting.delete(id);
	}
}

/** The whole App's feed, or that of the user who is selected. @throws Failure forbidden for keys that reach less */
function feedOf({ access, request }: StorageCall): Feed {
	const { caller, app, storage } = access;
	if (caller.reach !== "app" && caller.reach !== "team") {
		throw Failure.saying("forbidden", "Events need an App-wide key; this one reaches one storage only.");
	}
	// Such a storage was selected by the header, which has been checked.
	const user = storage.kind === "user" ? request.headers.get("x-svc-user") : null;
	return { appPk: app.pk, userId: user ?? undefined };
}

function readQuery(params: URLSearchParams) {
	const faults = Object.create(null) as Record<string, string[]>;
	const limit = parseLimit(params.get("limit"), faults);
	const wait = params.get("wait") ?? "0";
	if (!/^\d{1,2}$/.test(wait) || Number(wait) > WAIT_MAX_S) faults.wait = [`must be 0 to ${WAIT_MAX_S} seconds`];
	const newestFirst = readWord("order", params.get("order") ?? undefined, ORDERS) === "desc";
	if (newestFirst && wait !== "0") faults.wait = ["is for the order asc"];
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
	const image = params.get("image") ?? undefined;
	if (image !== undefined && !isId("img", image)) throw invalid("image", "must be the id of an image");
	return {
		after: params.get("after") ?? undefined,
		newestFirst,
		types: typesIn(params.get("types") ?? undefined),
		image,
		limit,
		waitMs: Number(wait) * 1_000,
	};
}

function nextUrl(rooms: ApiRooms, sent: URLSearchParams, after: string): string {
	const params = new URLSearchParams(sent);
	params.set("after", after);
	return `${rooms.addresses.base}/v1/events?${params}`;
}
