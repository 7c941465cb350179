import type { By } from "@svc/base/actor";
import type { ClaimedJob, Job, JobKind, JobLease, JobState, NewJob } from "./jobs.ts";

/* What is asked of the world about jobs, and about what they remove; see ports.ts. */

export interface JobPage {
	readonly limit: number;
	/** Only jobs whose `pk` is smaller. */
	readonly beforePk?: number | undefined;
	readonly state?: JobState | undefined;
	readonly kind?: JobKind | undefined;
}

/** Whatever takes a {@link JobLease} does nothing, and says false, once another worker holds the job. */
export interface JobStore {
	/** Where a job with the same `dedupe` is under way, that one is given back and nothing is written. */
	enqueue(job: NewJob, by: By): Promise<Job>;
	find(id: string): Promise<Job | undefined>;
	/** Newest first. */
	list(page: JobPage): Promise<readonly Job[]>;
	/** Lets a failed job start over; false when it is not failed, or the same work is under way already. */
	retry(id: string, by: By): Promise<boolean>;
	/** Whether `claim` would find something; cheap enough to ask every second. */
	isDue(nowMs: number): Promise<boolean>;
	/** Takes the job that has been due for longest, or one whose worker is gone. */
	claim(claim: string, untilMs: number, nowMs: number): Promise<ClaimedJob | undefined>;
	renew(lease: JobLease, untilMs: number): Promise<boolean>;
	/** There is so much left to do, besides what has been done. */
	expect(lease: JobLease, left: number): Promise<boolean>;
	/** So many more are done, in a job whose work is no commit. Its tries are counted on: each one starts over. */
	advance(lease: JobLease, done: number): Promise<boolean>;
	finish(lease: JobLease, result: unknown, nowMs: number): Promise<boolean>;
	/** For good; `failure` is read by whoever watches the job. */
	fail(lease: JobLease, failure: string, nowMs: number): Promise<boolean>;
	/** Ends the lease; the job is due again at `dueMs`. */
	postpone(lease: JobLease, dueMs: number): Promise<boolean>;
	/** The same at once, for a worker that has to stop: the try does not count. */
	giveBack(lease: JobLease, nowMs: number): Promise<boolean>;
	/** Removes at most `limit` jobs that ended before `beforeMs`; returns how many. */
	forget(beforeMs: number, limit: number): Promise<number>;
}

/** A storage that is being deleted. */
export interface DoomedStorage {
	readonly id: string;
	/** How many it still holds. */
	readonly images: number;
}

export interface DoomedImage {
	readonly pk: number;
	readonly blobKey: string;
}

/** Whose storages are being deleted. */
export type DoomedOwner = { readonly accountId: string } | { readonly appId: string };

/**
 * Removes for good. Everything is safe to repeat; each change is written only while the lease holds, and says "lost" when it does
 * not.
 */
export interface ErasureStore {
	/** Undefined when there is no such storage, or it is not being deleted. */
	findStorage(storageId: string): Promise<DoomedStorage | undefined>;
	/** All storages of an owner that are being deleted. */
	listStorages(owner: DoomedOwner): Promise<readonly DoomedStorage[]>;
	listImages(storageId: string, limit: number): Promise<readonly DoomedImage[]>;
	/** With all that a single delete does, in one commit; "gone" when somebody else was faster with all of them. */
	deleteImages(
		lease: JobLease,
		storageId: string,
		images: readonly DoomedImage[],
		nowMs: number,
	): Promise<"lost" | "gone" | undefined>;
	/** An empty storage with its keys and usage; its connection is gone, unless the person has come back since. */
	dropStorage(lease: JobLease, storageId: string, nowMs: number): Promise<"lost" | undefined>;
	/** From then on nothing of the account can be used: storages, connections, sessions, roles, keys. */
	condemnAccount(lease: JobLease, accountId: string, nowMs: number): Promise<"lost" | undefined>;
	/** Forgets an account without storages; "owner" while an App is theirs, "busy" while a storage is. */
	forgetAccount(lease: JobLease, accountId: string, nowMs: number): Promise<"lost" | "owner" | "busy" | undefined>;
	/** From then on nothing of the App can be used. */
	condemnApp(lease: JobLease, appId: string, nowMs: number): Promise<"lost" | undefined>;
	/** Removes an App without storages and all that belongs to it; "busy" while there is a storage. */
	forgetApp(lease: JobLease, appId: string, nowMs: number): Promise<"lost" | "busy" | undefined>;
}
