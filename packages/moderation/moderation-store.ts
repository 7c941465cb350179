import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { moderationActions, reports } from "@svc/base/database/schema/moderation";
import { olderThan } from "@svc/base/database/statements";
import { newId } from "@svc/base/ids";
import { listPlaceholders } from "@svc/images/analysis-store";
import { imageFields, toImage } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { alikeImages } from "@svc/images/list/alike-store";
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type {
	ModeratedImage,
	ModerationAction,
	ModerationChange,
	ModerationRefusal,
	ModerationState,
	ShownSimilar,
	Similar,
} from "./deeds.ts";
import { changeSteps, deletionSteps } from "./moderation-steps-store.ts";
import type { Report } from "./report.ts";
import { reportFields, serviceReport } from "./reports-store.ts";
import type { Verdict } from "./verdicts.ts";

type ModerationQuery = Span & {
	readonly state: ModerationState;
	readonly appId: string | undefined;
	/** Only these. */
	readonly among?: readonly number[] | undefined;
};

export function moderationStore(database: Database) {
	return {
		/** Finds an image of any storage in any status, with its history; expired images are not found. */
		find: findModerated.bind(null, database),
		/** `appId` undefined: images of all Apps. */
		list: ({ state, appId, among, ...span }: ModerationQuery, nowMs: number) =>
			selectModerated(database, chosenBy(state, appId, span, nowMs, among)),
		/** The numbers of images of all storages that look like one. */
		listAlike: (imageId: string) => alikeImages(database, imageId, { storagePk: undefined, anywhere: true }),
		/**
		 * One guarded commit: the image is in a state that the action changes, the change, the revision, history and audit. With `revision`,
		 * also that the image is unchanged since. "moved" when any of it does not hold, or there is no such image.
		 */
		change: changeImage.bind(null, database),
		/** Puts an image into the queue; false where it is gone, shows another picture, or stands there already. */
		flag: flagImage.bind(null, database),
		/** Deletes like any other deletion, with history; false when the image is gone. */
		delete: deleteImage.bind(null, database),
		/** Actions on the images of an App, including images that are gone. */
		listActions: listActions.bind(null, database),
	};
}

async function findModerated(database: Database, imageId: string, nowMs: number): Promise<ModeratedImage | undefined> {
	const chosen = sql`SELECT ${images.pk} FROM ${images} WHERE ${images.id} = ${imageId} AND ${kept(nowMs)}`;
	const [found] = await selectModerated(database, chosen);
	return found;
}

async function selectModerated(database: Database, chosen: SQL): Promise<readonly ModeratedImage[]> {
	const rows = await database.read(() =>
		database.queries
			.select({ ...imageFields, appId: apps.id, storage: storages.kind })
			.from(images)
			.innerJoin(storages, eq(storages.pk, images.storagePk))
			.innerJoin(apps, eq(apps.pk, images.appPk))
			.where(sql`${images.pk} IN (${chosen})`)
			.orderBy(desc(images.pk)),
	);
	const found = rows.map(({ appId, storage, ...row }) => ({ image: toImage(row), appId, storage }));
	return await withHistory(database, found);
}

async function changeImage(
	{ write }: Database,
	imageId: string,
	change: ModerationChange,
	by: Actor,
): Promise<ModerationRefusal | undefined> {
	return (await write(changeSteps(imageId, change, by))).refused;
}

async function flagImage(
	{ write }: Database,
	{ id, blobKey }: Pick<Image, "id" | "blobKey">,
	said: Pick<Verdict, "reason" | "note">,
	by: Actor,
): Promise<boolean> {
	const same = sql`${images.id} = ${id} AND ${images.blobKey} = ${blobKey}`;
	const report = serviceReport(same, { id: newId("rep"), ...said }, by.nowMs);
	const { refused } = await write([
		{ ...report, guard: "moved" as const },
		{ run: auditBy(by, { appPk: null, event: "moderation.flagged", target: id, changes: { reason: said.reason } }) },
	]);
	return refused === undefined;
}

