import { DatabaseError } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import { inTime } from "@svc/base/pace/patience";
import type { Staged } from "@svc/base/ports";
import type { ImageFacts, NewImage } from "../images.ts";
import type { CallAccess, CommitRefusal } from "../ports.ts";
import type { Images } from "../room.ts";
import { underLimits } from "../usage/limits.ts";
import { ambiguous, closed, RETRY_SECONDS, refused } from "./create-failure.ts";
import type { ImageSlot } from "./idempotency.ts";
import {
	type Claim,
	type ClaimOutcome,
	decide,
	HEARTBEAT_MS,
	type IdempotencyKey,
	type IdempotencyRefusal,
	isAnswered,
	isSame,
	type KeptCreate,
	leaseAt,
	type Remembered,
	type Reserved,
} from "./idempotency.ts";
import { newImageSlot, newNonce, putMaster } from "./image-slot.ts";
import { keepTrying } from "./keep-trying.ts";

/* A create under an Idempotency-Key: however often it is sent and wherever an attempt ends, it makes one image. */

export interface Created {
	readonly image: ImageFacts;
	/** Answered from what was remembered. */
	readonly replayed: boolean;
}

/** An image with the bytes that it is made of, not yet stored. */
export interface DecodedUpload {
	readonly image: NewImage;
	readonly master: Staged;
	/** Its bytes came from an address, where they may be gone by the next try. */
	readonly isImport: boolean;
}

/** Undefined when it was committed. */
type Commit = (image: NewImage, claim: Claim) => Promise<CommitRefusal | undefined>;

/** What takes the place of a new image: bytes for one that is there. */
export interface Replacing {
	readonly imageId: string;
	readonly commit: Commit;
}

const ACQUIRE_TRIES = 4;
const COMMIT_TRIES = 2;
/** After the database was waited for already. */
const LOOK_UP_MS = 2_000;

/**
 * Answers from the stored create, or claims the key and makes the image.
 * @throws Failure idempotency_key_conflict, idempotency_key_in_progress, idempotency_recovery_conflict, create_outcome_ambiguous,
 * and whatever `make` throws
 */
export async function createOnce(
	room: Images,
	access: CallAccess,
	key: IdempotencyKey,
	make: (place: ImageSlot) => Promise<DecodedUpload>,
	replacing?: Replacing,
): Promise<Created> {
	const store: Commit = (image, claim) =>
		underLimits(access, (known) => room.store.commitCreate(image, known, { claim }));
	const commit = replacing?.commit ?? store;
	const acquired = await acquire(room, access, key, replacing?.imageId);
	if ("replayed" in acquired) return acquired;
	const { claim, stored } = acquired;
	const stopBeating = room.ticker.every(HEARTBEAT_MS, () => beat(room, claim));
	try {
		const image = stored ?? (await storeMaster(room, claim, make));
		return await commitClaimed(room, access, claim, image, commit);
	} catch (cause) {
		await letGo(room, claim, cause);
		throw cause;
	} finally {
		stopBeating();
	}
}

interface Acquired {
	readonly claim: Claim;
	/** What the earlier attempt had stored: only the commit is left to do. */
	readonly stored?: NewImage;
}

/** Reads, decides, and claims the key if it is unchanged; if another request was faster, it reads again. */
async function acquire(
	room: Images,
	access: CallAccess,
	key: IdempotencyKey,
	replaced: string | undefined,
): Promise<Created | Acquired> {
	const storagePk = access.storage.pk;
	const { fingerprint, reserved } = key;
	for (let tries = 0; tries < ACQUIRE_TRIES; tries++) {
		const now = room.clock.now();
		const verdict = decide(await recall(room, access, key, now), fingerprint, now, reserved !== undefined);
		if (verdict.act === "answer") return verdict;
		if (verdict.act === "refuse") throw refusalOf(verdict.code);
		const nonce = newNonce();
		const place = newImageSlot(replaced ?? imageIdOf(verdict, reserved), nonce);
		const claim = { storagePk, keyHash: key.hash, fingerprint, nonce, reserved, ...place };
		const acquired =
			verdict.act === "claim" ? (await takeFree(room, claim)) && { claim } : await takeDead(room, claim, verdict.from);
		if (acquired) return acquired;
	}
	throw refusalOf("idempotency_key_in_progress");
}

/** The body took its time, and no commit asks whether the caller may still have an answer that is known: the caller is asked for again. */
async function recall(room: Images, access: CallAccess, key: IdempotencyKey, now: number): Promise<Remembered> {
	const remembered = await lookUp(room, access, key, now);
	if (remembered.kept || remembered.keyedImage) await access.again?.();
	return remembered;
}

async function lookUp(room: Images, access: CallAccess, key: IdempotencyKey, now: number): Promise<Remembered> {
	const { hash, formerHash, fingerprint } = key;
	const { storage } = access;
	const remembered = await room.idempotency.find(storage.pk, hash, now);
	if (remembered.kept || !formerHash) return remembered;
	const former = await room.idempotency.find(storage.pk, formerHash, now);
	return isAnswered(former.kept, fingerprint, now) ? { kept: former.kept, keyedImage: undefined } : remembered;
}

function imageIdOf(verdict: ClaimOutcome, reserved: Reserved | undefined): string {
	return verdict.act === "take_over" ? verdict.from.imageId : (reserved?.imageId ?? newId("img"));
}

function refusalOf(code: IdempotencyRefusal): Failure {
	const waits = code === "idempotency_key_in_progress";
	return new Failure(code, undefined, waits ? { retryAfterSeconds: RETRY_SECONDS } : {});
}

async function takeFree(room: Images, claim: Claim): Promise<boolean> {
	const now = room.clock.now();
	return surrenderingOnFault(room, claim, () => room.idempotency.claim(claim, leaseAt(now), now));
}

