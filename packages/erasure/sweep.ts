import type { BlobStore, Clock, Log, RenditionStore } from "@svc/base/ports";
import type { ConnectionStore } from "@svc/connect/connections-store";
import { expireImages } from "@svc/images/expire-images";
import type { IdempotencyStore, ImageStore } from "@svc/images/ports";
import type { JobStore } from "@svc/jobs/jobs-store";
import type { Outbox } from "@svc/mail/outbox";
import { REPORTER_KEPT_MS } from "@svc/moderation/reports";
import type { ReportStore } from "@svc/moderation/reports-store";
import type { LoginStore } from "@svc/people/sign-in-store";

export interface SweepDeps {
	readonly images: ImageStore;
	readonly idempotency: IdempotencyStore;
	readonly blobs: BlobStore;
	readonly renditions: RenditionStore;
	readonly outbox: Pick<Outbox, "tidy">;
	readonly jobs: Pick<JobStore, "forget">;
	readonly logins: Pick<LoginStore, "forget">;
	readonly connections: Pick<ConnectionStore, "forgetCodes">;
	readonly reports: Pick<ReportStore, "forgetEmails">;
	readonly clock: Clock;
	readonly log: Log;
}

export interface Swept {
	readonly expired: number;
	readonly blobs: number;
	readonly staged: number;
	/** Idempotency-Keys past their time, and claims that nobody finished. */
	readonly keys: number;
	/** Mails that were removed, or that nothing is left to be done for. */
	readonly mails: number;
	/** Jobs that ended long ago. */
	readonly jobs: number;
	/** Codes, sessions and counters of signing in that are past their time. */
	readonly signIn: number;
	/** E-mail addresses of those who sent reports that were settled long ago. */
	readonly reporters: number;
}

const HOUR_MS = 3_600_000;
/** What is pending for so long was left behind by a crash: a create that goes on under a claim keeps its blob young. */
const PENDING_GRACE_MS = HOUR_MS;
/** Dead blobs wait, so that a backup whose snapshot still names them finds them. */
const DEAD_GRACE_MS = 24 * HOUR_MS;
/** So long can whoever started a job see how it ended. */
const JOBS_KEPT_MS = 30 * 24 * HOUR_MS;
const BATCH = 500;
/** Rows without anything behind them: one statement removes them all. */
const KEYS_BATCH = 5_000;

/**
 * Removes what nobody can reach any more: expired images, forgotten Idempotency-Keys, trashed blobs past their grace, temporary
 * files of dead processes, codes in mails that have expired, addresses of those whose reports are settled.
 * Safe to run at any time and to be cut off at any point. `breathe` is called between items, so that requests are not held up.
 */
export async function sweep(deps: SweepDeps, breathe: () => Promise<void>): Promise<Swept> {
	const now = deps.clock.now();
	const expired = await expireImages(deps, breathe);
	const keys = await deps.idempotency.forget(now, KEYS_BATCH);
	const trash = await deps.images.listTrash(now - PENDING_GRACE_MS, now - DEAD_GRACE_MS, BATCH);
	for (const blobKey of trash) {
		await removeBlob(deps, blobKey, now);
		await breathe();
	}
	const staged = await deps.blobs.sweepStaged(now - PENDING_GRACE_MS);
	const mails = await deps.outbox.tidy();
	const jobs = await deps.jobs.forget(now - JOBS_KEPT_MS, KEYS_BATCH);
	const signIn = (await deps.logins.forget(now, BATCH)) + (await deps.connections.forgetCodes(now, BATCH));
	const reporters = await deps.reports.forgetEmails(now - REPORTER_KEPT_MS, BATCH);
	return { expired, blobs: trash.length, staged, keys, mails, jobs, signIn, reporters };
}

/**
 * Condemned first: a commit that is still under way can then no longer refer to it. A takeover since it was listed has made the
 * blob young again, and keeps it.
 */
async function removeBlob(deps: SweepDeps, blobKey: string, now: number): Promise<void> {
	if (!(await deps.images.condemnBlob(blobKey, now, now - PENDING_GRACE_MS))) return;
	await deps.blobs.remove(blobKey);
	await deps.images.forgetBlob(blobKey);
}
