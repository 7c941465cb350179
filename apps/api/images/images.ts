import { networkOf } from "@svc/base/network";
import { deleteImage, getImage, getPublicImage } from "@svc/images/images";

import { filterParams, type ListRequest, listImages, parseListRequest } from "@svc/images/lists";
import { type ImageChanges, updateImage } from "@svc/images/update-image";
import type { Elysia } from "elysia";
import { deleteBatch, tombstone, updateBatch } from "../kit/batch.ts";
import { requireJson } from "../kit/body.ts";
import {
	type Answer,
	type Call,
	ok,
	openRoute,
	type RouteHandler,
	type StorageCall,
	storageRoute,
} from "../kit/call.ts";
import { decodeFields } from "../kit/fields.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { createRoute } from "./anonymous.ts";
import { describeImages } from "./images-document.ts";

export function images(app: Elysia, rooms: ApiRooms): void {
	const detail = describeImages(rooms.variant);
	const reads = storageRoute(rooms, "read");
	const writes = storageRoute(rooms, "write");
	const on = (method: string, path: string, handler: RouteHandler, operation: keyof typeof detail) =>
		app.route(method, path, handler, { parse: "none", detail: detail[operation] });
	const known = reads((call) => get(rooms, call));
	on("POST", "/v1/images", createRoute(rooms), "create");
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
	on(
		"DELETE",
		"/v1/images/batch",
		writes((call) => deleteBatch(rooms, call)),
		"deleteBatch",
	);
	on(
		"GET",
		"/v1/images/:id",
		withPublicReads(rooms, known, (call) => getPublic(rooms, call)),
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
		writes((call) => remove(rooms, call)),
		"delete",
	);
}

async function get(rooms: ApiRooms, call: StorageCall) {
	const image = await getImage(rooms.images, call.access, idOf(call));
	return ok(rooms.variant.image.encode(image, rooms.addresses));
}

async function getPublic(rooms: ApiRooms, call: Call) {
	const image = await getPublicImage(rooms.images, idOf(call));
	return ok(rooms.variant.image.encode(image, rooms.addresses));
}

async function remove(rooms: ApiRooms, call: StorageCall) {
	const id = idOf(call);
	await deleteImage(rooms.images, call.access, id);
	return ok(tombstone(id));
}

function idOf(call: Call): string {
	return call.params.id ?? "";
}

async function list(rooms: ApiRooms, call: StorageCall) {
	const request = parseListRequest(call.url.searchParams);
	const { images: found, nextCursor } = await listImages(rooms.images, call.access, request);
	return ok({
		object: "list",
		data: found.map((image) => rooms.variant.image.encode(image, rooms.addresses)),
		pagination: {
			has_more: nextCursor !== undefined,
			next_cursor: nextCursor ?? null,
			next_url: nextCursor === undefined ? null : nextUrl(rooms, request, nextCursor),
		},
	});
}

/** The whole address of the next page: a client follows it without knowing how a filter is spelt. */
function nextUrl(rooms: ApiRooms, request: ListRequest, cursor: string): string {
	const params = filterParams(request);
	params.set("limit", String(request.limit));
	params.set("cursor", cursor);
	return `${rooms.addresses.base}/v1/images?${params}`;
}

async function update(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const { json, ignored } = rooms.variant.update;
	const changes: ImageChanges = decodeFields(rooms, await requireJson(call.request), json, ignored);
	const image = await updateImage(rooms.images, call.access, idOf(call), changes);
	return ok(rooms.variant.image.encode(image, rooms.addresses));
}

/**
 * A read for key holders and, where the interface lets public images be read, for callers without a key. A caller who sends an
 * Authorization header means to be known by it: a wrong one is refused, and a right one reaches its own storage only.
 */
function withPublicReads(rooms: ApiRooms, known: RouteHandler, run: (call: Call) => Promise<Answer>): RouteHandler {
	if (!rooms.variant.access.publicReads) return known;
	const unknown = openRoute(rooms)(async (call) => {
		rooms.limits.publicReads.take(networkOf(rooms.addressOf(call.request)));
		return await run(call);
	});
	return (context) => (context.request.headers.has("authorization") ? known(context) : unknown(context));
}
