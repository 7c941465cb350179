import { acceptInvite, createInvite, deleteInvite, type ShownInvite } from "@svc/apps/invites";
import { GIVABLE_ROLES } from "@svc/base/enumerations";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute, personRoute } from "../kit/person.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { encodeMember, memberSchema } from "./members.ts";

const inviting = {
	email: v.pipe(v.string("must be a string"), v.metadata({ jsonSchema: { type: "string", format: "email" } })),
	role: v.picklist(GIVABLE_ROLES, `must be one of ${GIVABLE_ROLES.join(", ")}`),
};
const accepting = { token: v.string("must be a string") };

const fields = {
	id: v.string(),
	object: v.literal("invite"),
	email: v.string(),
	role: v.picklist(GIVABLE_ROLES),
	expires_at: v.string(),
	created_at: v.string(),
};
const inviteSchema = v.object(fields);
const newInviteSchema = v.object({ ...fields, token: v.string() });

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

const tags = ["members"];
const PATH = "/v1/apps/:id/invites";

export function invites(app: Elysia, deps: ApiDeps): void {
	app.get(
		PATH,
		appRoute(deps, { scope: "apps:read", role: "admin" }, (call) =>
			listPage(deps, call, {
				find: (page) => deps.invites.list(call.app.pk, page),
				encode: (row) => encodeInvite(row),
			}),
		),
		{
			detail: {
				operationId: "listInvites",
				summary: "Invites that nobody has accepted, expired ones too",
				tags,
				...answers(200, listSchema(inviteSchema)),
			},
		},
	);
	app.post(
		PATH,
		appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
			const { invite, token } = await createInvite(deps, call, await readInput(call, inviting));
			const body: v.InferOutput<typeof newInviteSchema> = { ...encodeInvite(invite), token };
			return { status: 201, body };
		}),
		{
			parse: "none",
			detail: {
				operationId: "createInvite",
				summary: "Invites somebody by mail, for 7 days; an open invite of the same address is replaced",
				tags,
				...jsonBody(v.object(inviting)),
				...answers(201, newInviteSchema),
			},
		},
	);
	app.delete(
		`${PATH}/:invite`,
		appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
			await deleteInvite(deps, call, call.params.invite ?? "");
			return deleted("invite", call.params.invite ?? "");
		}),
		{
			parse: "none",
			detail: {
				operationId: "deleteInvite",
				summary: "Takes an invite back",
				tags,
				...answers(200, tombstoneSchema("invite")),
			},
		},
	);
	app.post(
		"/v1/invites/:id/accept",
		personRoute(deps, "apps:write", async (call) => {
			const { token } = await readInput(call, accepting);
			const member = await acceptInvite(deps, call.person, call.params.id ?? "", token, call.by);
			return { status: 200, body: encodeMember(member) };
		}),
		{
			parse: "none",
			detail: {
				operationId: "acceptInvite",
				summary: "Joins the team that one was invited to, by the token of the invite",
				tags,
				...jsonBody(v.object(accepting)),
				...answers(200, memberSchema),
			},
		},
	);
}
