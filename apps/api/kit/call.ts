import type { Access } from "@svc/apps/access";
import type { StorageNoun } from "@svc/apps/team/team";
import type { Permission } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { requireAppWide } from "@svc/connect/connections";
import type { CallAccess } from "@svc/images/ports";
import { type Credentials, identify, identifyKey, permit, withinBudget } from "@svc/keys/keys";
import type { ReplayScope } from "@svc/keys/replays";
import type { Keys } from "@svc/keys/room";
import { visitorOf } from "@svc/people/visitors";
import type { Answer, Call, Guard, KeyCall, RouteHandler, StorageCall } from "./call-types.ts";
import { countersFor, usageHeaders } from "./counters.ts";
import { statusOf } from "./refusals/failure.ts";
import { type Bound, once } from "./replays/once.ts";
import { respond } from "./respond.ts";
import type { ApiRooms } from "./rooms.ts";

export function ok<Body>(body: Body): Answer<Body> {
	return { status: 200, body };
}

export function created<Body>(body: Body): Answer<Body> {
	return { status: 201, body };
}

/** A route that needs no key and no sign-in. */
export function openRoute(rooms: ApiRooms): Guard<Call> {
	return (run) => (context) => respond(rooms, context, (call) => countRefusals(rooms, call, () => run(call)));
}

/**
 * What costs nothing to send is refused so many times to one network: it is asked before a byte of a body is read, and each refusal counts once it is
 * known. Reads have a limit of their own.
 * @throws Failure rate_limited, and whatever `run` throws
 */
export async function countRefusals(rooms: ApiRooms, { request }: Call, run: () => Promise<Answer>): Promise<Answer> {
	if (request.method === "GET") return await run();
	const network = networkOf(rooms.addressOf(request));
	rooms.limits.refusals.ask(network);
	try {
		return await run();
	} catch (cause) {
		if (cause instanceof Failure && statusOf(cause) < 500) rooms.limits.refusals.take(network);
		throw cause;
	}
}

/** A route for key holders, and for the App's team where `X-Svc-App` selects the App; a token needs the scope of `noun`. */
export function storageRoute(rooms: ApiRooms, need: Permission, noun: StorageNoun = "images"): Guard<StorageCall> {
	return (run) => accessRoute(rooms, (keys, sent) => identify(keys, sent, noun), need, run);
}

/** A route for key holders. */
export function keyRoute(rooms: ApiRooms, need: Permission | "any"): Guard<KeyCall> {
	return (run) => accessRoute(rooms, identifyKey, need, run);
}

/**
 * A route about an App as a whole, for its App-wide keys: it selects no user.
 * @throws Failure forbidden for a key that reaches one storage; validation_error where X-Svc-User came along
 */
export function wholeAppRoute(rooms: ApiRooms, need: Permission): Guard<KeyCall> {
	const identifyCaller = (keys: Keys, sent: Credentials) => identifyKey(keys, { ...sent, user: null });
	return (run) =>
		accessRoute(rooms, identifyCaller, need, async (call) => {
			requireAppWide(call.access);
			if (call.request.headers.has("x-svc-user")) {
				throw invalid("X-Svc-User", "must be left out: this call is about all users of the App");
			}
			return await run(call);
		});
}

/**
 * Identify, authorize, run, answer: the caller is checked before a byte of the body is read. Every answer, errors too, carries the usage
 * headers once the storage is known.
 */
function accessRoute<Known extends Access>(
	rooms: ApiRooms,
	identifyCaller: (keys: Keys, sent: Credentials) => Promise<Known>,
	need: Permission | "any",
	run: (call: StorageCall & { readonly access: Known }) => Promise<Answer>,
): RouteHandler {
	return (context) =>
		respond(rooms, context, async (call, addHeaders) => {
			const find = () => identifyCaller(rooms.keys, credentialsOf(call.request));
			const again = () => find().then((found) => authorized(found, need));
			const found = await find();
			const { usage, onCounted } = countersFor(rooms, call, found);
			rooms.images.dailyCounters.countRequest(found.storage.pk);
			try {
				authorized(found, need);
				rooms.limits.calls.take(found.caller.pk);
				await found.noteOpened?.();
				const bound = boundTo(rooms, call, { ...replayScope(found), anew: again });
				const access = { ...found, requestId: call.requestId, again, onCounted };
				return await run({ ...bound, access, usage, addHeaders });
			} finally {
				// The answer stands whatever becomes of the counters.
				const counted = await withinBudget(usage()).catch(() => undefined);
				if (counted) addHeaders(usageHeaders(counted));
			}
		});
}

function authorized<Known extends Access>(found: Known, need: Permission | "any"): Known {
	if (need !== "any") permit(found, need);
	return found;
}

/** An App's keys share their Idempotency-Keys, so that a rotated one still de-duplicates; a person and a user's own keys have theirs. */
function replayScope({ caller, app, storage }: Access): ReplayScope {
	if (caller.reach === "team") return { caller: caller.id, about: [app.id, storage.id], formerly: caller.id };
	if (storage.kind === "app") return { caller: app.id, about: [] };
	const whose = caller.reach === "user" ? "user" : app.id;
	return { caller: storage.id, about: [whose], formerly: storage.id };
}

/** The same call, whose route answers once under the Idempotency-Keys of this caller. */
export function boundTo<Known extends Call>(rooms: ApiRooms, call: Known, bound: Bound): Known {
	return call.posted ? { ...call, once: (run, again) => once(rooms, call, bound, run, again) } : call;
}

/**
 * The same caller, about another storage of the App: that of a user, or with null the App's own.
 * @throws Failure as for a call about that storage
 */
export async function accessTo(rooms: ApiRooms, call: StorageCall, user: string | null): Promise<CallAccess> {
	const sent = { ...credentialsOf(call.request), user };
	const find = async () => {
		const found = await identify(rooms.keys, sent);
		permit(found, "write");
		return found;
	};
	return { ...(await find()), requestId: call.requestId, again: find };
}

function credentialsOf(request: Request): Credentials {
	const { headers } = request;
	return {
		visitor: visitorOf(request),
		authorization: headers.get("authorization"),
		app: headers.get("x-svc-app"),
		user: headers.get("x-svc-user"),
	};
}
