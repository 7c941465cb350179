import type { Elysia } from "elysia";
import * as v from "valibot";
import { keyExpiry, keyPermissions } from "../keys/key-fields.ts";
import { keyName } from "../keys/key-name.ts";
import { readInput } from "../kit/input.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { personKeys } from "./user-keys.ts";

const entries = {
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
		body: entries,
		async read(call) {
			const { name, permissions, expires_at: expiresMs = null } = await readInput(call, entries);
			return { name, permissions: new Set(permissions), expiresMs };
		},
		appOf: () => null,
	});
}
