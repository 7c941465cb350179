import type { Clock, RenditionStore } from "@svc/base/ports";
import type { ImageStore } from "./ports.ts";

/** How many are deleted at once. */
const EXPIRED_MAX = 500;

/** Deletes what has expired, oldest first, at most one batch of it; returns how many. */
export async function expireImages(
	deps: { readonly images: ImageStore; readonly renditions: RenditionStore; readonly clock: Clock },
	breathe: () => Promise<void>,
): Promise<number> {
	const now = deps.clock.now();
	const expired = await deps.images.listExpired(now, EXPIRED_MAX);
	for (const image of expired) {
		await deps.images.delete(image, "sweeper", now);
		await deps.renditions.purge(image.blobKey);
		await breathe();
	}
	return expired.length;
}
