import type { Elysia } from "elysia";
import { type Answer, type StorageCall, storageRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { USER_HEADER } from "./images-document.ts";

export function usage(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/usage",
		storageRoute(deps, "read", (call) => read(deps, call)),
		{
			detail: {
				operationId: "getUsage",
				summary: "Counters and limits of the selected storage",
				tags: ["usage"],
				parameters: [USER_HEADER],
				...answers(200, deps.variant.usage.schema),
			},
		},
	);
}

async function read(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const enforced = deps.variant.usage.limitsEnforced(call.access.app.plan);
	return {
		status: 200,
		body: deps.variant.usage.encode(await call.usage(), call.access),
		headers: enforced === undefined ? {} : { "X-Limits-Enforced": String(enforced) },
	};
}
