import type { KeyRecord } from "@svc/apps/access";
import { nameFault } from "@svc/apps/profile/app-names";
import { KEY_REACHES, PERMISSIONS } from "@svc/base/enumerations";
import { date } from "@svc/images/image-fields";
import { listOf, text } from "@svc/variants/bounds";
import { about, dateTime, named, oneOf, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference, encodeReference } from "../apps/app-reference.ts";
import { keyRoute, ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const MAX = 100;

/** The name of a key. */
export const keyName = v.pipe(
	text(10 * MAX, `must have 1 to ${MAX} characters`),
	// Comes before the transforms: the document describes what is sent.
	v.metadata({ jsonSchema: { type: "string", minLength: 1, maxLength: MAX } }),
	v.transform((typed) => typed.trim().normalize("NFC")),
	v.check(
		(typed) => nameFault(typed, MAX) === undefined,
		({ input }) => nameFault(String(input), MAX) ?? "",
	),
);

const PERMISSIONS_RULE = "must hold read, write or both";

const permission = named("Permission", v.picklist(PERMISSIONS, PERMISSIONS_RULE));

/** The permissions of a key. */
export const keyPermissions = listOf(permission, PERMISSIONS_RULE, { min: 1, max: PERMISSIONS.length });

/** When a key ends by itself; null for never. */
export const keyExpiry = v.optional(v.nullable(date));

/** The fields of a key for every caller who may see the key. */
type ShownKey = Pick<
	KeyRecord,
	"id" | "name" | "reach" | "permissions" | "prefix" | "last4" | "createdMs" | "lastUsedMs" | "expiresMs"
>;

/** Further fields, for the App's team or for the person who owns the key. */
interface ManagedKey extends ShownKey {
	readonly createdBy: string;
	readonly revokedMs: number | null;
	readonly revokeReason: string | null;
	/** Left out where keys are not rotated. */
	readonly replacedBy?: string | null;
}

const keyEntries = {
	id: v.string(),
	object: v.literal("key"),
	name: v.string(),
	reach: about(
		oneOf("KeyReach", KEY_REACHES),
		"`app`: App-wide; `bucket`: the App storage alone; `user`: one connected user's storage.",
	),
	permissions: v.array(permission),
	prefix: v.string(),
	last4: v.string(),
	created_at: dateTime,
	last_used_at: v.nullable(dateTime),
	expires_at: about(v.nullable(dateTime), "Null: until revoked."),
};
const shownSchema = v.object(keyEntries);

const managedEntries = {
	...keyEntries,
	created_by: about(v.string(), "Id of an account; of an App's key only this person changes and rotates it."),
	revoked_at: v.nullable(dateTime),
	revoke_reason: v.nullable(v.string()),
	replaced_by: about(v.nullable(v.string()), "Id of the key that a rotation made."),
};
export const managedKeySchema = named(
	"ManagedKey",
	v.object(managedEntries),
	"A key as its App's team, or the person whose it is, sees it.",
);
/** The one answer that holds the secret. */
export const madeKeySchema = named("NewKey", v.object({ ...managedEntries, secret: shownOnce() }));

function encodeKey(key: ShownKey): v.InferOutput<typeof shownSchema> {
	return {
		id: key.id,
		object: "key",
		name: key.name,
		reach: key.reach,
		permissions: [...key.permissions].sort(),
		prefix: key.prefix,
		last4: key.last4,
		created_at: isoDate(key.createdMs),
		last_used_at: isoDate(key.lastUsedMs),
		expires_at: isoDate(key.expiresMs),
	};
}

export function encodeManagedKey(key: ManagedKey): v.InferOutput<typeof managedKeySchema> {
	return {
		...encodeKey(key),
		created_by: key.createdBy,
		revoked_at: isoDate(key.revokedMs),
		revoke_reason: key.revokeReason,
		replaced_by: key.replacedBy ?? null,
	};
}

const keySchema = named(
	"Key",
	v.object({
		...keyEntries,
		app: appReference,
		web_url: about(v.string(), "Where the service's own pages are, on which people sign in and buy."),
	}),
	"An API key as it may be shown: enough to recognise it, not to use it.",
);

export function key(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/key", keyRoute(rooms, "any"), {
		operationId: "getKey",
		summary: "The key that makes this call: its reach, permissions and App",
		tags: ["keys"],
		answers: { 200: keySchema },
		run: async ({ access: { key: record, app } }) =>
			ok({ ...encodeKey(record), app: encodeReference(app), web_url: rooms.addresses.web }),
	});
}
