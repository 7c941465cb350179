import { exchange, requireAppWide } from "@svc/connect/connections";
import { text } from "@svc/variants/bounds";
import { named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference, encodeReference } from "../apps/app-reference.ts";
import { JSON_BOUNDS } from "../kit/body/json-bounds.ts";
import { keyRoute, ok } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

// Longer than any code of ours; what is longer cannot be right and is not worth hashing.
const CODE_MAX = 1_000;

const request = {
	// As long as the body may be: what cannot be a code is none, however long it is.
	code: v.pipe(text(JSON_BOUNDS.maxBytes), v.description("From the callback's query; good for one exchange")),
};

const contextSchema = named(
	"AuthContext",
	v.object({
		object: v.literal("auth_context"),
		app: appReference,
		user: named(
			"SignedInUser",
			v.object({ id: v.string(), object: v.literal("user"), email: v.string(), verified: v.boolean() }),
		),
	}),
	"Who signed in at an App, as its backend learns it in exchange for a code.",
);

export function authExchange(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/auth/exchange", keyRoute(rooms, "read"), {
		operationId: "exchange",
		summary: "Tells who signed in, for the one-time code of a callback; needs an App-wide key with read",
		tags: ["auth"],
		body: request,
		answers: { 200: contextSchema },
		again: ({ access }) => requireAppWide(access),
		run: async (call) => {
			requireAppWide(call.access);
			const { code } = await call.input();
			const { app, user } = await exchange(rooms.connect, call.access, code.slice(0, CODE_MAX), call.requestId);
			return ok({
				object: "auth_context",
				app: encodeReference(app),
				user: { id: user.id, object: "user", email: user.email, verified: user.verified },
			});
		},
	});
}
