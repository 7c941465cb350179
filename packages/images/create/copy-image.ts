import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import { changeable } from "../change/move-image.ts";
import type { Image, NewImage } from "../images.ts";
import type { CallAccess, CommitRefusal, MasterBlob } from "../ports.ts";
import type { Images } from "../room.ts";
import { quotaFailure } from "../usage/limits.ts";
import { asCreateFailure, closed, refused } from "./create-failure.ts";
import { claimPlace, refuseEarly, storeImage } from "./create-image.ts";

/** How often a copy starts again because the original changed meanwhile: each time its bytes are read anew. */
const ATTEMPTS = 5;
/** A commit of another request is on the disk a moment before this process has heard of it, and reads what it keeps until then. */
const PAUSE_MS = 5;

/**
 * Makes another image of the same bytes in a storage of the same App, with the same dates, labels and texts, but without the external id.
 * @throws Failure not_found, media_locked, and as a create: quota_exceeded, workspace_unavailable, upload_failed, create_outcome_ambiguous
 */
export async function copyImage(room: Images, access: CallAccess, target: CallAccess, id: string): Promise<NewImage> {
	for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
		const original = await changeable(room, access, id, room.clock.now());
		const made = await copyOf(room, original, target).catch(async (cause: unknown) => {
			const failure = asCreateFailure(cause, "upload");
			// The early refusal for lack of space names no limit.
			throw failure.code === "quota_exceeded" ? await refusalOf(room, target, "quota") : failure;
		});
		if (typeof made !== "string") return made;
		if (made !== "changed") throw await refusalOf(room, target, made);
		await pause(PAUSE_MS);
	}
	throw new Error(`The image changed ${ATTEMPTS} times while it was to be copied.`);
}

async function copyOf(room: Images, original: Image, target: CallAccess): Promise<NewImage | CommitRefusal> {
	await refuseEarly(room, target, original.bytes);
	const stored = await room.masters.findWhole(original.blobKey);
	// Deleted since it was read.
	if (!stored) return "changed";
	const master = await room.blobs.stage(stored.stream(), original.bytes);
	try {
		await requireWhole(stored, master);
		const { imageId, blobKey } = await claimPlace(room);
		const copy = duplicate(original, target, { id: imageId, blobKey, sha256: master.sha256 }, room.clock.now());
		return (await storeImage(room, target, copy, master, original)) ?? copy;
	} finally {
		await master.discard();
	}
}

/** @throws DamagedMaster; Error where they were replaced under our eyes */
async function requireWhole({ sha256, judge }: MasterBlob, master: Staged): Promise<void> {
	if (sha256 === undefined || sha256 === Buffer.from(master.sha256).toString("hex")) return;
	await judge?.();
	throw new Error("The bytes that were read are not those that are stored.");
}

/** What was sent, before it became what is stored, is taken over in the commit. */
function duplicate(
	{ pk: _, ...facts }: Image,
	{ app, storage }: CallAccess,
	own: Pick<NewImage, "id" | "blobKey" | "sha256">,
	createdMs: number,
): NewImage {
	const place = { appPk: app.pk, storagePk: storage.pk, teamHash: storage.teamHash };
	return { ...facts, ...place, ...own, sentSha256: null, externalId: null, createdMs, revision: 1 };
}

async function refusalOf(room: Images, target: CallAccess, refusal: CommitRefusal): Promise<Failure> {
	if (refusal === "closed") return await closed(target);
	return refusal === "quota" ? await quotaFailure(room, target) : refused(refusal);
}
