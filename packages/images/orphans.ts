import type { BlobStore } from "@svc/base/ports";
import type { Images } from "./room.ts";

/* Blobs without a row: written late by a request that was given up, or restored on a disk after a power failure. */

const DAY_MS = 24 * 3_600_000;
/** As with dead blobs: a backup whose snapshot still names them finds them. A blob that is being written is younger. */
const GRACE_MS = DAY_MS;
/** The pause between the end of one pass through the store and the start of the next. */
const REST_MS = DAY_MS;
/** The prefix of the keys that creates make; any other key in a bucket is not ours. */
export const BLOB_PREFIX = "img_";
const OURS = /^img_[0-9A-Za-z]{1,64}\/[0-9A-Za-z]{1,64}$/;

/** Whether a key in the store has the form that creates give to blobs. */
export function isBlobKey(key: string): boolean {
	return OURS.test(key);
}

interface SweepAids {
	/** Whether the store is this database's own, looked up there and then. */
	readonly isCertain: () => Promise<boolean>;
	readonly yieldToRequests: () => Promise<void>;
}

/**
 * Reads the store page by page, one with each call, and removes blobs that no row names. Where that is the greater part of a page
 * nothing is removed: then this is more likely the wrong database than a store full of leftovers.
 */
export function orphanSweeper(room: Images, aids: SweepAids): () => Promise<number> {
	let after: string | undefined;
	let restUntilMs = Number.NEGATIVE_INFINITY;
	return async () => {
		const now = room.clock.now();
		if (now < restUntilMs) return 0;
		if (!(await aids.isCertain())) {
			room.log.warn("it is not certain that the stored blobs are this database's; none was looked at");
			return 0;
		}
		const page = await room.blobs.list(BLOB_PREFIX, after).catch((cause: unknown) => {
			// A cursor that the store does not know any more must not block the sweep.
			after = undefined;
			throw cause;
		});
		const removed = await removeOrphans(room, page.blobs, now, aids.yieldToRequests);
		after = page.next;
		if (after === undefined) restUntilMs = now + REST_MS;
		return removed;
	};
}

async function removeOrphans(
	room: Images,
	listed: Awaited<ReturnType<BlobStore["list"]>>["blobs"],
	now: number,
	yieldToRequests: () => Promise<void>,
): Promise<number> {
	const old = listed.filter(({ key, writtenMs }) => isBlobKey(key) && writtenMs < now - GRACE_MS).map(({ key }) => key);
	if (old.length === 0) return 0;
	const orphans = await room.store.listUnknownBlobs(old);
	if (orphans.length > old.length - orphans.length) {
		room.log.warn("most of the stored blobs looked at are unknown to this database; none was removed", {
			unknown: orphans.length,
			known: old.length - orphans.length,
		});
		return 0;
	}
	for (const key of orphans) {
		await room.blobs.remove(key);
		await yieldToRequests();
	}
	return orphans.length;
}
