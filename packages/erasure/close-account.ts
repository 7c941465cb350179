import type { By } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { type Job, newJob } from "@svc/jobs/jobs";
import type { JobStore } from "@svc/jobs/jobs-store";
import { type Person, requireSession } from "@svc/people/people";
import type { SignInDeps } from "@svc/people/sign-in";
import type { MeStore } from "./close-account-store.ts";

export interface MeDeps extends SignInDeps {
	readonly me: MeStore;
	readonly jobs: Pick<JobStore, "find">;
	/** Tells the workers that a job is due. */
	readonly wakeJobs: () => void;
}

/**
 * From this moment on nothing of the account can be used; the job removes what it holds.
 * @throws Failure forbidden for a token; state_conflict while the account owns an App, or is the only operator
 */
export async function deleteAccount(deps: MeDeps, person: Person, by: By): Promise<Job> {
	requireSession(person);
	const { account } = person;
	const facts = { dedupe: `account.delete ${account.id}`, startedBy: account.id };
	const job = newJob("account.delete", { accountId: account.id }, facts);
	const refused = await deps.me.startDeletion(account, job, by);
	if (refused === "owner") throw await ownerOf(deps, account.pk);
	if (refused === "last_operator") {
		const message = "You are the last operator of this service; make another one first.";
		throw new Failure("state_conflict", undefined, { message });
	}
	if (refused === "gone") throw new Failure("unauthorized");
	deps.wakeJobs();
	const started = await deps.jobs.find(job.id);
	if (!started) throw new Error("a job that was enqueued is not there");
	return started;
}

const NAMED_MAX = 10;

async function ownerOf(deps: MeDeps, accountPk: number): Promise<Failure> {
	const names = await deps.me.listOwned(accountPk);
	const shown = names.slice(0, NAMED_MAX).join(", ");
	const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
	const message = `You are the Owner of ${shown}${more}: transfer or delete what you own first.`;
	return new Failure("state_conflict", undefined, { message });
}
