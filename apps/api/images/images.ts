import { type ImageChanges, updateImage } from "@svc/images/change/update-image";
import { deleteImage, getImage } from "@svc/images/images";
import type { Elysia } from "elysia";
import { deleteBatch, isDeleteParameter, isKept, tombstone, updateBatch } from "../kit/body/batch.ts";
import { requireJson } from "../kit/body/body.ts";
import { decodeFields } from "../kit/body/fields.ts";
import { ok, storageRoute } from "../kit/call.ts";
import type { Answer, Call, RouteHandler, StorageCall } from "../kit/call-types.ts";
import { refuseParameters } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";
import type { ApiVersion } from "../version.ts";
import { create } from "./create.ts";
import { readIncluded, showImage } from "./facts.ts";
import { answerList, readList } from "./image-lists.ts";
import { describeImages } from "./images-document.ts";

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
		reads((call) => answerList(rooms, call, readList(rooms, call.url.searchParams))),
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

async function update(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const included = readIncluded(rooms, call);
	const { json, ignored } = rooms.variant.update;
	const changes: ImageChanges = decodeFields(rooms, await requireJson(call.request), json, ignored);
	const image = await updateImage(rooms.images, call.access, idOf(call), changes);
	return ok(await showImage(rooms, image, included));
}
