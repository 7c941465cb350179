import { exchange, requireAppWide } from "@svc/connect/connections";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { type Answer, type KeyCall, keyRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";

// Longer than any code of ours; what is longer cannot be right and is not worth hashing.
const CODE_MAX = 1_000;

const request = {
	code: v.pipe(v.string("must be a string"), v.description("From the callback's query; good for one exchange")),
};

const contextSchema = v.object({
	object: v.literal("auth_context"),
	app: v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
	user: v.object({ id: v.string(), object: v.literal("user"), email: v.string(), verified: v.boolean() }),
});

export function authExchange(app: Elysia, deps: ApiDeps): void {
	app.post(
		"/v1/auth/exchange",
		keyRoute(deps, "read", (call) => run(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "exchange",
				summary: "Tells who signed in, for the one-time code of a callback; needs an App-wide key with read",
				tags: ["auth"],
				...jsonBody(v.object(request)),
				...answers(200, contextSchema),
			},
		},
	);
}

async function run(deps: ApiDeps, call: KeyCall): Promise<Answer> {
	requireAppWide(call.access);
	const { code } = await readInput(call, request);
	const { app, user } = await exchange(deps, call.access, code.slice(0, CODE_MAX));
	const body: v.InferOutput<typeof contextSchema> = {
		object: "auth_context",
		app: { id: app.id, object: "app", name: app.name },
		user: { id: user.id, object: "user", email: user.email, verified: user.verified },
	};
	return { status: 200, body };
}
