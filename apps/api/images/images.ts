import { deleteImage, getImage, getPublicImage } from "@svc/images/images";
import { listImages } from "@svc/images/list-images";
import { filterParams, type ListRequest, parseListRequest } from "@svc/images/lists";
import type { Elysia } from "elysia";
import { deleteBatch, tombstone, updateBatch } from "../kit/batch.ts";
import { type Answer, type Call, type StorageCall, storageRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { publicReadRoute } from "../kit/public-read.ts";
import { createRoute } from "./anonymous.ts";
import { describeImages } from "./images-document.ts";
import { update } from "./update.ts";

export function images(app: Elysia, deps: ApiDeps): void {
	const detail = describeImages(deps.variant);
	app.post("/v1/images", createRoute(deps), { parse: "none", detail: detail.create });
	app.get(
		"/v1/images",
		storageRoute(deps, "read")((call) => list(deps, call)),
		{ detail: detail.list },
	);
	app.patch(
		"/v1/images/batch",
		storageRoute(deps, "write")((call) => updateBatch(deps, call)),
		{ parse: "none", detail: detail.updateBatch },
	);
	app.delete(
		"/v1/images/batch",
		storageRoute(deps, "write")((call) => deleteBatch(deps, call)),
		{ parse: "none", detail: detail.deleteBatch },
	);
	app.get(
		"/v1/images/:id",
		publicReadRoute(
			deps,
			(call) => get(deps, call),
			(call) => getPublic(deps, call),
		),
		{ detail: detail.get },
	);
	app.patch(
		"/v1/images/:id",
		storageRoute(deps, "write")((call) => update(deps, call)),
		{ parse: "none", detail: detail.update },
	);
	app.delete(
		"/v1/images/:id",
		storageRoute(deps, "write")((call) => remove(deps, call)),
		{
			parse: "none",
			detail: detail.delete,
		},
	);
}

async function get(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const image = await getImage(deps, call.access, idOf(call));
	return { status: 200, body: deps.variant.image.encode(image, deps.addresses) };
}

async function getPublic(deps: ApiDeps, call: Call): Promise<Answer> {
	const image = await getPublicImage(deps, idOf(call));
	return { status: 200, body: deps.variant.image.encode(image, deps.addresses) };
}

async function remove(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const id = idOf(call);
	await deleteImage(deps, call.access, id);
	return { status: 200, body: tombstone(id) };
}

function idOf(call: Call): string {
	return call.params.id ?? "";
}

async function list(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const request = parseListRequest(call.url.searchParams);
	const { images: found, nextCursor } = await listImages(deps, call.access, request);
	return {
		status: 200,
		body: {
			object: "list",
			data: found.map((image) => deps.variant.image.encode(image, deps.addresses)),
			pagination: {
				has_more: nextCursor !== undefined,
				next_cursor: nextCursor ?? null,
				next_url: nextCursor === undefined ? null : nextUrl(deps, request, nextCursor),
			},
		},
	};
}

/** The whole address of the next page: a client follows it without knowing how a filter is spelt. */
function nextUrl(deps: ApiDeps, request: ListRequest, cursor: string): string {
	const params = filterParams(request);
	params.set("limit", String(request.limit));
	params.set("cursor", cursor);
	return `${deps.addresses.base}/v1/images?${params}`;
}
