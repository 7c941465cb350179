import type { BlobStore, Clock, ImageStore, Log, RenditionStore } from "./ports.ts";

export interface SweepDeps {
	readonly images: ImageStore;
	readonly blobs: BlobStore;
	readonly renditions: RenditionStore;
	readonly clock: Clock;
	readonly log: Log;
}

export interface Swept {
	readonly expired: number;
	readonly blobs: number;
	readonly staged: number;
}

const HOUR_MS = 3_600_000;
/** No create takes this long: what is pending after it was left behind by a crash. */
const PENDING_GRACE_MS = HOUR_MS;
/** Dead blobs wait, so that a backup whose snapshot still names them finds them. */
const DEAD_GRACE_MS = 24 * HOUR_MS;
const BATCH = 500;

/**
 * Removes what nobody can reach any more: expired images, trashed blobs past their grace, temporary files of dead processes.
 * Safe to run at any time and to be cut off at any point. `breathe` is called between items, so that requests are not held up.
 */
export async function sweep(deps: SweepDeps, breathe: () => Promise<void>): Promise<Swept> {
	const now = deps.clock.now();
	const expired = await deps.images.listExpired(now, BATCH);
	for (const image of expired) {
		await deps.images.delete(image, "sweeper", now);
		await deps.renditions.purge(image.blobKey);
		await breathe();
	}
	const trash = await deps.images.listTrash(now - PENDING_GRACE_MS, now - DEAD_GRACE_MS, BATCH);
	for (const blobKey of trash) {
		await removeBlob(deps, blobKey, now);
		await breathe();
	}
	const staged = await deps.blobs.sweepStaged(now - PENDING_GRACE_MS);
	return { expired: expired.length, blobs: trash.length, staged };
}

/** Condemned first: a commit that is still under way can then no longer refer to it. */
async function removeBlob(deps: SweepDeps, blobKey: string, now: number): Promise<void> {
	if (!(await deps.images.condemnBlob(blobKey, now))) return;
	await deps.blobs.remove(blobKey);
	await deps.images.forgetBlob(blobKey);
}
