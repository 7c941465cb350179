import { type JobRun, requireLease } from "@svc/jobs/jobs";
import { emptyStorages } from "./empty-storage.ts";
import type { Erasure } from "./room.ts";

const ROUNDS = 3;

/** Empties all storages of an App, then removes all that belongs to it. What the audit says of it stays. */
export async function deleteApp(room: Erasure, run: JobRun<"app.delete">): Promise<void> {
	const { appId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await room.store.closeApp(lease, appId, room.clock.now()));
		await emptyStorages(room, run, { appId });
		const refusal = requireLease(await room.store.forgetApp(lease, appId, room.clock.now()));
		if (refusal === undefined) return;
		// "busy": a storage was made at the last moment.
		await run.yieldToRequests();
	}
	throw new Error("new storages keep coming for an App that is being deleted");
}
