import { JobFailure } from "@svc/base/failure";
import { type JobRun, requireLease } from "@svc/jobs/jobs";
import type { DoomedOwner, DoomedStorage } from "./erasure-store.ts";
import type { Erasure } from "./room.ts";

/* What jobs delete for good: storages, and the accounts and Apps that hold them. Nothing of them can be reached any more; what is left is to give everything back. */

/** The most images that one commit deletes: requests wait for it. */
const BATCH = 500;
/** How often the job looks again for a storage that was made at the last moment. */
const ROUNDS = 3;

/** Empties one storage and removes it. */
export async function emptyStorage(room: Erasure, run: JobRun<"storage.empty">): Promise<void> {
	const storage = await room.store.findStorage(run.job.payload.storageId);
	// An earlier try has removed it.
	if (!storage) return;
	await eraseStorages(room, run, [storage]);
}

/** Empties all storages of an account, then forgets its person. Its address can sign up anew, as a new account. */
export async function deleteAccount(room: Erasure, run: JobRun<"account.delete">): Promise<void> {
	const { accountId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await room.store.closeAccount(lease, accountId, room.clock.now()));
		await emptyStorages(room, run, { accountId });
		const refusal = requireLease(await room.store.forgetAccount(lease, accountId, room.clock.now()));
		if (refusal === undefined) return;
		if (refusal === "owner") throw new JobFailure("This account owns an App; hand it over or delete it first.");
		// "busy": a storage was created at the last moment.
		await run.yieldToRequests();
	}
	throw new Error("new storages keep coming for an account that is being deleted");
}

/** Empties all storages of an App, then removes all that belongs to it. Its audit entries stay. */
export async function deleteApp(room: Erasure, run: JobRun<"app.delete">): Promise<void> {
	const { appId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await room.store.closeApp(lease, appId, room.clock.now()));
		await emptyStorages(room, run, { appId });
		await dropEvents(room, run, appId);
		const refusal = requireLease(await room.store.forgetApp(lease, appId, room.clock.now()));
		if (refusal === undefined) return;
		// "busy": a storage was created at the last moment.
		await run.yieldToRequests();
	}
	throw new Error("new storages keep coming for an App that is being deleted");
}

async function emptyStorages(room: Erasure, run: JobRun, owner: DoomedOwner): Promise<void> {
	await eraseStorages(room, run, await room.store.listStorages(owner));
}

async function eraseStorages(room: Erasure, run: JobRun, storages: readonly DoomedStorage[]): Promise<void> {
	const left = storages.reduce((sum, { images }) => sum + images, 0);
	requireLease((await room.jobs.store.expect(run.job.lease, left)) ? undefined : "lost");
	for (const { id } of storages) {
		while (await eraseBatch(room, run, id)) await run.yieldToRequests();
		await cutEvents(room, run, id);
		requireLease(await room.store.dropStorage(run.job.lease, id, room.clock.now()));
		await run.yieldToRequests();
	}
}

/** False when no image was left. */
async function eraseBatch(room: Erasure, run: JobRun, storageId: string): Promise<boolean> {
	const images = await room.store.listImages(storageId, BATCH);
	if (images.length === 0) return false;
	// "gone": a sweep or a moderator has deleted all of them first.
	requireLease(await room.store.deleteImages(run.job.lease, storageId, images, room.clock.now()));
	for (const { blobKey } of images) await room.images.renditions.purge(blobKey);
	return true;
}

/** Who was erased is in no event any more; that there were events stays. */
async function cutEvents(room: Erasure, run: JobRun, storageId: string): Promise<void> {
	let afterPk: number | undefined = 0;
	while (afterPk !== undefined) {
		const place: number | "lost" | undefined = await room.store.cutEvents(
			run.job.lease,
			{ storageId, afterPk },
			room.clock.now(),
		);
		if (place === "lost") requireLease(place);
		afterPk = place === "lost" ? undefined : place;
		await run.yieldToRequests();
	}
}

async function dropEvents(room: Erasure, run: JobRun, appId: string): Promise<void> {
	for (;;) {
		const left = await room.store.dropEvents(run.job.lease, appId, room.clock.now());
		if (left === "lost") requireLease(left);
		if (left !== true) return;
		await run.yieldToRequests();
	}
}
