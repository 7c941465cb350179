import type { AppRecord, UserLimits } from "@svc/apps/app-record";
import { foldEmail } from "@svc/base/email";
import { found } from "@svc/base/failure";
import { accessOf } from "@svc/billing/subscription";
import type { ConnectedUser, UserPage } from "@svc/connect/connected-user";
import { USER_STATES } from "@svc/connect/connected-user";
import { getUser, listUsers } from "@svc/connect/users";
import { startDisconnect } from "@svc/erasure/disconnect";
import { dayText } from "@svc/images/usage/daily-usage";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { encodeUserLimits, userLimitsSchema } from "../apps/user-limits.ts";
import { encodeGrant, grantSchema } from "../billing/grants.ts";
import { accessSchema, encodeAccess, encodeGranted } from "../billing/subscription-document.ts";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok, wholeAppRoute } from "../kit/call.ts";
import type { KeyCall } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";

const userSchema = named(
	"ConnectedUser",
	v.object({
		id: about(v.string(), "What `X-Svc-User` takes."),
		object: v.literal("connected_user"),
		email: v.string(),
		verified: v.boolean(),
		state: oneOf("UserState", USER_STATES),
		images: v.number(),
		bytes: v.number(),
		limits: about(
			v.nullable(userLimitsSchema),
			"What they may keep at present: by the plan that they have, or what the App says for users without one. Null in an event alone.",
		),
		access: about(
			v.nullable(accessSchema),
			"What they have bought, as it was read last, or are given; null where the App sells nothing.",
		),
		grant: about(
			v.nullable(grantSchema),
			"What they are given for nothing at present; what they pay for goes before it.",
		),
		last_used_on: about(
			v.nullable(v.string()),
			"The last day on which anything was asked of their storage, by them or about them, as 2026-11-22 (UTC); null where nothing was, and in an event.",
		),
		created_at: dateTime,
	}),
);

interface Subscriber extends Omit<ConnectedUser, "pk"> {
	readonly limits: UserLimits | null;
	readonly access: v.InferOutput<typeof accessSchema> | null;
	readonly grant: v.InferOutput<typeof grantSchema> | null;
}

async function withAccess(
	rooms: ApiRooms,
	app: AppRecord,
	users: readonly ConnectedUser[],
): Promise<readonly (Subscriber & ConnectedUser)[]> {
	const { billing, clock } = rooms;
	const ids = users.map(({ id }) => id);
	const [latest, granted] = await Promise.all([
		billing.subscriptions.listLatest(app.pk, ids),
		billing.grants.listOfUsers(app.pk, ids, clock.now()),
	]);
	const subscribers = users.map((user) => {
		const [subscription, given] = [latest.get(user.id), granted.get(user.id)];
		const grant = given ? encodeGrant(given) : null;
		const access = accessOf(subscription, clock.now(), billing.graceMs);
		if (given && access.status === "inactive") return { ...user, grant, access: encodeGranted(given) };
		const bought = subscription || app.selling ? encodeAccess(access, subscription) : null;
		return { ...user, grant, access: bought };
	});
	const had = subscribers.flatMap(({ access }) => access?.plan_key ?? []);
	const ofPlans = await billing.plans.limitsByKey(app.pk, had);
	const free = { images: app.freeImagesLimit, bytes: app.freeBytesLimit };
	return subscribers.map((user) => ({ ...user, limits: ofPlans.get(user.access?.plan_key ?? "") ?? free }));
}

export function encodeUser(user: Subscriber): v.InferOutput<typeof userSchema> {
	return {
		id: user.id,
		object: "connected_user",
		email: user.email,
		verified: user.verified,
		state: user.state,
		images: user.images,
		bytes: user.bytes,
		limits: user.limits && encodeUserLimits(user.limits),
		access: user.access,
		grant: user.grant,
		last_used_on: user.lastUsedDay === null ? null : dayText(user.lastUsedDay),
		created_at: isoDate(user.createdMs),
	};
}

async function listWithAccess(rooms: ApiRooms, app: AppRecord, { email, ...page }: UserPage) {
	const filter = email === undefined ? undefined : foldEmail(email);
	return await withAccess(rooms, app, await listUsers(rooms.connect, app, { ...page, email: filter }));
}

/** @throws Failure not_found */
async function showUser(rooms: ApiRooms, app: AppRecord, id: string): Promise<v.InferOutput<typeof userSchema>> {
	const [user] = await withAccess(rooms, app, [await getUser(rooms.connect, app, id)]);
	return encodeUser(found(user));
}

/** The same as the App's own backend reads it. */
function usersByKey(app: Elysia, rooms: ApiRooms): void {
	const reads = wholeAppRoute(rooms, "read");
	const appOf = async ({ access }: KeyCall) => found(await rooms.apps.memberships.findApp(access.app.pk));
	list(app, rooms, "/v1/users", reads, {
		operationId: "listOwnUsers",
		summary:
			"The connected users of the key's App, for an App-wide key; empty while its sign-in is off; `email` finds one",
		tags: ["users"],
		filters: [query("email")],
		of: userSchema,
		// The same address lists other users to another App.
		scope: ({ access }) => access.app.id,
		find: async ({ filters: { email }, ...page }, call) =>
			await listWithAccess(rooms, await appOf(call), { ...page, email }),
		encode: encodeUser,
	});
	route(app, "GET", "/v1/users/:user", reads, {
		operationId: "getOwnUser",
		summary: "A connected user of the key's App, for an App-wide key",
		tags: ["users"],
		answers: { 200: userSchema },
		run: async (call) => ok(await showUser(rooms, await appOf(call), call.params.user)),
	});
}

/** The people who are connected to an App, as its team sees them. */
export function users(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/apps/:id/users", appRoute(rooms, "users:read", "viewer"), {
		operationId: "listUsers",
		summary: "The App's connected users; empty while its sign-in is off; `email` finds one",
		tags: ["users"],
		filters: [query("email")],
		of: userSchema,
		find: async ({ filters: { email }, ...page }, call) => {
			return await listWithAccess(rooms, call.app, { ...page, email });
		},
		encode: encodeUser,
	});
	route(app, "GET", "/v1/apps/:id/users/:user", appRoute(rooms, "users:read", "viewer"), {
		operationId: "getUser",
		summary: "A connected user",
		tags: ["users"],
		answers: { 200: userSchema },
		run: async (call) => {
			return ok(await showUser(rooms, call.app, call.params.user));
		},
	});
	usersByKey(app, rooms);
	route(app, "DELETE", "/v1/apps/:id/users/:user", appRoute(rooms, "users:write", "admin"), {
		operationId: "disconnectUser",
		summary: "Ends a user's connection at once and deletes their images in the background",
		tags: ["users"],
		answers: { 202: jobSchema },
		run: async ({ app: { pk: appPk }, params, person, by }) => {
			const connection = { appPk, userId: params.user };
			return accepted(await startDisconnect(rooms.erasure, { connection, startedBy: person.account.id, by }));
		},
	});
}