async function deleteImage({ write }: Database, image: Image, change: ModerationChange, by: Actor): Promise<boolean> {
	return (await write(deletionSteps(image, change, by))).refused === undefined;
}

async function listActions(
	{ queries, read }: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly ModerationAction[]> {
	const rows = await read(() =>
		queries
			.select(actionFields)
			.from(moderationActions)
			.leftJoin(accounts, eq(accounts.id, moderationActions.actor))
			.where(and(eq(moderationActions.appPk, appPk), olderThan(moderationActions.pk, beforePk)))
			.orderBy(desc(moderationActions.pk))
			.limit(limit),
	);
	return rows.map(toAction);
}

/** Expired images, and images in a storage that is being deleted, are gone for every caller. */
function kept(nowMs: number): SQL {
	return sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${nowMs})
		AND EXISTS (SELECT 1 FROM ${storages} WHERE ${storages.pk} = ${images.storagePk} AND ${storages.state} = 'active')`;
}

/** The index that holds each state; a query that SQLite cannot answer from there fails rather than visits every image. */
const PLACES = {
	locked: sql`${images} INDEXED BY images_locked WHERE ${images.lockedMs} IS NOT NULL`,
	blocked: sql`${images} INDEXED BY images_unready WHERE ${images.status} = 'blocked' AND ${images.status} <> 'ready'`,
	nsfw: sql`${images} INDEXED BY images_nsfw WHERE ${images.nsfw} = 1`,
} as const satisfies Partial<Record<ModerationState, SQL>>;

/** The internal numbers of one page, newest first. */
export function chosenBy(
	state: ModerationState,
	appId: string | undefined,
	{ limit, beforePk }: Span,
	nowMs: number,
	among?: readonly number[],
): SQL {
	const before = beforePk === undefined ? sql`` : sql` AND ${images.pk} < ${beforePk}`;
	const appPk = sql`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${appId})`;
	const ofApp = appId === undefined ? sql`` : sql` AND ${images.appPk} = ${appPk}`;
	const rest = sql`AND ${kept(nowMs)}${before}${ofApp} ORDER BY ${images.pk} DESC LIMIT ${limit}`;
	if (among) {
		return sql`SELECT ${images.pk} FROM json_each(${JSON.stringify(among)}) AS alike
			CROSS JOIN ${images} ON ${images.pk} = alike.value WHERE TRUE ${rest}`;
	}
	if (state === "reported") {
		// Starts from the open reports, however many images there are.
		return sql`SELECT DISTINCT ${images.pk} FROM ${reports} INDEXED BY reports_open
			CROSS JOIN ${images} ON ${images.id} = ${reports.imageId} WHERE ${reports.resolvedMs} IS NULL ${rest}`;
	}
	if (state === "all") {
		const place = appId === undefined ? sql`${images}` : sql`${images} INDEXED BY images_app`;
		return sql`SELECT ${images.pk} FROM ${place} WHERE TRUE ${rest}`;
	}
	return sql`SELECT ${images.pk} FROM ${PLACES[state]} ${rest}`;
}

type WithoutHistory = Pick<ModeratedImage, "appId" | "storage"> & { readonly image: Image };

/** One query of each kind for a whole page. */
async function withHistory(database: Database, found: readonly WithoutHistory[]): Promise<readonly ModeratedImage[]> {
	if (found.length === 0) return [];
	const ids = JSON.stringify(found.map(({ image }) => image.id));
	const [openReports, actions] = [await listReports(database, ids), await listHistory(database, ids)];
	const blobKeys = found.map(({ image }) => image.blobKey);
	const placeholders = await listPlaceholders(database, blobKeys);
	const similar = new Map<string, Similar | undefined>();
	for (const [id, done] of actions) similar.set(id, done.find((one) => one.similar)?.similar ?? undefined);
	const others = await listOthers(
		database,
		[...similar.values()].flatMap((one) => one?.imageId ?? []),
	);
	return found.map((one) => {
		const like = similar.get(one.image.id);
		const ofImage = openReports.get(one.image.id) ?? [];
		return {
			...one,
			pk: one.image.pk,
			placeholder: placeholders.get(one.image.blobKey) ?? null,
			reports: ofImage.map(({ report }) => report),
			reportsCount: ofImage[0]?.total ?? 0,
			similar: like ? { ...like, ...(others.get(like.imageId) ?? { appId: null, reason: null }) } : null,
			actions: actions.get(one.image.id) ?? [],
		};
	});
}

interface CountedReport {
	readonly report: Report;
	/** How many rows there are for the same image. */
	readonly total: number;
}

/** The most reports and history entries that are shown of one image. */
const SHOWN_MAX = 50;

/** Open reports by image id. */
async function listReports({ queries, read }: Database, ids: string): Promise<Map<string, CountedReport[]>> {
	const ranked = queries
		.select({
			...reportFields,
			place: sql<number>`row_number() OVER (PARTITION BY ${reports.imageId} ORDER BY ${reports.pk} DESC)`.as("place"),
			total: sql<number>`count(*) OVER (PARTITION BY ${reports.imageId})`.as("total"),
		})
		.from(reports)
		.leftJoin(apps, eq(apps.pk, reports.appPk))
		.where(sql`${reports.resolvedMs} IS NULL AND ${reports.imageId} IN (SELECT value FROM json_each(${ids}))`)
		.as("ranked");
	const shown = queries.select().from(ranked).where(sql`${ranked.place} <= ${SHOWN_MAX}`).orderBy(desc(ranked.pk));
	const rows = await read(() => shown);
	return grouped(rows.map(({ place: _, total, ...report }) => [report.imageId, { report, total }]));
}

/** History entries by image id. */
async function listHistory({ queries, read }: Database, ids: string): Promise<Map<string, ModerationAction[]>> {
	const ranked = queries
		.select({
			...actionFields,
			place: sql<number>`row_number() OVER (PARTITION BY ${moderationActions.imageId}
				ORDER BY ${moderationActions.pk} DESC)`.as("place"),
		})
		.from(moderationActions)
		.leftJoin(accounts, eq(accounts.id, moderationActions.actor))
		.where(sql`${moderationActions.imageId} IN (SELECT value FROM json_each(${ids}))`)
		.as("ranked");
	const shown = queries.select().from(ranked).where(sql`${ranked.place} <= ${SHOWN_MAX}`).orderBy(desc(ranked.pk));
	const rows = await read(() => shown);
	return grouped(rows.map(({ place: _, ...action }) => [action.imageId, toAction(action)]));
}

const actionFields = {
	pk: moderationActions.pk,
	id: moderationActions.id,
	imageId: moderationActions.imageId,
	action: moderationActions.action,
	reason: moderationActions.reason,
	note: moderationActions.note,
	actor: moderationActions.actor,
	actorEmail: sql<string | null>`${accounts.email}`.as("actor_email"),
	createdMs: moderationActions.createdMs,
	similarId: moderationActions.similarId,
	similarKind: moderationActions.similarKind,
	similarScore: moderationActions.similarScore,
};

type ActionRow = Omit<ModerationAction, "similar"> &
	Pick<typeof moderationActions.$inferSelect, "similarId" | "similarKind" | "similarScore">;

function toAction({ similarId, similarKind, similarScore, ...action }: ActionRow): ModerationAction {
	const similar = similarId && similarKind ? { imageId: similarId, kind: similarKind, score: similarScore ?? 1 } : null;
	return { ...action, similar };
}

/** What is left of images that others are like, by their ids. */
async function listOthers(
	{ queries, read }: Database,
	ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<ShownSimilar, "appId" | "reason">>> {
	if (ids.length === 0) return new Map();
	const rows = await read(() =>
		queries
			.select({ id: images.id, appId: apps.id, reason: images.blockReason })
			.from(images)
			.innerJoin(apps, eq(apps.pk, images.appPk))
			.where(inArray(images.id, [...ids])),
	);
	return new Map(rows.map(({ id, ...other }) => [id, other]));
}

function grouped<T>(entries: readonly (readonly [string, T])[]): Map<string, T[]> {
	const groups = Map.groupBy(entries, ([name]) => name);
	return new Map([...groups].map(([name, found]) => [name, found.map(([, item]) => item)]));
}
