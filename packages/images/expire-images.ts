import type { Images } from "./room.ts";

/** How many are deleted at once. */
const EXPIRED_MAX = 500;

/** Deletes what has expired, oldest first, at most one batch of it; returns how many. */
export async function expireImages(
	room: Pick<Images, "store" | "renditions" | "clock">,
	yieldToRequests: () => Promise<void>,
): Promise<number> {
	const now = room.clock.now();
	const expired = await room.store.listExpired(now, EXPIRED_MAX);
	for (const image of expired) {
		await room.store.delete(image, "sweeper", now);
		await room.renditions.purge(image.blobKey);
		await yieldToRequests();
	}
	return expired.length;
}
