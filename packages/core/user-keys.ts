import { Failure, invalid } from "./failure.ts";
import { isId, newId } from "./ids.ts";
import type { By } from "./people.ts";
import type { UserKeyStore, UserPage } from "./ports-users.ts";
import { mintSecret } from "./secrets.ts";

/* Keys that people make for their own storage in an App. They read; writing is the App's business (specification, "Authentication" 2). */

export interface UserKey {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly permissions: ReadonlySet<"read" | "write">;
	readonly prefix: string;
	readonly last4: string;
	/** Account id. */
	readonly createdBy: string;
	readonly createdMs: number;
	readonly lastUsedMs: number | null;
	readonly expiresMs: number | null;
	readonly revokedMs: number | null;
	readonly revokeReason: string | null;
}

/** Reads, and nothing else. */
export interface NewUserKey {
	readonly id: string;
	readonly name: string;
	readonly appId: string;
	readonly accountPk: number;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly prefix: string;
	readonly last4: string;
}

export interface UserKeyDeps {
	readonly userKeys: UserKeyStore;
	readonly mode: "test" | "live";
}

/** Whose, and for their storage in which App. */
export interface UserKeyPlace {
	readonly account: { readonly pk: number };
	readonly appId: string;
}

/** Keys that still work, for one person in one App. */
const USER_KEYS_MAX = 20;
const ALL = 1_000;

export interface MadeUserKey {
	readonly key: UserKey;
	/** Shown once. */
	readonly secret: string;
}

/** @throws Failure not_found unless connected to this App, validation_error under `name` when there are too many keys */
export async function createUserKey(
	deps: UserKeyDeps,
	{ account, appId }: UserKeyPlace,
	name: string,
	by: By,
): Promise<MadeUserKey> {
	if (!isId("app", appId)) throw new Failure("not_found");
	const { secret, hash, prefix, last4 } = await mintSecret(deps.mode === "live" ? "svc_live_" : "svc_test_");
	const wanted = { id: newId("key"), name, appId, accountPk: account.pk, hash, prefix, last4 };
	const key = await deps.userKeys.create(wanted, USER_KEYS_MAX, by);
	if (key === "not_connected") throw new Failure("not_found");
	if (key === "full") throw invalid("name", `cannot be given: you hold ${USER_KEYS_MAX} keys here already; revoke one`);
	return { key, secret };
}

/** Newest first, revoked ones too. Empty where the person has no storage. */
export async function listUserKeys(
	deps: Pick<UserKeyDeps, "userKeys">,
	{ account, appId }: UserKeyPlace,
	page: Omit<UserPage, "email"> = { limit: ALL },
): Promise<readonly UserKey[]> {
	return isId("app", appId) ? await deps.userKeys.list(appId, account.pk, page) : [];
}

/** For good. @throws Failure not_found for a key that is not theirs, or does not work any more */
export async function revokeUserKey(
	deps: Pick<UserKeyDeps, "userKeys">,
	{ account, appId }: UserKeyPlace,
	keyId: string,
	by: By,
): Promise<void> {
	const revoked =
		isId("app", appId) && isId("key", keyId) && (await deps.userKeys.revoke(appId, account.pk, keyId, by));
	if (!revoked) throw new Failure("not_found");
}
