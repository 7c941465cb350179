import { openImageZip, ZIP_MAX } from "@svc/exports/image-zip";
import { requireSimilar } from "@svc/images/list/lists";
import type { Elysia } from "elysia";
import { appRoute, requireRole } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";
import { FILTER_PARAMETERS, readFilter, storageOf } from "./app-images.ts";

/** The pictures that a filter finds, as one file. */
export function appZip(app: Elysia, rooms: ApiRooms): void {
	const reads = appRoute(
		rooms,
		"images:read",
		"viewer",
	)(async (call) => {
		const filter = readFilter(rooms, call.url.searchParams, "ready");
		const { storage } = await storageOf(rooms, call);
		await requireSimilar(rooms.images, storage, filter);
		const requireStill = async () => requireRole(rooms, { ...call, person: await call.anew() }, "viewer");
		const { account } = call.person;
		const { body, headers } = await openImageZip(rooms.exports, { account, storage, filter, requireStill });
		return { status: 200, body, headers };
	});
	register(app, "GET", "/v1/apps/:id/images.zip", reads, {
		operationId: "readImagesZip",
		summary: `The pictures that fit a filter, as they are stored, in one ZIP file: at most ${ZIP_MAX.images.toLocaleString("en")} of them and 10 GB`,
		description:
			"Made while it is read. What is deleted or blocked meanwhile is not in it. A name that several have begins with the id.",
		tags: ["images"],
		parameters: [...FILTER_PARAMETERS],
		responses: {
			200: { description: "Success", content: { "application/zip": { schema: { type: "string", format: "binary" } } } },
			default: {
				description: "Any error",
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		},
	});
}
