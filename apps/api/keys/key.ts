import type { Elysia } from "elysia";
import * as v from "valibot";
import { type Answer, type KeyCall, keyRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { encodeKey, keyEntries } from "./key-object.ts";

const keySchema = v.object({
	...keyEntries,
	app: v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
});

export function key(app: Elysia, deps: ApiDeps): void {
	app.get("/v1/key", keyRoute(deps, "any", read), {
		detail: {
			operationId: "getKey",
			summary: "The key that makes this call: its reach, permissions and App",
			tags: ["keys"],
			...answers(200, keySchema),
		},
	});
}

async function read({ access }: KeyCall): Promise<Answer> {
	const { key: record, app } = access;
	const body: v.InferOutput<typeof keySchema> = {
		...encodeKey(record),
		app: { id: app.id, object: "app", name: app.name },
	};
	return { status: 200, body };
}
