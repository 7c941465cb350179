import { JobFailure } from "@svc/base/failure";
import { type JobRun, requireLease } from "@svc/jobs/jobs";
import { type ErasureDeps, emptyStorages } from "./empty-storage.ts";

const ROUNDS = 3;

/** Empties all storages of an account, then forgets who it was. Its address can sign up anew, as somebody else. */
export async function deleteAccount(deps: ErasureDeps, run: JobRun<"account.delete">): Promise<void> {
	const { accountId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await deps.erasure.condemnAccount(lease, accountId, deps.clock.now()));
		await emptyStorages(deps, run, { accountId });
		const refusal = requireLease(await deps.erasure.forgetAccount(lease, accountId, deps.clock.now()));
		if (refusal === undefined) return;
		if (refusal === "owner") throw new JobFailure("This account owns an App; hand it over or delete it first.");
		// "busy": a storage was made at the last moment.
		await run.breathe();
	}
	throw new Error("new storages keep coming for an account that is being deleted");
}
