import { Failure, type FailureCode, isSendersFault } from "@svc/base/failure";
import { moveImage } from "@svc/images/change/move-image";
import { restoreImage } from "@svc/images/change/restore-image";
import { changedImage } from "@svc/images/change/update-image";
import type { Image } from "@svc/images/images";
import { placeOf } from "@svc/images/list/lists";
import type { CallAccess } from "@svc/images/ports";
import { JobEnd, type JobRun, JobStopped, requireLease } from "@svc/jobs/jobs";
import type { Item, OpenImageJob, Skipped, SkipReason } from "./image-job.ts";
import { accessNow, accessTo } from "./image-jobs.ts";
import { allThere, settleSteps } from "./image-jobs-store.ts";
import type { ImageJobs } from "./room.ts";

/*
 * The job first notes which images fit, then changes them stride by stride. The commit that changes images also takes them off the list and counts
 * them: however often a try is cut off, each has its turn once. Before each stride it is asked again whether who began it may still do it.
 */

/** Images that are noted, and that are changed, at once. */
const NOTED = 1_000;
const STRIDE = 100;
/** Other jobs have their turn then. */
const TURN_MS = 10_000;

type Run = JobRun<"image_job">;

export async function runImageJob(room: ImageJobs, run: Run): Promise<JobEnd> {
	const endMs = room.machineClock.now() + TURN_MS;
	for (let size = STRIDE; ; ) {
		const job = await room.store.find(run.job.id);
		// With the storage all of it went.
		if (!job) return new JobEnd({ changed: 0, skipped: {} }, []);
		const next = job.listed ? await goOn(room, run, job, size) : await note(room, run, job);
		if (next instanceof JobEnd) return next;
		size = next;
		await run.yieldToRequests();
		if (room.machineClock.now() >= endMs) throw new JobStopped("other jobs have their turn");
	}
}

/** Returns how many images to take next. */
async function goOn(room: ImageJobs, run: Run, job: OpenImageJob, size: number): Promise<JobEnd | number> {
	if (job.cancelledMs !== null) return await ended(room, job, "cancelled");
	const items = await room.store.listItems(job, size);
	if (items.length === 0) return await ended(room, job);
	const access = await accessNow(room, job).catch(refusedOnly);
	if (!access) return await ended(room, job, "forbidden");
	if (await new Stride(room, run, job, access).work(items)) return STRIDE;
	requireLease((await room.jobs.store.advance(run.job.lease, 0)) ? undefined : "lost");
	// What keeps many from being changed at once may be one of them.
	return Math.max(1, Math.floor(size / 4));
}

/** Undefined where the caller may not do it any more. */
function refusedOnly(cause: unknown): undefined {
	if (isSendersFault(cause) || (cause instanceof Failure && cause.code === "not_found")) return undefined;
	throw cause;
}

/** What is left on the list is left as it is. */
async function ended(room: ImageJobs, job: OpenImageJob, why?: SkipReason): Promise<JobEnd> {
	const left = why === undefined ? 0 : await room.store.countItems(job);
	const skipped = why === undefined || left === 0 ? job.skipped : counted(job.skipped, why, left);
	return new JobEnd({ changed: job.changed, skipped }, [room.store.endStep(job)]);
}

async function note(room: ImageJobs, run: Run, job: OpenImageJob): Promise<number> {
	const { lease } = run.job;
	const { filter, storage, newestPk } = job;
	requireLease(await room.store.clear(job, lease, room.clock.now()));
	let after: ReturnType<typeof placeOf> | undefined;
	do {
		const nowMs = room.clock.now();
		const page = await room.images.store.list(storage.pk, { ...filter, limit: NOTED, after }, nowMs);
		const known = page.filter(({ pk }) => pk <= newestPk).map(({ pk, id }) => ({ imagePk: pk, imageId: id }));
		requireLease(await room.store.add(job, known, lease, nowMs));
		const last = page.at(-1);
		after = page.length > NOTED && last ? placeOf(last) : undefined;
		await run.yieldToRequests();
	} while (after !== undefined);
	requireLease(await room.store.begin(job, lease, room.clock.now()));
	return STRIDE;
}

function counted(skipped: Skipped, why: SkipReason, more = 1): Skipped {
	return { ...skipped, [why]: (skipped[why] ?? 0) + more };
}

const REASONS: Partial<Record<FailureCode, SkipReason>> = {
	not_found: "gone",
	media_locked: "locked",
	media_blocked: "blocked",
	media_failed: "failed",
	validation_error: "invalid",
	state_conflict: "conflict",
	quota_exceeded: "quota",
	user_forbidden: "forbidden",
	workspace_unavailable: "forbidden",
};

/** @throws what is no image's own fault */
function reasonOf(cause: unknown): SkipReason {
	const reason = cause instanceof Failure ? REASONS[cause.code] : undefined;
	if (reason === undefined) throw cause;
	return reason;
}

