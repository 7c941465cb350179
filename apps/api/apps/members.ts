import { changeRole, type Member, removeMember } from "@svc/apps/team/members";
import { GIVABLE_ROLES, ROLES } from "@svc/base/enumerations";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { readFlag } from "../kit/page.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

export const memberRole = oneOf("Role", ROLES);

/** The roles that a member can get; ownership is transferred instead. */
export const grantedRole = oneOf("GrantedRole", GIVABLE_ROLES);

import * as v from "valibot";

const changing = {
	role: grantedRole,
	revoke_keys: v.optional(v.boolean("must be true or false"), false),
};

export const memberSchema = named(
	"Member",
	v.object({
		id: about(v.string(), "The account's id."),
		object: v.literal("member"),
		account_id: v.string(),
		email: v.string(),
		role: memberRole,
		created_at: dateTime,
	}),
);

export function encodeMember(member: Member): v.InferOutput<typeof memberSchema> {
	return {
		id: member.accountId,
		object: "member",
		account_id: member.accountId,
		email: member.email,
		role: member.role,
		created_at: isoDate(member.createdMs),
	};
}

const tags = ["members"];
const PATH = "/v1/apps/:id/members";

export function members(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, PATH, appRoute(rooms, "apps:read", "viewer"), {
		operationId: "listMembers",
		summary: "The App's team",
		tags,
		of: memberSchema,
		find: (page, call) => rooms.apps.members.list(call.app.pk, page),
		encode: encodeMember,
	});
	route(app, "PATCH", `${PATH}/:member`, appRoute(rooms, "apps:write", "admin"), {
		operationId: "changeMember",
		summary: "Gives a member another role; below Admin their keys are revoked, which revoke_keys must allow",
		tags,
		body: changing,
		answers: { 200: memberSchema },
		run: async (call) => {
			const { role, revoke_keys: revokeKeys } = await call.input();
			const member = await changeRole(rooms.apps, call, call.params.member, { role, revokeKeys });
			return ok(encodeMember(member));
		},
	});
	route(app, "DELETE", `${PATH}/:member`, appRoute(rooms, "apps:write", "viewer"), {
		operationId: "removeMember",
		summary: "Takes somebody out of the team, oneself included; revoke_keys allows that their keys are revoked",
		tags,
		parameters: [{ name: "revoke_keys", in: "query", schema: { type: "boolean" } }],
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			const id = call.params.member;
			await removeMember(rooms.apps, call, id, readFlag(call.url.searchParams, "revoke_keys"));
			return deleted("member", id);
		},
	});
}
