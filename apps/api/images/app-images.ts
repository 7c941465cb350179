import type { Access } from "@svc/apps/access";
import { openUserStorage } from "@svc/apps/team/team";
import { found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { LISTED_STATES, type ListedState, type ListFilter } from "@svc/images/list/list-filters";
import type { ListedImage } from "@svc/images/ports";
import { about, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { readWord, refuseParameters } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, route } from "../kit/route.ts";
import { reason } from "../moderation/moderation-item.ts";
import { type Included, readIncluded, showImages } from "./facts.ts";
import { answerList, readList } from "./image-lists.ts";
import { includeParameters, LIST_PARAMETERS, totalled } from "./images-document.ts";

/* What an App's team sees of its images beyond what a list shows: what moderation holds, what failed, what can still be restored. */

const USER = query("user_id", { type: "string" }, "A connected user's id: the call is about that user's storage");
const STATE = query(
	"state",
	{ type: "string", enum: [...LISTED_STATES], default: "ready" },
	"Which images: `locked` ones are served but cannot be changed",
);

const NO_FILTERS = new Set(["limit", "cursor", "include", "total_max"]);
/** What chooses images of an App. */
export const FILTER_PARAMETERS = [...LIST_PARAMETERS.filter(({ name }) => !NO_FILTERS.has(name)), USER];

const held = {
	blocked_reason: about(v.nullable(reason), "Why moderation has blocked it; null unless it is blocked."),
	locked: about(v.boolean(), "Whether moderation keeps it from being changed."),
};

export function appImages(app: Elysia, rooms: ApiRooms): void {
	const reads = appRoute(rooms, "images:read", "viewer");
	const shown = named("AppImage", v.intersect([rooms.variant.image.schema, v.object(held)]));
	const kept = about(dateTime, "When it was deleted; it can be restored for 24 hours from then.");
	const deleted = named(
		"DeletedImage",
		v.intersect([rooms.variant.image.schema, v.object({ ...held, deleted_at: kept })]),
	);
	route(app, "GET", "/v1/apps/:id/images", reads, {
		operationId: "listAppImages",
		summary: "Images of the App storage, or of a user's, in any state",
		tags: ["images"],
		parameters: [...LIST_PARAMETERS, STATE, USER],
		anyQuery: true,
		answers: { 200: totalled(shown) },
		run: (call) => list(rooms, call, readState(call.url.searchParams)),
	});
	route(app, "GET", "/v1/apps/:id/images/deleted", reads, {
		operationId: "listDeletedImages",
		summary: "Images that can still be restored, the last deleted first",
		tags: ["images"],
		parameters: [...LIST_PARAMETERS, USER],
		anyQuery: true,
		answers: { 200: totalled(deleted) },
		run: (call) => list(rooms, call, "deleted"),
	});
	route(app, "GET", "/v1/apps/:id/images/:image", reads, {
		operationId: "getAppImage",
		summary: "One image of the App storage, or of a user's, in any state",
		tags: ["images"],
		parameters: [...includeParameters(rooms.variant), USER],
		answers: { 200: shown },
		async run(call) {
			const included = readIncluded(rooms, call, [USER.name]);
			const { storage } = await storageOf(rooms, call);
			const { image: id } = call.params;
			const { store, clock } = rooms.images;
			const image = found(isId("img", id) ? await store.find(storage.pk, id, clock.now()) : undefined);
			const [only] = await show(rooms, [image], included);
			return ok(only as v.InferOutput<typeof shown>);
		},
	});
}

/**
 * What chooses images in the query of a list of an App's.
 * @param fixed the state, where the query does not name it
 * @throws Failure validation_error naming each bad parameter
 */
export function readFilter(rooms: ApiRooms, sent: URLSearchParams, fixed?: ListedState): ListFilter {
	refuseParameters(sent, (name) => !NO_FILTERS.has(name));
	const { request } = readList(rooms, sent, fixed ? [USER.name] : [USER.name, STATE.name]);
	const { limit: _, cursor: __, ...filter } = request;
	return { ...filter, state: fixed ?? readState(sent) };
}

async function list(rooms: ApiRooms, call: AppCall, state: ListedState | undefined) {
	const further = state === "deleted" ? [USER.name] : [USER.name, STATE.name];
	const read = readList(rooms, call.url.searchParams, further);
	const access = await storageOf(rooms, call);
	const wanted = { ...read, request: { ...read.request, state } };
	const answer = await answerList(rooms, { url: call.url, access }, wanted, (images, included) =>
		show(rooms, images, included),
	);
	return answer as typeof answer & { readonly body: { readonly data: never[] } };
}

function readState(sent: URLSearchParams): ListedState | undefined {
	return readWord("state", sent.get("state") ?? undefined, LISTED_STATES);
}

/**
 * The storage that a call about an App is about: the App's own, or that of the user whom its query names.
 * @throws Failure validation_error under `user_id`, user_forbidden
 */
export async function storageOf(
	rooms: ApiRooms,
	{ app, person, storage, url }: AppCall,
	user = url.searchParams.get(USER.name),
): Promise<Pick<Access, "storage">> {
	if (user === null) return { storage };
	if (!isId("usr", user)) throw invalid(USER.name, "must be the id of a connected user of the App");
	return { storage: await openUserStorage(rooms.apps, person, app.pk, user) };
}

async function show(rooms: ApiRooms, images: readonly ListedImage[], included: Included) {
	const shown = await showImages(rooms, images, included);
	return images.map(({ blockReason, locked, deletedMs }, place) => ({
		...(shown[place] as object),
		blocked_reason: blockReason,
		locked,
		// What is deleted is shown by no address.
		...(deletedMs !== undefined && {
			deleted_at: isoDate(deletedMs),
			...(included.has("preview") && { preview: null }),
		}),
	}));
}
