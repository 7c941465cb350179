import { KEY_REACHES, type KeyReach, type Permission } from "@svc/base/enumerations";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import { permission } from "./key-fields.ts";

/** What every key shows of itself, to whoever may see it. */
interface ShownKey {
	readonly id: string;
	readonly name: string;
	readonly reach: KeyReach;
	readonly permissions: ReadonlySet<Permission>;
	readonly prefix: string;
	readonly last4: string;
	readonly createdMs: number;
	readonly lastUsedMs: number | null;
	readonly expiresMs: number | null;
}

/** What its team, or the person whose it is, sees besides. */
interface ManagedKey extends ShownKey {
	readonly createdBy: string;
	readonly revokedMs: number | null;
	readonly revokeReason: string | null;
	/** Left out where keys are not rotated. */
	readonly replacedBy?: string | null;
}

export const keyEntries = {
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
export const madeKeySchema = named("NewKey", v.object({ ...managedEntries, secret: v.string() }));

export function encodeKey(key: ShownKey): v.InferOutput<typeof shownSchema> {
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
