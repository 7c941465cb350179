import { storageFields, toApp } from "@svc/apps/team/memberships-store";
import type { Actor } from "@svc/base/actor";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { imageJobItems, imageJobs } from "@svc/base/database/schema/work/image-jobs";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { columns, condition, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { CallAccess } from "@svc/images/ports";
import type { JobLease, NewJob } from "@svc/jobs/jobs";
import { jobEntry, leaseStep } from "@svc/jobs/jobs-store";
import { mayStillWrite } from "@svc/keys/authority-store";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Item, NewImageJob, OpenImageJob, Skipped } from "./image-job.ts";

/** A part of the work as its commit leaves the job. */
export interface DoneItems {
	readonly items: readonly Item[];
	readonly changed: number;
	readonly skipped: Skipped;
}

export function imageJobStore(database: Database) {
	const { queries, read, write } = database;
	return {
		create: create.bind(null, database),
		/** Undefined once it has ended, or its storage is gone. */
		async find(id: string): Promise<OpenImageJob | undefined> {
			const [row] = await read(() =>
				queries
					.select({ job: imageJobs, app: apps, storage: storageFields })
					.from(imageJobs)
					.innerJoin(storages, eq(storages.pk, imageJobs.storagePk))
					.innerJoin(apps, eq(apps.pk, storages.appPk))
					.where(eq(imageJobs.id, id)),
			);
			return row && ({ ...row.job, app: toApp(row.app), storage: row.storage } as unknown as OpenImageJob);
		},
		/** From its commit on nothing is changed any more; nothing happens where the job has ended. */
		async cancel(id: string, access: CallAccess, by: Actor): Promise<"closed" | undefined> {
			const open = and(eq(imageJobs.id, id), isNull(imageJobs.cancelledMs));
			const { refused } = await write([
				condition(access.app.pk, mayStillWrite(access), "closed"),
				updateStep(imageJobs, { cancelledMs: by.nowMs }, open),
				{ run: auditOnChange(by, { appPk: access.app.pk, event: "image_job.cancelled", target: id }) },
			]);
			return refused;
		},
		/** Begins the list of its images anew. */
		async clear({ pk }: OpenImageJob, lease: JobLease, nowMs: number): Promise<"lost" | undefined> {
			const all = statements.delete(imageJobItems).where(eq(imageJobItems.jobPk, pk));
			return (await write([leaseStep({ lease, done: 0, nowMs }), { run: all }])).refused;
		},
		/** An image that is among them already is there once. */
		async add(
			{ pk }: OpenImageJob,
			found: readonly Item[],
			lease: JobLease,
			nowMs: number,
		): Promise<"lost" | undefined> {
			const { jobPk, imagePk, imageId } = imageJobItems;
			const rows = JSON.stringify(found.map((item) => [item.imagePk, item.imageId]));
			const run = sql`INSERT OR IGNORE INTO ${imageJobItems} (${columns(jobPk, imagePk, imageId)})
				SELECT ${pk}, value ->> 0, value ->> 1 FROM json_each(${rows})`;
			return (await write([leaseStep({ lease, done: 0, nowMs }), { run }])).refused;
		},
		/** Its list is complete. */
		async begin({ pk, id }: OpenImageJob, lease: JobLease, nowMs: number): Promise<"lost" | undefined> {
			const total = sql`(SELECT count(*) FROM ${imageJobItems} WHERE ${imageJobItems.jobPk} = ${pk})`;
			const { refused } = await write([
				leaseStep({ lease, done: 0, nowMs }),
				updateStep(imageJobs, { listed: true }, eq(imageJobs.pk, pk)),
				updateStep(jobs, { total }, eq(jobs.id, id)),
			]);
			return refused;
		},
		async listItems({ pk }: OpenImageJob, limit: number): Promise<readonly Item[]> {
			const { jobPk, imagePk, imageId } = imageJobItems;
			const select = queries.select({ imagePk, imageId }).from(imageJobItems).where(eq(jobPk, pk));
			return await read(() => select.orderBy(imagePk).limit(limit));
		},
		async countItems({ pk }: OpenImageJob): Promise<number> {
			return await read(() => queries.$count(imageJobItems, eq(imageJobItems.jobPk, pk)));
		},
		/** For items of which no image changes. */
		async settle(steps: readonly Step<"closed">[]): Promise<"closed" | undefined> {
			return (await write(steps)).refused;
		},
		/** The last step of a job. */
		endStep: ({ pk }: OpenImageJob): Step => ({ run: statements.delete(imageJobs).where(eq(imageJobs.pk, pk)) }),
	};
}

/** "full" while the App has `most` that have not ended, "closed" for a caller who may not write any more. */
async function create(
	{ write }: Database,
	made: NewImageJob,
	job: NewJob,
	access: CallAccess,
	most: number,
	by: Actor,
): Promise<"full" | "closed" | undefined> {
	const { app, storage } = access;
	const { filter, act, ...facts } = made;
	const active = sql`${storages.pk} = ${storage.pk} AND ${storages.state} = 'active' AND ${mayStillWrite(access)}`;
	const open = sql`SELECT count(*) FROM ${imageJobs} JOIN ${storages} ON ${storages.pk} = ${imageJobs.storagePk}
		JOIN ${jobs} ON ${jobs.id} = ${imageJobs.id}
		WHERE ${storages.appPk} = ${app.pk} AND ${jobs.state} IN ('queued', 'running')`;
	const newestPk = sql<number>`(SELECT coalesce(max(${images.pk}), 0) FROM ${images})`;
	const row = { ...facts, id: job.id, storagePk: storage.pk, filter: asJson(filter), act: asJson(act), newestPk };
	const entry = { appPk: app.pk, event: "image_job.created", target: job.id, changes: { act: asJson(act) } };
	const { refused } = await write([
		rowCondition(storages.createdMs, active, "closed"),
		condition(app.pk, sql`(${open}) < ${most}`, "full"),
		{ run: jobEntry(job, by.nowMs) },
		{ run: statements.insert(imageJobs).values(row) },
		{ run: auditBy(by, entry) },
	]);
	return refused;
}

function asJson(value: object): Readonly<Record<string, unknown>> {
	return { ...value };
}

/**
 * The steps by which items are done, for the commit that changes their images: refused once another worker has the job, and once it was
 * cancelled. Both counts are those of the whole job so far, so that no commit counts twice.
 */
export function settleSteps(
	{ pk }: OpenImageJob,
	{ items, changed, skipped }: DoneItems,
	lease: JobLease,
	nowMs: number,
): readonly Step<"closed">[] {
	const those = sql`(SELECT value FROM json_each(${JSON.stringify(items.map(({ imagePk }) => imagePk))}))`;
	const done = sql`${imageJobItems.jobPk} = ${pk} AND ${imageJobItems.imagePk} IN ${those}`;
	return [
		{ run: leaseStep({ lease, done: items.length, nowMs }).run, guard: "closed" },
		updateStep(imageJobs, { changed, skipped }, and(eq(imageJobs.pk, pk), isNull(imageJobs.cancelledMs)), "closed"),
		{ run: statements.delete(imageJobItems).where(done) },
	];
}

/** Refuses a delete of which another has been quicker with one of the images. */
export function allThere(appPk: number, pks: readonly number[]): Step<"closed"> {
	const there: SQL = sql`(SELECT count(*) FROM ${images} WHERE ${images.pk} IN (SELECT value FROM json_each(${JSON.stringify(pks)})))`;
	return condition(appPk, sql`${there} = ${pks.length}`, "closed");
}
