import { JobFailure } from "@svc/base/failure";
import { type JobRun, requireLease } from "@svc/jobs/jobs";
import { emptyStorages } from "./empty-storage.ts";
import type { Erasure } from "./room.ts";

const ROUNDS = 3;

/** Empties all storages of an account, then forgets who it was. Its address can sign up anew, as somebody else. */
export async function deleteAccount(room: Erasure, run: JobRun<"account.delete">): Promise<void> {
	const { accountId } = run.job.payload;
	const { lease } = run.job;
	for (let round = 0; round < ROUNDS; round++) {
		requireLease(await room.store.closeAccount(lease, accountId, room.clock.now()));
		await emptyStorages(room, run, { accountId });
		const refusal = requireLease(await room.store.forgetAccount(lease, accountId, room.clock.now()));
		if (refusal === undefined) return;
		if (refusal === "owner") throw new JobFailure("This account owns an App; hand it over or delete it first.");
		// "busy": a storage was made at the last moment.
		await run.yieldToRequests();
	}
	throw new Error("new storages keep coming for an account that is being deleted");
}
