import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import { Failure } from "@svc/base/failure";
import type { Digest, KeptAnswer, KeptPost, KeyedPost, ReplayClaim } from "./replay.ts";
import { FOREIGN } from "./replay.ts";
import type { Keys } from "./room.ts";

/* A POST under an Idempotency-Key: however often it is sent and wherever an attempt ends, its change happens once. */

/** What a replay is bound to besides the method, the path and the key. */
export interface ReplayScope {
	/** The public id of the account, App or storage whose keys they are. */
	readonly caller: string;
	/** What else tells the calls of this caller apart: the App and the storage that the caller selects. */
	readonly about: readonly string[];
	/** What the release before this one took for the whole of it, where that was less. Goes when no such release can run any more. */
	readonly formerly?: string;
}

export type PostVerdict =
	/** The caller answers it, and says how it ended. */
	| { readonly act: "run"; readonly claim: ReplayClaim }
	| { readonly act: "replay"; readonly answer: KeptAnswer }
	/** Its change is kept, and its answer got lost. */
	| { readonly act: "rebuild"; readonly kept: KeptPost };

const RETRY_SECONDS = 2;
const CLAIM_TRIES = 4;

export async function keyedPost(
	{ caller, about, formerly }: ReplayScope,
	sent: { readonly path: string; readonly key: string; readonly body: unknown },
): Promise<KeyedPost> {
	const hashOf = (...scope: readonly string[]) => digest(JSON.stringify([...scope, "POST", sent.path, sent.key]));
	return {
		hash: await hashOf(caller, ...about),
		formerHash: formerly === undefined ? undefined : await hashOf(formerly),
		fingerprint: await digest(canonical(sent.body)),
		caller,
	};
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
		const known = kept && decide(room, kept, post);
		if (known) return known;
		if (!kept && post.formerHash) refuseFormer(await room.replays.find(post.formerHash, nowMs), nowMs);
		const claimed = kept ? await room.replays.takeOver(claim, kept, nowMs) : await room.replays.claim(claim, nowMs);
		if (claimed) return { act: "run", claim };
	}
	throw inProgress();
}

/** Undefined where the request that used it has ended without a change. */
function decide(room: Keys, kept: KeptPost, post: KeyedPost): PostVerdict | undefined {
	if (!isSame(kept.fingerprint, post.fingerprint)) throw new Failure("idempotency_key_conflict");
	if (kept.answer) return { act: "replay", answer: opened(room, post, kept.answer) };
	if (!kept.isAbandoned && kept.leaseMs > room.clock.now()) throw inProgress();
	return kept.changed ? { act: "rebuild", kept } : undefined;
}

/** What a release before this one was asked under this key may have been this very call: it is not made a second time. */
function refuseFormer(kept: KeptPost | undefined, nowMs: number): void {
	if (!kept || isSame(kept.fingerprint, FOREIGN)) return;
	if (kept.answer || kept.changed) throw new Failure("idempotency_recovery_conflict");
	if (kept.leaseMs > nowMs) throw inProgress();
}

/** The answer of the request is given again from now on. A change whose answer cannot be kept is not undone by that. */
export async function keepAnswer(room: Keys, claim: ReplayClaim, answer: KeptAnswer): Promise<void> {
	const body = room.keyring.seal(answer.body, placeOf(claim));
	await ended(room, room.replays.finish(claim, { ...answer, body }, room.clock.now()));
}

function opened({ keyring }: Keys, post: KeyedPost, { status, body }: KeptAnswer): KeptAnswer {
	return { status, body: keyring.open(body, placeOf(post)) };
}

function placeOf({ hash }: KeyedPost): string {
	return SEALED_PLACES.answer(hash.toHex());
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
