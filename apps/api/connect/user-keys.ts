import type { UserKey, UserKeyPlace } from "@svc/connect/user-key";
import { createUserKey, listUserKeys, READS, revokeUserKey, type UserKeyRequest } from "@svc/connect/user-keys";
import { listOf } from "@svc/variants/bounds";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { encodeManagedKey, keyName, madeKeySchema, managedKeySchema } from "../keys/key.ts";
import { readInput } from "../kit/body/body.ts";
import { created } from "../kit/call.ts";
import { type PersonCall, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const READS_RULE = 'must be ["read"]: users\' own keys read and nothing else';

const entries = {
	name: keyName,
	permissions: v.optional(listOf(v.literal("read", READS_RULE), READS_RULE, { min: 1, max: 1 })),
};

/** A person's own keys for their storage in one App. */
export function userKeys(app: Elysia, rooms: ApiRooms): void {
	const path = "/v1/me/connections/:app/keys";
	const appOf = ({ params }: PersonCall) => params.app ?? "";
	personKeys(app, rooms, {
		path,
		operations: {
			list: { operationId: "listUserKeys", summary: "One's own keys for one's images in an App" },
			revoke: { operationId: "revokeUserKey", summary: "Revokes one of one's own keys, for good" },
		},
		appOf,
	});
	personKeyRoute(app, rooms, {
		path,
		operation: {
			operationId: "createUserKey",
			summary: "A key that reads one's own images in an App; its secret is shown once",
		},
		body: entries,
		read: async (call) => ({ ...READS, name: (await readInput(call, entries)).name }),
		appOf,
	});
}

/**
 * Keys to a person's own storage, outside of every App. Those that people hold keep working when a deployment moves on to another
 * interface, so they are listed and revoked everywhere.
 */
export function ownKeys(app: Elysia, rooms: ApiRooms): void {
	personKeys(app, rooms, {
		path: "/v1/me/keys",
		operations: {
			list: { operationId: "listOwnKeys", summary: "One's own keys for one's own storage" },
			revoke: { operationId: "revokeOwnKey", summary: "Revokes a key to one's own storage, for good" },
		},
		appOf: () => null,
	});
}

interface Operation {
	readonly operationId: string;
	readonly summary: string;
}

interface PersonKeys {
	readonly path: string;
	readonly operations: Readonly<Record<"list" | "revoke", Operation>>;
	/** Null for a storage outside of every App. */
	appOf(call: PersonCall): UserKeyPlace["appId"];
}

const TAGS = ["me"];
const encode = (key: UserKey) => encodeManagedKey({ ...key, reach: "user" });

function placeOf(call: PersonCall, { appOf }: Pick<PersonKeys, "appOf">): UserKeyPlace {
	return { account: call.person.account, appId: appOf(call) };
}

/** The routes by which people list and revoke keys to a storage of theirs. Keys outlive what a token may do: only a session reaches them. */
function personKeys(app: Elysia, rooms: ApiRooms, { path, operations, ...keys }: PersonKeys): void {
	const guard = sessionRoute(rooms);
	list(app, rooms, path, guard, {
		...operations.list,
		tags: TAGS,
		of: managedKeySchema,
		scope: (call) => call.person.account.id,
		find: (page, call) => listUserKeys(rooms.connect, placeOf(call, keys), page),
		encode,
	});
	route(app, "DELETE", `${path}/:key`, guard, {
		...operations.revoke,
		tags: TAGS,
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			const { key = "" } = call.params;
			await revokeUserKey(rooms.connect, placeOf(call, keys), key, call.by);
			return deleted("key", key);
		},
	});
}

interface NewPersonKey extends Pick<PersonKeys, "path" | "appOf"> {
	readonly operation: Operation;
	/** The fields of a create, for the API document. */
	readonly body: v.ObjectEntries;
	read(call: PersonCall): Promise<UserKeyRequest>;
}

/** The route by which people make a key to a storage of theirs. */
export function personKeyRoute(app: Elysia, rooms: ApiRooms, { path, operation, body, ...keys }: NewPersonKey): void {
	route(app, "POST", path, sessionRoute(rooms), {
		...operation,
		tags: TAGS,
		body,
		answers: { 201: madeKeySchema },
		run: async (call) => {
			const { key, secret } = await createUserKey(rooms.connect, placeOf(call, keys), await keys.read(call), call.by);
			return created({ ...encode(key), secret });
		},
	});
}
