import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, monthlyUsage } from "@svc/base/database/schema/apps";
import { blobs, images } from "@svc/base/database/schema/images";
import { emails } from "@svc/base/database/schema/mail";
import { reports } from "@svc/base/database/schema/moderation";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { monthOf } from "@svc/images/usage/usage";
import { type SQL, sql } from "drizzle-orm";

/** The totals of the whole service. */
interface ServiceTotals {
	readonly apps: { readonly active: number; readonly paused: number; readonly blocked: number };
	readonly accounts: { readonly active: number; readonly disabled: number; readonly deleting: number };
	/** Connected users over all Apps: one person in two Apps is two. */
	readonly users: number;
	readonly images: number;
	readonly bytes: number;
	readonly uploadsThisMonth: number;
	readonly moderation: {
		readonly locked: number;
		readonly blocked: number;
		readonly nsfw: number;
		readonly openReports: number;
	};
}

/** Work that waits, and work that was given up. */
interface QueueDepths {
	readonly jobsQueued: number;
	readonly jobsRunning: number;
	readonly jobsFailed: number;
	readonly mailsWaiting: number;
	/** Blobs that wait to be removed for good. */
	readonly trash: number;
}

export function totalsStore(database: Database) {
	return {
		/** Over everything, for the UTC month that `nowMs` lies in. */
		read: readTotals.bind(null, database),
		queues: readQueues.bind(null, database),
	};
}

const KEPT_APPS = sql`count(*) FROM ${apps} WHERE ${apps.deletingMs} IS NULL`;
const KEPT_ACCOUNTS = sql`count(*) FROM ${accounts} WHERE ${accounts.deletedMs} IS NULL`;

async function readTotals(database: Database, nowMs: number): Promise<ServiceTotals> {
	const counted = await numbers(database, {
		active: sql`${KEPT_APPS} AND ${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NULL`,
		paused: sql`${KEPT_APPS} AND ${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NOT NULL`,
		blocked: sql`${KEPT_APPS} AND ${apps.blockedMs} IS NOT NULL`,
		people: sql`${KEPT_ACCOUNTS} AND ${accounts.status} = 'active'`,
		disabled: sql`${KEPT_ACCOUNTS} AND ${accounts.status} = 'disabled'`,
		deleting: sql`${KEPT_ACCOUNTS} AND ${accounts.status} = 'deleting'`,
		users: sql`coalesce(sum(${appUsage.users}), 0) FROM ${appUsage}`,
		images: sql`coalesce(sum(${appUsage.images}), 0) FROM ${appUsage}`,
		bytes: sql`coalesce(sum(${appUsage.bytes}), 0) FROM ${appUsage}`,
		uploads: sql`coalesce(sum(${monthlyUsage.uploads}), 0) FROM ${monthlyUsage}
			WHERE ${monthlyUsage.month} = ${monthOf(nowMs)}`,
		lockedImages: sql`count(*) FROM ${images} INDEXED BY images_locked WHERE ${images.lockedMs} IS NOT NULL`,
		blockedImages: sql`count(*) FROM ${images} INDEXED BY images_unready
			WHERE ${images.status} = 'blocked' AND ${images.status} <> 'ready'`,
		nsfwImages: sql`count(*) FROM ${images} INDEXED BY images_nsfw WHERE ${images.nsfw} = 1`,
		openReports: sql`count(*) FROM ${reports} INDEXED BY reports_open WHERE ${reports.resolvedMs} IS NULL`,
	});
	return {
		apps: { active: counted.active, paused: counted.paused, blocked: counted.blocked },
		accounts: { active: counted.people, disabled: counted.disabled, deleting: counted.deleting },
		users: counted.users,
		images: counted.images,
		bytes: counted.bytes,
		uploadsThisMonth: counted.uploads,
		moderation: {
			locked: counted.lockedImages,
			blocked: counted.blockedImages,
			nsfw: counted.nsfwImages,
			openReports: counted.openReports,
		},
	};
}

function readQueues(database: Database): Promise<QueueDepths> {
	return numbers(database, {
		jobsQueued: sql`count(*) FROM ${jobs} WHERE ${jobs.state} = 'queued'`,
		jobsRunning: sql`count(*) FROM ${jobs} WHERE ${jobs.state} = 'running'`,
		jobsFailed: sql`count(*) FROM ${jobs} WHERE ${jobs.state} = 'failed'`,
		mailsWaiting: sql`count(*) FROM ${emails} WHERE ${emails.nextMs} IS NOT NULL`,
		trash: sql`count(*) FROM ${blobs} WHERE ${blobs.state} = 'dead'`,
	});
}

/** Reads all numbers in one query: they belong to the same moment. */
async function numbers<Name extends string>(
	{ queries, read }: Database,
	wanted: Readonly<Record<Name, SQL>>,
): Promise<Record<Name, number>> {
	const parts = Object.values<SQL>(wanted).map((one) => sql`(SELECT ${one})`);
	const [row = []] = await read(() => queries.values<number[]>(sql`SELECT ${sql.join(parts, sql`, `)}`));
	const named = Object.keys(wanted).map((name, place) => [name, Number(row[place])]);
	return Object.fromEntries(named) as Record<Name, number>;
}
