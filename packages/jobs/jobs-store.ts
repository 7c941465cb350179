import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Row, Step } from "@svc/base/database/client";
import { jobs } from "@svc/base/database/schema/jobs";
import type { JobState } from "@svc/base/enumerations";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { type ClaimedJob, JOB_LEASE_MS, type Job, type JobKind, type JobLease, type NewJob } from "./jobs.ts";

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
	enqueue(job: NewJob, by: Actor): Promise<Job>;
	find(id: string): Promise<Job | undefined>;
	/** Newest first. */
	list(page: JobPage): Promise<readonly Job[]>;
	/** Lets a failed job start over; false when it is not failed, or the same work is under way already. */
	retry(id: string, by: Actor): Promise<boolean>;
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

/** Belongs into the same batch as the change that wants the work. A job whose `dedupe` is under way already is not doubled. */
export function jobEntry({ id, kind, payload, dedupe, startedBy, appPk }: NewJob, nowMs: number): SQL {
	return sql`INSERT INTO jobs (id, kind, payload, dedupe, started_by, app_pk, state, run_ms, created_ms)
		VALUES (${id}, ${kind}, ${JSON.stringify(payload)}, ${dedupe}, ${startedBy}, ${appPk}, 'queued', ${nowMs}, ${nowMs})
		ON CONFLICT DO NOTHING`;
}

interface Progress {
	readonly lease: JobLease;
	/** Items that this very commit works off. */
	readonly done: number;
	readonly nowMs: number;
}

/**
 * Belongs at the head of every commit of a job: nothing of it is written once another worker holds the job. It also renews the
 * lease, and a job that gets further has all its tries before it again.
 */
export function leaseStep({ lease, done, nowMs }: Progress): Step<"lost"> {
	const further = done > 0 ? sql`, done = done + ${done}, attempts = 1` : sql``;
	return { run: held(lease, sql`lease_ms = ${nowMs + JOB_LEASE_MS}${further}`), guard: "lost" };
}

/**
 * Ends every lease. For the start of a service that owns its database alone: whoever held them is gone, and the work goes on at
 * once.
 */
export async function endJobLeases({ write }: Database, nowMs: number): Promise<void> {
	await write([{ run: sql`UPDATE jobs SET lease_ms = ${nowMs} WHERE state = 'running' AND lease_ms > ${nowMs}` }]);
}

export function jobStore(database: Database): JobStore {
	const { write } = database;
	const finds = jobFinds(database);

	async function holds(step: SQL): Promise<boolean> {
		return (await write([{ run: step, guard: "lost" }])).refused === undefined;
	}

	return {
		async enqueue(job, by) {
			const { refused } = await write([
				{ run: jobEntry(job, by.nowMs), guard: "under_way" },
				{ run: auditOf("job.started", job.id, by) },
			]);
			const found = await (refused ? finds.latest(job.dedupe ?? "") : finds.byId(job.id));
			if (!found) throw new Error("A job that is under way is not there.");
			return found;
		},
		find: finds.byId,
		list: finds.page,
		async retry(id, by) {
			const again = sql`UPDATE OR IGNORE jobs SET state = 'queued', attempts = 0, run_ms = ${by.nowMs}, failure = NULL,
				ended_ms = NULL, claim = NULL, lease_ms = NULL WHERE id = ${id} AND state = 'failed'`;
			const { refused } = await write([{ run: again, guard: "clash" }, { run: auditOf("job.retried", id, by) }]);
			return refused === undefined;
		},
		isDue: finds.isDue,
		async claim(claim, untilMs, nowMs) {
			const next = sql`coalesce(
				(SELECT pk FROM jobs WHERE state = 'running' AND lease_ms <= ${nowMs} ORDER BY lease_ms LIMIT 1),
				(SELECT pk FROM jobs WHERE state = 'queued' AND run_ms <= ${nowMs} ORDER BY run_ms LIMIT 1))`;
			const { rows } = await write([
				// Asked first, for RETURNING knows only what a row has become.
				{ run: sql`SELECT state FROM jobs WHERE pk = ${next}` },
				{
					run: sql`UPDATE jobs SET state = 'running', claim = ${claim}, lease_ms = ${untilMs}, attempts = attempts + 1
						WHERE pk = ${next} RETURNING id, kind, payload, attempts`,
				},
			]);
			const [found, taken] = [rows[0]?.[0], rows[1]?.[0]];
			return taken && toClaimed(taken, claim, found?.state === "running");
		},
		renew: (lease, untilMs) => holds(held(lease, sql`lease_ms = ${untilMs}`)),
		expect: (lease, left) => holds(held(lease, sql`total = done + ${left}`)),
		advance: (lease, done) => holds(held(lease, sql`done = done + ${done}`)),
		finish: (lease, result, nowMs) =>
			// What was to be done and was done by others, as an expired image, is not to be done any more.
			holds(
				held(
					lease,
					sql`state = 'done', total = iif(total IS NULL, NULL, done), failure = NULL,
				result = ${result === undefined ? null : JSON.stringify(result)}, ${ENDED}, ended_ms = ${nowMs}`,
				),
			),
		fail: (lease, failure, nowMs) =>
			holds(held(lease, sql`state = 'failed', failure = ${failure}, ${ENDED}, ended_ms = ${nowMs}`)),
		postpone: (lease, dueMs) => holds(held(lease, sql`state = 'queued', run_ms = ${dueMs}, ${ENDED}`)),
		giveBack: (lease, nowMs) =>
			holds(held(lease, sql`state = 'queued', run_ms = ${nowMs}, attempts = max(attempts - 1, 0), ${ENDED}`)),
		async forget(beforeMs, limit) {
			const old = sql`SELECT pk FROM jobs WHERE ended_ms IS NOT NULL AND ended_ms < ${beforeMs} LIMIT ${limit}`;
			const { rows } = await write([{ run: sql`DELETE FROM jobs WHERE pk IN (${old}) RETURNING pk` }]);
			return rows[0]?.length ?? 0;
		},
	};
}

