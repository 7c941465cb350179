import { setTimeout as pause } from "node:timers/promises";
import type { Actor } from "@svc/base/actor";
import { Failure, JobFailure } from "@svc/base/failure";
import type { BackupFolder, DatabaseSnapshot, SnapshotBlob, Snapshots } from "@svc/base/ports";
import { type Job, type JobRun, JobStopped, newJob } from "@svc/jobs/jobs";
import type { Operator } from "../room.ts";
import { removeOlderBackups, scheduledName } from "./backup-schedule.ts";

/*
 * A backup is a copy of the database as it was at one moment, and the blobs which that copy names. Blobs never change, and while the
 * job runs none is removed (see `listRemovable`), so the service goes on creating and deleting.
 */

/** The result of a job, which operators read. */
interface BackupResult {
	/** Absolute, on the machine of the service; or an address in a bucket, as `s3://bucket/folder`. */
	readonly path: string;
	readonly images: number;
	readonly files: number;
	readonly bytes: number;
	/** Images of which no whole copy was to be had, not even from an earlier backup; the log names them. */
	readonly damaged: number;
}

const REMOTE =
	"The database is on a server of its own: back it up with that server's own tools, and the pictures with their store's.";
const GONE = "a backup goes without an image: its bytes are missing or cannot be read, and no earlier backup has them";
const LANES = 4;
const POLL_MS = 250;

/** Starts a backup, or returns the one that is under way. @throws Failure state_conflict for a database on a server */
export async function startBackup(room: Operator, by: Actor): Promise<Job> {
	if (room.instance.database === "remote") throw Failure.saying("state_conflict", REMOTE);
	const job = await room.jobs.store.enqueue(newJob("backup.make", {}, { dedupe: "backup", startedBy: by.actor }), by);
	room.jobs.wake();
	return job;
}

/** Every try starts over, with a new copy. */
export async function makeBackup(room: Operator, run: JobRun<"backup.make">): Promise<BackupResult> {
	const { snapshots } = room;
	if (!snapshots) throw new JobFailure(REMOTE);
	const made = await makeWhole(room, run, snapshots);
	room.log.info("a backup was made; the secret of the deployment is not in it", { backup: made.path });
	if (run.job.payload.scheduled) await removeOlderBackups(room);
	return made;
}

/** Leaves nothing when it fails. */
async function makeWhole(room: Operator, run: JobRun<"backup.make">, snapshots: Snapshots): Promise<BackupResult> {
	const madeMs = room.clock.now();
	const folder = await room.backupFolders.open(nameOf(madeMs, run));
	try {
		await folder.requireRoom(await snapshots.bytes());
		await endingWith(run, (signal) => snapshots.copy(folder.databasePath, signal));
		const snapshot = await snapshots.open(folder.databasePath);
		const damaged = await keepBlobs(room, run, { folder, snapshot }).finally(() => snapshot.close());
		const { images, migration } = snapshot;
		const { version } = room.instance;
		const { path, files, bytes } = await folder.seal({ version, migration, madeMs, images, damaged });
		return { path, images, files, bytes, damaged };
	} catch (cause) {
		await folder.discard();
		throw cause;
	}
}

/** Names sort by time; the random part distinguishes two tries, whatever the clock does. */
function nameOf(madeMs: number, { job }: JobRun<"backup.make">): string {
	const [day = "", time = ""] = new Date(madeMs).toISOString().replace(/[-:]/g, "").split(/[T.]/);
	const name = `${day}-${time}-${job.lease.claim.slice(0, 8)}`;
	return job.payload.scheduled ? scheduledName(name) : name;
}

interface Making {
	readonly folder: BackupFolder;
	readonly snapshot: DatabaseSnapshot;
}

/** Returns how many images are damaged: a backup of all the others is still useful, above all then. */
async function keepBlobs(room: Operator, run: JobRun, { folder, snapshot }: Making): Promise<number> {
	const { lease } = run.job;
	requireHeld(await room.jobs.store.expect(lease, snapshot.images));
	let damaged = 0;
	for await (const page of snapshot.blobs()) {
		await inLanes(page, async (blob) => {
			await run.yieldToRequests();
			if (!(await keepBlob(room, folder, blob))) damaged += 1;
		});
		requireHeld(await room.jobs.store.advance(lease, page.length));
	}
	return damaged;
}

function requireHeld(held: boolean): void {
	if (!held) throw new JobStopped("another worker has this job");
}

/** False where the backup has no whole copy. A damaged original is named as whenever one is found. */
async function keepBlob(
	{ images: { blobs, masters }, log }: Operator,
	folder: BackupFolder,
	{ imageId, blobKey, bytes, sha256 }: SnapshotBlob,
): Promise<boolean> {
	const blob = await blobs.find(blobKey);
	const kept = await folder.keep(blobKey, blob, { bytes, sha256 });
	const isWhole = kept?.bytes === bytes && kept.sha256 === sha256;
	if (blob?.bytes !== bytes || !isWhole) await masters.isWhole(blobKey);
	if (isWhole) return true;
	const why = kept ? "an image's bytes are not the ones that were stored; a backup has them as they are" : GONE;
	log.error(why, { image: imageId });
	return false;
}

/** All tasks have ended when it rejects, so that nothing is written any more. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = items.values();
	const lane = async () => {
		for (const item of waiting) await work(item);
	};
	const ended = await Promise.allSettled(Array.from({ length: LANES }, lane));
	for (const one of ended) if (one.status === "rejected") throw one.reason;
}

/** For work without steps: it is aborted when the worker has to stop. */
async function endingWith(run: JobRun, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
	const abort = new AbortController();
	const working = work(abort.signal);
	const ended = working.then(
		() => true,
		() => true,
	);
	try {
		while (!(await Promise.race([ended, pause(POLL_MS, false)]))) await run.yieldToRequests();
	} catch (cause) {
		abort.abort();
		await ended;
		throw cause;
	}
	await working;
}
