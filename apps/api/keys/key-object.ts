import { KEY_REACHES, type KeyReach, PERMISSIONS, type Permission } from "@svc/base/enumerations";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

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
	/** `app`: App-wide; `bucket`: the App storage alone; `user`: one connected user's storage. */
	reach: v.picklist(KEY_REACHES),
	permissions: v.array(v.picklist(PERMISSIONS)),
	prefix: v.string(),
	last4: v.string(),
	created_at: v.string(),
	last_used_at: v.nullable(v.string()),
	expires_at: v.nullable(v.string()),
};
const shownSchema = v.object(keyEntries);

const managedEntries = {
	...keyEntries,
	/** Account id; of an App's key only this person changes and rotates it. */
	created_by: v.string(),
	revoked_at: v.nullable(v.string()),
	revoke_reason: v.nullable(v.string()),
	/** Id of the key that a rotation made. */
	replaced_by: v.nullable(v.string()),
};
export const managedKeySchema = v.object(managedEntries);
/** The one answer that holds the secret. */
export const madeKeySchema = v.object({ ...managedEntries, secret: v.string() });

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
