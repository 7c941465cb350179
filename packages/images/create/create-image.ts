import { DatabaseError } from "@svc/base/database-error";
import { Failure, type FailureCode } from "@svc/base/failure";
import { inTurns } from "@svc/base/http/pieces";
import { inTime } from "@svc/base/pace/patience";
import type { Staged } from "@svc/base/ports";
import { filenameOf, safeFilename } from "../image-fields.ts";
import { expireImages, type Image, type NewImage } from "../images.ts";
import type { CallAccess, CommitRefusal, FileRules, Inspected, Visitor } from "../ports.ts";
import type { Images } from "../room.ts";
import { countersOf, quotaFailure, underLimits } from "../usage/limits.ts";
import { isFull, isUnbounded, overruns, reachesMonth } from "../usage/usage.ts";
import { type Created, createOnce, type DecodedUpload } from "./claim.ts";
import { ambiguous, asCreateFailure, closed, refused } from "./create-failure.ts";
import type { CreateFields, CreateSource } from "./create-request.ts";
import { type IdempotencyKey, type ImageSlot, isSame } from "./idempotency.ts";
import { dropBlob, newImageSlot, putMaster } from "./image-slot.ts";
import { keepTrying } from "./keep-trying.ts";

export interface CreateRequest {
	readonly source: CreateSource;
	readonly fields: CreateFields;
	/** Undefined: a create that is sent twice makes two images. */
	readonly key: IdempotencyKey | undefined;
}

/** After the database was waited for already. */
const LOOK_UP_MS = 2_000;

/**
 * Stores one image, or nothing. What it acknowledges is durable: bytes are synced before the row that refers to them is committed.
 * The staged upload is used up either way.
 * @throws Failure validation_error, quota_exceeded, workspace_unavailable, fetch_failed, upload_failed, import_failed,
 * create_outcome_ambiguous, and those of {@link createOnce} where a key came along
 */
export async function createImage(
	room: Images,
	access: CallAccess,
	{ source, fields, key }: CreateRequest,
	rules: FileRules,
): Promise<Created> {
	const leftovers: Staged[] = source.kind === "upload" ? [source.staged] : [];
	try {
		if (access.storage.state === "deleting") throw refused("closed");
		const make = (findPlace: FindPlace) => makeImage(room, access, { source, fields, findPlace }, rules, leftovers);
		if (key) return await createOnce(room, access, key, (claim) => make(() => claim));
		const { image, master } = await make(() => claimPlace(room));
		const refusal = await storeImage(room, access, image, master);
		if (refusal) throw refusal === "closed" ? await closed(access) : refused(refusal);
		return { image, replayed: false };
	} catch (cause) {
		const failure = asCreateFailure(cause, source.kind);
		if (failure.code === "quota_exceeded") throw await withQuota(room, access, failure);
		throw await withStorage(room, access, failure);
	} finally {
		for (const staged of leftovers) await staged.discard();
	}
}

/** The limit that was reached is looked up now: the refusing commit does not name it. */
async function withQuota(room: Images, access: CallAccess, failure: Failure): Promise<Failure> {
	return await quotaFailure(room, access).catch(() => failure);
}

const FAULTS: ReadonlySet<FailureCode> = new Set(["upload_failed", "import_failed", "create_outcome_ambiguous"]);

/** A create whose storage has gone meanwhile stored nothing, and never will. */
async function withStorage(room: Images, access: CallAccess, failure: Failure): Promise<Failure> {
	if (!FAULTS.has(failure.code)) return failure;
	const gone = (cause: unknown) => cause instanceof Failure && cause.code === "workspace_unavailable";
	const lost = await inTime(room.usage.read(access.storage.pk, room.clock.now()), LOOK_UP_MS, ambiguous).then(
		() => false,
		gone,
	);
	return lost ? refused("closed") : failure;
}

/** Called once the bytes have turned out to be an image. The place's blob key is written down by then. */
type FindPlace = () => ImageSlot | Promise<ImageSlot>;

interface Creation {
	readonly source: CreateSource;
	readonly fields: CreateFields;
	readonly findPlace: FindPlace;
}

