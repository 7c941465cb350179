import type { Access } from "@svc/apps/access";
import type { Changes, Reads } from "@svc/base/database/changes";
import type { Step } from "@svc/base/database/step";
import type { AnalysisKind, DeliveryPolicy, ImageFormat, OutputFormat, SourceFormat } from "@svc/base/enumerations";
import type { Staged, StoredBlob } from "@svc/base/ports";
import type { Claim, KeptCreate, Lease, Remembered } from "./create/idempotency.ts";
import type { Image, ImageFacts, NewImage } from "./images.ts";
import type { Extent } from "./layout/extent.ts";
import type { ListFilter, ListQuery } from "./list/list-filters.ts";
import type { Analysis, Overview, SeenFacts } from "./transform/analysis.ts";
import type { FoundMends } from "./transform/mends.ts";
import type { LayerName, Transform } from "./transform/transform.ts";
import type { StorageUsage } from "./usage/usage.ts";

export interface AnalysisStore {
	/** Undefined unless it has been saved. */
	find<K extends AnalysisKind>(blobKey: string, kind: K): Promise<Analysis[K] | undefined>;
	/** All in one commit. Saves nothing for a deleted image; an image's facts are deleted in its own commit. */
	save(blobKey: string, facts: Partial<Analysis>, nowMs: number): Promise<void>;
}

/** Whether what an answer that shows images was made of is still as it was read. */
export interface ShownChanges extends Pick<Changes, "isAsRead" | "now"> {
	/** All that the addresses of these images lead to. */
	readonly readsOf: (images: readonly Image[]) => Reads | undefined;
}

export interface MasterBlob extends Pick<StoredBlob, "bytes" | "path" | "read" | "stream"> {
	/** What a file's bytes are compared with by who reads them; undefined where that is not needed. Hexadecimal. */
	readonly sha256?: string;
	/** Called by who has found others, or none that can be read: looks again. @throws DamagedMaster unless they are right now */
	judge?(): Promise<void>;
	/** Of a file that somebody who needs room may remove at any time: its bytes, for as long as they are needed. */
	hold?(): Promise<HeldFile>;
}

export interface HeldFile {
	readonly path: string;
	release(): Promise<void>;
}

/** A stored image as a renderer needs it. */
export interface Master {
	readonly blob: MasterBlob;
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Which one of an animation is looked at; the first without it. */
	readonly frame?: number | undefined;
	/** Smaller copies that may stand in for the pixels. */
	readonly shrunkMasters?: readonly ShrunkMaster[];
}

/** An upright JPEG or PNG of a master whose sides are divided by `factor`. */
export interface ShrunkMaster {
	readonly factor: number;
	/** Where its bytes lie on this machine. Undefined when it was removed meanwhile: the master itself is always there. */
	path(): Promise<string | undefined>;
}

/** What was made of a picture: in memory where it is small, otherwise in a file that its owner keeps or removes. */
export type Made = Uint8Array<ArrayBuffer> | MadeFile;

interface MadeFile {
	readonly path: string;
	readonly length: number;
	/** CRC-32 of the bytes. */
	readonly crc32: number;
}

/** Smaller copies by factor; a factor is missing where none can stand in for this master. */
export type MadeCopies = ReadonlyMap<number, Made>;

/** A master as it is served without parameters, and what else its inspection made of it and found out about it. */
export interface Stripped extends Extent {
	/** Undefined where its bytes hold nothing to remove. */
	readonly made: Made | undefined;
	/** Its `size=s`; undefined where that was not made on the way. */
	readonly smallest: Made | undefined;
	readonly format: ImageFormat;
	/** Undefined where no rendition of this format was mended. */
	readonly mends: FoundMends | undefined;
	/** Undefined where it was not looked at on the way. */
	readonly overview: Overview | undefined;
}

export interface Shrinker {
	reduce(master: Master, factors: readonly number[]): Promise<MadeCopies>;
	/** What the inspection of these bytes has just made of them. Whoever takes it removes its file. */
	takeStripped(sha256: Uint8Array): Stripped | undefined;
}

/** A master that is looked at. */
export type LookedAt = Pick<ImageFacts, "blobKey" | "format" | "width" | "height">;

/** Looks at masters for what earlier releases showed otherwise of them. */
export interface MendLooker {
	/** Undefined where it cannot be looked at now. */
	find(image: LookedAt): Promise<FoundMends | undefined>;
}

/** Looks at pictures to compare them with others. */
export interface LikenessLooker {
	/** Undefined where it cannot be looked at now, or at all. */
	look<Kind extends "likeness" | "pixels">(image: LookedAt, kind: Kind): Promise<Analysis[Kind] | undefined>;
}

