import { createToken, listTokens, revokeToken } from "@svc/apps/tokens";
import { SCOPES, type Session } from "@svc/people/people";
import { listOf, text } from "@svc/variants/bounds";
import { about, dateTime, named, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { shownName } from "../kit/body/shown-name.ts";
import { created } from "../kit/call.ts";
import { duration, isoDate } from "../kit/dates.ts";
import { freshAgain, personRoute, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const scope = named("Scope", v.picklist(SCOPES, `must be among ${SCOPES.join(", ")}`));

const request = {
	name: shownName,
	app: v.optional(
		v.pipe(text(100, undefined, "must be the id of an App"), v.description("Binds the token to one App")),
	),
	scopes: listOf(scope, "must be a list of scopes", {
		min: 1,
		max: SCOPES.length,
		tooFew: "must name at least one scope",
		tooMany: `must name at most ${SCOPES.length} scopes`,
	}),
	expires_in: duration({ minSeconds: 60, maxSeconds: 365 * 86_400 }),
};

export const tokenEntries = {
	id: v.string(),
	object: v.literal("token"),
	name: v.string(),
	app_id: about(v.nullable(v.string()), "Null: not bound to an App."),
	scopes: v.array(scope),
	expires_at: dateTime,
	last_used_at: v.nullable(dateTime),
	created_at: dateTime,
};
const tokenSchema = named("Token", v.object(tokenEntries));
const mintedSchema = named("NewToken", v.object({ ...tokenEntries, secret: shownOnce() }));

export function encodeToken(token: Session): v.InferOutput<typeof tokenSchema> {
	return {
		id: token.id,
		object: "token",
		name: token.name ?? "",
		app_id: token.appId,
		scopes: [...(token.scopes ?? [])].sort(),
		expires_at: isoDate(token.expiresMs),
		last_used_at: isoDate(token.lastUsedMs),
		created_at: isoDate(token.createdMs),
	};
}

/** Personal access tokens; a token sees and makes only tokens below itself. */
export function tokens(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/tokens", personRoute(rooms, "any"), {
		operationId: "listTokens",
		summary: "One's own tokens that have not ended; a token sees itself and those that it made",
		tags: ["people"],
		of: tokenSchema,
		scope: ({ person: { account, session } }) => (session.kind === "pat" ? session.id : account.id),
		find: (page, call) => listTokens(rooms.apps, call.person, page),
		encode: encodeToken,
	});
	route(app, "POST", "/v1/tokens", sessionRoute(rooms), {
		operationId: "createToken",
		summary: "Makes a token; a token can only make weaker ones, which end with it",
		tags: ["people"],
		body: request,
		answers: { 201: mintedSchema },
		again: freshAgain,
		run: async (call) => {
			const { name, app: appId, scopes, expires_in: ttlSeconds } = await call.input();
			const wanted = { name, appId, scopes, ttlSeconds };
			const { token, secret } = await createToken(rooms.apps, call.person, wanted, call.by);
			return created({ ...encodeToken(token), secret });
		},
	});
	route(app, "DELETE", "/v1/tokens/:id", personRoute(rooms, "any"), {
		operationId: "revokeToken",
		summary: "Revokes a token and all that it made",
		tags: ["people"],
		answers: { 200: tombstoneSchema },
		run: async ({ person, params, by }) => {
			await revokeToken(rooms.apps, person, params.id, by);
			return deleted("token", params.id);
		},
	});
}
