import { requireSession } from "@svc/core/people";
import { createUserKey, listUserKeys, revokeUserKey, type UserKeyPlace } from "@svc/core/user-keys";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { answers, jsonBody } from "./document.ts";
import { readInput } from "./input.ts";
import { keyName } from "./key-name.ts";
import { encodeManagedKey, madeKeySchema, managedKeySchema } from "./key-object.ts";
import { listPage, listSchema } from "./page.ts";
import { type PersonCall, personRoute } from "./person.ts";
import { deleted, tombstoneSchema } from "./tombstone.ts";

const entries = {
	name: keyName,
	permissions: v.optional(
		v.pipe(
			v.strictTuple([v.literal("read", 'must be "read"')], 'must be ["read"]: users\' own keys read and nothing else'),
			v.metadata({ jsonSchema: { type: "array", items: { const: "read" }, minItems: 1, maxItems: 1 } }),
		),
	),
};

/** A person's own keys for their storage in one App. */
export function userKeys(app: Elysia, deps: ApiDeps): void {
	const path = "/v1/me/connections/:app/keys";
	app.get(
		path,
		personRoute(deps, "any", (call) => list(deps, call)),
		{
			detail: {
				operationId: "listUserKeys",
				summary: "One's own keys for one's images in an App",
				tags: ["me"],
				...answers(200, listSchema(managedKeySchema)),
			},
		},
	);
	app.post(
		path,
		personRoute(deps, "any", (call) => create(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "createUserKey",
				summary: "A key that reads one's own images in an App; its secret is shown once",
				tags: ["me"],
				...jsonBody(v.object(entries)),
				...answers(201, madeKeySchema),
			},
		},
	);
	app.delete(
		`${path}/:key`,
		personRoute(deps, "any", (call) => revoke(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "revokeUserKey",
				summary: "Revokes one of one's own keys, for good",
				tags: ["me"],
				...answers(200, tombstoneSchema("key")),
			},
		},
	);
}

/** Keys outlive what a token may do: only a session lists, makes and revokes them. */
function placeOf({ person, params }: PersonCall): UserKeyPlace {
	requireSession(person);
	return { account: person.account, appId: params.app ?? "" };
}

async function list(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const place = placeOf(call);
	return await listPage(deps, call, {
		scope: call.person.account.id,
		find: (page) => listUserKeys(deps, place, page),
		encode: (key) => encodeManagedKey({ ...key, reach: "user" }),
	});
}

async function create(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const place = placeOf(call);
	const { name } = await readInput(call, entries);
	const { key, secret } = await createUserKey(deps, place, name, call.by);
	return { status: 201, body: { ...encodeManagedKey({ ...key, reach: "user" }), secret } };
}

async function revoke(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const id = call.params.key ?? "";
	await revokeUserKey(deps, placeOf(call), id, call.by);
	return deleted("key", id);
}