async function takeDead(room: Images, claim: Claim, dead: KeptCreate): Promise<Acquired | undefined> {
	const isSameBody = isSame(dead.fingerprint, claim.fingerprint);
	const stored = isSameBody && dead.state === "stored" && (await isWhole(room, dead.image)) ? dead.image : undefined;
	const now = room.clock.now();
	const lease = leaseAt(now);
	return surrenderingOnFault(room, claim, async () => {
		if (stored) {
			const resumed = { ...claim, blobKey: stored.blobKey };
			const refusal = await room.idempotency.resume(resumed, dead, lease, now);
			if (refusal !== "dead") return refusal === undefined ? { claim: resumed, stored } : undefined;
		}
		return (await room.idempotency.takeOver(claim, dead, lease, now)) ? { claim } : undefined;
	});
}

async function isWhole(room: Images, image: NewImage): Promise<boolean> {
	return (await room.blobs.find(image.blobKey))?.bytes === image.bytes;
}

/** A claim whose answer was lost may have been written; left behind, it would hold the key for a whole lease. */
async function surrenderingOnFault<T>(room: Images, claim: Claim, take: () => Promise<T>): Promise<T> {
	try {
		return await take();
	} catch (cause) {
		const taken = !(cause instanceof DatabaseError && cause.written === "no");
		if (taken) await letGo(room, claim, ambiguous(cause));
		throw cause;
	}
}

/** Never rejects: a beat that fails shows when the commit is refused. */
async function beat(room: Images, claim: Claim): Promise<void> {
	const now = room.clock.now();
	await room.idempotency.renew(claim, leaseAt(now), now).catch((cause: unknown) => {
		room.log.warn("a claim could not be renewed", { image: claim.imageId, cause });
	});
}

async function storeMaster(
	room: Images,
	claim: Claim,
	make: (place: ImageSlot) => Promise<DecodedUpload>,
): Promise<NewImage> {
	const { image, master, isImport } = await make(claim);
	await putMaster(room, claim.blobKey, master);
	// Who tries again brings the file along: only what came from an address must not be lost with this try.
	if (!isImport) return image;
	const now = room.clock.now();
	// A request that lost the claim meanwhile learns it from the commit.
	await room.idempotency.keep(claim, image, leaseAt(now), now);
	return image;
}

/** While no answer comes and the key is still ours, nothing was committed, so committing again is safe. */
async function commitClaimed(
	room: Images,
	access: CallAccess,
	claim: Claim,
	image: NewImage,
	commit: Commit,
): Promise<Created> {
	let fault: unknown;
	for (let tries = 0; tries < COMMIT_TRIES; tries++) {
		const outcome = await attempt(() => commit(image, claim));
		if ("value" in outcome) return await finish(room, access, claim, image, outcome.value);
		const found = await lookAgain(room, claim, image);
		if (found) return found;
		fault = outcome.fault;
	}
	return await abandon(room, claim, image, fault);
}

async function finish(
	room: Images,
	access: CallAccess,
	claim: Claim,
	image: NewImage,
	refusal: CommitRefusal | undefined,
): Promise<Created> {
	if (refusal === undefined) return { image, replayed: false };
	if (refusal === "closed") throw await closed(access);
	if (refusal !== "fenced") throw refused(refusal);
	const found = await lookAgain(room, claim, image);
	if (!found) throw new Error("the sweep had marked the blob dead: this create slept for too long");
	return found;
}

/** The state of a key whose commit gave no answer; undefined while it is still ours to commit. */
async function lookAgain(room: Images, claim: Claim, image: NewImage): Promise<Created | undefined> {
	const now = room.clock.now();
	const find = () => room.idempotency.find(claim.storagePk, claim.keyHash, now);
	const looked = await attempt(() => inTime(find(), LOOK_UP_MS, ambiguous));
	if ("fault" in looked) throw ambiguous(looked.fault);
	const { kept, keyedImage } = looked.value;
	if (kept?.nonce === claim.nonce) return kept.state === "done" ? { image, replayed: false } : undefined;
	if (!kept && keyedImage?.image.id === image.id) return { image, replayed: false };
	const verdict = decide(looked.value, claim.fingerprint, now);
	if (verdict.act === "answer") return verdict;
	throw verdict.act === "refuse" ? refusalOf(verdict.code) : ambiguous();
}

/** Gives up for good: once the claim is gone, a commit that is still under way is refused as well. */
async function abandon(room: Images, claim: Claim, image: NewImage, fault: unknown): Promise<Created> {
	const released = await attempt(() => release(room, claim));
	if ("fault" in released) throw ambiguous(released.fault);
	if (released.value) throw fault;
	const settled = await lookAgain(room, claim, image);
	if (settled) return settled;
	throw ambiguous(fault);
}

/** A refusal is not stored; what may still have happened is left for the next attempt to find out, as soon as the database answers. */
async function letGo(room: Images, claim: Claim, cause: unknown): Promise<void> {
	const unsure = cause instanceof Failure && cause.code === "create_outcome_ambiguous";
	await keepTrying(room, "the end of a claim", claim.imageId, () =>
		unsure ? room.idempotency.surrender(claim, room.clock.now()) : release(room, claim),
	);
}

async function release(room: Images, claim: Claim): Promise<boolean> {
	// False: another request holds it by now, and may go on with the blob.
	if (!(await room.idempotency.release(claim, room.clock.now()))) return false;
	await room.blobs.remove(claim.blobKey);
	await room.store.forgetBlob(claim.blobKey);
	return true;
}

async function attempt<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly fault: unknown }> {
	try {
		return { value: await work() };
	} catch (fault) {
		return { fault };
	}
}
