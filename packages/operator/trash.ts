import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { JobFailure } from "@svc/base/failure";
import type { BlobPage } from "@svc/base/ports";
import { type Collected, collectOrphans, isBlobKey } from "@svc/images/keep/orphans";
import { TRASH_KEPT_MS } from "@svc/images/keep/trash";
import { type Job, type JobRun, JobStopped, newJob } from "@svc/jobs/jobs";
import type { Operator } from "./room.ts";

/** A stored blob that no row of the database named when the sweep found it. */
export interface TrashedBlob {
	readonly key: string;
	readonly bytes: number;
	readonly trashedMs: number;
	/** When it is removed for good. */
	readonly removedMs: number;
	/** Whether the database knows it by now: then it comes back by itself within a day. */
	readonly known: boolean;
}

/** More than this of the trash is not looked at: an operator who has so much in it has another problem. */
const LOOKED_AT = 10_000;
/** Blobs that came in one millisecond, or in one second in a bucket, are told apart. */
const PER_MOMENT = 1_000;

/** A page of the trash, the newest first. The store keeps no order of time, so all of it is read, up to 10,000 blobs. */
export async function listTrash(
	room: Operator,
	{ limit, beforePk = Number.POSITIVE_INFINITY }: Span,
): Promise<readonly (TrashedBlob & { readonly pk: number })[]> {
	const sorted = (await readTrash(room)).sort(
		(one, other) => one.writtenMs - other.writtenMs || (one.key < other.key ? -1 : 1),
	);
	const page = numbered(sorted)
		.filter(({ pk }) => pk < beforePk)
		.reverse()
		.slice(0, limit);
	const unknown = new Set(await room.images.store.listUnknownBlobs(page.map(({ key }) => key)));
	return page.map(({ pk, key, bytes, writtenMs }) => ({
		pk,
		key,
		bytes,
		trashedMs: writtenMs,
		removedMs: writtenMs + TRASH_KEPT_MS,
		known: !unknown.has(key),
	}));
}

type Listed = BlobPage["blobs"][number];

async function readTrash({ images }: Operator): Promise<Listed[]> {
	const found: Listed[] = [];
	for (let after: string | undefined; found.length < LOOKED_AT; ) {
		const page = await images.trash.list(after);
		found.push(...page.blobs.filter(({ key }) => isBlobKey(key)));
		after = page.next;
		if (after === undefined) break;
	}
	return found;
}

/** A number for each blob, by which the list goes on: its time, and its place among those of the same time. */
function numbered(sorted: readonly Listed[]): (Listed & { readonly pk: number })[] {
	let place = 0;
	return sorted.map((one, index) => {
		place = sorted[index - 1]?.writtenMs === one.writtenMs ? Math.min(place + 1, PER_MOMENT - 1) : 0;
		return { ...one, pk: Math.floor(one.writtenMs) * PER_MOMENT + place };
	});
}

/**
 * Brings blobs back into the store. One that the database does not know goes to the trash again a day later.
 * @returns the keys of those that were there
 */
export async function restoreTrash(room: Operator, keys: readonly string[], by: Actor): Promise<readonly string[]> {
	const restored: string[] = [];
	for (const key of new Set(keys)) {
		if (isBlobKey(key) && (await room.images.trash.restore(key))) restored.push(key);
	}
	if (restored.length > 0) await room.audit.note("trash.restored", restored, by);
	return restored;
}

const UNCERTAIN =
	"It is not certain that the stored pictures are this database's, so none was moved. The log tells why.";

/** Starts looking for stored blobs that no row names, or returns the same job that is under way. */
export async function startCollect(room: Operator, { move }: { readonly move: boolean }, by: Actor): Promise<Job> {
	const job = newJob("trash.collect", { move }, { dedupe: `trash.collect ${move}`, startedBy: by.actor });
	const started = await room.jobs.store.enqueue(job, by);
	if (move) await room.audit.note("trash.collected", [started.id], by);
	room.jobs.wake();
	return started;
}

/** Every try starts over: what is in the trash by then is not counted again. */
export async function collectTrash(
	room: Operator,
	run: JobRun<"trash.collect">,
	isCertain: () => Promise<boolean>,
): Promise<Collected> {
	const { yieldToRequests, job } = run;
	const collected = await collectOrphans(
		room.images,
		{ isCertain, yieldToRequests },
		job.payload.move,
		async (blobs) => {
			if (!(await room.jobs.store.advance(job.lease, blobs))) throw new JobStopped("another worker has this job");
		},
	);
	if (!collected) throw new JobFailure(UNCERTAIN);
	return collected;
}
