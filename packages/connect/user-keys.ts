import type { Actor } from "@svc/base/actor";
import { mintSecret } from "@svc/base/crypto/secrets";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId, newTeamHash } from "@svc/base/ids";
import type { KeyRequest } from "@svc/keys/app-key";
import { refuseExpiry } from "@svc/keys/app-keys";
import type { UserPage } from "./connected-user.ts";
import type { Connect } from "./room.ts";
import type { NewOwnStorage, UserKey, UserKeyPlace } from "./user-key.ts";

/*
 * Keys that people make for their own storages. In an App they read; writing is the App's business (specification, "Authentication" 2).
 * Where people have a storage outside of every App, keys to it may write as well.
 */

export type UserKeyRequest = Omit<KeyRequest, "reach">;

/** A person's own key in an App can only read. */
export const READS: Omit<UserKeyRequest, "name"> = { permissions: new Set(["read"]), expiresMs: null };

/** The most live keys of one person in one place. */
const USER_KEYS_MAX = 20;
const ALL = 1_000;

export interface MadeUserKey {
	readonly key: UserKey;
	/** Shown once. */
	readonly secret: string;
}

/**
 * The first key to a person's own storage makes that storage; in an App a connection is required.
 * @throws Failure not_found unless connected to this App, validation_error under `name` when there are too many keys, and under
 * `expires_at`
 */
export async function createUserKey(
	room: Connect,
	place: UserKeyPlace,
	request: UserKeyRequest,
	by: Actor,
): Promise<MadeUserKey> {
	if (!isPlace(place)) throw new Failure("not_found");
	refuseExpiry(request.expiresMs, by.nowMs);
	const { secret, hash, prefix, last4 } = await mintSecret(room.userKeyPrefix);
	const opening = place.appId === null ? newOwnStorage(room) : null;
	const wanted = { ...request, id: newId("key"), hash, prefix, last4, opening };
	const key = await room.userKeys.create(place, wanted, USER_KEYS_MAX, by);
	if (key === "not_connected") throw new Failure("not_found");
	if (key === "full") throw invalid("name", `cannot be given: you hold ${USER_KEYS_MAX} keys here already; revoke one`);
	return { key, secret };
}

function newOwnStorage({ consentVersion }: Connect): NewOwnStorage {
	return {
		storageId: newId("sto"),
		teamHash: newTeamHash(),
		connectionId: newId("con"),
		userId: newId("usr"),
		consentVersion,
	};
}

/**
 * Lists keys newest first, revoked ones too. Empty where the person has no storage of their own.
 * @throws Failure not_found for an App that they are not connected to
 */
export async function listUserKeys(
	room: Connect,
	place: UserKeyPlace,
	page: Omit<UserPage, "email"> = { limit: ALL },
): Promise<readonly UserKey[]> {
	if (!isPlace(place) || !(await room.userKeys.isHeld(place))) throw new Failure("not_found");
	return await room.userKeys.list(place, page);
}

/** Revokes for good. @throws Failure not_found for a key that is not theirs, or does not work any more */
export async function revokeUserKey(room: Connect, place: UserKeyPlace, keyId: string, by: Actor): Promise<void> {
	const revoked = isPlace(place) && isId("key", keyId) && (await room.userKeys.revoke(place, keyId, by));
	if (!revoked) throw new Failure("not_found");
}

function isPlace({ appId }: UserKeyPlace): boolean {
	return appId === null || isId("app", appId);
}
