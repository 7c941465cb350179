import type { Elysia } from "elysia";
import { type Answer, type StorageCall, storageRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { route } from "../kit/route.ts";
import { USER_HEADER } from "./images-document.ts";

export function usage(app: Elysia, deps: ApiDeps): void {
	route(app, "GET", "/v1/usage", storageRoute(deps, "read"), {
		operationId: "getUsage",
		summary: "Counters and limits of the selected storage",
		tags: ["usage"],
		parameters: [USER_HEADER],
		answers: { 200: deps.variant.usage.schema },
		run: (call) => read(deps, call),
	});
}

async function read(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const enforced = deps.variant.usage.limitsEnforced(call.access.app.plan);
	return {
		status: 200,
		body: deps.variant.usage.encode(await call.usage(), call.access),
		headers: enforced === undefined ? {} : { "X-Limits-Enforced": String(enforced) },
	};
}
