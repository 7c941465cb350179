import type { Actor } from "@svc/base/actor";
import { changeFailure } from "@svc/base/database-error";
import type { BlockReason, ModerationVerb } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { StoredBlob } from "@svc/base/ports";
import { type BatchOutcome, eachOf } from "@svc/images/change/batch";
import type { Image } from "@svc/images/images";
import type { ModeratedImage, ModerationChange } from "./deeds.ts";
import type { Moderation } from "./room.ts";

/** How long what is kept of a blocked picture counts once its image is gone: from the block on. */
export const BLOCKED_KEPT_MS = 2 * 365 * 86_400_000;

/** The action that an operator requests. */
export interface ModerationRequest {
	readonly verb: ModerationVerb;
	readonly reason?: BlockReason | null | undefined;
	readonly note?: string | null | undefined;
	/** The action applies only while the image still has this revision. */
	readonly revision?: number | null | undefined;
	/** An unblock also opens the reports again that the block settled. */
	readonly reopensReports?: boolean | undefined;
}

/** @throws Failure not_found */
export async function getModerated(room: Moderation, id: string) {
	return found(isId("img", id) ? await room.store.find(id, room.clock.now()) : undefined);
}

/**
 * The numbers of images of all Apps that look like one, which may be in any state itself.
 * @throws Failure validation_error under `similar_to`
 */
export async function findAlike(room: Moderation, id: string): Promise<readonly number[]> {
	const found = isId("img", id) ? await room.store.find(id, room.clock.now()) : undefined;
	if (!found) throw invalid("similar_to", "must be the id of an image");
	await room.images.likenesses.look(found.image, "likeness").catch(() => undefined);
	return await room.store.listAlike(id);
}

/**
 * Locks, unlocks, blocks or unblocks an image, or sets whether it is suitable for every viewer, and returns it as it then is.
 * @throws Failure not_found, and state_conflict, naming the operator who was first, where the image is not in a state that this changes
 */
export async function moderate(
	room: Moderation,
	id: string,
	{ verb, reason = null, note = null, revision = null, reopensReports = false }: ModerationRequest,
	by: Actor,
): Promise<ModeratedImage> {
	if (!isId("img", id)) throw new Failure("not_found");
	const change: ModerationChange = { id: newId("mod"), verb, reason, note: note || null, revision, reopensReports };
	const refused = await room.store.change(id, change, by).catch((cause: unknown) => {
		throw changeFailure("update_failed", cause);
	});
	const now = await getModerated(room, id);
	if (refused) return settled(now, change);
	if (verb === "block") await room.images.renditions.purge(now.image.blobKey);
	return now;
}

/** The result of a refused change: repeating a state that is set already is no conflict. */
function settled(now: ModeratedImage, { verb, revision }: ModerationChange): ModeratedImage {
	const { image } = now;
	const saidAlready = (verb === "nsfw" && image.nsfw) || (verb === "not_nsfw" && !image.nsfw);
	if (saidAlready && (revision === null || revision === image.revision)) return now;
	throw Failure.saying("state_conflict", `${clashOf(image, verb, revision)} ${lastOf(now)}`);
}

function clashOf(image: Image, verb: ModerationVerb, revision: number | null): string {
	if (revision !== null && revision !== image.revision) {
		return `This image has changed since revision ${revision}; it is at ${image.revision} now.`;
	}
	if (verb === "lock") return "This image is locked already.";
	if (verb === "unlock") return "This image is not locked.";
	if (verb === "unblock") return `This image is ${image.status}, not blocked.`;
	if (image.status !== "blocked") return `This image is ${image.status}; only a ready one can be blocked.`;
	const reason = image.blockReason ? `for ${image.blockReason}` : "without a reason";
	return `This image is blocked already, ${reason}; unblock it to give another one.`;
}

function lastOf({ actions: [last] }: ModeratedImage): string {
	if (!last) return "No operator has done anything to it.";
	return `Last: ${last.action} by ${last.actorEmail ?? last.actor} at ${new Date(last.createdMs).toISOString()}.`;
}

/**
 * Deletes an image like any other deletion; its history stays.
 * @throws Failure not_found, delete_failed
 */
export async function deleteModerated(
	room: Moderation,
	id: string,
	{ reason = null, note = null }: Pick<ModerationRequest, "reason" | "note">,
	by: Actor,
): Promise<void> {
	const { image } = await getModerated(room, id);
	const said = { reason, note: note || null };
	const change: ModerationChange = { id: newId("mod"), verb: "delete", ...said, revision: null, reopensReports: false };
	const deleted = await room.store.delete(image, change, by).catch((cause: unknown) => {
		throw changeFailure("delete_failed", cause);
	});
	if (!deleted) throw new Failure("not_found");
	await room.images.renditions.purge(image.blobKey);
}

/** Each image separately; `ids` are distinct. Undefined means an image that is gone now. */
export function moderateAll(
	room: Moderation,
	ids: readonly string[],
	moderation: ModerationRequest,
	by: Actor,
): Promise<BatchOutcome<{ readonly id: string; readonly item: ModeratedImage | undefined }>> {
	return eachOf(ids, async (id) => {
		if (moderation.verb !== "delete") return { id, item: await moderate(room, id, moderation, by) };
		await deleteModerated(room, id, moderation, by);
		return { id, item: undefined };
	});
}

/**
 * The stored image, in whatever state it is.
 * @throws Failure not_found for an image that is gone; DamagedMaster
 */
export async function getPreview(room: Moderation, id: string): Promise<{ image: Image; blob: StoredBlob }> {
	const { image } = await getModerated(room, id);
	return { image, blob: found(await room.images.masters.findWhole(image.blobKey)) };
}
