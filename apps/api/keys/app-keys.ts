import { APP_KEY_REACHES } from "@svc/base/enumerations";
import { changeKey, createKey, getKey, type MadeKey, revokeKey, rotateKey } from "@svc/keys/app-keys";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { managedList } from "../apps/managed-list.ts";
import { created, ok } from "../kit/call.ts";
import { duration } from "../kit/dates.ts";
import { appRoute, requireRole } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { encodeManagedKey, keyExpiry, keyName, keyPermissions, madeKeySchema, managedKeySchema } from "./key.ts";

const creating = {
	name: keyName,
	reach: v.picklist(APP_KEY_REACHES, "must be app or bucket"),
	permissions: keyPermissions,
	expires_at: keyExpiry,
};
const changing = { name: v.optional(keyName), expires_at: keyExpiry };
const rotating = { old_expires_in: v.optional(duration({ minSeconds: 0, maxSeconds: 365 * 86_400 })) };

/** The one answer that holds the secret. */
function encodeMade({ key, secret }: MadeKey) {
	return { ...encodeManagedKey(key), secret };
}

const tags = ["keys"];
const one = { 200: managedKeySchema };
const PATH = "/v1/apps/:id/keys";

export function appKeys(app: Elysia, rooms: ApiRooms): void {
	managedList(app, rooms, [PATH, "key"], {
		...{ scope: "keys", tag: "keys", object: "key", of: managedKeySchema, encode: encodeManagedKey },
		list: ["listKeys", "The App's keys, revoked ones too"],
		find: (page, call) => rooms.keys.appKeys.list(call.app.pk, page),
		create: ["createKey", "Makes a key; its secret is shown once"],
		body: creating,
		made: madeKeySchema,
		make: async (call, { name, reach, permissions, expires_at: expiresMs = null }) => {
			const wanted = { name, reach, permissions: new Set(permissions), expiresMs };
			return encodeMade(await createKey(rooms.keys, call, wanted));
		},
		delete: ["revokeKey", "Revokes a key for good: its creator, Admins and the Owner can"],
		deletedBy: "viewer",
		remove: (call, id) => revokeKey(rooms.keys, call, id),
	});
	route(app, "GET", `${PATH}/:key`, appRoute(rooms, "keys:read", "viewer"), {
		operationId: "getAppKey",
		summary: "One of the App's keys",
		tags,
		answers: one,
		run: async (call) => ok(encodeManagedKey(await getKey(rooms.keys, call, call.params.key))),
	});
	changes(app, rooms);
}

function changes(app: Elysia, rooms: ApiRooms): void {
	route(app, "PATCH", `${PATH}/:key`, appRoute(rooms, "keys:write", "viewer"), {
		operationId: "changeKey",
		summary: "Renames a key or changes when it expires; only its creator can",
		tags,
		body: changing,
		answers: one,
		run: async (call) => {
			const { name, expires_at: expiresMs } = await call.input();
			return ok(encodeManagedKey(await changeKey(rooms.keys, call, call.params.key, { name, expiresMs })));
		},
	});
	route(app, "POST", `${PATH}/:key/rotate`, appRoute(rooms, "keys:write", "viewer"), {
		operationId: "rotateKey",
		summary: "Makes a successor; the old key works until it is revoked, or for old_expires_in. Only its creator can",
		tags,
		body: rotating,
		answers: { 201: madeKeySchema },
		again: (call) => requireRole(rooms, call, "admin"),
		run: async (call) => {
			const { old_expires_in: oldSeconds } = await call.input();
			return created(encodeMade(await rotateKey(rooms.keys, call, call.params.key, oldSeconds)));
		},
	});
}
