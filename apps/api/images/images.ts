import { invalid } from "@svc/base/failure";
import { type ImageChanges, updateImage } from "@svc/images/change/update-image";
import { deleteImage, getImage } from "@svc/images/images";
import { NARROWING_PARAMETERS } from "@svc/images/list/list-filters";
import {
	countImages,
	filterParams,
	type ListRequest,
	listImages,
	parseListRequest,
	parseWholeListRequest,
} from "@svc/images/list/lists";
import type { Elysia } from "elysia";
import { deleteBatch, isDeleteParameter, isKept, tombstone, updateBatch } from "../kit/body/batch.ts";
import { requireJson } from "../kit/body/body.ts";
import { decodeFields } from "../kit/body/fields.ts";
import { ok, storageRoute } from "../kit/call.ts";
import type { Answer, Call, RouteHandler, StorageCall } from "../kit/call-types.ts";
import { readInclude } from "../kit/include.ts";
import { refuseParameters } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";
import type { ApiVersion } from "../version.ts";
import { create } from "./create.ts";
import { readIncluded, showImage, showImages } from "./facts.ts";
import { describeImages, LIST_INCLUDES } from "./images-document.ts";

export function images(app: Elysia, rooms: ApiRooms, { creates, reads: readsOne }: ApiVersion): void {
	const detail = describeImages(rooms.variant, creates.detail, readsOne.detail);
	const reads = storageRoute(rooms, "read");
	const writes = storageRoute(rooms, "write");
	const on = (method: string, path: string, handler: RouteHandler, operation: keyof typeof detail) =>
		register(app, method, path, handler, detail[operation]);
	const keyed = writes((call) => create(rooms, call));
	on("POST", "/v1/images", creates.route(keyed, rooms), "create");
	on(
		"GET",
		"/v1/images",
		reads((call) => list(rooms, call)),
		"list",
	);
	on(
		"PATCH",
		"/v1/images/batch",
		writes((call) => updateBatch(rooms, call)),
		"updateBatch",
	);
	const deletes = (run: (call: StorageCall) => Promise<Answer>) =>
		writes(withQuery((name) => isDeleteParameter(rooms, name), run));
	on(
		"DELETE",
		"/v1/images/batch",
		deletes((call) => deleteBatch(rooms, call)),
		"deleteBatch",
	);
	on(
		"GET",
		"/v1/images/:id",
		readsOne.route((call) => get(rooms, call), rooms),
		"get",
	);
	on(
		"PATCH",
		"/v1/images/:id",
		writes((call) => update(rooms, call)),
		"update",
	);
	on(
		"DELETE",
		"/v1/images/:id",
		deletes((call) => remove(rooms, call)),
		"delete",
	);
}

/** Besides the labels. */
const LIST_PARAMETERS: ReadonlySet<string> = new Set([
	...["ids", "limit", "cursor", "order", "include"],
	...NARROWING_PARAMETERS,
]);

function withQuery(isKnown: (name: string) => boolean, run: (call: StorageCall) => Promise<Answer>) {
	return async (call: StorageCall) => {
		refuseParameters(call.url.searchParams, isKnown);
		return await run(call);
	};
}

async function get(rooms: ApiRooms, call: StorageCall) {
	const included = readIncluded(rooms, call);
	const image = await getImage(rooms.images, call.access, idOf(call));
	return ok(await showImage(rooms, image, included));
}

async function remove(rooms: ApiRooms, call: StorageCall) {
	const id = idOf(call);
	await deleteImage(rooms.images, call.access, id, isKept(rooms, call));
	return ok(tombstone(id));
}

function idOf(call: Call): string {
	return call.params.id ?? "";
}

async function list(rooms: ApiRooms, call: StorageCall) {
	const sent = call.url.searchParams;
	const { request, include } = readList(rooms, sent);
	const { images: found, nextCursor } = await listImages(rooms.images, call.access, request);
	return ok({
		object: "list",
		data: await showImages(rooms, found, include),
		pagination: {
			has_more: nextCursor !== undefined,
			next_cursor: nextCursor ?? null,
			next_url: nextCursor === undefined ? null : nextUrl(rooms, request, sent, nextCursor),
		},
		...(include.has("total") && { total: await countImages(rooms.images, call.access, request) }),
	});
}

type Included = (typeof LIST_INCLUDES)[number];

function readList({ variant }: ApiRooms, sent: URLSearchParams) {
	const knowsAll = variant.lists.filters === "all";
	const request = knowsAll ? parseWholeListRequest(sent) : parseListRequest(sent);
	if (variant.lists.unknownParameters === "refused") {
		refuseParameters(sent, (name) => LIST_PARAMETERS.has(name) || name.startsWith("label"));
	}
	const include: ReadonlySet<Included> = knowsAll ? readInclude(sent, LIST_INCLUDES) : new Set();
	if (request.ids && include.has("total")) throw invalid("ids", "cannot be combined with a total");
	return { request, include };
}

/** The whole address of the next page: a client follows it without knowing how a filter is spelt. */
function nextUrl(
	{ addresses, variant }: ApiRooms,
	request: ListRequest,
	sent: URLSearchParams,
	cursor: string,
): string {
	const params = filterParams(request);
	if (variant.lists.filters === "all") keepSpelling(params, sent);
	params.set("limit", String(request.limit));
	params.set("cursor", cursor);
	return `${addresses.base}/v1/images?${params}`;
}

/** What was sent in another spelling than the filter's own goes on in it. */
function keepSpelling(params: URLSearchParams, sent: URLSearchParams): void {
	if (sent.has("labels")) {
		for (const name of [...params.keys()]) if (name.startsWith("label[")) params.delete(name);
	}
	for (const name of ["labels", "include"]) {
		const value = sent.get(name);
		if (value !== null) params.set(name, value);
	}
}

async function update(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const included = readIncluded(rooms, call);
	const { json, ignored } = rooms.variant.update;
	const changes: ImageChanges = decodeFields(rooms, await requireJson(call.request), json, ignored);
	const image = await updateImage(rooms.images, call.access, idOf(call), changes);
	return ok(await showImage(rooms, image, included));
}
