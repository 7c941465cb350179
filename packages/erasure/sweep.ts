import { EVENTS_KEPT_MS } from "@svc/events/events";
import { forgetExports } from "@svc/exports/exports";
import { expireImages } from "@svc/images/images";
import { forgetImports } from "@svc/imports/imports";
import { BLOCKED_KEPT_MS } from "@svc/moderation/moderation";
import { REPORTER_KEPT_MS } from "@svc/moderation/reports";
import { forgetArrivals } from "@svc/moves/arrivals";
import { sweepTickets } from "@svc/tickets/tickets";
import type { Erasure } from "./room.ts";

export interface Swept {
	readonly expired: number;
	readonly blobs: number;
	readonly staged: number;
	/** Idempotency-Keys past their time, and claims that were never finished. */
	readonly keys: number;
	/** Mails that were removed, or need no more work. */
	readonly mails: number;
	/** Jobs that ended long ago, and exports that cannot be fetched any more. */
	readonly jobs: number;
	/** Codes, sessions and counters of sign-ins that are past their time. */
	readonly signIn: number;
	/** Upload tickets that ended long ago. */
	readonly tickets: number;
	/** Imports that ended long ago, those of Apps among them that nobody went on with. */
	readonly imports: number;
	/** E-mail addresses of reporters whose reports were resolved long ago. */
	readonly reporters: number;
	/** What was kept of blocked pictures that went long ago. */
	readonly blocked: number;
	/** Events that nobody reads any more. */
	readonly events: number;
}

const HOUR_MS = 3_600_000;
/** A blob that is pending this long was left by a crash: a create that continues under a claim renews its blob. */
const PENDING_GRACE_MS = HOUR_MS;
/** Dead blobs wait, so that a backup whose snapshot still names them finds them. */
const DEAD_GRACE_MS = 24 * HOUR_MS;
/** How long the starter of a job can see how it ended. */
const JOBS_KEPT_MS = 30 * 24 * HOUR_MS;
const BATCH = 500;
/** Rows without blobs: one statement removes them all. */
const KEYS_BATCH = 5_000;

/**
 * Removes what cannot be reached any more: expired images, forgotten Idempotency-Keys, dead blobs past their grace, temporary
 * files of dead processes, codes in mails that have expired, addresses of reporters whose reports are resolved, old events.
 * Safe to run at any time and to be interrupted at any point. `yieldToRequests` is called between items, so that requests are not held up.
 */
export async function sweep(room: Erasure, yieldToRequests: () => Promise<void>): Promise<Swept> {
	const now = room.clock.now();
	const expired = await expireImages(room.images, yieldToRequests);
	const creates = await room.images.idempotency.forget(now, KEYS_BATCH);
	const posts = await room.keys.replays.forget(now, KEYS_BATCH);
	const removable = await room.images.store.listRemovable(now - PENDING_GRACE_MS, now - DEAD_GRACE_MS, BATCH);
	for (const blobKey of removable) {
		await removeBlob(room, blobKey, now);
		await yieldToRequests();
	}
	const staged = await sweepStaged(room);
	const mails = await room.mail.outbox.tidy();
	const jobs =
		(await room.jobs.store.forget(now - JOBS_KEPT_MS, KEYS_BATCH)) + (await forgetExports(room.exports, KEYS_BATCH));
	const signIn =
		(await room.people.logins.forget(now, BATCH)) + (await room.connect.connections.forgetCodes(now, BATCH));
	const tickets = await sweepTickets(room.tickets, KEYS_BATCH);
	const imports = (await forgetImports(room.imports, KEYS_BATCH)) + (await forgetArrivals(room.moves, BATCH));
	const reporters = await room.moderation.reports.forgetEmails(now - REPORTER_KEPT_MS, BATCH);
	const blocked = await room.moderation.blocked.forget(now - BLOCKED_KEPT_MS, BATCH);
	const events = await room.events.store.forget(now - EVENTS_KEPT_MS, KEYS_BATCH);
	return {
		expired,
		blobs: removable.length,
		staged,
		keys: creates + posts,
		mails,
		jobs,
		signIn,
		tickets,
		blocked,
		imports,
		reporters,
		events,
	};
}

/** Removes temporary files that nobody has written for an hour. They have the machine's time, whatever a test made of the service's. */
export async function sweepStaged({ images, machineClock }: Pick<Erasure, "images" | "machineClock">): Promise<number> {
	return await images.blobs.sweepStaged(machineClock.now() - PENDING_GRACE_MS);
}

/**
 * Marked dead first: a commit that is still under way can then no longer refer to it. A takeover since it was listed has made the
 * blob young again, and keeps it.
 */
async function removeBlob(room: Erasure, blobKey: string, now: number): Promise<void> {
	if (!(await room.images.store.markBlobDead(blobKey, now, now - PENDING_GRACE_MS))) return;
	await room.images.blobs.remove(blobKey);
	await room.images.store.forgetBlob(blobKey);
}
