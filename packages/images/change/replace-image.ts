import { DatabaseError } from "@svc/base/database-error";
import type { Staged } from "@svc/base/ports";
import { type Created, createOnce, type DecodedUpload } from "../create/claim.ts";
import { asCreateFailure, closed, refused } from "../create/create-failure.ts";
import { receive } from "../create/create-image.ts";
import type { CreateSource } from "../create/create-request.ts";
import type { Claim, IdempotencyKey, ImageSlot } from "../create/idempotency.ts";
import { dropBlob, newImageSlot, putMaster } from "../create/image-slot.ts";
import { keepTrying } from "../create/keep-trying.ts";
import { safeFilename } from "../image-fields.ts";
import type { Image, NewImage } from "../images.ts";
import type { CallAccess, CommitRefusal, FileRules } from "../ports.ts";
import type { Images } from "../room.ts";
import { quotaFailure, underLimits } from "../usage/limits.ts";
import { changeable } from "./move-image.ts";

/** How often a commit starts again because the image changed meanwhile. */
const ATTEMPTS = 20;

interface Replacement {
	readonly source: CreateSource;
	/** Undefined: one that is sent twice replaces twice. */
	readonly key: IdempotencyKey | undefined;
}

/**
 * Gives an image other bytes, under the same id, with the same labels, dates and name. The old ones are served until the new ones are
 * committed; a refusal leaves them. The staged upload is used up either way.
 * @throws Failure as a create, and not_found, media_locked
 */
export async function replaceImage(
	room: Images,
	access: CallAccess,
	id: string,
	{ source, key }: Replacement,
	rules: FileRules,
): Promise<Created> {
	const leftovers: Staged[] = source.kind === "upload" ? [source.staged] : [];
	const make = async (place: ImageSlot): Promise<DecodedUpload> => {
		const before = await changeable(room, access, id, room.clock.now());
		const { inspected, filename } = await receive(room, access, source, rules, leftovers);
		const { master, format, width, height, sentSha256, seen } = inspected;
		const file = { format, width, height, sentSha256, seen, bytes: master.bytes, sha256: master.sha256 };
		const name = safeFilename(filename, `${id}.${format}`);
		const { pk: _, ...facts } = before;
		const image = { ...facts, ...file, filename: name, blobKey: place.blobKey };
		return { image, master, isImport: source.kind === "import" };
	};
	const committing = committer(room, access, id);
	try {
		const made = key
			? await createOnce(room, access, key, make, { imageId: id, commit: committing.commit })
			: { image: await store(room, access, await claimed(room, id, make), committing), replayed: false };
		return made.replayed ? made : { ...made, image: committing.committed() ?? made.image };
	} catch (cause) {
		const failure = asCreateFailure(cause, source.kind);
		if (failure.code !== "quota_exceeded") throw failure;
		throw await quotaFailure(room, access, "bytes");
	} finally {
		for (const staged of leftovers) await staged.discard();
	}
}

interface Committing {
	commit(image: NewImage, claim?: Claim): Promise<CommitRefusal | undefined>;
	/** The image as the last commit has left it. */
	committed(): NewImage | undefined;
}

/** What changed since the image was read stays: only its bytes are replaced. */
function committer(room: Images, access: CallAccess, id: string): Committing {
	let last: NewImage | undefined;
	return {
		committed: () => last,
		async commit(image, claim) {
			for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
				const nowMs = room.clock.now();
				const before = await changeable(room, access, id, nowMs);
				const after = withBytesOf(image, before);
				last = after;
				const refusal = await underLimits(access, (known) =>
					room.replacements.commit({ before, after, access: known, claim, nowMs }),
				);
				if (refusal !== "moved") return refusal;
			}
			throw new Error(`The image changed ${ATTEMPTS} times while it was to be replaced.`);
		},
	};
}

function withBytesOf(image: NewImage, before: Image): NewImage {
	const { blobKey, filename, format, width, height, bytes, sha256, sentSha256, seen } = image;
	const { pk: _, ...facts } = before;
	const file = { blobKey, filename, format, width, height, bytes, sha256, sentSha256, seen };
	return { ...facts, ...file, revision: before.revision + 1 };
}

async function claimed(
	room: Images,
	id: string,
	make: (place: ImageSlot) => Promise<DecodedUpload>,
): Promise<DecodedUpload> {
	const place = newImageSlot(id);
	const made = await make(place);
	await room.store.claimBlob(place.blobKey, room.clock.now());
	return made;
}

/** Bytes before the row; where the answer of the commit was lost, the state of the blob tells what became of it. */
async function store(
	room: Images,
	access: CallAccess,
	{ image, master }: DecodedUpload,
	{ commit }: Committing,
): Promise<NewImage> {
	const { blobKey, id } = image;
	await putMaster(room, blobKey, master);
	const drop = () => dropBlob(room, blobKey);
	let refusal: CommitRefusal | undefined;
	try {
		refusal = await commit(image);
	} catch (cause) {
		const unsure = cause instanceof DatabaseError && cause.written !== "no";
		if (unsure && !(await room.store.markBlobDead(blobKey, room.clock.now()))) return image;
		await keepTrying(room, "the end of a blob", id, drop);
		throw cause;
	}
	if (refusal === undefined) return image;
	await drop();
	throw refusal === "closed" ? await closed(access) : refused(refusal);
}
