import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, members, storages } from "@svc/base/database/schema/apps";
import { limitNotices } from "@svc/base/database/schema/billing/plans";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { AppLimit } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { WatchedLimit } from "../plans/app-plans.ts";

export function limitNoticeStore(database: Database) {
	const { queries, read, write } = database;
	return {
		/** Lists Apps that are not as far with a limit as their Owners were mailed. */
		async listCrossings(watched: WatchedLimit, limit: number): Promise<readonly LimitCrossing[]> {
			const most = mostOf(watched);
			const used = sql<number>`${{ images: appUsage.images, users: appUsage.users, bytes: storages.bytes }[watched.limit]}`;
			const mailed = sql<number>`coalesce(${limitNotices.percent}, 0)`;
			const percent = percentOf(used, most, mailed);
			const ofLimit = and(eq(limitNotices.appPk, apps.pk), eq(limitNotices.limit, watched.limit));
			const rows = await read(() =>
				queries
					.select({
						appPk: apps.pk,
						appId: apps.id,
						app: apps.name,
						email: accounts.email,
						used,
						most,
						mailed,
						percent,
					})
					.from(apps)
					.innerJoin(appUsage, eq(appUsage.appPk, apps.pk))
					.innerJoin(storages, and(eq(storages.appPk, apps.pk), sql`${storages.kind} = 'app'`))
					.innerJoin(members, and(eq(members.appPk, apps.pk), sql`${members.role} = 'owner'`))
					.innerJoin(accounts, eq(accounts.pk, members.accountPk))
					.leftJoin(limitNotices, ofLimit)
					.where(and(isNull(apps.deletingMs), ne(percent, mailed)))
					.limit(limit),
			);
			return rows.map((row) => ({ ...row, limit: watched.limit }));
		},
		/** Notes how far it is, with the mail; nothing where another process was faster. */
		async note(crossing: LimitCrossing, mail: NewMail | undefined, nowMs: number): Promise<void> {
			const { appPk, limit, percent, mailed } = crossing;
			const present = sql`coalesce((SELECT ${limitNotices.percent} FROM ${limitNotices}
				WHERE ${limitNotices.appPk} = ${appPk} AND ${limitNotices.limit} = ${limit}), 0)`;
			const row = { appPk, limit, percent, atMs: nowMs };
			const target = [limitNotices.appPk, limitNotices.limit];
			await write([
				condition(appPk, sql`${present} = ${mailed}`, "moved"),
				{
					run: queries
						.insert(limitNotices)
						.values(row)
						.onConflictDoUpdate({ target, set: { percent, atMs: nowMs } }),
				},
				...(mail ? [{ run: mailEntry(mail, nowMs) }] : []),
			] satisfies readonly Step<"moved">[]);
		},
	};
}

/** Null for no limit; of images and users an operator's own number goes before that of the plan. */
function mostOf(watched: WatchedLimit): SQL<number> {
	const inForce = watched.limit === "bytes" ? apps.tier : apps.plan;
	const cases = Object.entries(watched.of).map(([plan, most]) => sql`WHEN ${plan} THEN ${most}`);
	const ofPlan = sql<number>`CASE ${inForce} ${sql.join(cases, sql` `)} END`;
	if (watched.limit === "bytes") return ofPlan;
	return sql<number>`coalesce(${{ images: apps.imagesLimit, users: apps.usersLimit }[watched.limit]}, ${ofPlan})`;
}

/** What was mailed holds until a tenth less than its line is used. */
function percentOf(used: SQL<number>, most: SQL<number>, mailed: SQL<number>): SQL<number> {
	return sql<number>`CASE
		WHEN ${most} IS NULL OR ${most} = 0 THEN 0
		WHEN ${used} >= ${most} THEN 100
		WHEN ${used} * 10 >= ${most} * 9 AND ${mailed} = 100 THEN 100
		WHEN ${used} * 10 >= ${most} * 8 THEN 80
		WHEN ${used} * 10 >= ${most} * 7 AND ${mailed} > 0 THEN 80
		ELSE 0 END`;
}

/** An App that has crossed a line since its Owner was mailed. */
export interface LimitCrossing {
	readonly appPk: number;
	readonly appId: string;
	readonly app: string;
	readonly email: string;
	readonly limit: AppLimit;
	readonly used: number;
	readonly most: number;
	/** What its Owner was mailed last; 0 for nothing. */
	readonly mailed: number;
	/** How far it is now: 0, 80 or 100. */
	readonly percent: number;
}
