import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { olderThan, rowCondition, statements } from "@svc/base/database/statements";
import { selectImages, toImage, unexpired } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import type { Job, JobPayloads, NewJob } from "@svc/jobs/jobs";
import { jobEntry, selectJobs, toJob } from "@svc/jobs/jobs-store";
import { freshSteps } from "@svc/people/fresh-store";
import type { Account } from "@svc/people/people";
import { accountFields, toAccount } from "@svc/people/people-store";
import { and, asc, desc, eq, gt, inArray, lte, max, type SQL, sql } from "drizzle-orm";

/** A storage of the account, by the folder that its pictures go to. */
export interface ExportedStorage {
	readonly pk: number;
	readonly folder: string;
	readonly images: number;
}

/** A finished export. */
export interface ReadyExport {
	readonly appId: string | undefined;
	/** When it was made; it holds nothing younger. */
	readonly madeMs: number;
}

export interface ExportPage {
	readonly storagePk: number;
	readonly afterPk: number;
	/** Only images that there were by then. */
	readonly madeMs: number;
	readonly limit: number;
}

export function exportStore(database: Database) {
	const { queries, read, write } = database;
	return {
		/** One guarded commit. "too_soon" where one was made, or is being made, after `sinceMs`. */
		start: start.bind(undefined, database),
		/** When the account's last export was asked for that did not fail. */
		async findLatest(accountId: string): Promise<number | undefined> {
			const [row] = await read(() =>
				queries
					.select({ atMs: max(jobs.createdMs) })
					.from(jobs)
					.where(and(exportsOf(accountId), HAS_NOT_FAILED)),
			);
			return row?.atMs ?? undefined;
		},
		/** Newest first; none that ended before `endedMs`. */
		async list(accountId: string, endedMs: number, { limit, beforePk }: ListedExports): Promise<readonly Job[]> {
			const open = sql`coalesce(${jobs.endedMs}, ${endedMs}) >= ${endedMs}`;
			const where = and(exportsOf(accountId), open, olderThan(jobs.pk, beforePk));
			return (await read(() => selectJobs(database).where(where).orderBy(desc(jobs.pk)).limit(limit))).map(toJob);
		},
		/** Undefined unless the account has asked for it, and it was made after `sinceMs`. */
		async findReady(accountId: string, jobId: string, sinceMs: number): Promise<ReadyExport | undefined> {
			const ready = and(exportsOf(accountId), eq(jobs.id, jobId), eq(jobs.state, "done"), gt(jobs.endedMs, sinceMs));
			const [row] = await read(() =>
				queries.select({ payload: jobs.payload, madeMs: jobs.endedMs }).from(jobs).where(ready),
			);
			if (!row || row.madeMs === null) return undefined;
			const { appId } = JSON.parse(row.payload) as JobPayloads["account.export"];
			return { appId, madeMs: row.madeMs };
		},
		/** Undefined unless the account can be used. */
		async findAccount(accountId: string): Promise<Account | undefined> {
			const active = and(eq(accounts.id, accountId), eq(accounts.status, "active"));
			const [row] = await read(() => queries.select(accountFields).from(accounts).where(active));
			return row && toAccount(row);
		},
		/** What Apps keep for an account, and its storage outside of them; one App's alone where it is named. */
		async listStorages(accountPk: number, appId: string | undefined): Promise<readonly ExportedStorage[]> {
			const own = and(eq(storages.accountPk, accountPk), eq(storages.state, "active"));
			const named = appId === undefined ? undefined : and(eq(apps.id, appId), eq(storages.kind, "user"));
			const folder = sql<string>`iif(${storages.kind} = 'user', ${apps.id}, ${storages.kind})`;
			return await read(() =>
				queries
					.select({ pk: storages.pk, folder, images: storages.images })
					.from(storages)
					.innerJoin(apps, eq(apps.pk, storages.appPk))
					.where(and(own, named))
					.orderBy(asc(storages.pk)),
			);
		},
		/** The images of a storage in the order in which they came, without those that are blocked, or turned out to be none. */
		async listImages({ storagePk, afterPk, madeMs, limit }: ExportPage, nowMs: number): Promise<readonly Image[]> {
			const due = and(
				eq(images.storagePk, storagePk),
				gt(images.pk, afterPk),
				lte(images.createdMs, madeMs),
				inArray(images.status, ["ready", "processing"]),
				unexpired(images, nowMs),
			);
			const rows = await read(() => selectImages(database).where(due).orderBy(asc(images.pk)).limit(limit));
			return rows.map(toImage);
		},
		/** Removes at most `limit` exports that ended before `beforeMs`; returns how many. */
		async forget(beforeMs: number, limit: number): Promise<number> {
			const ended = sql`${jobs.endedMs} < ${beforeMs} AND ${IS_EXPORT}`;
			const old = statements.select({ pk: jobs.pk }).from(jobs).where(ended).limit(limit);
			const { rows } = await write([
				{ run: statements.delete(jobs).where(inArray(jobs.pk, old)).returning({ pk: jobs.pk }) },
			]);
			return rows?.[0]?.length ?? 0;
		},
	};
}

async function start(
	{ write }: Database,
	account: Account,
	job: NewJob<"account.export">,
	sinceMs: number,
	by: Actor,
): Promise<"under_way" | "too_soon" | "gone" | "stale" | undefined> {
	const { appId } = job.payload;
	const others = sql`SELECT 1 FROM ${jobs} WHERE ${exportsOf(account.id)} AND ${HAS_NOT_FAILED}
		AND ${jobs.createdMs} > ${sinceMs} AND ${jobs.id} <> ${job.id}`;
	const { refused } = await write([
		rowCondition(accounts.verifiedMs, sql`${accounts.pk} = ${account.pk} AND ${accounts.status} = 'active'`, "gone"),
		{ run: jobEntry(job, by.nowMs), guard: "under_way" },
		rowCondition(accounts.verifiedMs, sql`${accounts.pk} = ${account.pk} AND NOT EXISTS (${others})`, "too_soon"),
		...freshSteps(by),
		{
			run: auditBy(by, {
				appPk: null,
				event: "account.exported",
				target: account.id,
				changes: { job: job.id, app: appId ?? null },
			}),
		},
	]);
	return refused;
}

interface ListedExports {
	readonly limit: number;
	readonly beforePk?: number | undefined;
}

// Literals, so that the partial index applies.
const IS_EXPORT = sql`${jobs.kind} = 'account.export'`;
const HAS_NOT_FAILED = sql`${jobs.state} <> 'failed'`;

function exportsOf(accountId: string): SQL {
	return sql`${IS_EXPORT} AND ${jobs.startedBy} = ${accountId}`;
}
