import type { AppPlan, KeyReach, Permission, StorageKind, StorageState, Tier } from "@svc/base/enumerations";

export interface App {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly plan: AppPlan;
	/** The same where the service sells tiers: that of the App's own storage. */
	readonly tier: Tier;
	/** Null: the plan's own limit. */
	readonly imagesLimit: number | null;
	readonly usersLimit: number | null;
	/** Whether it limits what the storages of its users hold, by their plans or without one. */
	readonly limitsUsers: boolean;
	readonly paused: boolean;
	readonly blocked: boolean;
}

export interface Storage {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly kind: StorageKind;
	readonly state: StorageState;
	readonly tier: Tier;
	/** The visibility of an image whose create names none, where images have a visibility. */
	readonly publicByDefault: boolean;
}

export interface KeyRecord extends Caller {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly reach: KeyReach;
	readonly permissions: ReadonlySet<Permission>;
	/** First characters of the secret, up to the random part, and its last four: enough to recognise, not to use. */
	readonly prefix: string;
	readonly last4: string;
	readonly createdMs: number;
	readonly lastUsedMs: number | null;
	readonly expiresMs: number | null;
	readonly revokedMs: number | null;
	readonly app: App;
	/** The storage that the key reaches without a selected user. */
	readonly storage: Storage;
}

/** The caller of an image route: a key, a member of the App's team, or an anonymous client. */
interface Caller {
	/** Tells callers apart for rate limits. */
	readonly pk: number | string;
	/** Public id, for the audit. */
	readonly id: string;
	/** `team`: a person with a role in the App; `anonymous`: a caller without a key. */
	readonly reach: KeyReach | "team" | "anonymous";
	readonly permissions: ReadonlySet<Permission>;
}

/** The caller, and the storage that the call is about. */
export interface Access {
	readonly caller: Caller;
	readonly app: App;
	readonly storage: Storage;
	/** The request that is being answered, for the audit. */
	readonly requestId?: string;
	/**
	 * Asks once more whether this caller may make this call, after a commit found that they may not.
	 * @throws Failure what a caller who starts now would be told
	 */
	readonly again?: () => Promise<Access>;
	/** Writes into the audit that a person of the team looks into this user's storage: awaited before they see anything. */
	readonly noteOpened?: () => Promise<void>;
}
