import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { blobs, deletedImages, images } from "@svc/base/database/schema/images";
import { column, columns, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, eq, getTableColumns, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { changedBy } from "../change/image-changes-store.ts";
import { imageEvents } from "../image-events-store.ts";
import { externalIdSteps, insertLabels, READY } from "../image-rows-store.ts";
import type { ListedStatus } from "../list/list-filters.ts";
import type { CallAccess, CommitRefusal, ImagePlace } from "../ports.ts";
import { countInApp, countInStorage, storageSteps } from "../usage/counting-store.ts";
import { appQuota, type Quota, type QuotaOf } from "../usage/usage.ts";
import { type UserLimitsQuery, userLimitSteps } from "../usage/user-limits-store.ts";

/* Images that were deleted a moment ago, each as the whole of its row. */

/** For how long one can be restored. */
export const RESTORABLE_MS = 24 * 3_600_000;

/** A row of `images` by the names of its columns; bytes in hexadecimal, null where there are none. */
type DeletedRow = Readonly<Record<string, string | number | null>>;

export interface DeletedImage extends ImagePlace {
	readonly blobKey: string;
	readonly bytes: number;
	/** Null: permanent. */
	readonly expiresMs: number | null;
	readonly row: DeletedRow;
}

const COLUMNS = Object.values(getTableColumns(images));
const isBytes = (of: (typeof COLUMNS)[number]) => of.getSQLType() === "blob";

/** An Idempotency-Key says what became of its create, not of what was restored since; it may have made another image by now. */
const LEFT_OUT: ReadonlySet<string> = new Set([images.idempotencyHash.name, images.idempotencyFingerprint.name]);
/** Beside the columns: the number of a storage that was removed meanwhile may be another's by now. */
export const CAPABILITY = "team_hash";

/** The statement of a delete that keeps the images for which `which` holds; one that is still being processed is not kept. */
export function keepDeleted(which: SQL, nowMs: number | SQLWrapper): SQL {
	const row = COLUMNS.map(
		(one) => sql`${sql.raw(`'${one.name}'`)}, ${isBytes(one) ? sql`nullif(hex(${one}), '')` : one}`,
	);
	const names = columns(...[deletedImages.id, deletedImages.storagePk, deletedImages.blobKey]);
	const capability = sql`(SELECT ${storages.teamHash} FROM ${storages} WHERE ${storages.pk} = ${images.storagePk})`;
	return sql`INSERT OR REPLACE INTO ${deletedImages} (${names}, ${columns(deletedImages.deletedMs, deletedImages.image)})
		SELECT ${images.id}, ${images.storagePk}, ${images.blobKey}, ${nowMs},
			json_object(${sql.raw(`'${CAPABILITY}'`)}, ${capability}, ${sql.join(row, sql`, `)})
		FROM ${images} WHERE ${which} AND ${images.status} <> 'processing'`;
}

interface Options {
	readonly quotaOf?: QuotaOf;
	readonly userLimits?: UserLimitsQuery;
	/** The statuses that lists show. */
	readonly listed?: readonly ListedStatus[];
}

export function deletedImagesStore(database: Database, { quotaOf = appQuota, userLimits, listed = READY }: Options) {
	const { queries, read, write } = database;
	return {
		/** Undefined unless it was deleted in the last day and has not expired since. */
		async find({ storagePk, id }: ImagePlace, teamHash: string, nowMs: number): Promise<DeletedImage | undefined> {
			const { blobKey, image } = deletedImages;
			const rows = await read(() =>
				queries.select({ blobKey, image }).from(deletedImages).where(restorable({ storagePk, id }, nowMs)),
			);
			const [found] = rows;
			if (!found) return undefined;
			const row = JSON.parse(found.image) as DeletedRow;
			const [expires, bytes] = [row[images.expiresMs.name], row[images.bytes.name]];
			const expiresMs = typeof expires === "number" ? expires : null;
			if (row[CAPABILITY] !== teamHash || (expiresMs !== null && expiresMs <= nowMs)) return undefined;
			return { storagePk, id, blobKey: found.blobKey, bytes: Number(bytes), expiresMs, row };
		},
		/** One guarded commit; undefined when it was committed. "fenced": it is not there any more. */
		async restore(deleted: DeletedImage, access: CallAccess, nowMs: number): Promise<CommitRefusal | undefined> {
			const { refused } = await write([
				...restoreSteps(database, deleted, access, nowMs),
				...countSteps(deleted, access, quotaOf(access)),
				...userLimitSteps(userLimits, { appPk: access.app.pk, storagePk: access.storage.pk, nowMs }, quotaOf(access)),
				{ run: insertLabels(deleted.id, listed) },
			]);
			return refused;
		},
	};
}

function restorable({ storagePk, id }: ImagePlace, nowMs: number): SQL | undefined {
	const since = gt(deletedImages.deletedMs, nowMs - RESTORABLE_MS);
	return and(eq(deletedImages.id, id), eq(deletedImages.storagePk, storagePk), since);
}

function restoreSteps(
	{ queries }: Database,
	deleted: DeletedImage,
	access: CallAccess,
	nowMs: number,
): readonly Step<CommitRefusal>[] {
	const { id, blobKey, storagePk, row } = deleted;
	const { actor, requestId } = changedBy(access);
	const appPk = access.app.pk;
	const externalId = row[images.externalId.name];
	const named = { appPk, storagePk, id, externalId: typeof externalId === "string" ? externalId : null };
	// Who removes the bytes removes this row first: where it is there they are, too.
	const whole = and(eq(blobs.blobKey, blobKey), eq(blobs.state, "dead"));
	return [
		...(access.besides ?? []),
		{ run: queries.delete(deletedImages).where(restorable(deleted, nowMs)), guard: "fenced" },
		updateStep(blobs, { state: "live", sinceMs: nowMs }, whole, "fenced"),
		...externalIdSteps(named, nowMs),
		{ run: insertRow(row), guard: "fenced" },
		{ run: auditEntry({ atMs: nowMs, actor, requestId, appPk, event: "image.restored", target: id }) },
		imageEvents({ nowMs, requestId }, "image.restored", { id }),
	];
}

function countSteps({ bytes }: DeletedImage, access: CallAccess, quota: Quota): readonly Step<CommitRefusal>[] {
	const { pk: storagePk, teamHash } = access.storage;
	return [
		{ run: countInStorage({ storagePk, teamHash, bytes }, access), guard: "closed" },
		...storageSteps(access.app.pk, storagePk, quota),
		{ run: countInApp(access.app.pk, { bytes }, quota.appImages), guard: "quota" },
	];
}

/** A column that the row does not have, of a release before it, has its default. Its revision is a new one: it was another image meanwhile. */
function insertRow(row: DeletedRow): SQL {
	const known = COLUMNS.filter(({ name }) => name in row && !LEFT_OUT.has(name));
	const values = known.map((one) => {
		const value = row[one.name] ?? null;
		if (one === images.revision) return sql`${Number(value) + 1}`;
		return isBytes(one) ? sql`unhex(${value})` : sql`${value}`;
	});
	const names = sql.join(known.map(column), sql`, `);
	return sql`INSERT INTO ${images} (${names}) VALUES (${sql.join(values, sql`, `)})`;
}
