import type { AppPlan } from "./plans.ts";

export type Permission = "read" | "write";

/** `app` reaches the App storage and, with a selected user, theirs; `bucket` the App storage; `user` its own. */
export type KeyReach = "app" | "bucket" | "user";

export interface App {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly plan: AppPlan;
	/** Null: the plan's own limit. */
	readonly imagesLimit: number | null;
	readonly usersLimit: number | null;
	readonly paused: boolean;
	readonly blocked: boolean;
}

export interface Storage {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly state: "active" | "deleting";
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
	/** What the key reaches without a selected user. */
	readonly storage: Storage;
}

/** Who calls, as far as images are concerned: a key, or a member of the App's team. */
export interface Caller {
	/** Tells callers apart for rate limits. */
	readonly pk: number | string;
	/** Public id, for the audit. */
	readonly id: string;
	/** `team`: a person with a role in the App. */
	readonly reach: KeyReach | "team";
	readonly permissions: ReadonlySet<Permission>;
}

/** Who calls, and which storage the call is about. */
export interface Access {
	readonly caller: Caller;
	readonly app: App;
	readonly storage: Storage;
}
