import { changeFailure, DatabaseError } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { RenditionStore } from "@svc/base/ports";
import { deleteImage, type Image } from "../images.ts";
import type { CallAccess, ImageChange } from "../ports.ts";
import type { Images } from "../room.ts";
import { changedImage, type ImageChanges, updateImage } from "./update-image.ts";

/** What became of each item, in the order of the request. */
export interface BatchOutcome<T> {
	readonly done: readonly T[];
	readonly failed: readonly { readonly id: string; readonly failure: Failure }[];
}

/**
 * Each image changes by itself or fails by itself, and those that change do so in one commit; `ids` are distinct. A ttl ends at the same
 * moment for all.
 */
export async function updateImages(
	room: Images,
	access: CallAccess,
	ids: readonly string[],
	changes: ImageChanges,
): Promise<BatchOutcome<Image>> {
	const nowMs = room.clock.now();
	const alone = (id: string) => updateImage(room, access, id, changes, nowMs);
	if (changes.external_id !== undefined) return await eachOf(ids, alone);
	const changed = new Map<string, ImageChange>();
	const planned = async (id: string, found: ReadonlyMap<string, Image>) => {
		const before = found.get(id);
		if (before === undefined) throw new Failure("not_found");
		const after = changedImage(before, changes, nowMs);
		if (after === before) return before;
		changed.set(id, { before, after });
		return { ...after, revision: before.revision + 1 };
	};
	const together = async () => {
		const found = await findAll(room, access, ids, nowMs);
		const outcome = await eachOf(ids, (id) => planned(id, found));
		const isDone = await room.store.updateAll([...changed.values()], access, nowMs);
		return isDone ? outcome : undefined;
	};
	return await atOnce("update_failed", ids, together, alone);
}

/** Returns the ids that are gone now, whether or not there ever was such an image; fails only where a deletion did. */
export async function deleteImages(
	room: Images & { readonly renditions: RenditionStore },
	access: CallAccess,
	ids: readonly string[],
	kept = false,
): Promise<BatchOutcome<string>> {
	const nowMs = room.clock.now();
	const alone = async (id: string) => {
		await deleteImage(room, access, id, kept).catch(passMissing);
		return id;
	};
	const together = async () => {
		const found = [...(await findAll(room, access, ids, nowMs)).values()];
		if (found.length > 0 && !(await room.store.deleteAll(found, access, nowMs, kept))) return undefined;
		for (const { blobKey } of found) await room.renditions.purge(blobKey);
		return { done: ids, failed: [] };
	};
	return await atOnce("delete_failed", ids, together, alone);
}

function passMissing(cause: unknown): void {
	if (!(cause instanceof Failure && cause.code === "not_found")) throw changeFailure("delete_failed", cause);
}

async function findAll(
	{ store }: Images,
	access: CallAccess,
	ids: readonly string[],
	nowMs: number,
): Promise<ReadonlyMap<string, Image>> {
	const images = ids.filter((id) => isId("img", id));
	const found = images.length === 0 ? [] : await store.findAll(access.storage.pk, images, nowMs);
	return new Map(found.map((image) => [image.id, image]));
}

/**
 * All items at once; where that was refused, or failed for a reason that may be one item's, nothing has happened, and each is tried alone. A
 * database that is away, or was not heard of again, is that for all of them.
 */
async function atOnce<T>(
	code: "update_failed" | "delete_failed",
	ids: readonly string[],
	together: () => Promise<BatchOutcome<T> | undefined>,
	alone: (id: string) => Promise<T>,
): Promise<BatchOutcome<T>> {
	try {
		const outcome = await together();
		if (outcome) return outcome;
	} catch (cause) {
		if (cause instanceof DatabaseError && cause.code !== "SQLITE_CONSTRAINT") {
			const failure = changeFailure(code, cause);
			return { done: [], failed: ids.map((id) => ({ id, failure })) };
		}
	}
	return await eachOf(ids, alone);
}

/** Works one after the other: other requests are served in between. */
export async function eachOf<T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<BatchOutcome<T>> {
	const done: T[] = [];
	const failed: { id: string; failure: Failure }[] = [];
	for (const id of ids) {
		try {
			done.push(await work(id));
		} catch (cause) {
			if (!(cause instanceof Failure)) throw cause;
			failed.push({ id, failure: cause });
		}
	}
	return { done, failed };
}
