import { acceptInvite, createInvite, deleteInvite, getOwnInvite, type ShownInvite } from "@svc/apps/team/invites";
import { text } from "@svc/variants/bounds";
import { dateTime, named, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { personRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { managedList } from "./managed-list.ts";
import { encodeMember, grantedRole, memberSchema } from "./members.ts";

const inviting = {
	email: v.pipe(
		text(1_000, "must be an e-mail address"),
		v.metadata({ jsonSchema: { type: "string", format: "email", maxLength: 254 } }),
	),
	role: grantedRole,
};
const accepting = { token: text(1_000) };

const fields = {
	id: v.string(),
	object: v.literal("invite"),
	email: v.string(),
	role: grantedRole,
	expires_at: dateTime,
	created_at: dateTime,
};
const inviteSchema = named("Invite", v.object(fields));
const newInviteSchema = named("NewInvite", v.object({ ...fields, token: shownOnce() }));

function encodeInvite(invite: ShownInvite): v.InferOutput<typeof inviteSchema> {
	return {
		id: invite.id,
		object: "invite",
		email: invite.email,
		role: invite.role,
		expires_at: isoDate(invite.expiresMs),
		created_at: isoDate(invite.createdMs),
	};
}

export function invites(app: Elysia, rooms: ApiRooms): void {
	managedList(app, rooms, ["/v1/apps/:id/invites", "invite"], {
		...{ scope: "apps", tag: "members", object: "invite", of: inviteSchema, encode: encodeInvite, listedBy: "admin" },
		list: ["listInvites", "Invites that nobody has accepted, expired ones too"],
		find: (page, call) => rooms.apps.invites.list(call.app.pk, page),
		create: ["createInvite", "Invites somebody by mail, for 7 days; an open invite of the same address is replaced"],
		body: inviting,
		made: newInviteSchema,
		make: async (call, sent) => {
			const { invite, token } = await createInvite(rooms.apps, call, sent);
			return { ...encodeInvite(invite), token };
		},
		delete: ["deleteInvite", "Takes an invite back"],
		remove: (call, id) => deleteInvite(rooms.apps, call, id),
	});
	route(app, "POST", "/v1/invites/:id/accept", personRoute(rooms, "apps:write"), {
		operationId: "acceptInvite",
		summary: "Joins the team that one was invited to, by the token of the invite",
		tags: ["members"],
		body: accepting,
		answers: { 200: memberSchema },
		again: async (call) => getOwnInvite(rooms.apps, call.person, call.params.id, (await call.input()).token),
		run: async (call) => {
			const { token } = await call.input();
			const member = await acceptInvite(rooms.apps, call.person, call.params.id, token, call.by);
			return ok(encodeMember(member));
		},
	});
}