/** A file that has turned out to be a picture. */
export interface Received {
	readonly inspected: Inspected & Pick<NewImage, "sentSha256">;
	readonly filename: string | undefined;
}

/** Looks at what was sent, or fetches it first. What it leaves on the disk is added to `leftovers`. */
export async function receive(
	room: Images,
	access: CallAccess,
	source: CreateSource,
	rules: FileRules,
	leftovers: Staged[],
): Promise<Received> {
	const staged = source.kind === "upload" ? source.staged : await fetchImage(room, source.url, rules, leftovers);
	// The inspector may use the file up.
	const sent = staged.sha256;
	const hints = source.kind === "upload" ? source.hints : { filename: filenameOf(source.url), contentType: undefined };
	const inspected = await room.inspector.inspect(staged, hints, rules, uploadShare(access.app.pk, access.storage.pk));
	leftovers.push(inspected.master);
	const sentSha256 = isSame(sent, inspected.master.sha256) ? null : sent;
	return { inspected: { ...inspected, sentSha256 }, filename: hints.filename };
}

async function makeImage(
	room: Images,
	access: CallAccess,
	{ source, fields, findPlace }: Creation,
	rules: FileRules,
	leftovers: Staged[],
): Promise<DecodedUpload> {
	// The size of an import is not known yet.
	const coming = source.kind === "upload" ? source.staged.bytes : 0;
	await refuseEarly(room, access, coming);
	const { inspected, filename } = await receive(room, access, source, rules, leftovers);
	const { master } = inspected;
	if (master.bytes > coming) await refuseEarly(room, access, master.bytes);
	const place = await findPlace();
	const image = newImage(room.clock.now(), access, inspected, place, filename, withSource(fields, source));
	return { image, master, isImport: source.kind === "import" };
}

/** Where a new image without an Idempotency-Key will be; its blob key is written down. */
export async function claimPlace(room: Images): Promise<ImageSlot> {
	const now = room.clock.now();
	const spare = room.spareSlots?.take(now);
	if (spare) return spare;
	const place = newImageSlot();
	await room.store.claimBlob(place.blobKey, now);
	return place;
}

/**
 * A cheap early refusal of a create of that many bytes; the commit's check is authoritative. What is stored of a file may be smaller
 * than the file, so its size alone refuses nothing.
 */
export async function refuseEarly(room: Images, access: CallAccess, coming: number): Promise<void> {
	const quota = room.quotaOf(access);
	if (isUnbounded(quota)) return;
	const counted = await countersOf(room, access);
	if (reachesMonth(quota, counted)) throw refused("quota");
	const full = isFull(quota, counted);
	if (!full && !overruns(quota, counted, coming)) return;
	// Expired images are gone for every caller: they must not keep new ones out until the sweep removes them.
	const freed = await expireImages(room, () => Promise.resolve());
	const stillFull = freed === 0 ? full : isFull(quota, await countersOf(room, access));
	if (stillFull) throw refused("quota");
}

/** @throws Failure quota_exceeded where there is no space even for the smallest image, naming the limit; nothing is reserved */
export async function requireSpace(room: Images, access: CallAccess): Promise<void> {
	await refuseEarly(room, access, 0).catch(async (cause: unknown) => {
		if (!(cause instanceof Failure) || cause.code !== "quota_exceeded") throw cause;
		throw await withQuota(room, access, cause);
	});
}

function fetchImage(room: Images, url: string, rules: FileRules, leftovers: Staged[]): Promise<Staged> {
	return room.importer.fetch(url, async (body) => {
		const staged = await room.blobs.stage(inTurns(body, "imports"), rules.maxBytes);
		leftovers.push(staged);
		return staged;
	});
}

function withSource(fields: CreateFields, source: CreateSource): CreateFields {
	if (source.kind === "upload") return fields;
	// Added last, outside the bounds of what the caller may send.
	return { ...fields, metadata: { ...fields.metadata, source_url: source.url } };
}

