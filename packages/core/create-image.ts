import type { Access } from "./access.ts";
import { Failure } from "./failure.ts";
import { filenameOf, safeFilename } from "./filename.ts";
import type { Gate } from "./gate.ts";
import { newId, randomBase62 } from "./ids.ts";
import type { NewImage } from "./images.ts";
import { APP_PLANS } from "./plans.ts";
import type {
	BlobStore,
	Clock,
	CommitRefusal,
	FileHints,
	FileRules,
	ImageStore,
	Importer,
	Inspected,
	Inspector,
	Log,
	Staged,
	UsageStore,
} from "./ports.ts";
import { imagesLimit } from "./usage.ts";

export interface CreateDeps {
	readonly images: ImageStore;
	readonly usage: UsageStore;
	readonly blobs: BlobStore;
	readonly inspector: Inspector;
	readonly importer: Importer;
	/** Bounds how many files are decoded at once. */
	readonly gate: Gate;
	readonly clock: Clock;
	readonly log: Log;
}

export type CreateSource =
	| { readonly kind: "upload"; readonly staged: Staged; readonly hints: FileHints }
	| { readonly kind: "import"; readonly url: string };

/** The writable fields of a create, parsed. */
export interface CreateFields {
	readonly caption?: string | undefined;
	/** Seconds; null or undefined: permanent. */
	readonly ttl?: number | null | undefined;
	/** Milliseconds. */
	readonly published_at?: number | undefined;
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	readonly labels?: Readonly<Record<string, string>> | undefined;
	readonly public?: boolean | null | undefined;
}

const AMBIGUOUS_RETRY_SECONDS = 2;
// Once the whole body is here, a caller who hangs up changes nothing.
const NEVER_ABORTED = new AbortController().signal;

/**
 * Stores one image, or nothing. What it acknowledges is durable: bytes are synced before the row that refers to them is committed.
 * The staged upload is used up either way.
 * @throws Failure validation_error, quota_exceeded, workspace_unavailable, fetch_failed, upload_failed, import_failed,
 * create_outcome_ambiguous
 */
export async function createImage(
	deps: CreateDeps,
	access: Access,
	source: CreateSource,
	fields: CreateFields,
	rules: FileRules,
): Promise<NewImage> {
	const leftovers: Staged[] = source.kind === "upload" ? [source.staged] : [];
	try {
		await refuseEarly(deps, access);
		const staged = source.kind === "upload" ? source.staged : await fetchImage(deps, source.url, rules, leftovers);
		const hints =
			source.kind === "upload" ? source.hints : { filename: filenameOf(source.url), contentType: undefined };
		const inspected = await deps.gate.run(NEVER_ABORTED, () => deps.inspector.inspect(staged, hints, rules));
		leftovers.push(inspected.master);
		const image = newImage(deps.clock.now(), access, inspected, hints.filename, withSource(fields, source));
		return await store(deps, access, image, inspected.master);
	} catch (cause) {
		throw asCreateFailure(cause, source.kind);
	} finally {
		for (const staged of leftovers) await staged.discard();
	}
}

/** Cheap refusals before anything is fetched or decoded; the commit checks again, with authority. */
async function refuseEarly(deps: CreateDeps, access: Access): Promise<void> {
	if (access.storage.state === "deleting") throw refused("storage_deleting", access);
	const limit = imagesLimit(access.app);
	if (limit === null) return;
	const { appImages } = await deps.usage.read(access.storage.pk, deps.clock.now());
	if (appImages >= limit) throw refused("quota", access);
}

function fetchImage(deps: CreateDeps, url: string, rules: FileRules, leftovers: Staged[]): Promise<Staged> {
	return deps.importer.fetch(url, async (body) => {
		const staged = await deps.blobs.stage(body, rules.maxBytes);
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
	access: Access,
	inspected: Inspected,
	filename: string | undefined,
	fields: CreateFields,
): NewImage {
	const id = newId("img");
	return {
		id,
		storagePk: access.storage.pk,
		teamHash: access.storage.teamHash,
		status: "ready",
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
		// Never reused, so that a dead key can be removed at any time.
		blobKey: `${id}/${randomBase62(12)}`,
		publishedMs: fields.published_at ?? now,
		expiresMs: typeof fields.ttl === "number" ? now + fields.ttl * 1_000 : null,
		createdMs: now,
		caption: fields.caption ?? "",
		metadata: fields.metadata ?? {},
		labels: fields.labels ?? {},
		revision: 1,
	};
}

async function store(deps: CreateDeps, access: Access, image: NewImage, master: Staged): Promise<NewImage> {
	await deps.images.claimBlob(image.blobKey, image.createdMs);
	// Bytes before the row: a crash between leaves an orphan that the sweep finds, not a row pointing at nothing.
	await deps.blobs.put(image.blobKey, master);
	const refusal = await commit(deps, access, image);
	if (refusal) {
		await dropBlob(deps, image.blobKey);
		throw refused(refusal, access);
	}
	return image;
}

/** Undefined when the image is there. An answer that was lost on the way is looked up rather than guessed. */
async function commit(deps: CreateDeps, access: Access, image: NewImage): Promise<CommitRefusal | undefined> {
	try {
		return await deps.images.commitCreate(image, access);
	} catch (cause) {
		if (await happened(deps, image)) return undefined;
		throw cause;
	}
}

/**
 * Whether a commit whose answer was lost has happened. A "no" is final: the blob is condemned, so that a commit that is still on
 * its way fails.
 * @throws Failure create_outcome_ambiguous when the database cannot say
 */
async function happened(deps: CreateDeps, image: NewImage): Promise<boolean> {
	try {
		if (await deps.images.exists(image.id)) return true;
		if (await deps.images.condemnBlob(image.blobKey, deps.clock.now())) return false;
		return await deps.images.exists(image.id);
	} catch (cause) {
		throw new Failure("create_outcome_ambiguous", undefined, { cause, retryAfterSeconds: AMBIGUOUS_RETRY_SECONDS });
	}
}

async function dropBlob(deps: CreateDeps, blobKey: string): Promise<void> {
	if (!(await deps.images.condemnBlob(blobKey, deps.clock.now()))) return;
	await deps.blobs.remove(blobKey);
	await deps.images.forgetBlob(blobKey);
}

function refused(refusal: CommitRefusal, access: Access): Failure {
	if (refusal === "storage_deleting") return new Failure("workspace_unavailable");
	if (refusal === "quota") return quotaExceeded(access);
	return new Failure("create_outcome_ambiguous", undefined, { retryAfterSeconds: AMBIGUOUS_RETRY_SECONDS });
}

const PLAN_NAMES = { free: "Free", pro: "Pro", unlimited: "Unlimited" } as const;

function quotaExceeded(access: Access): Failure {
	// A connected user is not told what the App pays for.
	if (access.key.reach === "user") return new Failure("quota_exceeded");
	const { plan } = access.app;
	const limit = (imagesLimit(access.app) ?? 0).toLocaleString("en");
	const target = APP_PLANS[plan].upgradeTo;
	const way = target ? `delete images or move to ${PLAN_NAMES[target]}` : "delete images";
	return new Failure("quota_exceeded", undefined, {
		message: `The ${PLAN_NAMES[plan]} plan holds ${limit} images and this App has reached it; ${way}.`,
	});
}

function asCreateFailure(cause: unknown, kind: CreateSource["kind"]): Failure {
	const own = kind === "upload" ? "upload_failed" : "import_failed";
	if (cause instanceof Failure && (cause.code !== "upload_failed" || kind === "upload")) return cause;
	return new Failure(own, undefined, { cause });
}
