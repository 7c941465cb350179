import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Row } from "@svc/base/database/client";
import type { OfRequest } from "@svc/base/database/request-claims";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { column, olderThan, returned, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { JobState } from "@svc/base/enumerations";
import { and, desc, eq, gt, inArray, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type ClaimedJob, JOB_LEASE_MS, type Job, JobEnd, type JobKind, type JobLease, type NewJob } from "./jobs.ts";

export interface JobPage {
	readonly limit: number;
	/** Only jobs whose `pk` is smaller. */
	readonly beforePk?: number | undefined;
	readonly state?: JobState | undefined;
	readonly kind?: JobKind | undefined;
}

export type JobStore = ReturnType<typeof jobStore>;

/**
 * A method that takes a {@link JobLease} writes nothing, and returns false, once another worker holds the job.
 * @param process the id of this process: its leases end with it
 */
export function jobStore(database: Database, process: string) {
	const finds = jobFinds(database);
	const { write } = database;
	return {
		/** Where a job with the same `dedupe` is under way, that one is returned and nothing is written. */
		async enqueue(job: NewJob, by: Actor): Promise<Job> {
			const { refused } = await write([
				{ run: jobEntry(job, by.nowMs), guard: "under_way" },
				{ run: auditOf("job.started", job.id, by) },
			]);
			const found = await (refused ? finds.latest(job.dedupe ?? "") : finds.byId(job.id));
			if (!found) throw new Error("A job that is under way is not there.");
			return found;
		},
		find: finds.byId,
		/** Lists jobs newest first. */
		list: finds.page,
		/** The same of one App: those of which its team is told. */
		listOfApp: listJobsOfApp.bind(null, database),
		/** Restarts a failed job; false when it is not failed, or the same work is under way already. */
		retry: retryJob.bind(null, database),
		/** Whether `claim` would find something; cheap enough to ask every second. */
		isDue: finds.isDue,
		countDue: finds.countDue,
		/** Claims the job that has been due for longest, or one whose worker is gone. */
		claim: claimJob.bind(null, database, process),
		renew: (lease: JobLease, untilMs: number) => change(database, lease, { leaseMs: untilMs }),
		/** Sets how much is left to do, besides what has been done. */
		expect: (lease: JobLease, left: number) => change(database, lease, { total: sql`${jobs.done} + ${left}` }),
		/** Adds finished items, in a job whose work is no commit. Its tries are counted on: each one starts over. */
		advance: (lease: JobLease, done: number) => change(database, lease, { done: sql`${jobs.done} + ${done}` }),
		finish: finishJob.bind(null, database),
		/** Fails the job for good; `failure` is read by the people who watch it. */
		fail: (lease: JobLease, failure: string, nowMs: number) =>
			change(database, lease, { state: "failed", failure, ...UNLEASED, endedMs: nowMs }),
		/** Ends the lease; the job is due again at `dueMs`. */
		postpone: (lease: JobLease, dueMs: number) =>
			change(database, lease, { state: "queued", runMs: dueMs, ...UNLEASED }),
		/** Ends the lease at once, for a worker that has to stop: the try does not count. */
		giveBack(lease: JobLease, nowMs: number) {
			const attempts = sql`max(${jobs.attempts} - 1, 0)`;
			return change(database, lease, { state: "queued", runMs: nowMs, attempts, ...UNLEASED });
		},
		/** Removes at most `limit` jobs that ended before `beforeMs`; returns how many. */
		forget: forgetJobs.bind(null, database),
	};
}

/** Must be in the same batch as the change that requires the work. A job whose `dedupe` is under way already is not doubled. */
export function jobEntry(
	{ id, kind, dedupe, startedBy, appPk, ...job }: NewJob,
	nowMs: number,
	dueMs: number = nowMs,
): SQL {
	const payload = JSON.stringify(job.payload);
	return statements
		.insert(jobs)
		.values({ id, kind, payload, dedupe, startedBy, appPk, state: "queued", runMs: dueMs, createdMs: nowMs })
		.onConflictDoNothing()
		.getSQL();
}

/** Ends a job in the batch of its last change, whoever has come that far: it belongs into a step with a guard. */
export function endEntry(jobId: string, nowMs: number): SQLWrapper {
	const open = and(eq(jobs.id, jobId), inArray(jobs.state, ["queued", "running"]));
	return statements
		.update(jobs)
		.set({ state: "done", failure: null, ...UNLEASED, endedMs: nowMs })
		.where(open);
}

interface Progress {
	readonly lease: JobLease;
	/** How many items this commit finishes. */
	readonly done: number;
	readonly nowMs: number;
}

/**
 * The first step of every commit of a job: nothing of it is written once another worker holds the job. It also renews the
 * lease, and a job that makes progress has all its tries again.
 */
export function leaseStep({ lease, done, nowMs }: Progress): Step<"lost"> {
	const further: Changes = done > 0 ? { done: sql`${jobs.done} + ${done}`, attempts: 1 } : {};
	return { run: held(lease, { leaseMs: nowMs + JOB_LEASE_MS, ...further }), guard: "lost" };
}

/**
 * Ends every lease. For the start of a service that owns its database alone: their holders are gone, and the work goes on at
 * once.
 */
export async function endJobLeases({ write }: Database, nowMs: number): Promise<void> {
	const leased = and(IS_RUNNING, gt(jobs.leaseMs, nowMs));
	await write([{ run: statements.update(jobs).set({ leaseMs: nowMs }).where(leased) }]);
}

/** Reads of jobs; those that name a state do so literally, for the sake of the partial indexes. */
export function jobFinds(database: Database) {
	const { queries, read } = database;
	const isDueNow = isDue(sql.placeholder("nowMs"));
	const due = queries.select({ pk: jobs.pk }).from(jobs).where(isDueNow).limit(1).prepare();
	const one = (where: SQL) => findJob(database, where);
	return {
		byId: (id: string) => one(eq(jobs.id, id)),
		/** The job that is under way, or else the last one. */
		latest: async (dedupe: string) =>
			(await one(sql`${jobs.dedupe} = ${dedupe} AND ${jobs.state} IN ('queued', 'running')`)) ??
			(await one(eq(jobs.dedupe, dedupe))),
		/** The last job that was made to empty a storage. */
		emptying: (storageId: string) =>
			one(sql`${jobs.kind} = 'storage.empty' AND ${jobs.payload} = ${JSON.stringify({ storageId })}`),
		async isDue(nowMs: number): Promise<boolean> {
			return (await read(() => due.all({ nowMs }))).length > 0;
		},
		/** How many jobs are due, and since when the first of them is; null where none is. */
		async countDue(nowMs: number): Promise<{ readonly count: number; readonly oldestMs: number | null }> {
			const count = sql<number>`count(*)`;
			const oldestMs = sql<number | null>`min(${jobs.runMs})`;
			const due = sql`${IS_QUEUED} AND ${jobs.runMs} <= ${nowMs}`;
			const [row] = await read(() => queries.select({ count, oldestMs }).from(jobs).where(due));
			return row ?? { count: 0, oldestMs: null };
		},
		page: listJobs.bind(null, database),
	};
}

// Literals, so that the partial indexes apply.
const IS_RUNNING = sql`${jobs.state} = 'running'`;
const IS_QUEUED = sql`${jobs.state} = 'queued'`;

type Changes = SQLiteUpdateSetSource<typeof jobs>;

const UNLEASED = { claim: null, leaseMs: null, process: null } satisfies Changes;

function held({ jobId, claim }: JobLease, changes: Changes): SQLWrapper {
	const ours = and(eq(jobs.id, jobId), eq(jobs.claim, claim), IS_RUNNING);
	return statements.update(jobs).set(changes).where(ours);
}

async function change({ write }: Database, lease: JobLease, changes: Changes): Promise<boolean> {
	return (await write([{ run: held(lease, changes), guard: "lost" }])).refused === undefined;
}

async function retryJob({ write }: Database, id: string, by: Actor): Promise<boolean> {
	const { state, attempts, runMs, failure, endedMs, claim, leaseMs, process } = jobs;
	// The builder has no OR IGNORE: where the same work is under way already, the index on `dedupe` leaves this job as it is.
	const again = sql`UPDATE OR IGNORE ${jobs} SET ${column(state)} = 'queued', ${column(attempts)} = 0,
		${column(runMs)} = ${by.nowMs}, ${column(failure)} = NULL, ${column(endedMs)} = NULL, ${column(claim)} = NULL,
		${column(leaseMs)} = NULL, ${column(process)} = NULL WHERE ${jobs.id} = ${id} AND ${state} = 'failed'`;
	const { refused } = await write([{ run: again, guard: "clash" }, { run: auditOf("job.retried", id, by) }]);
	return refused === undefined;
}

async function claimJob(
	{ write }: Database,
	process: string,
	claim: string,
	untilMs: number,
	nowMs: number,
): Promise<ClaimedJob | undefined> {
	const next = sql`coalesce(
		(SELECT ${jobs.pk} FROM ${jobs} WHERE ${IS_RUNNING} AND ${jobs.leaseMs} <= ${nowMs} ORDER BY ${jobs.leaseMs} LIMIT 1),
		(SELECT ${jobs.pk} FROM ${jobs} WHERE ${IS_QUEUED} AND ${jobs.runMs} <= ${nowMs} ORDER BY ${jobs.runMs} LIMIT 1))`;
	const { id, kind, payload, attempts } = jobs;
	const isNext = eq(jobs.pk, next);
	const asked = returned({ state: jobs.state });
	const running = { state: "running", claim, leaseMs: untilMs, process, attempts: sql`${attempts} + 1` } as const;
	const take = statements.update(jobs).set(running);
	const { rows } = await write([
		// Selected first, since RETURNING knows only the new values of a row.
		{ kind: "look", run: statements.select(asked).from(jobs).where(isNext) },
		{ run: take.where(isNext).returning(returned({ id, kind, payload, attempts })) },
	]);
	const [found, row] = [rows?.[0]?.[0], rows?.[1]?.[0]];
	return row && toClaimed(row, claim, found?.state === "running");
}

/** Items that others finished meanwhile, as an expired image, no longer count as left to do. */
async function finishJob({ write }: Database, lease: JobLease, end: unknown, nowMs: number): Promise<boolean> {
	const { result, steps } = end instanceof JobEnd ? end : new JobEnd(end, []);
	const total = sql`iif(${jobs.total} IS NULL, NULL, ${jobs.done})`;
	const json = result === undefined ? null : JSON.stringify(result);
	const done = { state: "done", total, failure: null, result: json, ...UNLEASED, endedMs: nowMs } as const;
	return (await write([{ run: held(lease, done), guard: "lost" }, ...steps])).refused === undefined;
}

async function forgetJobs({ write }: Database, beforeMs: number, limit: number): Promise<number> {
	const old = statements.select({ pk: jobs.pk }).from(jobs).where(lt(jobs.endedMs, beforeMs)).limit(limit);
	const forgotten = statements.delete(jobs).where(inArray(jobs.pk, old)).returning({ pk: jobs.pk });
	const { rows } = await write([{ run: forgotten }]);
	return rows?.[0]?.length ?? 0;
}

function auditOf(event: string, id: string, by: Actor): OfRequest {
	return auditBy(by, { appPk: null, event, target: id });
}

function isDue(nowMs: unknown): SQL {
	return sql`${jobs.pk} IN (
		SELECT * FROM (SELECT ${jobs.pk} FROM ${jobs} WHERE ${IS_QUEUED} AND ${jobs.runMs} <= ${nowMs} LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT ${jobs.pk} FROM ${jobs} WHERE ${IS_RUNNING} AND ${jobs.leaseMs} <= ${nowMs} LIMIT 1))`;
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

/** Selects jobs for {@link toJob}: the caller adds conditions. */
export function selectJobs({ queries }: Database) {
	return queries.select(fields).from(jobs);
}

async function findJob(database: Database, where: SQL): Promise<Job | undefined> {
	const [row] = await database.read(() => selectJobs(database).where(where).orderBy(desc(jobs.pk)).limit(1));
	return row && toJob(row);
}

async function listJobs(database: Database, { limit, beforePk, state, kind }: JobPage): Promise<readonly Job[]> {
	const where = and(olderThan(jobs.pk, beforePk), state && eq(jobs.state, state), kind && eq(jobs.kind, kind));
	const rows = await database.read(() => selectJobs(database).where(where).orderBy(desc(jobs.pk)).limit(limit));
	return rows.map(toJob);
}

// The index has exactly these.
const OF_TEAM = sql`(${jobs.kind} = 'import' OR ${jobs.kind} = 'image_job')`;

async function listJobsOfApp(database: Database, appPk: number, { limit, beforePk, state, kind }: JobPage) {
	const wanted = [state && eq(jobs.state, state), kind && eq(jobs.kind, kind)];
	const where = and(eq(jobs.appPk, appPk), OF_TEAM, olderThan(jobs.pk, beforePk), ...wanted);
	const rows = await database.read(() => selectJobs(database).where(where).orderBy(desc(jobs.pk)).limit(limit));
	return rows.map(toJob);
}

type JobRow = Omit<Job, "kind" | "result"> & { readonly kind: string; readonly result: string | null };

export function toJob({ kind, result, ...row }: JobRow): Job {
	return { ...row, kind: kind as JobKind, result: result === null ? null : JSON.parse(result) };
}

function toClaimed(row: Row, claim: string, cutOff: boolean): ClaimedJob {
	const { id, kind, payload, attempts } = row as Record<"id" | "kind" | "payload", string> & { attempts: number };
	return { id, kind: kind as JobKind, payload: JSON.parse(payload), attempts, cutOff, lease: { jobId: id, claim } };
}