/** Makes smaller copies of large masters in the background. */
export interface ShrinkQueue {
	want(image: ImageFacts): void;
	/** What was seen of a picture whose pixels were shown wrongly is seen once more. */
	describeAnew(image: LookedAt): Promise<void>;
	/**
	 * Resolves when a master that can only be decoded as a whole has its copies, or a JPEG those that it was proven by, and after ten seconds at
	 * most; at once for every other one. From then on nothing is made of it itself that may as well be made of a copy.
	 */
	ready(image: ImageFacts): Promise<void>;
	/** A master has its place: what its inspection made of it, to be served without parameters, is put beside its renditions. Never rejects. */
	stored(blobKey: string, sha256: Uint8Array): Promise<void>;
}

interface Rendition {
	readonly made: Made;
	readonly format: OutputFormat;
}

/** What a rendition needs besides its master: the facts for its form, and the images that lie over it. */
export interface RenderAids extends Partial<Analysis>, Partial<Record<LayerName, Master>> {
	/** Whether its encoder is to take its time for fewer bytes. */
	readonly isCompact?: boolean | undefined;
}

/** Whom a rendition is for: the network of the client, and the App whose image it is. */
export interface Visitor {
	/** The part of an address that counts as one client. */
	readonly network: string;
	readonly app: string;
}

/** Who waits for a rendition. */
export interface Asker {
	/** Aborted when nobody does any more. */
	readonly signal: AbortSignal;
	/** Undefined for the service's own work. */
	readonly visitor?: Visitor | undefined;
	/** Where no request waits, everything else goes first. */
	readonly background?: boolean;
	/** Called when the turn has come. */
	readonly begun?: () => void;
}

export interface Renderer {
	/**
	 * One rendition, in pixels. `transform` is canonical and not empty; a parameter whose aid is missing has no effect. Rejects with the
	 * signal's reason when it aborts before the start.
	 * @throws Failure `server_error`, timedOut and with Retry-After, where there is no room; WorkLost
	 */
	render(master: Master, transform: Transform, aids: RenderAids, asker: Asker): Promise<Rendition>;
	/**
	 * The master's own container and pixels without GPS, device data and thumbnails; copyright, orientation and profile stay.
	 * Never decodes. Undefined where the stored bytes hold nothing to remove and can be served as they are.
	 */
	strip(master: Master, asker: Asker): Promise<Made | undefined>;
}

export interface Analyser {
	/**
	 * Finds one kind of fact in a picture. Finding none is an answer; a failed analysis throws, whatever the cause, and may be
	 * tried again. Rejects with the signal's reason when it aborts before the start.
	 */
	find<K extends AnalysisKind>(master: Master, kind: K, asker: Omit<Asker, "background">): Promise<Analysis[K]>;
}

/** What the caller said about a file; its bytes decide. */
export interface FileHints {
	readonly filename: string | undefined;
	readonly contentType: string | undefined;
}

/** Which files a create takes; comes from the interface variant. */
export interface FileRules {
	/** The limit for every format: no more than this is read. */
	readonly maxBytes: number;
	/** Lower limits for single formats. */
	readonly maxBytesOf?: Readonly<Partial<Record<SourceFormat, number>>>;
	readonly formats: ReadonlySet<SourceFormat>;
	/** Formats that are fully decoded only after the answer; none when left out. */
	readonly queued?: ReadonlySet<SourceFormat>;
}

export interface Inspected {
	/** What is to be stored: the staged file itself, or the JPEG or PNG that a HEIC became. */
	readonly master: Staged;
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** True where, by the rules, only the cheap checks were made: a job does the rest. */
	readonly queued?: boolean;
	/** Left out where it was not looked at on the way. */
	readonly seen?: SeenFacts | undefined;
}

export interface Inspector {
	/**
	 * Recognises, bounds and decodes a staged file; for formats that the rules queue, only the header is read. A format without renditions is
	 * not decoded but followed through its structure. When it returns another master, the staged original has been discarded.
	 * @param share in whose turn it is; without it that of the service itself
	 * @throws Failure `validation_error` under `file` for anything that is not an acceptable, whole image; `server_error`, timedOut and with
	 * Retry-After, where there is no room
	 */
	inspect(staged: Staged, hints: FileHints, rules: FileRules, share?: Visitor): Promise<Inspected>;
}

/**
 * Why a guarded commit was refused; nothing of it was written. `closed`: the storage takes nothing from this caller any more, because it is
 * being deleted or because their authority ended. `taken`: another image of the storage has the same external id.
 * `withdrawn`: the key that was given out for it counts no more. `changed`: the image that it copies is not what was read any more.
 */
export type CommitRefusal = "closed" | "quota" | "taken" | "fenced" | "withdrawn" | "changed";

