import { deleteImage, getImage, getPublicImage } from "@svc/images/images";
import { filterParams, type ListRequest, listImages, parseListRequest } from "@svc/images/lists";
import type { Elysia } from "elysia";
import { deleteBatch, tombstone, updateBatch } from "../kit/batch.ts";
import { type Call, ok, type StorageCall, storageRoute } from "../kit/call.ts";
import { publicReadRoute } from "../kit/public-read.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { createRoute } from "./anonymous.ts";
import { describeImages } from "./images-document.ts";
import { update } from "./update.ts";

export function images(app: Elysia, rooms: ApiRooms): void {
	const detail = describeImages(rooms.variant);
	app.post("/v1/images", createRoute(rooms), { parse: "none", detail: detail.create });
	app.get(
		"/v1/images",
		storageRoute(rooms, "read")((call) => list(rooms, call)),
		{ detail: detail.list },
	);
	app.patch(
		"/v1/images/batch",
		storageRoute(rooms, "write")((call) => updateBatch(rooms, call)),
		{ parse: "none", detail: detail.updateBatch },
	);
	app.delete(
		"/v1/images/batch",
		storageRoute(rooms, "write")((call) => deleteBatch(rooms, call)),
		{ parse: "none", detail: detail.deleteBatch },
	);
	app.get(
		"/v1/images/:id",
		publicReadRoute(
			rooms,
			(call) => get(rooms, call),
			(call) => getPublic(rooms, call),
		),
		{ detail: detail.get },
	);
	app.patch(
		"/v1/images/:id",
		storageRoute(rooms, "write")((call) => update(rooms, call)),
		{ parse: "none", detail: detail.update },
	);
	app.delete(
		"/v1/images/:id",
		storageRoute(rooms, "write")((call) => remove(rooms, call)),
		{
			parse: "none",
			detail: detail.delete,
		},
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
