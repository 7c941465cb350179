import {
	createUserKey,
	listUserKeys,
	READS,
	revokeUserKey,
	type UserKey,
	type UserKeyPlace,
	type UserKeyRequest,
} from "@svc/connect/user-keys";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { encodeManagedKey, keyExpiry, keyName, keyPermissions, madeKeySchema, managedKeySchema } from "../keys/key.ts";
import { readInput } from "../kit/body.ts";
import { created } from "../kit/call.ts";
import { type PersonCall, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
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

const ownEntries = {
	name: keyName,
	permissions: v.optional(keyPermissions, ["read", "write"]),
	expires_at: keyExpiry,
};

/**
 * Keys to a person's own storage, outside of every App. They are made only where people have one; those that people hold keep working
 * when a deployment moves on to another interface, so they are listed and revoked everywhere.
 */
export function ownKeys(app: Elysia, rooms: ApiRooms): void {
	personKeys(app, rooms, {
		path: "/v1/me/keys",
		mayCreate: rooms.variant.access.personalStorages,
		operations: {
			list: { operationId: "listOwnKeys", summary: "One's own keys for one's own storage" },
			create: {
				operationId: "createOwnKey",
				summary: "A key to one's own storage, which the first one makes; its secret is shown once",
			},
			revoke: { operationId: "revokeOwnKey", summary: "Revokes a key to one's own storage, for good" },
		},
		body: ownEntries,
		async read(call) {
			const { name, permissions, expires_at: expiresMs = null } = await readInput(call, ownEntries);
			return { name, permissions: new Set(permissions), expiresMs };
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
	/** If false, keys that were made before are still listed and revoked. */
	readonly mayCreate: boolean;
	readonly operations: Readonly<Record<"list" | "create" | "revoke", Operation>>;
	/** The fields of a create, for the API document. */
	readonly body: v.ObjectEntries;
	read(call: PersonCall): Promise<UserKeyRequest>;
	/** Null for a storage outside of every App. */
	appOf(call: PersonCall): UserKeyPlace["appId"];
}

/**
 * The routes by which people list, make and revoke keys to a storage of theirs. Keys outlive what a token may do: only a session
 * reaches them.
 */
function personKeys(app: Elysia, rooms: ApiRooms, { path, operations, body, ...keys }: PersonKeys): void {
	const guard = sessionRoute(rooms);
	const tags = ["me"];
	const placeOf = (call: PersonCall): UserKeyPlace => ({ account: call.person.account, appId: keys.appOf(call) });
	const encode = (key: UserKey) => encodeManagedKey({ ...key, reach: "user" });
	list(app, rooms, path, guard, {
		...operations.list,
		tags,
		of: managedKeySchema,
		scope: (call) => call.person.account.id,
		find: (page, call) => listUserKeys(rooms.connect, placeOf(call), page),
		encode,
	});
	if (keys.mayCreate) {
		route(app, "POST", path, guard, {
			...operations.create,
			tags,
			body,
			answers: { 201: madeKeySchema },
			run: async (call) => {
				const { key, secret } = await createUserKey(rooms.connect, placeOf(call), await keys.read(call), call.by);
				return created({ ...encode(key), secret });
			},
		});
	}
	route(app, "DELETE", `${path}/:key`, guard, {
		...operations.revoke,
		tags,
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			const { key = "" } = call.params;
			await revokeUserKey(rooms.connect, placeOf(call), key, call.by);
			return deleted("key", key);
		},
	});
}
