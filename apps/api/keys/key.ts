import { named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference, encodeReference } from "../apps/app-object.ts";
import { keyRoute, ok } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { encodeKey, keyEntries } from "./key-object.ts";

const keySchema = named(
	"Key",
	v.object({ ...keyEntries, app: appReference }),
	"An API key as it may be shown: enough to recognise it, not to use it.",
);

export function key(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/key", keyRoute(rooms, "any"), {
		operationId: "getKey",
		summary: "The key that makes this call: its reach, permissions and App",
		tags: ["keys"],
		answers: { 200: keySchema },
		run: async ({ access: { key: record, app } }) => ok({ ...encodeKey(record), app: encodeReference(app) }),
	});
}
