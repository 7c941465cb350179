import type { Access } from "@svc/apps/access";
import type { Membership } from "@svc/apps/app-record";
import { isAtLeast } from "@svc/apps/authority";
import { findUserStorage } from "@svc/apps/team/team";
import type { Actor } from "@svc/base/actor";
import type { Permission } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { closed } from "@svc/images/create/create-failure";
import type { CallAccess } from "@svc/images/ports";
import { type Job, newJob } from "@svc/jobs/jobs";
import { hasScope, type Person } from "@svc/people/people";
import type { NewImageJob, OpenImageJob } from "./image-job.ts";
import type { ImageJobs } from "./room.ts";

/* Changes of all images that a filter finds, each a job. */

/** Of one App. */
const OPEN_MAX = 5;

interface Member extends Pick<Membership, "app" | "storage"> {
	readonly person: Person;
	/** Who the member is by now. @throws Failure */
	readonly again: () => Promise<Access>;
}

/**
 * Begins to change all images that fit the filter at its start.
 * @throws Failure validation_error under `filter` where too many are under way, workspace_unavailable, and what the caller would be told if they came now
 */
export async function startImageJob(
	room: ImageJobs,
	member: Member,
	wanted: Pick<NewImageJob, "filter" | "act" | "userId">,
	by: Actor,
): Promise<Job> {
	const access = accessOf(member, by.requestId);
	const job = newJob("image_job", {}, { appPk: member.app.pk, startedBy: by.actor });
	const made = { ...wanted, sessionId: member.person.session.id, requestId: by.requestId };
	const refused = await room.store.create(made, job, access, OPEN_MAX, by);
	if (refused === "closed") throw await closed(access);
	if (refused === "full")
		throw invalid("filter", `must wait: this App has ${OPEN_MAX} jobs that are not finished, and may have no more`);
	room.jobs.wake();
	return found(await room.jobs.store.find(job.id));
}

/**
 * Nothing is changed any more once this has resolved; what was changed stays. A job that has ended stays as it is.
 * @throws Failure not_found for one of another App as well
 */
export async function cancelImageJob(room: ImageJobs, member: Member, id: string, by: Actor): Promise<Job> {
	const job = isId("job", id) ? await room.jobs.store.find(id) : undefined;
	if (job?.kind !== "image_job" || job.appPk !== member.app.pk) throw new Failure("not_found");
	const access = accessOf(member, by.requestId);
	if (await room.store.cancel(id, access, by)) throw await closed(access);
	room.jobs.wake();
	return found(await room.jobs.store.find(id));
}

function accessOf({ app, storage, person: { account, session }, again }: Member, requestId: string | null): CallAccess {
	const permissions = new Set<Permission>(["read", "write"]);
	const caller = { pk: session.id, id: account.id, reach: "team", permissions } as const;
	return { caller, app, storage, again, ...(requestId !== null && { requestId }) };
}

/**
 * The access of who began a job, as a call of theirs would be looked at now.
 * @throws Failure unauthorized, forbidden, not_found, app_blocked, user_forbidden
 */
export async function accessNow(room: ImageJobs, job: OpenImageJob): Promise<CallAccess> {
	const { person, membership } = await memberNow(room, job);
	const storage = await storageNow(room, membership, job.userId);
	return accessOf({ app: membership.app, storage, person, again: () => accessNow(room, job) }, job.requestId);
}

/** The same caller at another storage of the App. */
export async function accessTo(room: ImageJobs, job: OpenImageJob, userId: string | null): Promise<CallAccess> {
	return await accessNow(room, { ...job, userId });
}

async function memberNow({ keys, clock }: ImageJobs, { sessionId, app }: OpenImageJob) {
	const person = await keys.apps.people.sessions.find(sessionId, clock.now());
	if (!person) throw new Failure("unauthorized");
	const membership = await keys.apps.memberships.find(app.id, person.account.pk);
	if (!membership || !isAtLeast(membership.role, "editor")) throw new Failure("forbidden");
	if (!hasScope(person.session.scopes, "images:write")) throw new Failure("forbidden");
	if (membership.app.blocked) throw new Failure("app_blocked");
	return { person, membership };
}

async function storageNow({ keys }: ImageJobs, { app, storage }: Membership, userId: string | null) {
	return userId === null ? storage : await findUserStorage(keys.apps, app.pk, userId);
}
