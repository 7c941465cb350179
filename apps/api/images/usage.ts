import type { Elysia } from "elysia";
import { type StorageCall, storageRoute } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { USER_HEADER } from "./images-document.ts";

export function usage(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/usage", storageRoute(rooms, "read"), {
		operationId: "getUsage",
		summary: "Counters and limits of the selected storage",
		tags: ["usage"],
		parameters: [USER_HEADER],
		answers: { 200: rooms.variant.usage.schema },
		run: (call) => read(rooms, call),
	});
}

async function read(rooms: ApiRooms, call: StorageCall) {
	const enforced = rooms.variant.usage.limitsEnforced(call.access.app.plan);
	return {
		status: 200,
		body: rooms.variant.usage.encode(await call.usage(), call.access),
		headers: enforced === undefined ? {} : { "X-Limits-Enforced": String(enforced) },
	};
}
