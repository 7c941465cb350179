import { createHash } from "node:crypto";
import type { Step } from "@svc/base/database/step";
import type { Image, ImageFacts, NewImage } from "../images.ts";
import type { CreateFields, CreateSource } from "./create-request.ts";

type Digest = Uint8Array<ArrayBuffer>;

/** An Idempotency-Key and the fingerprint of its request; hashes only. */
export interface IdempotencyKey {
	readonly hash: Digest;
	readonly fingerprint: Digest;
	/** Under which a release before this one keeps the same request. Goes when no such release can run any more. */
	readonly formerHash?: Digest | undefined;
	/** Of a key that was given out beforehand, as an upload ticket is. */
	readonly reserved?: Reserved | undefined;
}

/** What a key that was given out beforehand brings along. An attempt that came to nothing leaves it free for another body. */
export interface Reserved {
	/** Of the image to be. */
	readonly imageId: string;
	/** Part of the image's own commit: they refuse it once the key was withdrawn, and note that it was used. */
	steps(image: NewImage): readonly Step<"withdrawn">[];
}

/** A create that is under way under an Idempotency-Key. */
export interface Claim {
	/** Keys are scoped to the target storage, so that one still de-duplicates after the API key was rotated. */
	readonly storagePk: number;
	readonly keyHash: Digest;
	readonly fingerprint: Digest;
	/** Chosen before anything is written, and kept through every takeover: two attempts never make two images. */
	readonly imageId: string;
	/** A random fencing token: a takeover brings another one, and later writes under the old one are refused. */
	readonly nonce: string;
	/** The blob that this claim, or the one that it took over, writes. */
	readonly blobKey: string;
	readonly reserved?: Reserved | undefined;
}

/** How long no other request may take a claim over, and when it is forgotten altogether. */
export interface Lease {
	readonly untilMs: number;
	readonly forgottenMs: number;
}

/** The stored state of a key. */
export type KeptCreate = {
	readonly fingerprint: Uint8Array;
	readonly imageId: string;
	readonly nonce: string;
	readonly leaseMs: number;
	/** The process that holds it is dead, so that its lease does not count. */
	readonly isAbandoned: boolean;
} & (
	| { readonly state: "claimed" }
	/** The blob was complete: with `image` a takeover needs no file. */
	| { readonly state: "stored"; readonly image: NewImage }
	/** `image` as it was first answered; `exists` says whether it is still there, in the same storage. */
	| { readonly state: "done"; readonly image: ImageFacts; readonly exists: boolean }
);

/** An image that carries the hash of the key that made it: what is left when the row is lost. */
export interface KeyedImage {
	readonly image: Image;
	readonly fingerprint: Uint8Array;
}

export interface Remembered {
	readonly kept: KeptCreate | undefined;
	readonly keyedImage: KeyedImage | undefined;
}

export type ClaimOutcome =
	| { readonly act: "claim" }
	| { readonly act: "take_over"; readonly from: KeptCreate }
	| { readonly act: "answer"; readonly image: ImageFacts; readonly replayed: boolean }
	| { readonly act: "refuse"; readonly code: IdempotencyRefusal };

export type IdempotencyRefusal =
	| "idempotency_key_conflict"
	| "idempotency_key_in_progress"
	| "idempotency_recovery_conflict";

export const HEARTBEAT_MS = 15_000;
const LEASE_MS = 60_000;
const LEASES_TO_FORGET = 2;
/** Counted from the image's own creation; the hash that the image carries means nothing after it either. */
export const RETENTION_MS = 24 * 3_600_000;

export function leaseAt(nowMs: number): Lease {
	const untilMs = nowMs + LEASE_MS;
	return { untilMs, forgottenMs: untilMs + LEASES_TO_FORGET * LEASE_MS };
}

/**
 * Decides a create under a key that was seen before.
 * @param rebinds whether the key takes another body after an attempt that came to nothing
 */
export function decide(
	{ kept, keyedImage }: Remembered,
	fingerprint: Uint8Array,
	nowMs: number,
	rebinds = false,
): ClaimOutcome {
	const seen = kept ?? keyedImage;
	if (!seen) return { act: "claim" };
	const isOpen = rebinds && "state" in seen && seen.state !== "done";
	if (!isOpen && !isSame(seen.fingerprint, fingerprint)) return { act: "refuse", code: "idempotency_key_conflict" };
	// Rebuilt from the image itself, which is not a replay.
	if (!("state" in seen)) return { act: "answer", image: seen.image, replayed: false };
	if (seen.state === "done") {
		if (seen.exists) return { act: "answer", image: seen.image, replayed: true };
		return { act: "refuse", code: "idempotency_recovery_conflict" };
	}
	if (!seen.isAbandoned && seen.leaseMs > nowMs) return { act: "refuse", code: "idempotency_key_in_progress" };
	return { act: "take_over", from: seen };
}

/** Whether two digests are the same. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/**
 * Two bodies are the same when their fields parse to the same and they bring the same file under the same name, or the same address.
 * Nothing in it depends on the moment or on how the body was framed.
 */
export function idempotencyKey(sent: string, source: CreateSource, fields: CreateFields): IdempotencyKey {
	const body = {
		...(source.kind === "upload"
			? { file: [...source.staged.sha256], filename: source.hints.filename }
			: { url: source.url }),
		caption: fields.caption,
		ttl: fields.ttl,
		published_at: fields.published_at,
		metadata: sorted(fields.metadata),
		labels: sorted(fields.labels),
		// A field that was not sent is left out, and the digest stays what it was before there was such a field.
		public: fields.public ?? undefined,
		external_id: fields.external_id,
	};
	return { hash: keyHash(sent), fingerprint: digest(JSON.stringify(body)) };
}

/** Whether a release before this one has answered this very request, or is about to. */
export function isAnswered(kept: KeptCreate | undefined, fingerprint: Uint8Array, nowMs: number): kept is KeptCreate {
	if (!kept || !isSame(kept.fingerprint, fingerprint)) return false;
	return kept.state === "done" || (!kept.isAbandoned && kept.leaseMs > nowMs);
}

/** The digest under which a sent key is stored. */
export function keyHash(sent: string): Digest {
	return digest(sent);
}

function sorted(map: Readonly<Record<string, string>> | undefined) {
	return map && Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
}

function digest(text: string): Digest {
	return new Uint8Array(createHash("sha256").update(text).digest());
}

/** The same file, or address, for the same image: the key of a create, or of another image's new bytes, is another one. */
export function replacementKey(sent: string, imageId: string, source: CreateSource): IdempotencyKey {
	const bytes =
		source.kind === "upload"
			? { file: [...source.staged.sha256], filename: source.hints.filename }
			: { url: source.url };
	return {
		// No Idempotency-Key that is sent can be the same: they are printable.
		hash: keyHash(`\0${imageId} ${sent}`),
		formerHash: keyHash(sent),
		fingerprint: digest(JSON.stringify({ replace: imageId, ...bytes })),
	};
}

/** An image's future id and the key of its blob; no other image ever uses that blob key. */
export type ImageSlot = Pick<Claim, "imageId" | "blobKey">;
