import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members, redirectUris, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { presets, signingKeys } from "@svc/base/database/schema/delivery";
import { images } from "@svc/base/database/schema/images";
import { keys } from "@svc/base/database/schema/keys";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { unexpired } from "@svc/images/image-rows-store";
import type { JobPayloads, NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { freshSteps } from "@svc/people/fresh-store";
import { and, asc, count, eq, gt, inArray, lte, ne, sql, sum } from "drizzle-orm";

/** An export that has been counted, by what it was pinned to. */
export type Pinned = JobPayloads["app_export"];

interface Walk {
	readonly appPk: number;
	/** The last one that was read, and the last one that there was when it began. */
	readonly afterPk: number;
	readonly lastPk: number;
	readonly limit: number;
}

/** What an App has, besides what belongs to it alone. */
const MOVES = ["ready", "blocked"] as const;

export function departureStore(database: Database) {
	const { queries, read } = database;
	return {
		start: start.bind(null, database),
		/** The newest image and user by now. */
		async pin(appPk: number): Promise<Pick<Pinned, "lastImagePk" | "lastUserPk">> {
			const last = (table: typeof images | typeof connections) =>
				sql<number>`(SELECT coalesce(max(${table.pk}), 0) FROM ${table} WHERE ${table.appPk} = ${appPk})`;
			const pins = { lastImagePk: last(images), lastUserPk: last(connections) };
			const [row] = await read(() => queries.select(pins).from(apps).where(eq(apps.pk, appPk)));
			return row ?? { lastImagePk: 0, lastUserPk: 0 };
		},
		/** Undefined unless it is an export of this App that ended well after `sinceMs`. */
		async findReady(appPk: number, jobId: string, sinceMs: number): Promise<Pinned | undefined> {
			const ready = and(eq(jobs.id, jobId), eq(jobs.appPk, appPk), eq(jobs.state, "done"), gt(jobs.endedMs, sinceMs));
			const [row] = await read(() =>
				queries
					.select({ payload: jobs.payload })
					.from(jobs)
					.where(and(ready, eq(jobs.kind, "app_export"))),
			);
			return row && (JSON.parse(row.payload) as Pinned);
		},
		...appReads(database),
		...walks(database),
		async findMaster(appPk: number, imageId: string): Promise<{ readonly blobKey: string } | undefined> {
			const one = and(eq(images.id, imageId), eq(images.appPk, appPk), inArray(images.status, MOVES));
			const [row] = await read(() => queries.select({ blobKey: images.blobKey }).from(images).where(one));
			return row;
		},
		/** How many of each kind an App has, and bytes of images. */
		async count(appPk: number) {
			const moving = and(eq(images.appPk, appPk), inArray(images.status, MOVES));
			const [whole] = await read(() =>
				queries
					.select({ images: count(), bytes: sum(images.bytes).mapWith(Number) })
					.from(images)
					.where(moving),
			);
			const [all, users, live, signing] = await read(() =>
				Promise.all([
					queries.$count(images, eq(images.appPk, appPk)),
					queries.$count(connections, and(eq(connections.appPk, appPk), eq(connections.state, "connected"))),
					queries.$count(keys, and(eq(keys.appPk, appPk), sql`${keys.revokedMs} IS NULL`)),
					queries.$count(signingKeys, eq(signingKeys.appPk, appPk)),
				]),
			);
			const moved = whole?.images ?? 0;
			return { images: moved, bytes: whole?.bytes ?? 0, users, unready: all - moved, keys: live, signingKeys: signing };
		},
	};
}

/** The App itself, and what is made for it as a whole. */
function appReads({ queries, read }: Database) {
	return {
		async findApp(appId: string) {
			const [row] = await read(() =>
				queries
					.select({ app: apps, storage: storages })
					.from(apps)
					.innerJoin(storages, and(eq(storages.appPk, apps.pk), eq(storages.kind, "app")))
					.where(eq(apps.id, appId)),
			);
			return row;
		},
		listTeam: (appPk: number) =>
			read(() =>
				queries
					.select({ email: accounts.email, role: members.role })
					.from(members)
					.innerJoin(accounts, eq(accounts.pk, members.accountPk))
					.where(and(eq(members.appPk, appPk), ne(accounts.status, "deleting")))
					.orderBy(asc(members.createdMs)),
			),
		listRedirectUris: (appPk: number) =>
			read(() =>
				queries.select().from(redirectUris).where(eq(redirectUris.appPk, appPk)).orderBy(asc(redirectUris.pk)),
			),
		listPresets: (appPk: number) =>
			read(() => queries.select().from(presets).where(eq(presets.appPk, appPk)).orderBy(asc(presets.pk))),
	};
}

/** What there may be any number of, page by page. */
function walks({ queries, read }: Database) {
	return {
		listUsers: ({ appPk, afterPk, lastPk, limit }: Walk) =>
			read(() =>
				queries
					.select({ connection: connections, storage: storages, email: accounts.email })
					.from(connections)
					.innerJoin(storages, eq(storages.pk, connections.storagePk))
					.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
					.where(
						and(
							eq(connections.appPk, appPk),
							eq(connections.state, "connected"),
							eq(storages.state, "active"),
							eq(storages.kind, "user"),
							gt(connections.pk, afterPk),
							lte(connections.pk, lastPk),
						),
					)
					.orderBy(asc(connections.pk))
					.limit(limit),
			),
		listImages: ({ appPk, afterPk, lastPk, limit }: Walk, nowMs: number) =>
			read(() =>
				queries
					.select({ image: images, storageId: storages.id })
					.from(images)
					.innerJoin(storages, eq(storages.pk, images.storagePk))
					.where(
						and(
							eq(images.appPk, appPk),
							inArray(images.status, MOVES),
							eq(storages.state, "active"),
							inArray(storages.kind, ["app", "user"]),
							unexpired(images, nowMs),
							gt(images.pk, afterPk),
							lte(images.pk, lastPk),
						),
					)
					.orderBy(asc(images.pk))
					.limit(limit),
			),
	};
}

async function start(
	{ write }: Database,
	authority: Authority,
	appId: string,
	job: NewJob<"app_export">,
): Promise<"demoted" | "stale" | undefined> {
	const { appPk, by } = authority;
	const { refused } = await write([
		authorityStep(authority),
		...freshSteps(by),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "app.exported", target: appId, changes: { job: job.id } }) },
	]);
	return refused;
}