class Stride {
	readonly #room: ImageJobs;
	readonly #run: Run;
	readonly #job: OpenImageJob;
	readonly #access: CallAccess;
	#changed: number;
	#skipped: Skipped;

	constructor(room: ImageJobs, run: Run, job: OpenImageJob, access: CallAccess) {
		this.#room = room;
		this.#run = run;
		this.#job = job;
		this.#access = access;
		this.#changed = job.changed;
		this.#skipped = job.skipped;
	}

	/** False where a commit was refused: what is left has its turn again. */
	async work(items: readonly Item[]): Promise<boolean> {
		const { act } = this.#job;
		if (act.delete) return await this.#delete(items);
		if (act.restore) return await this.#each(items, (access, id) => restoreImage(this.#room.images, access, id));
		if (!act.move) return await this.#edit(items);
		const target = await accessTo(this.#room, this.#job, act.move.user_id).catch(reasonOf);
		if (typeof target === "string") return await this.#settle(items, target);
		return await this.#each(items, (access, id) => moveImage(this.#room.images, access, target, id));
	}

	async #edit(items: readonly Item[]): Promise<boolean> {
		const nowMs = this.#room.clock.now();
		const found = await this.#find(items);
		const { labels, ttl } = this.#job.act;
		const changes: { before: Image; after: Image }[] = [];
		for (const { imageId } of items) {
			const before = found.get(imageId);
			const after = before && this.#judged(before, () => changedImage(before, { labels, ttl }, nowMs));
			if (before && after && after !== before) changes.push({ before, after });
			else if (!before || after) this.#skip(before ? "unchanged" : "gone");
		}
		this.#changed += changes.length;
		const access = { ...this.#access, besides: this.#steps(items) };
		if (changes.length === 0) return (await this.#room.store.settle(access.besides)) === undefined;
		return await this.#room.images.store.updateAll(changes, access, nowMs);
	}

	/** What is wrong with the image is counted. */
	#judged({ status }: Image, change: () => Image): Image | undefined {
		if (status === "blocked" || status === "processing") {
			this.#skip(status);
			return undefined;
		}
		try {
			return change();
		} catch (cause) {
			this.#skip(reasonOf(cause));
			return undefined;
		}
	}

	async #delete(items: readonly Item[]): Promise<boolean> {
		const { store, renditions } = this.#room.images;
		const found = [...(await this.#find(items)).values()];
		if (found.length < items.length) this.#skip("gone", items.length - found.length);
		this.#changed += found.length;
		const steps = this.#steps(items);
		if (found.length === 0) return (await this.#room.store.settle(steps)) === undefined;
		const there = allThere(
			this.#access.app.pk,
			found.map(({ pk }) => pk),
		);
		const access = { ...this.#access, besides: [there, ...steps] };
		if (!(await store.deleteAll(found, access, this.#room.clock.now(), true))) return false;
		for (const { blobKey } of found) await renditions.purge(blobKey);
		return true;
	}

	/** One after the other, each in a commit of its own. */
	async #each(items: readonly Item[], work: (access: CallAccess, id: string) => Promise<Image>): Promise<boolean> {
		for (const item of items) {
			const before = this.#changed;
			this.#changed += 1;
			const access = { ...this.#access, besides: this.#steps([item]) };
			const image = await work(access, item.imageId).catch(reasonOf);
			await this.#run.yieldToRequests();
			if (typeof image !== "string" && !(await this.#isOpen(item))) continue;
			this.#changed = before;
			if (!(await this.#settle([item], typeof image === "string" ? image : "unchanged"))) return false;
		}
		return true;
	}

	/** Nothing was written of one that was there already. */
	async #isOpen({ imagePk }: Item): Promise<boolean> {
		const [next] = await this.#room.store.listItems(this.#job, 1);
		return next?.imagePk === imagePk;
	}

	async #settle(items: readonly Item[], why: SkipReason): Promise<boolean> {
		this.#skip(why, items.length);
		return (await this.#room.store.settle(this.#steps(items))) === undefined;
	}

	async #find(items: readonly Item[]): Promise<ReadonlyMap<string, Image>> {
		const ids = items.map(({ imageId }) => imageId);
		const found = await this.#room.images.store.findAll(this.#job.storage.pk, ids, this.#room.clock.now());
		return new Map(found.map((image) => [image.id, image]));
	}

	#skip(why: SkipReason, more = 1): void {
		this.#skipped = counted(this.#skipped, why, more);
	}

	#steps(items: readonly Item[]) {
		const settled = { items, changed: this.#changed, skipped: this.#skipped };
		return settleSteps(this.#job, settled, this.#run.job.lease, this.#room.clock.now());
	}
}
