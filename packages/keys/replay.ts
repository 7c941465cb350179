export type Digest = Uint8Array<ArrayBuffer>;

/** A POST under an Idempotency-Key; hashes only. */
export interface KeyedPost {
	/** Of the scope, the method, the path and the key. */
	readonly hash: Digest;
	/** The hash that a release before this one has for it, and for calls about other Apps and storages too. */
	readonly formerHash?: Digest | undefined;
	/** Of the body as it was understood. */
	readonly fingerprint: Digest;
	/** The public id of the account or App that sent it. */
	readonly caller: string;
}

export interface ReplayClaim extends KeyedPost {
	/** The request that answers it. */
	readonly requestId: string;
}

export interface KeptAnswer {
	readonly status: number;
	/** JSON, without the secrets that are shown once. */
	readonly body: string;
}

/** What is known about a key that was seen before. */
export interface KeptPost {
	readonly fingerprint: Uint8Array;
	/** The one that the audit has with its change. */
	readonly requestId: string;
	/** Its change is kept. */
	readonly changed: boolean;
	readonly leaseMs: number;
	/** The process that answers it is dead, so that its lease does not count. */
	readonly isAbandoned: boolean;
	readonly expiresMs: number;
	readonly answer: KeptAnswer | undefined;
}

export const REPLAY_LEASE_MS = 60_000;

export const REPLAY_KEPT_MS = 24 * 3_600_000;

/** The fingerprint of a row that only keeps a release before this one from a key: no body has it, so that it answers 409. */
export const FOREIGN = new Uint8Array(32);
