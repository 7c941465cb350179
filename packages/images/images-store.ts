import type { Access } from "@svc/apps/access";
import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { lookUpOf } from "@svc/base/database/remote/shared-reads";
import { rowsOf } from "@svc/base/database/rows";
import { apps, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import { newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { and, asc, eq, fillPlaceholders, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteInsertValue } from "drizzle-orm/sqlite-core";
import { seenSteps } from "./analysis-store.ts";
import { updateAll } from "./change/image-batches-store.ts";
import { changedBy, updateImages } from "./change/image-changes-store.ts";
import { copiedSteps, stillOriginal } from "./create/copies-store.ts";
import { claimDoneSteps } from "./create/idempotency-store.ts";
import { deleteImagesSteps, deleteSteps, rowsOfGone } from "./delete/deletions-store.ts";
import { imageEvents } from "./image-events-store.ts";
import {
	externalIdSteps,
	imageFields,
	imageOfRow,
	insertLabels,
	lookUpImage,
	READY,
	selectImages,
	toImage,
	unexpired,
} from "./image-rows-store.ts";
import type { Image, NewImage } from "./images.ts";
import {
	forgetBlob,
	insertBlob,
	listRemovable,
	listUnknownBlobs,
	markBlobDead,
	movePendingBlob,
} from "./keep/blobs-store.ts";
import { compactFormsStore } from "./keep/compact-forms-store.ts";
import type { ListedStatus } from "./list/list-filters.ts";
import { countAmong, countImages, countListed } from "./list/list-totals-store.ts";
import { listImages } from "./list/lists-store.ts";
import { addressedChanges, keptFinder, servableFinder } from "./list/servable-store.ts";
import type { Addressed, CommitRefusal, CreateBesides, ImageStore } from "./ports.ts";
import { keptWords } from "./search-words.ts";
import type { FoundMends } from "./transform/mends.ts";
import { countInApp, countInStorage, countUpload, daysAfter, storageSteps } from "./usage/counting-store.ts";
import { appQuota, monthOf, type Quota, type QuotaOf } from "./usage/usage.ts";
import { tellCounters, toldCounters } from "./usage/usage-store.ts";
import { type UserLimitsQuery, userLimitSteps } from "./usage/user-limits-store.ts";

export interface ImageStoreOptions {
	/** The limits of a create: they depend on what is sold. */
	readonly quotaOf?: QuotaOf;
	/** What the plans of an App's users let their storages hold. */
	readonly userLimits?: UserLimitsQuery;
	/** The statuses that lists show. */
	readonly listed?: readonly ListedStatus[];
}

export function imageStore(database: Database, options: ImageStoreOptions = {}): ImageStore {
	const { quotaOf = appQuota, userLimits, listed = READY } = options;
	const { read, write } = database;
	const finds = prepareFinds(database);
	const find = keptFinder(database, finds.inStorage);
	const deleteAll: ImageStore["deleteAll"] = async (gone, by, nowMs, kept = false) => {
		const [first] = gone;
		if (first === undefined) return false;
		const published = by === "sweeper" ? "image.expired" : "image.deleted";
		const pks = gone.map(({ pk }) => pk);
		const steps = deleteImagesSteps(pks, { ...changedBy(by), nowMs, published, kept, rows: rowsOfGone(gone) });
		const besides = typeof by === "string" ? [] : (by.besides ?? []);
		const written = await write([...besides, ...steps, ...toldCounters(by, first.storagePk, nowMs)]);
		if (written.refused !== undefined) return false;
		tellCounters(by, written.rows);
		return true;
	};
	const findAddressed = servableFinder(database, finds.addressed);
	return {
		async claimBlob(blobKey, nowMs) {
			await write([{ run: insertBlob(blobKey, nowMs) }]);
		},
		async commitCreate(image, access, besides = {}) {
			const { claim, spareKey } = besides;
			const written = await write([
				...(claim ? claimDoneSteps(database, claim, image) : []),
				...createSteps(image, access, quotaOf(access), userLimits, besides),
				...(claim?.reserved?.steps(image) ?? []),
				...(Object.keys(image.labels).length === 0 ? [] : [{ run: insertLabels(image.id, listed) }]),
				...processingSteps(image, access),
				...(spareKey === undefined ? [] : [{ run: insertBlob(spareKey, image.createdMs) }]),
				...toldCounters(access, image.storagePk, image.createdMs),
			]);
			if (written.refused !== undefined) return written.refused;
			tellCounters(access, written.rows);
			return undefined;
		},
		async exists(imageId) {
			const rows = await read(() => finds.exists.all({ id: imageId }));
			return rows.length > 0;
		},
		find,
		findAll: (storagePk, ids, nowMs) => finds.allOf({ storagePk, ids: JSON.stringify(ids), nowMs }),
		findAddressed,
		noteCompact: compactFormsStore(database),
		changes: addressedChanges(database, finds.addressed),
		findServable: async (teamHash, id, nowMs) => (await findAddressed(teamHash, id, nowMs))?.image,
		findPublic: (id, nowMs) => finds.public.find({ id, nowMs }),
		list: (storagePk, query, nowMs) => listImages(database, { storagePk, listed }, query, nowMs),
		count: (storagePk, filter, max, nowMs) => countImages(database, { storagePk, listed }, filter, max, nowMs),
		countAmong: (storagePk, filter, lookedMax, nowMs) =>
			countAmong(database, { storagePk, listed }, filter, lookedMax, nowMs),
		countListed: (storagePk, nowMs) => countListed(database, { storagePk, listed }, nowMs),
		update: updateImages(database, find),
		updateAll: updateAll.bind(undefined, database),
		delete: (image, ...deletion) => deleteAll([image], ...deletion),
		deleteAll,
		async takeBack(image, nowMs) {
			const ofMonth = and(
				eq(monthlyUsage.storagePk, image.storagePk),
				eq(monthlyUsage.month, monthOf(image.createdMs)),
			);
			await write([
				...deleteSteps(image, { ...changedBy("sweeper"), nowMs }),
				updateStep(
					monthlyUsage,
					{ uploads: sql`${monthlyUsage.uploads} - 1`, days: daysAfter(image.createdMs, -1) },
					ofMonth,
				),
			]);
		},
		async listExpired(nowMs, limit) {
			const rows = await read(() => finds.expired.all({ nowMs, limit }));
			return rows.map(toImage);
		},
		listRemovable: listRemovable.bind(undefined, database),
		markBlobDead: markBlobDead.bind(undefined, database),
		forgetBlob: forgetBlob.bind(undefined, database),
		listUnknownBlobs: listUnknownBlobs.bind(undefined, database),
	};
}

// Building SQL costs more than running it; these are built once.
function prepareFinds(database: Database) {
	const { queries } = database;
	const byId = eq(images.id, sql.placeholder("id"));
	const nowMs = sql.placeholder("nowMs");
	// Images in a storage that is being deleted are gone for every caller.
	const kept = and(byId, eq(storages.state, "active"), unexpired(images, nowMs));
	const ofStorage = eq(images.storagePk, sql.placeholder("storagePk"));
	const inStorage = and(kept, ofStorage);
	const named = sql`${images.id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))`;
	const allOf = and(named, ofStorage, eq(storages.state, "active"), unexpired(images, nowMs));
	return {
		exists: queries.select({ pk: images.pk }).from(images).where(byId).prepare(),
		inStorage: keptFind(database, inStorage),
		allOf: keptFindAll(database, selectImages(database).where(allOf)),
		public: keptFind(database, and(kept, eq(images.public, true))),
		addressed: addressedFind(database),
		expired: selectImages(database)
			.where(sql`${images.expiresMs} <= ${nowMs}`)
			.orderBy(asc(images.expiresMs))
			.limit(sql.placeholder("limit"))
			.prepare(),
	};
}

/** What is known of the picture of the row, as JSON. */
const known = (kind: "mends" | "compact") =>
	sql<string | null>`(SELECT CAST(${imageAnalyses.value} AS TEXT) FROM ${imageAnalyses}
	WHERE ${imageAnalyses.blobKey} = ${images.blobKey} AND ${imageAnalyses.kind} = ${sql.raw(`'${kind}'`)})`;

/** The storage and its App are found also where there is no image: what is answered then is theirs to say. */
function addressedFind({ queries, rows }: Database) {
	const nowMs = sql.placeholder("nowMs");
	const servable = and(
		eq(images.id, sql.placeholder("id")),
		eq(images.storagePk, storages.pk),
		eq(images.status, "ready"),
		unexpired(images, nowMs),
	);
	const addressed = and(eq(storages.teamHash, sql.placeholder("teamHash")), eq(storages.state, "active"));
	const { deliveryReferrers: referrers, deliveryBytesLimit: bytes, deliveryRenditionsLimit: renditions } = apps;
	// One value, which is null for nearly every App: it is read with each image.
	const terms = sql`CASE WHEN coalesce(${referrers}, ${bytes}, ${renditions}) IS NOT NULL
		THEN json_array(json(${referrers}), ${bytes}, ${renditions}) END`;
	const ofApp = { owner: apps.pk, policy: apps.delivery, rulesVersion: apps.deliveryVersion, terms };
	const ofPicture = { mends: known("mends"), compact: known("compact") };
	const look = lookUpOf<Readonly<Record<string, SQL | SQLiteColumn>>>(
		{ ...ofApp, ...ofPicture, ...imageFields },
		(fields) =>
			queries
				.select(fields)
				.from(storages)
				.innerJoin(apps, eq(apps.pk, storages.appPk))
				.leftJoin(images, servable)
				.where(addressed),
	);
	const find = async (values: Record<string, unknown>): Promise<Addressed | undefined> => {
		const [row] = await rows(look.sql, fillPlaceholders(look.params, values), look.many);
		if (!row) return undefined;
		const [appPk, policy, rulesVersion, terms, mends, compact, ...image] = row;
		const app = { appPk, policy, rulesVersion, ...(terms !== null && { terms }) } as Addressed["app"];
		if (image[0] === null) return { app, image: undefined };
		return {
			...{ app, image: imageOfRow(image) },
			...(mends !== null && { mends: JSON.parse(String(mends)) as FoundMends }),
			...(compact !== null && { compact: JSON.parse(String(compact)) as readonly string[] }),
		};
	};
	return { sql: look.sql, find };
}

interface Built {
	toSQL(): { readonly sql: string; readonly params: unknown[] };
}

function keptFindAll({ rows }: Database, query: Built) {
	const { sql: text, params } = query.toSQL();
	return async (values: Record<string, unknown>): Promise<readonly Image[]> =>
		(await rows(text, fillPlaceholders(params, values))).map(imageOfRow);
}

/** One image is looked up for most calls: the rows come without the builder's own mapping. */
function keptFind(database: Database, where: SQL | undefined) {
	const look = lookUpImage(database, where);
	const find = async (values: Record<string, unknown>): Promise<Image | undefined> => {
		const [row] = await database.rows(look.sql, fillPlaceholders(look.params, values), look.many);
		return row && imageOfRow(row);
	};
	return { sql: look.sql, find };
}

/** The order decides which refusal wins: first what a caller cannot change. */
function createSteps(
	image: NewImage,
	access: Access,
	quota: Quota,
	userLimits: UserLimitsQuery | undefined,
	{ claim, original }: CreateBesides,
): readonly Step<CommitRefusal>[] {
	const { blobKey, storagePk, createdMs } = image;
	const appPk = access.app.pk;
	const key = { idempotencyHash: claim?.keyHash ?? null, idempotencyFingerprint: claim?.fingerprint ?? null };
	const row = { ...toRow(image, appPk), ...key };
	const { actor, requestId } = changedBy(access);
	const entry = { atMs: createdMs, actor, requestId, appPk, event: "image.created", target: image.id };
	return [
		...(original ? [stillOriginal(original, createdMs)] : []),
		// A blob that the sweep has marked dead in the meantime may be gone from the disk already.
		{ run: movePendingBlob(blobKey, "live", createdMs), guard: "fenced" },
		{
			run: countInStorage({ storagePk, teamHash: image.teamHash, bytes: image.bytes }, access),
			guard: "closed",
			rows: [rowsOf.storageCounts(storagePk)],
		},
		...storageSteps(appPk, storagePk, quota),
		{
			run: countInApp(appPk, { bytes: image.bytes }, quota.appImages),
			guard: "quota",
			rows: [rowsOf.appUsage(appPk)],
		},
		...userLimitSteps(userLimits, { appPk, storagePk, nowMs: createdMs }, quota),
		...externalIdSteps({ ...image, appPk }, createdMs),
		// Another request, which finished this create under another nonce, or another create under the same key, has won.
		{ run: insertImage(row), guard: "fenced", rows: [rowsOf.images(image.id)] },
		...(original ? copiedSteps(original, image) : []),
		...seenSteps(image, createdMs),
		countUpload({ storagePk, nowMs: createdMs }, quota.uploads),
		{ run: auditEntry(entry) },
		imageEvents({ nowMs: createdMs, requestId }, "image.created", { id: image.id }),
	];
}

const insertImage = keptStatement((row: SQLiteInsertValue<typeof images>) =>
	statements.insert(images).values(row).onConflictDoNothing(),
);

/** The job is part of the commit: an image that was answered as `processing` is processed, whatever happens to this process. */
function processingSteps({ id, status, createdMs }: NewImage, { app }: Access): readonly Step[] {
	if (status !== "processing") return [];
	const job = newJob("image.process", { imageId: id }, { dedupe: `image.process ${id}`, appPk: app.pk });
	return [{ run: jobEntry(job, createdMs) }];
}

function toRow(image: NewImage, appPk: number): typeof images.$inferInsert {
	const { teamHash: _, locked, seen: __, ...row } = image;
	// The builder drops a field that is no column of the table: such a field must not compile.
	row satisfies Pick<typeof images.$inferInsert, keyof typeof row>;
	return { ...row, appPk, lockedMs: locked ? image.createdMs : null, words: keptWords(image) };
}
