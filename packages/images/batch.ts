import { changeFailure } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import type { RenditionStore } from "@svc/base/ports";
import { deleteImage, type Image } from "./images.ts";
import type { CallAccess } from "./ports.ts";
import type { Images } from "./room.ts";
import { type ImageChanges, updateImage } from "./update-image.ts";

/** What became of each item, in the order of the request. */
export interface BatchOutcome<T> {
	readonly done: readonly T[];
	readonly failed: readonly { readonly id: string; readonly failure: Failure }[];
}

/** Each image changes by itself or fails by itself; `ids` are distinct. A ttl ends at the same moment for all. */
export function updateImages(
	room: Images,
	access: CallAccess,
	ids: readonly string[],
	changes: ImageChanges,
): Promise<BatchOutcome<Image>> {
	const nowMs = room.clock.now();
	return eachOf(ids, (id) => updateImage(room, access, id, changes, nowMs));
}

/** Returns the ids that are gone now, whether or not there ever was such an image; fails only where a deletion did. */
export function deleteImages(
	room: Images & { readonly renditions: RenditionStore },
	access: CallAccess,
	ids: readonly string[],
	kept = false,
): Promise<BatchOutcome<string>> {
	return eachOf(ids, async (id) => {
		await deleteImage(room, access, id, kept).catch(passMissing);
		return id;
	});
}

function passMissing(cause: unknown): void {
	if (!(cause instanceof Failure && cause.code === "not_found")) throw changeFailure("delete_failed", cause);
}

/** Works one after the other: the database commits one by one anyway, and other requests are served in between. */
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
