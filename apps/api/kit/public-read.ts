import { networkOf } from "@svc/base/network";
import { type Answer, type Call, openRoute, type RouteHandler, type StorageCall, storageRoute } from "./call.ts";
import type { ApiRooms } from "./rooms.ts";

/**
 * A read for key holders and, where the interface lets public images be read, for anybody. Whoever sends an Authorization header
 * means to be known by it: a wrong one is refused, and a right one reaches its own storage only.
 */
export function publicReadRoute(
	rooms: ApiRooms,
	runKnown: (call: StorageCall) => Promise<Answer>,
	runUnknown: (call: Call) => Promise<Answer>,
): RouteHandler {
	const known = storageRoute(rooms, "read")(runKnown);
	if (!rooms.variant.access.publicReads) return known;
	const unknown = openRoute(rooms)(async (call) => {
		rooms.limits.publicReads.take(networkOf(rooms.addressOf(call.request)));
		return await runUnknown(call);
	});
	return (context) => (context.request.headers.has("authorization") ? known(context) : unknown(context));
}
