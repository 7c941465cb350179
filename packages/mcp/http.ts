import { createMcpHandler } from "@modelcontextprotocol/server";
import { createClient } from "@svc/sdk/client";
import type { ClientOptions } from "@svc/sdk/wire/request";
import type { ToolDocument } from "./api-document.ts";
import { reachOfScopes } from "./reach.ts";
import { type ServedTools, toolServer } from "./server.ts";
import { toolsOf } from "./tools.ts";

/** Whoever a request is of: by a token with these scopes. */
export interface ToolCaller {
	readonly scopes: readonly string[];
	/** How the REST API is asked as them. */
	readonly rest: ClientOptions;
}

/** Answers one message of the protocol, whose body was read already. */
export type ToolFace = (request: Request, message: unknown, caller: ToolCaller) => Promise<Response>;

/** The tools of the service with this API document. Nothing is kept from one request to the next. */
export function openToolFace(document: ToolDocument): ToolFace {
	const tools = toolsOf(document);
	const { version } = document.info;
	// Tools never change while a service runs, so that nobody has anything to wait for.
	const handler = createMcpHandler(({ authInfo }) => toolServer(authInfo?.extra as unknown as ServedTools), {
		maxSubscriptions: 0,
	});
	return async (request, message, { scopes, rest }) => {
		const served: ServedTools = {
			baseUrl: rest.baseUrl,
			version,
			tools,
			reach: reachOfScopes(scopes),
			rest: createClient({ ...rest, retries: 0 }),
		};
		// The handler takes whom a request is of in this form. What names them elsewhere is no business of its.
		const authInfo = { token: "", clientId: "", scopes: [...scopes], extra: { ...served } };
		return await handler.fetch(request, { parsedBody: message, authInfo });
	};
}
