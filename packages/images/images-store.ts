import type { Access } from "@svc/apps/access";
import { auditEntry } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { blobs, images } from "@svc/base/database/schema/images";
import { newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { and, asc, eq, fillPlaceholders, sql } from "drizzle-orm";
import type { Claim } from "./idempotency.ts";
import { claimDoneSteps } from "./idempotency-store.ts";
import { updateImages } from "./image-changes-store.ts";
import { deleteImagesSteps } from "./image-deletes-store.ts";
import { imageFields, imageOfRow, insertLabels, READY, toImage } from "./image-rows-store.ts";
import type { Image, NewImage } from "./images.ts";
import type { ListedStatus } from "./lists.ts";
import { listImages } from "./lists-store.ts";
import type { CommitRefusal, ImageStore } from "./ports.ts";
import { appQuota, type Quota, type QuotaOf } from "./quotas.ts";
import { servableFinder } from "./servable-store.ts";
import { monthOf } from "./usage.ts";

export interface ImageStoreOptions {
	/** What a create may not exceed: it depends on what is sold. */
	readonly quotaOf?: QuotaOf;
	/** What lists show. */
	readonly listed?: readonly ListedStatus[];
}

export function imageStore(database: Database, options: ImageStoreOptions = {}): ImageStore {
	const { quotaOf = appQuota, listed = READY } = options;
	const { queries, read, write } = database;
	const finds = prepareFinds(database);
	const find: ImageStore["find"] = async (storagePk, id, nowMs) => {
		const [row] = await finds.inStorage({ storagePk, id, nowMs });
		return row && imageOfRow(row);
	};

	return {
		async claimBlob(blobKey, nowMs) {
			await write([{ run: queries.insert(blobs).values({ blobKey, state: "pending", sinceMs: nowMs }) }]);
		},
		async commitCreate(image, access, claim) {
			const { refused } = await write([
				...createSteps(database, image, access, quotaOf(access), claim),
				{ run: insertLabels(image.id, listed) },
				...processingSteps(image, access),
			]);
			return refused;
		},
		async exists(imageId) {
			const rows = await read(() => finds.exists.all({ id: imageId }));
			return rows.length > 0;
		},
		find,
		findServable: servableFinder(database, async (teamHash, id, nowMs) => {
			const [row] = await finds.servable({ teamHash, id, nowMs });
			return row && imageOfRow(row);
		}),
		async findPublic(id, nowMs) {
			const [row] = await finds.public({ id, nowMs });
			return row && imageOfRow(row);
		},
		list: (storagePk, query, nowMs) => listImages(database, { storagePk, listed }, query, nowMs),
		update: updateImages(database, find),
		async delete(image, actor, nowMs) {
			const { refused } = await write(deleteSteps(image, actor, nowMs));
			return refused === undefined;
		},
		async listExpired(nowMs, limit) {
			const rows = await read(() => finds.expired.all({ nowMs, limit }));
			return rows.map(toImage);
		},
		async listTrash(pendingBeforeMs, deadBeforeMs, limit) {
			// A backup that is under way finds what its snapshot names, however long it takes and wherever the clock is moved meanwhile.
			const rows = await read(() =>
				queries.values<[string]>(sql`SELECT blob_key, since_ms FROM (
					SELECT blob_key, since_ms FROM blobs INDEXED BY blobs_pending WHERE state = 'pending' AND since_ms < ${pendingBeforeMs}
					UNION ALL SELECT blob_key, since_ms FROM blobs INDEXED BY blobs_dead WHERE state = 'dead' AND since_ms < ${deadBeforeMs}
					ORDER BY since_ms LIMIT ${limit})
					WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE state = 'running' AND kind = 'backup.make')`),
			);
			return rows.map(([blobKey]) => blobKey);
		},
		async markBlobDead(blobKey, nowMs, beforeMs = Number.MAX_SAFE_INTEGER) {
			// A blob that is dead already keeps its age, so that a second sweep does not start its grace again.
			const condemned = sql`UPDATE blobs SET since_ms = iif(state = 'dead', since_ms, ${nowMs}), state = 'dead'
				WHERE blob_key = ${blobKey} AND state <> 'live' AND since_ms < ${beforeMs}`;
			const { refused } = await write([{ run: condemned, guard: "live" }]);
			return refused === undefined;
		},
		async forgetBlob(blobKey) {
			await write([{ run: sql`DELETE FROM blobs WHERE blob_key = ${blobKey} AND state = 'dead'` }]);
		},
		async listUnknownBlobs(blobKeys) {
			const rows = await read(() =>
				queries.values<[string]>(sql`SELECT value FROM json_each(${JSON.stringify(blobKeys)})
					WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blob_key = value)`),
			);
			return rows.map(([blobKey]) => blobKey);
		},
	};
}

// Building SQL costs more than running it; these are built once.
function prepareFinds(database: Database) {
	const { queries } = database;
	const withStorage = () =>
		queries.select(imageFields).from(images).innerJoin(storages, eq(storages.pk, images.storagePk));
	const byId = eq(images.id, sql.placeholder("id"));
	const unexpired = sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${sql.placeholder("nowMs")})`;
	// What a storage that is being deleted still holds is gone for everybody.
	const kept = and(byId, eq(storages.state, "active"), unexpired);
	const inStorage = and(kept, eq(images.storagePk, sql.placeholder("storagePk")));
	const servable = and(kept, eq(images.status, "ready"), eq(storages.teamHash, sql.placeholder("teamHash")));
	return {
		exists: queries.select({ pk: images.pk }).from(images).where(byId).prepare(),
		inStorage: keptFind(database, withStorage().where(inStorage)),
		public: keptFind(database, withStorage().where(and(kept, eq(images.public, true)))),
		servable: keptFind(database, withStorage().where(servable)),
		expired: withStorage()
			.where(sql`${images.expiresMs} <= ${sql.placeholder("nowMs")}`)
			.orderBy(asc(images.expiresMs))
			.limit(sql.placeholder("limit"))
			.prepare(),
	};
}

/** One image is looked up for every request to the transform host: the rows come without the builder's own mapping. */
function keptFind({ rows }: Database, query: { toSQL(): { readonly sql: string; readonly params: unknown[] } }) {
	const { sql: text, params } = query.toSQL();
	return (values: Record<string, unknown>) => rows(text, fillPlaceholders(params, values));
}

/** The order decides which refusal wins: first what a caller cannot mend. */
function createSteps(
	{ queries }: Database,
	image: NewImage,
	access: Access,
	quota: Quota,
	claim: Claim | undefined,
): readonly Step<CommitRefusal>[] {
	const { blobKey, storagePk, createdMs } = image;
	const appPk = access.app.pk;
	return [
		...(claim ? claimDoneSteps(claim, image) : []),
		{
			// A blob that the sweep has condemned in the meantime may be gone from the disk already.
			run: sql`UPDATE blobs SET state = 'live', since_ms = ${createdMs} WHERE blob_key = ${blobKey} AND state = 'pending'`,
			guard: "fenced",
		},
		{
			// The capability too: the number of a storage that was removed meanwhile may be another's by now.
			run: sql`UPDATE storages SET images = images + 1, bytes = bytes + ${image.bytes}
				WHERE pk = ${storagePk} AND team_hash = ${image.teamHash} AND state = 'active'`,
			guard: "storage_deleting",
		},
		...bytesStep(storagePk, quota.bytes),
		{ run: countImage(appPk, image.bytes, quota.appImages), guard: "quota" },
		{
			// Whoever finished this create under another nonce, or another one under the same key, has won.
			run: queries
				.insert(images)
				.values({ ...toRow(image, appPk), idempotencyHash: claim?.keyHash, idempotencyFingerprint: claim?.fingerprint })
				.onConflictDoNothing(),
			guard: "fenced",
		},
		{
			run: queries
				.insert(monthlyUsage)
				.values({ storagePk, month: monthOf(createdMs), uploads: 1 })
				.onConflictDoUpdate({
					target: [monthlyUsage.storagePk, monthlyUsage.month],
					set: { uploads: sql`${monthlyUsage.uploads} + 1` },
					...(quota.uploads !== null && { setWhere: sql`${monthlyUsage.uploads} < ${quota.uploads}` }),
				}),
			...(quota.uploads !== null && { guard: "quota" as const }),
		},
		{
			run: auditEntry({ atMs: createdMs, actor: access.caller.id, appPk, event: "image.created", target: image.id }),
		},
	];
}

/** In the commit itself: an image that was answered as `processing` is processed, whatever happens to this process. */
function processingSteps({ id, status, createdMs }: NewImage, { app }: Access): readonly Step[] {
	if (status !== "processing") return [];
	const job = newJob("image.process", { imageId: id }, { dedupe: `image.process ${id}`, appPk: app.pk });
	return [{ run: jobEntry(job, createdMs) }];
}

/** The new image counts already. */
function bytesStep(storagePk: number, limit: number | null): readonly Step<"quota">[] {
	if (limit === null) return [];
	return [
		{ run: sql`UPDATE storages SET bytes = bytes WHERE pk = ${storagePk} AND bytes <= ${limit}`, guard: "quota" },
	];
}

// The limit is a condition on the counter's own row: no two commits can both take the last place.
function countImage(appPk: number, bytes: number, limit: number | null) {
	const room = limit === null ? sql`` : sql` AND images < ${limit}`;
	return sql`UPDATE app_usage SET images = images + 1, bytes = bytes + ${bytes} WHERE app_pk = ${appPk}${room}`;
}

function toRow(image: NewImage, appPk: number): typeof images.$inferInsert {
	const { teamHash: _, locked, ...row } = image;
	return { ...row, appPk, lockedMs: locked ? image.createdMs : null };
}

/** Of one image; see {@link deleteImagesSteps}. */
export function deleteSteps(
	{ pk }: Pick<Image, "pk">,
	actor: string,
	nowMs: number,
	event = "image.deleted",
): readonly Step<"gone">[] {
	return deleteImagesSteps([pk], { actor, nowMs, event });
}