/** What belongs to the commit of a new image besides. */
export interface CreateBesides {
	readonly claim?: Claim | undefined;
	/** The blob key of an image to come. */
	readonly spareKey?: string | undefined;
	/** What the new image is a copy of, as it was read. */
	readonly original?: Image | undefined;
}

/** Who changes something: a caller, whose authority must hold when the change is committed, or a job by its name. */
export type ChangedBy = CallAccess | string;

/** A caller, and who wants to know what a call of theirs leaves. */
export interface CallAccess extends Access {
	/** What belongs to each commit of this call besides: the bookkeeping of who works through many images. */
	readonly besides?: readonly Step<"closed">[] | undefined;
	/** Is told the storage's counters as a commit of this call has left them. */
	readonly onCounted?: ((counted: StorageUsage) => void) | undefined;
}

/** An image id and the storage in which it is looked up. */
export interface ImagePlace {
	readonly storagePk: number;
	readonly id: string;
}

/** The App below whose address an image is looked for, as far as it decides over what is answered there. */
export interface AddressApp {
	readonly appPk: number;
	readonly policy: DeliveryPolicy;
	/** Another one whenever the App's presets or signing keys have changed. */
	readonly rulesVersion: number;
	/** JSON: the hosts whose pages may show its images, then the bytes and renditions of a day at most, each null for any; left out where all are. */
	readonly terms?: string | null;
}

/** What the address of an image leads to. */
export interface Addressed {
	/** Undefined where there is none that may be served. */
	readonly image: Image | undefined;
	/** What is known of it; undefined where it was not looked at. */
	readonly mends?: FoundMends | undefined;
	/** Names of its forms that are asked for often; undefined where none is. */
	readonly compact?: readonly string[] | undefined;
	readonly app: AddressApp;
}

/** An image of a list. */
export interface ListedImage extends Image {
	/** Of one that can still be restored. */
	readonly deletedMs?: number;
}

/** An image as it was read, and as it is to be. */
export interface ImageChange {
	readonly before: Image;
	readonly after: Image;
}

export interface ImageStore {
	/** Stores a blob key before its bytes are written, so that after a crash the sweep finds the blob. */
	claimBlob(blobKey: string, nowMs: number): Promise<void>;
	/**
	 * One guarded commit: claim done (if there is one), blob live, storage active and the caller still allowed, quota, image, labels, usage. Undefined when it
	 * was committed.
	 */
	commitCreate(image: NewImage, access: CallAccess, besides?: CreateBesides): Promise<CommitRefusal | undefined>;
	/** Whether a commit whose answer was lost has happened. */
	exists(imageId: string): Promise<boolean>;
	/** Finds an image by id, in one storage; expired images are not found. */
	find(storagePk: number, id: string, nowMs: number): Promise<Image | undefined>;
	/** The same for several at once; in no order. */
	findAll(storagePk: number, ids: readonly string[], nowMs: number): Promise<readonly Image[]>;
	/** For the transform host: by capability link, ready and unexpired only. Undefined where no storage has such addresses. */
	findAddressed(teamHash: string, id: string, nowMs: number): Promise<Addressed | undefined>;
	/** Keeps that a form of a picture, by its name in `Addressed`, is asked for often. */
	noteCompact(blobKey: string, form: string, nowMs: number): Promise<void>;
	/** Undefined where other processes may write as well. */
	readonly changes: ShownChanges | undefined;
	/** The image that an address leads to, whatever the App answers there. */
	findServable(teamHash: string, id: string, nowMs: number): Promise<Image | undefined>;
	/** Finds an image by id alone, in any status: public, or made public while images still had a visibility; expired images are not found. */
	findPublic(id: string, nowMs: number): Promise<Image | undefined>;
	/** At most `query.limit + 1` images, newest `published_at` first; deleted ones by the time of their delete. */
	list(storagePk: number, query: ListQuery, nowMs: number): Promise<readonly ListedImage[]>;
	/** How many images a filter without ids leaves, counted as far as `max`. */
	count(storagePk: number, filter: ListFilter, max: number, nowMs: number): Promise<number>;
	/** The same, where at most `lookedMax` images have to be looked at for it; undefined where there are more. */
	countAmong(storagePk: number, filter: ListFilter, lookedMax: number, nowMs: number): Promise<number | undefined>;
	/** How many images a list without a filter has. */
	countListed(storagePk: number, nowMs: number): Promise<number>;
	/**
	 * Changes one image of a storage in isolation: `change` is given the image as it is, and again when it changed before the
	 * commit. What `change` throws is passed on; a throw, and giving the image back as it is, write nothing. The change is committed
	 * only while the image is ready, unlocked and unexpired. Undefined when there is no such image.
	 */
	update(place: ImagePlace, change: (image: Image) => Image, by: ChangedBy, nowMs: number): Promise<Image | undefined>;
	/**
	 * Changes images of one storage in one commit, under the conditions of {@link update}; their external ids stay. False, and nothing
	 * changed, when any of them is not as it was read any more, or when the caller may not change them any more.
	 */
	updateAll(changes: readonly ImageChange[], access: CallAccess, nowMs: number): Promise<boolean>;
	/**
	 * Deletes the row, frees the usage, and marks the blob dead; false when there is no such image, or when the caller may not delete it any
	 * more.
	 * @param kept whether it can be restored for a day; not when left out
	 */
	delete(image: Image, by: ChangedBy, nowMs: number, kept?: boolean): Promise<boolean>;
	/** The same for images of one storage in one commit; false when none of them is there any more. */
	deleteAll(images: readonly Image[], by: ChangedBy, nowMs: number, kept?: boolean): Promise<boolean>;
	/** Deletes an image whose create was answered as not known, and does not count its upload. */
	takeBack(image: Image, nowMs: number): Promise<void>;
	/** Expired images, oldest first. */
	listExpired(nowMs: number, limit: number): Promise<readonly Image[]>;
	/** Blobs that no image will ever refer to again: pending since, or dead since, before `beforeMs`. None while a backup is made. */
	listRemovable(pendingBeforeMs: number, deadBeforeMs: number, limit: number): Promise<readonly string[]>;
	/**
	 * Marks a blob that is not needed dead so that no commit can revive it; false when it is live after all, or entered its state only at
	 * `beforeMs` or later.
	 */
	markBlobDead(blobKey: string, nowMs: number, beforeMs?: number): Promise<boolean>;
	forgetBlob(blobKey: string): Promise<void>;
	/** Returns the keys that no row names, in any state. */
	listUnknownBlobs(blobKeys: readonly string[]): Promise<readonly string[]>;
}

