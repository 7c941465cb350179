import type { Clock, RenditionStore } from "@svc/base/ports";
import { type JobRun, requireLease } from "@svc/jobs/jobs";
import type { JobStore } from "@svc/jobs/jobs-store";
import type { DoomedOwner, DoomedStorage, ErasureStore } from "./erasure-store.ts";

/* Storages that are being deleted. Nothing of them can be reached any more; what is left is to give everything back. */

export interface ErasureDeps {
	readonly erasure: ErasureStore;
	readonly jobs: JobStore;
	readonly renditions: RenditionStore;
	readonly clock: Clock;
}

/** As many as one commit takes: requests wait for it. */
const BATCH = 500;

/** Empties one storage and removes it. */
export async function emptyStorage(deps: ErasureDeps, run: JobRun<"storage.empty">): Promise<void> {
	const storage = await deps.erasure.findStorage(run.job.payload.storageId);
	// A try before this one has removed it.
	if (!storage) return;
	await eraseStorages(deps, run, [storage]);
}

/** The same for all storages of an owner. */
export async function emptyStorages(deps: ErasureDeps, run: JobRun, owner: DoomedOwner): Promise<void> {
	await eraseStorages(deps, run, await deps.erasure.listStorages(owner));
}

async function eraseStorages(deps: ErasureDeps, run: JobRun, storages: readonly DoomedStorage[]): Promise<void> {
	const left = storages.reduce((sum, { images }) => sum + images, 0);
	requireLease((await deps.jobs.expect(run.job.lease, left)) ? undefined : "lost");
	for (const { id } of storages) {
		while (await eraseBatch(deps, run, id)) await run.breathe();
		requireLease(await deps.erasure.dropStorage(run.job.lease, id, deps.clock.now()));
		await run.breathe();
	}
}

/** False when there was nothing left. */
async function eraseBatch(deps: ErasureDeps, run: JobRun, storageId: string): Promise<boolean> {
	const images = await deps.erasure.listImages(storageId, BATCH);
	if (images.length === 0) return false;
	// "gone": a sweep or a moderator was faster with all of them.
	requireLease(await deps.erasure.deleteImages(run.job.lease, storageId, images, deps.clock.now()));
	for (const { blobKey } of images) await deps.renditions.purge(blobKey);
	return true;
}
