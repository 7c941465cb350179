import { networkOf } from "@svc/base/network";
import { type Answer, type Call, openRoute, type RouteHandler, type StorageCall, storageRoute } from "./call.ts";
import type { ApiDeps } from "./deps.ts";

/**
 * A read for key holders and, where the interface lets public images be read, for anybody. Whoever sends an Authorization header
 * means to be known by it: a wrong one is refused, and a right one reaches its own storage only.
 */
export function publicReadRoute(
	deps: ApiDeps,
	runKnown: (call: StorageCall) => Promise<Answer>,
	runUnknown: (call: Call) => Promise<Answer>,
): RouteHandler {
	const known = storageRoute(deps, "read")(runKnown);
	if (!deps.variant.access.publicReads) return known;
	const unknown = openRoute(deps)(async (call) => {
		deps.limits.publicReads.take(networkOf(deps.addressOf(call.request)));
		return await runUnknown(call);
	});
	return (context) => (context.request.headers.has("authorization") ? known(context) : unknown(context));
}