/** Images in the order in which they came. */
export interface RecentImages {
	/** Ready and unexpired, with a number above `pk`, the lowest first. */
	listReadyAfter(pk: number, nowMs: number, limit: number): Promise<readonly Image[]>;
	/** Ready and unexpired, of those that were processed after their answer since `sinceMs`; at most `limit` of them, the last ones. */
	listProcessedSince(sinceMs: number, nowMs: number, limit: number): Promise<readonly Image[]>;
	/** The highest number that there is; 0 without images. */
	newestPk(): Promise<number>;
}

/** Creates under an Idempotency-Key. A method that takes a {@link Claim} does nothing once another nonce holds the key. */
export interface IdempotencyStore {
	/** Forgotten claims, images past the retention and expired images are not found. */
	find(storagePk: number, keyHash: Uint8Array, nowMs: number): Promise<Remembered>;
	/** Claims a free key and stores the blob key before its bytes are written; false when the key is not free any more. */
	claim(claim: Claim, lease: Lease, nowMs: number): Promise<boolean>;
	/** Takes a dead claim over from the start, and stores the new blob key; false when the claim changed since it was read. */
	takeOver(claim: Claim, dead: Pick<KeptCreate, "nonce" | "leaseMs">, lease: Lease, nowMs: number): Promise<boolean>;
	/** Takes a dead claim to finish with the blob that it stored; "dead" when the sweep has taken that blob. */
	resume(
		claim: Claim,
		dead: Pick<KeptCreate, "nonce" | "leaseMs">,
		lease: Lease,
		nowMs: number,
	): Promise<"fenced" | "dead" | undefined>;
	/** Renews the claim and its blob. */
	renew(claim: Claim, lease: Lease, nowMs: number): Promise<void>;
	/** Stores what a takeover needs to finish without the caller's file; also renews. The blob is durable by now. */
	keep(claim: Claim, image: NewImage, lease: Lease, nowMs: number): Promise<void>;
	/** Ends the lease, so that the next try need not wait for it. */
	surrender(claim: Claim, nowMs: number): Promise<void>;
	/** Forgets the claim and marks its blob dead, so that nothing can be committed any more; false when it is done or lost. */
	release(claim: Claim, nowMs: number): Promise<boolean>;
	/** Removes at most `limit` rows that `find` does not find any more; returns how many. */
	forget(nowMs: number, limit: number): Promise<number>;
}

/** What is known of a picture itself. */
export interface PictureFacts {
	/** In base64; null until it was looked at. */
	readonly thumbhash: string | null;
	/** `#rrggbb` each, most of the picture first; null until it was looked at. */
	readonly colours: readonly string[] | null;
	/** Milliseconds since 1970; null also where the picture does not say it. */
	readonly taken: number | null;
	/** Null until it was looked at. */
	readonly mends?: FoundMends | null;
	/** Of the bytes as they were sent or fetched, in hexadecimal. */
	readonly sha256: string;
}
