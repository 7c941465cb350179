import {
	createUserKey,
	listUserKeys,
	READS,
	revokeUserKey,
	type UserKeyPlace,
	type UserKeyRequest,
} from "@svc/connect/user-keys";
import { requireSession } from "@svc/people/people";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { keyName } from "../keys/key-name.ts";
import { encodeManagedKey, madeKeySchema, managedKeySchema } from "../keys/key-object.ts";
import type { Answer } from "../kit/call.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { type PersonCall, personRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

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
export function userKeys(app: Elysia, rooms: ApiRooms): void {
	personKeys(app, rooms, {
		path: "/v1/me/connections/:app/keys",
		mayCreate: true,
		operations: {
			list: { operationId: "listUserKeys", summary: "One's own keys for one's images in an App" },
			create: {
				operationId: "createUserKey",
				summary: "A key that reads one's own images in an App; its secret is shown once",
			},
			revoke: { operationId: "revokeUserKey", summary: "Revokes one of one's own keys, for good" },
		},
		body: entries,
		read: async (call) => ({ ...READS, name: (await readInput(call, entries)).name }),
		appOf: ({ params }) => params.app ?? "",
	});
}

interface Operation {
	readonly operationId: string;
	readonly summary: string;
}

interface PersonKeys {
	readonly path: string;
	/** Where not, those that were made before are still listed and revoked. */
	readonly mayCreate: boolean;
	readonly operations: Readonly<Record<"list" | "create" | "revoke", Operation>>;
	/** What a create takes, for the API document. */
	readonly body: v.ObjectEntries;
	read(call: PersonCall): Promise<UserKeyRequest>;
	/** Null: a storage outside of every App. */
	appOf(call: PersonCall): UserKeyPlace["appId"];
}

/** The routes by which people list, make and revoke keys to a storage of theirs. */
export function personKeys(app: Elysia, rooms: ApiRooms, keys: PersonKeys): void {
	const { path, operations, body } = keys;
	const guard = personRoute(rooms, "any");
	const tags = ["me"];
	route(app, "GET", path, guard, {
		...operations.list,
		tags,
		answers: { 200: listSchema(managedKeySchema) },
		run: (call) => list(rooms, keys, call),
	});
	if (keys.mayCreate) {
		route(app, "POST", path, guard, {
			...operations.create,
			tags,
			body,
			answers: { 201: madeKeySchema },
			run: (call) => create(rooms, keys, call),
		});
	}
	route(app, "DELETE", `${path}/:key`, guard, {
		...operations.revoke,
		tags,
		answers: { 200: tombstoneSchema },
		run: (call) => revoke(rooms, keys, call),
	});
}

/** Keys outlive what a token may do: only a session lists, makes and revokes them. */
function placeOf({ appOf }: PersonKeys, call: PersonCall): UserKeyPlace {
	requireSession(call.person);
	return { account: call.person.account, appId: appOf(call) };
}

async function list(rooms: ApiRooms, keys: PersonKeys, call: PersonCall): Promise<Answer> {
	const place = placeOf(keys, call);
	return await listPage(rooms, call, {
		scope: call.person.account.id,
		find: (page) => listUserKeys(rooms.connect, place, page),
		encode: (key) => encodeManagedKey({ ...key, reach: "user" }),
	});
}

async function create(rooms: ApiRooms, keys: PersonKeys, call: PersonCall): Promise<Answer> {
	const place = placeOf(keys, call);
	const { key, secret } = await createUserKey(rooms.connect, place, await keys.read(call), call.by);
	return { status: 201, body: { ...encodeManagedKey({ ...key, reach: "user" }), secret } };
}

async function revoke(rooms: ApiRooms, keys: PersonKeys, call: PersonCall): Promise<Answer> {
	const id = call.params.key ?? "";
	await revokeUserKey(rooms.connect, placeOf(keys, call), id, call.by);
	return deleted("key", id);
}
