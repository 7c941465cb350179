import { changeRole, type Member, removeMember } from "@svc/apps/members";
import { GIVABLE_ROLES, ROLES } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute } from "../kit/person.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const changing = {
	role: v.picklist(GIVABLE_ROLES, `must be one of ${GIVABLE_ROLES.join(", ")}`),
	revoke_keys: v.optional(v.boolean("must be true or false"), false),
};

export const memberSchema = v.object({
	/** The account's. */
	id: v.string(),
	object: v.literal("member"),
	account_id: v.string(),
	email: v.string(),
	role: v.picklist(ROLES),
	created_at: v.string(),
});

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

export function members(app: Elysia, deps: ApiDeps): void {
	app.get(
		PATH,
		appRoute(deps, { scope: "apps:read", role: "viewer" }, (call) =>
			listPage(deps, call, { find: (page) => deps.members.list(call.app.pk, page), encode: encodeMember }),
		),
		{
			detail: {
				operationId: "listMembers",
				summary: "The App's team",
				tags,
				...answers(200, listSchema(memberSchema)),
			},
		},
	);
	app.patch(
		`${PATH}/:member`,
		appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
			const { role, revoke_keys: revokeKeys } = await readInput(call, changing);
			const member = await changeRole(deps, call, call.params.member ?? "", { role, revokeKeys });
			return { status: 200, body: encodeMember(member) };
		}),
		{
			parse: "none",
			detail: {
				operationId: "changeMember",
				summary: "Gives a member another role; below Admin their keys are revoked, which revoke_keys must allow",
				tags,
				...jsonBody(v.object(changing)),
				...answers(200, memberSchema),
			},
		},
	);
	app.delete(
		`${PATH}/:member`,
		appRoute(deps, { scope: "apps:write", role: "viewer" }, async (call) => {
			const id = call.params.member ?? "";
			await removeMember(deps, call, id, readFlag(call.url.searchParams, "revoke_keys"));
			return deleted("member", id);
		}),
		{
			parse: "none",
			detail: {
				operationId: "removeMember",
				summary: "Takes somebody out of the team, oneself included; revoke_keys allows that their keys are revoked",
				tags,
				parameters: [{ name: "revoke_keys", in: "query", schema: { type: "boolean" } }],
				...answers(200, tombstoneSchema("member")),
			},
		},
	);
}

function readFlag(params: URLSearchParams, name: string): boolean {
	const sent = params.get(name);
	if (sent !== null && sent !== "true" && sent !== "false") throw invalid(name, "must be true or false");
	return sent === "true";
}
