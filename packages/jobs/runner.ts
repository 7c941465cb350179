import { JobFailure } from "@svc/base/failure";
import { randomBase62 } from "@svc/base/ids";
import type { Clock, Log, Meters, Ticker } from "@svc/base/ports";
import {
	type ClaimedJob,
	JOB_KINDS,
	JOB_LEASE_MS,
	type JobHandlers,
	type JobKind,
	type JobRun,
	JobStopped,
} from "./jobs.ts";
import type { JobStore } from "./jobs-store.ts";

export interface RunnerDeps {
	readonly jobs: JobStore;
	readonly handlers: JobHandlers;
	readonly clock: Clock;
	readonly ticker: Ticker;
	readonly log: Log;
	readonly meters: Meters;
	/** Lets requests be served. */
	readonly yieldToRequests: () => Promise<void>;
	/** A random number in [0, 1). */
	readonly chance: () => number;
}

export interface JobRunner {
	/** Processes due jobs from now on: at once after a `wake`, and otherwise within a second. */
	start(): void;
	/** Announces a due job. */
	wake(): void;
	/** Processes all jobs that are due now; returns how many were taken. */
	drain(): Promise<number>;
	/** Ends the present steps, gives the jobs back, and takes no more. */
	stop(): Promise<void>;
}

const POLL_MS = 1_000;
const BEAT_MS = 15_000;
/** Jobs at once in one process: they share its disk and its one writer with the requests. */
const CONCURRENCY = 2;
const GIVEN_UP =
	"It was tried several times and did not succeed. The operators of this service can see why and start it again.";

/** Several processes share the work: a conditional update claims a job, and a renewed lease keeps it. */
export function jobRunner(deps: RunnerDeps): JobRunner {
	const working = new Set<Promise<void>>();
	let stopPolling: (() => void) | undefined;
	let stopped = false;
	let looking: Promise<number> | undefined;
	let again = false;
	countFromZero(deps.meters);

	/** Claims due jobs until there are none or all workers are busy. */
	async function look(): Promise<number> {
		let taken = 0;
		while (!stopped && working.size < CONCURRENCY && (await deps.jobs.isDue(deps.clock.now()))) {
			const job = await take(deps);
			if (!job) break;
			taken += 1;
			const work = perform(deps, job, () => stopped).finally(() => {
				working.delete(work);
				wake();
			});
			working.add(work);
		}
		return taken;
	}

	function wake(): void {
		if (stopPolling) seek().catch(untold);
	}

	function untold(cause: unknown): void {
		deps.log.error("jobs could not be looked for", { cause });
	}

	/** One search at a time; a call during it is served by another one right after it. */
	function seek(): Promise<number> {
		again = true;
		looking ??= lookWhileAsked();
		return looking;
	}

	async function lookWhileAsked(): Promise<number> {
		let taken = 0;
		try {
			while (again) {
				again = false;
				taken += await look();
			}
		} catch (cause) {
			untold(cause);
		} finally {
			// In the same turn as the last check, so that no call falls in between.
			looking = undefined;
		}
		return taken;
	}

	return {
		start() {
			stopPolling ??= deps.ticker.every(POLL_MS, async () => {
				await seek();
			});
			wake();
		},
		wake,
		async drain() {
			let taken = 0;
			for (;;) {
				const found = await seek();
				taken += found;
				if (found === 0 && working.size === 0) return taken;
				await Promise.all(working);
			}
		},
		async stop() {
			stopped = true;
			stopPolling?.();
			await looking;
			await Promise.all(working);
		},
	};
}

function take({ jobs, clock }: RunnerDeps): Promise<ClaimedJob | undefined> {
	const now = clock.now();
	return jobs.claim(randomBase62(16), now + JOB_LEASE_MS, now);
}

/** Runs one try of a job, whatever its result; never rejects. */
async function perform(deps: RunnerDeps, job: ClaimedJob, mustStop: () => boolean): Promise<void> {
	const state = { lost: false };
	const stopBeating = deps.ticker.every(BEAT_MS, () => beat(deps, job, state));
	const yieldToRequests = async () => {
		await deps.yieldToRequests();
		if (mustStop() || state.lost) throw new JobStopped("this worker has to stop");
	};
	try {
		await attempt(deps, { job, yieldToRequests });
	} catch (cause) {
		// Whatever the cause, the lease ends by itself and another try follows.
		deps.log.error("a job could not be ended", { job: job.id, kind: job.kind, cause });
	} finally {
		stopBeating();
	}
}

async function beat(deps: RunnerDeps, { id, lease }: ClaimedJob, state: { lost: boolean }): Promise<void> {
	try {
		if (!(await deps.jobs.renew(lease, deps.clock.now() + JOB_LEASE_MS))) state.lost = true;
	} catch (cause) {
		// The next step shows a failed beat by its refusal.
		deps.log.warn("a job's lease could not be renewed", { job: id, cause });
	}
}

async function attempt(deps: RunnerDeps, run: JobRun): Promise<void> {
	const { job } = run;
	const { jobs, clock } = deps;
	try {
		if (job.attempts > ATTEMPTS) throw new JobFailure(GIVEN_UP);
		const result = await handle(deps.handlers, run);
		if (await jobs.finish(job.lease, result, clock.now())) ended(deps, job, "done");
	} catch (cause) {
		if (cause instanceof JobStopped) await jobs.giveBack(job.lease, clock.now());
		else if (cause instanceof JobFailure) await fail(deps, job, cause.message, cause);
		else if (job.attempts >= ATTEMPTS) await fail(deps, job, GIVEN_UP, cause);
		else await retry(deps, job, cause);
	}
}

function handle<Kind extends JobKind>(handlers: JobHandlers, run: JobRun<Kind>): Promise<unknown> {
	const handler = handlers[run.job.kind] as JobHandlers[Kind] | undefined;
	if (!handler) throw new JobFailure("This version of the service does not know this kind of job.");
	return handler(run);
}

async function fail(deps: RunnerDeps, job: ClaimedJob, failure: string, cause: unknown): Promise<void> {
	deps.log.error("a job failed", { job: job.id, kind: job.kind, attempts: job.attempts, cause });
	await deps.jobs.fail(job.lease, failure, deps.clock.now());
	ended(deps, job, "failed");
}

async function retry(deps: RunnerDeps, job: ClaimedJob, cause: unknown): Promise<void> {
	const waitMs = backoffMs(job.attempts, deps.chance());
	deps.log.warn("a job is tried again", {
		job: job.id,
		kind: job.kind,
		attempts: job.attempts,
		wait_ms: waitMs,
		cause,
	});
	await deps.jobs.postpone(job.lease, deps.clock.now() + waitMs);
}

/** An increase can be seen of a total that was there before: the first job that fails would otherwise raise no alarm. */
function countFromZero(meters: Meters): void {
	for (const kind of JOB_KINDS)
		for (const state of ["done", "failed"]) meters.count("svc_jobs_total", { kind, state }, 0);
}

function ended({ meters }: RunnerDeps, { kind }: ClaimedJob, state: "done" | "failed"): void {
	meters.count("svc_jobs_total", { kind, state });
}

/** Tries before a job has failed, counted from its last progress. */
export const ATTEMPTS = 8;

const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
const FACTOR = 4;

/** The wait after the try of this number, from 1. `chance` lies in [0, 1): jobs that failed together are not retried together. */
export function backoffMs(attempt: number, chance: number): number {
	const full = Math.min(LONGEST_MS, FIRST_MS * FACTOR ** (attempt - 1));
	return Math.round(full * (0.5 + chance / 2));
}
