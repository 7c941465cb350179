import type { Database } from "@svc/base/database/client";
import { monthOf } from "@svc/images/usage";
import { type SQL, sql } from "drizzle-orm";
import type { QueueDepths, ServiceTotals } from "./service-totals.ts";

export interface TotalsStore {
	/** Over everything, for the UTC month that `nowMs` lies in. */
	read(nowMs: number): Promise<ServiceTotals>;
	queues(): Promise<QueueDepths>;
}

export function totalsStore(database: Database): TotalsStore {
	return {
		async read(nowMs) {
			const counted = await numbers(database, {
				active: sql`count(*) FROM apps WHERE deleting_ms IS NULL AND blocked_ms IS NULL AND paused_ms IS NULL`,
				paused: sql`count(*) FROM apps WHERE deleting_ms IS NULL AND blocked_ms IS NULL AND paused_ms IS NOT NULL`,
				blocked: sql`count(*) FROM apps WHERE deleting_ms IS NULL AND blocked_ms IS NOT NULL`,
				people: sql`count(*) FROM accounts WHERE deleted_ms IS NULL AND status = 'active'`,
				disabled: sql`count(*) FROM accounts WHERE deleted_ms IS NULL AND status = 'disabled'`,
				deleting: sql`count(*) FROM accounts WHERE deleted_ms IS NULL AND status = 'deleting'`,
				users: sql`coalesce(sum(users), 0) FROM app_usage`,
				images: sql`coalesce(sum(images), 0) FROM app_usage`,
				bytes: sql`coalesce(sum(bytes), 0) FROM app_usage`,
				uploads: sql`coalesce(sum(uploads), 0) FROM monthly_usage WHERE month = ${monthOf(nowMs)}`,
				lockedImages: sql`count(*) FROM images INDEXED BY images_locked WHERE locked_ms IS NOT NULL`,
				blockedImages: sql`count(*) FROM images INDEXED BY images_unready WHERE status = 'blocked' AND status <> 'ready'`,
				nsfwImages: sql`count(*) FROM images INDEXED BY images_nsfw WHERE nsfw = 1`,
				openReports: sql`count(*) FROM reports INDEXED BY reports_open WHERE resolved_ms IS NULL`,
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
		},
		queues: () =>
			numbers(database, {
				jobsQueued: sql`count(*) FROM jobs WHERE state = 'queued'`,
				jobsRunning: sql`count(*) FROM jobs WHERE state = 'running'`,
				jobsFailed: sql`count(*) FROM jobs WHERE state = 'failed'`,
				mailsWaiting: sql`count(*) FROM emails WHERE next_ms IS NOT NULL`,
				trash: sql`count(*) FROM blobs WHERE state = 'dead'`,
			}),
	};
}

/** All of them in one query: they belong to the same moment. */
async function numbers<Name extends string>(
	{ queries, read }: Database,
	wanted: Readonly<Record<Name, SQL>>,
): Promise<Record<Name, number>> {
	const parts = Object.values<SQL>(wanted).map((one) => sql`(SELECT ${one})`);
	const [row = []] = await read(() => queries.values<number[]>(sql`SELECT ${sql.join(parts, sql`, `)}`));
	const named = Object.keys(wanted).map((name, place) => [name, Number(row[place])]);
	return Object.fromEntries(named) as Record<Name, number>;
}
