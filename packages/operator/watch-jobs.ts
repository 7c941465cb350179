import type { Actor } from "@svc/base/actor";
import { JOB_STATES } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { JOB_KINDS, type Job } from "@svc/jobs/jobs";
import type { JobPage } from "@svc/jobs/jobs-store";
import type { Person } from "@svc/people/people";
import { hasScope } from "@svc/people/people";
import type { Operator } from "./room.ts";

/** The account that started the job, and operators, may read it. @throws Failure not_found */
export async function getJob(room: Operator, { account, session }: Person, id: string): Promise<Job> {
	const job = isId("job", id) ? await room.jobs.store.find(id) : undefined;
	const operates = account.operator && hasScope(session.scopes, "operator:read");
	// A token that is bound to an App sees no jobs of its owner elsewhere.
	const own = job?.startedBy === account.id && (session.appPk === null || session.appPk === job.appPk);
	if (!job || !(own || operates)) throw new Failure("not_found");
	return job;
}

interface JobFilters {
	readonly state?: string | undefined;
	readonly kind?: string | undefined;
}

/** @throws Failure validation_error for a state or kind that does not exist */
export async function listJobs(
	room: Operator,
	{ state, kind }: JobFilters,
	page: Pick<JobPage, "limit" | "beforePk">,
): Promise<readonly Job[]> {
	return await room.jobs.store.list({
		...page,
		state: state === undefined ? undefined : oneOf("state", JOB_STATES, state),
		kind: kind === undefined ? undefined : oneOf("kind", JOB_KINDS, kind),
	});
}

function oneOf<Value extends string>(field: string, values: readonly Value[], sent: string): Value {
	const known = values.find((value) => value === sent);
	if (known === undefined) throw invalid(field, `must be one of ${values.join(", ")}`);
	return known;
}

/** Restarts a failed job. @throws Failure not_found, state_conflict unless it has failed and no other job does its work already */
export async function retryJob(room: Operator, id: string, by: Actor): Promise<Job> {
	const retried = isId("job", id) && (await room.jobs.store.retry(id, by));
	const job = found(isId("job", id) ? await room.jobs.store.find(id) : undefined);
	if (!retried) throw new Failure("state_conflict");
	room.jobs.wake();
	return job;
}
