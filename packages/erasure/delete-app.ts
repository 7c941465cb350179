import { type JobRun, requireLease } from "@svc/jobs/jobs";
import { type ErasureDeps, emptyStorages } from "./empty-storage.ts";

const ROUNDS = 3;

/** Empties all storages of an App, then removes all that belongs to it. What the audit says of it stays. */
export async function deleteApp(deps: ErasureDeps, run: JobRun<"app.delete">): Promise<void> {
	const { appId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await deps.erasure.condemnApp(lease, appId, deps.clock.now()));
		await emptyStorages(deps, run, { appId });
		const refusal = requireLease(await deps.erasure.forgetApp(lease, appId, deps.clock.now()));
		if (refusal === undefined) return;
		// "busy": a storage was made at the last moment.
		await run.breathe();
	}
	throw new Error("new storages keep coming for an App that is being deleted");
}