const ENDED = sql.raw("claim = NULL, lease_ms = NULL");

function held({ jobId, claim }: JobLease, set: SQL): SQL {
	return sql`UPDATE jobs SET ${set} WHERE id = ${jobId} AND claim = ${claim} AND state = 'running'`;
}

function auditOf(event: string, id: string, by: Parameters<typeof auditBy>[0]): SQL {
	return auditBy(by, { appPk: null, event, target: id });
}

const fields = {
	pk: jobs.pk,
	id: jobs.id,
	kind: jobs.kind,
	state: jobs.state,
	done: jobs.done,
	total: jobs.total,
	failure: jobs.failure,
	result: jobs.result,
	startedBy: jobs.startedBy,
	appPk: jobs.appPk,
	createdMs: jobs.createdMs,
	endedMs: jobs.endedMs,
};

type JobRow = Omit<Job, "kind" | "result"> & { readonly kind: string; readonly result: string | null };

function toJob({ kind, result, ...row }: JobRow): Job {
	return { ...row, kind: kind as JobKind, result: result === null ? null : JSON.parse(result) };
}

function toClaimed(row: Row, claim: string, cutOff: boolean): ClaimedJob {
	const { id, kind, payload, attempts } = row as Record<"id" | "kind" | "payload", string> & { attempts: number };
	return { id, kind: kind as JobKind, payload: JSON.parse(payload), attempts, cutOff, lease: { jobId: id, claim } };
}

/** Reads of jobs; those that name a state do so literally, for the sake of the partial indexes. */
export function jobFinds({ queries, read }: Database) {
	const select = () => queries.select(fields).from(jobs);
	async function one(where: SQL | undefined): Promise<Job | undefined> {
		const [row] = await read(() => select().where(where).orderBy(desc(jobs.pk)).limit(1));
		return row && toJob(row);
	}
	const due = select()
		.where(
			sql`pk IN (SELECT pk FROM (SELECT pk FROM jobs WHERE state = 'queued' AND run_ms <= ${sql.placeholder("nowMs")} LIMIT 1)
				UNION ALL SELECT pk FROM (SELECT pk FROM jobs WHERE state = 'running' AND lease_ms <= ${sql.placeholder("nowMs")} LIMIT 1))`,
		)
		.limit(1)
		.prepare();
	return {
		byId: (id: string) => one(eq(jobs.id, id)),
		/** The one that is under way, or else the last one that was. */
		latest: async (dedupe: string) =>
			(await one(sql`dedupe = ${dedupe} AND state IN ('queued', 'running')`)) ?? (await one(eq(jobs.dedupe, dedupe))),
		/** The last job that was made to empty a storage. */
		emptying: (storageId: string) => one(sql`kind = 'storage.empty' AND payload = ${JSON.stringify({ storageId })}`),
		async isDue(nowMs: number): Promise<boolean> {
			return (await read(() => due.all({ nowMs }))).length > 0;
		},
		async page({ limit, beforePk, state, kind }: Parameters<JobStore["list"]>[0]): Promise<Job[]> {
			const where = and(
				beforePk === undefined ? undefined : lt(jobs.pk, beforePk),
				state && eq(jobs.state, state),
				kind && eq(jobs.kind, kind),
			);
			const rows = await read(() => select().where(where).orderBy(desc(jobs.pk)).limit(limit));
			return rows.map(toJob);
		},
	};
}
