import { type JobRun, requireLease } from "@svc/jobs/jobs";
import type { DoomedOwner, DoomedStorage } from "./erasure-store.ts";
import type { Erasure } from "./room.ts";

/* Storages that are being deleted. Nothing of them can be reached any more; what is left is to give everything back. */

/** As many as one commit takes: requests wait for it. */
const BATCH = 500;

/** Empties one storage and removes it. */
export async function emptyStorage(room: Erasure, run: JobRun<"storage.empty">): Promise<void> {
	const storage = await room.store.findStorage(run.job.payload.storageId);
	// A try before this one has removed it.
	if (!storage) return;
	await eraseStorages(room, run, [storage]);
}

/** The same for all storages of an owner. */
export async function emptyStorages(room: Erasure, run: JobRun, owner: DoomedOwner): Promise<void> {
	await eraseStorages(room, run, await room.store.listStorages(owner));
}

async function eraseStorages(room: Erasure, run: JobRun, storages: readonly DoomedStorage[]): Promise<void> {
	const left = storages.reduce((sum, { images }) => sum + images, 0);
	requireLease((await room.jobs.store.expect(run.job.lease, left)) ? undefined : "lost");
	for (const { id } of storages) {
		while (await eraseBatch(room, run, id)) await run.yieldToRequests();
		requireLease(await room.store.dropStorage(run.job.lease, id, room.clock.now()));
		await run.yieldToRequests();
	}
}

/** False when there was nothing left. */
async function eraseBatch(room: Erasure, run: JobRun, storageId: string): Promise<boolean> {
	const images = await room.store.listImages(storageId, BATCH);
	if (images.length === 0) return false;
	// "gone": a sweep or a moderator was faster with all of them.
	requireLease(await room.store.deleteImages(run.job.lease, storageId, images, room.clock.now()));
	for (const { blobKey } of images) await room.images.renditions.purge(blobKey);
	return true;
}