function newImage(
	now: number,
	access: CallAccess,
	inspected: Inspected & Pick<NewImage, "sentSha256">,
	{ imageId: id, blobKey }: ImageSlot,
	filename: string | undefined,
	fields: CreateFields,
): NewImage {
	return {
		id,
		appPk: access.app.pk,
		storagePk: access.storage.pk,
		teamHash: access.storage.teamHash,
		status: inspected.queued ? "processing" : "ready",
		locked: false,
		blockReason: null,
		nsfw: false,
		public: fields.public ?? null,
		filename: safeFilename(filename, `${id}.${inspected.format}`),
		format: inspected.format,
		width: inspected.width,
		height: inspected.height,
		bytes: inspected.master.bytes,
		sha256: inspected.master.sha256,
		sentSha256: inspected.sentSha256,
		seen: inspected.seen,
		blobKey,
		externalId: fields.external_id ?? null,
		publishedMs: fields.published_at ?? now,
		expiresMs: typeof fields.ttl === "number" ? now + fields.ttl * 1_000 : null,
		createdMs: now,
		caption: fields.caption ?? "",
		metadata: fields.metadata ?? {},
		labels: fields.labels ?? {},
		revision: 1,
	};
}

/**
 * Stores a new image with its bytes, or neither. Undefined when it was committed.
 * @param original the image that it is a copy of
 * @throws Failure create_outcome_ambiguous
 */
export async function storeImage(
	room: Images,
	access: CallAccess,
	image: NewImage,
	master: Staged,
	original?: Image,
): Promise<CommitRefusal | undefined> {
	// Bytes before the row: a crash between leaves an orphan that the sweep finds, not a row pointing at nothing.
	await putMaster(room, image.blobKey, master);
	const refusal = await commit(room, access, image, original);
	if (refusal) await dropBlob(room, image.blobKey);
	return refusal;
}

/** Undefined when the image was committed. An answer that was lost on the way is looked up rather than guessed. */
async function commit(
	room: Images,
	access: CallAccess,
	image: NewImage,
	original: Image | undefined,
): Promise<CommitRefusal | undefined> {
	const next = room.spareSlots && newImageSlot();
	try {
		const besides = { spareKey: next?.blobKey, original };
		const refusal = await underLimits(access, (known) => room.store.commitCreate(image, known, besides));
		if (next && refusal === undefined) room.spareSlots?.add(next, image.createdMs);
		return refusal;
	} catch (cause) {
		if (cause instanceof DatabaseError && cause.written === "no") {
			await keepTrying(room, "the end of a blob", image.id, () => dropBlob(room, image.blobKey));
			throw cause;
		}
		if (await happened(room, image)) return undefined;
		throw cause;
	}
}

/**
 * Whether a commit whose answer was lost has happened. A "no" is final: the blob is marked dead, so that a commit that is still on
 * its way fails. Where the database cannot say, the image is taken back as soon as it can: nobody knows its id, so that a repeated
 * request would double it otherwise. Only a process that is killed before that leaves one behind.
 * @throws Failure create_outcome_ambiguous
 */
async function happened(room: Images, image: NewImage): Promise<boolean> {
	try {
		return await inTime(lookUp(room, image), LOOK_UP_MS, ambiguous);
	} catch (cause) {
		const what = "an image of which nobody knows";
		keepTrying(room, what, image.id, () => takeBack(room, image)).catch((error: unknown) =>
			room.log.error(`${what} was given up`, { image: image.id, error }),
		);
		throw ambiguous(cause);
	}
}

async function lookUp(room: Images, image: NewImage): Promise<boolean> {
	if (await room.store.exists(image.id)) return true;
	if (await room.store.markBlobDead(image.blobKey, room.clock.now())) return false;
	return await room.store.exists(image.id);
}

async function takeBack(room: Images, { storagePk, id, blobKey }: NewImage): Promise<void> {
	const now = room.clock.now();
	if (await room.store.markBlobDead(blobKey, now)) return;
	const image = await room.store.find(storagePk, id, now);
	if (image) await room.store.takeBack(image, now);
}

/**
 * In whose turn uploads are decoded: that of the App, and there of the storage. Visitors of the App's pictures have turns of their own, so
 * neither takes anything from the other.
 */
export function uploadShare(appPk: number, storagePk: number): Visitor {
	return { network: `uploads ${appPk}`, app: `uploads ${appPk} ${storagePk}` };
}
