import { Failure } from "@svc/base/failure";
import type { Keys } from "./room.ts";

/* A POST under an Idempotency-Key: however often it is sent and wherever an attempt ends, its change happens once. */

type Digest = Uint8Array<ArrayBuffer>;

/** A POST under an Idempotency-Key; hashes only. */
export interface KeyedPost {
	/** Of the caller, the method, the path and the key. */
	readonly hash: Digest;
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

export type PostVerdict =
	/** The caller answers it, and says how it ended. */
	| { readonly act: "run"; readonly claim: ReplayClaim }
	| { readonly act: "replay"; readonly answer: KeptAnswer }
	/** Its change is kept, and its answer got lost. */
	| { readonly act: "rebuild"; readonly kept: KeptPost };

export const REPLAY_LEASE_MS = 60_000;
export const REPLAY_KEPT_MS = 24 * 3_600_000;
const RETRY_SECONDS = 2;
const CLAIM_TRIES = 4;

export async function keyedPost(
	caller: string,
	sent: { readonly path: string; readonly key: string; readonly body: unknown },
): Promise<KeyedPost> {
	const hash = await digest(JSON.stringify([caller, "POST", sent.path, sent.key]));
	return { hash, fingerprint: await digest(canonical(sent.body)), caller };
}

/**
 * Claims the key for a request, or says what became of the one that used it before. From then on the change of the request is kept
 * together with the claim or not at all, until {@link keepAnswer} or {@link dropClaim} is called.
 * @throws Failure idempotency_key_conflict, idempotency_key_in_progress
 */
export async function claimPost(room: Keys, post: KeyedPost, requestId: string): Promise<PostVerdict> {
	const claim = { ...post, requestId };
	for (let tries = 0; tries < CLAIM_TRIES; tries++) {
		const nowMs = room.clock.now();
		const kept = await room.replays.find(post.hash, nowMs);
		const known = kept && decide(kept, post, nowMs);
		if (known) return known;
		const claimed = kept ? await room.replays.takeOver(claim, kept, nowMs) : await room.replays.claim(claim, nowMs);
		if (claimed) return { act: "run", claim };
	}
	throw inProgress();
}

/** Undefined where the request that used it has ended without a change. */
function decide(kept: KeptPost, { fingerprint }: KeyedPost, nowMs: number): PostVerdict | undefined {
	if (!isSame(kept.fingerprint, fingerprint)) throw new Failure("idempotency_key_conflict");
	if (kept.answer) return { act: "replay", answer: kept.answer };
	if (!kept.isAbandoned && kept.leaseMs > nowMs) throw inProgress();
	return kept.changed ? { act: "rebuild", kept } : undefined;
}

/** The answer of the request is given again from now on. A change whose answer cannot be kept is not undone by that. */
export async function keepAnswer(room: Keys, claim: ReplayClaim, answer: KeptAnswer): Promise<void> {
	await ended(room, room.replays.finish(claim, answer, room.clock.now()));
}

/**
 * The request was not answered with success, so the same one may be sent again.
 * @param refused it has certainly changed nothing; otherwise a change that is kept goes on counting
 */
export async function dropClaim(room: Keys, claim: ReplayClaim, refused: boolean): Promise<void> {
	await ended(room, room.replays.release(claim, refused, room.clock.now()));
}

async function ended(room: Keys, work: Promise<void>): Promise<void> {
	// The lease ends by itself.
	await work.catch((cause: unknown) => room.log.warn("what became of an Idempotency-Key could not be kept", { cause }));
}

function inProgress(): Failure {
	return new Failure("idempotency_key_in_progress", undefined, { retryAfterSeconds: RETRY_SECONDS });
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/** JSON in which the order of an object's members says nothing. */
function canonical(value: unknown): string {
	return JSON.stringify(value, (_, member: unknown) =>
		typeof member === "object" && member !== null && !Array.isArray(member)
			? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
			: member,
	);
}

async function digest(text: string): Promise<Digest> {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
