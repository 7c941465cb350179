import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, eq, isNull, sql } from "drizzle-orm";
import { seenSteps } from "../analysis-store.ts";
import type { Claim } from "../create/idempotency.ts";
import { claimDoneSteps } from "../create/idempotency-store.ts";
import { imageEvents } from "../image-events-store.ts";
import { unexpired } from "../image-rows-store.ts";
import type { Image, NewImage } from "../images.ts";
import { markBlobsDead, movePendingBlob } from "../keep/blobs-store.ts";
import type { CallAccess, CommitRefusal } from "../ports.ts";
import { keptWords } from "../search-words.ts";
import { countInApp, countInStorage, countUpload, storageSteps } from "../usage/counting-store.ts";
import { appQuota, type Quota, type QuotaOf } from "../usage/usage.ts";
import { type UserLimitsQuery, userLimitSteps } from "../usage/user-limits-store.ts";
import { changedBy } from "./image-changes-store.ts";

export type ReplaceRefusal = CommitRefusal | "moved";

interface Replacement {
	/** As it was read. */
	readonly before: Image;
	/** The same with the new bytes. */
	readonly after: NewImage;
	readonly access: CallAccess;
	readonly claim: Claim | undefined;
	readonly nowMs: number;
}

interface ReplacementOptions {
	readonly quotaOf?: QuotaOf;
	readonly userLimits?: UserLimitsQuery;
}

export function replacementsStore(database: Database, { quotaOf = appQuota, userLimits }: ReplacementOptions) {
	return {
		/** One guarded commit: until then the old picture is served, and from then on the new one. Undefined when it was committed. */
		async commit(replacement: Replacement): Promise<ReplaceRefusal | undefined> {
			const { before, after, claim, access, nowMs } = replacement;
			const { appPk, storagePk } = before;
			// Only what it adds is judged: a storage that holds too much already may shrink.
			const grows = after.bytes > before.bytes;
			const { refused } = await database.write([
				...(claim ? claimDoneSteps(database, claim, after) : []),
				...countSteps(replacement, quotaOf(access)),
				...(grows ? userLimitSteps(userLimits, { appPk, storagePk, nowMs }, quotaOf(access), "bytes") : []),
				...replaceSteps(database, replacement),
			]);
			return refused;
		},
	};
}

function countSteps({ before, after, access, nowMs }: Replacement, quota: Quota): readonly Step<ReplaceRefusal>[] {
	const { storagePk, teamHash, appPk } = before;
	const more = { storagePk, teamHash, bytes: after.bytes - before.bytes, images: 0 };
	return [
		{ run: movePendingBlob(after.blobKey, "live", nowMs), guard: "fenced" },
		{ run: countInStorage(more, access), guard: "closed" },
		...storageSteps(appPk, storagePk, { ...quota, images: null }),
		// The number of images stays, so that a full App can replace what it has.
		{ run: countInApp(appPk, more, null) },
		countUpload({ storagePk, nowMs }, quota.uploads),
	];
}

function replaceSteps(
	{ queries }: Database,
	{ before, after, access, nowMs }: Replacement,
): readonly Step<ReplaceRefusal>[] {
	const { pk, id, revision, appPk } = before;
	const { actor, requestId } = changedBy(access);
	const { blobKey, filename, format, width, height, bytes, sha256, sentSha256 } = after;
	const set = { blobKey, filename, format, width, height, bytes, sha256, sentSha256, revision: revision + 1 };
	const words = keptWords({ ...after, revision: revision + 1 });
	const asRead = and(eq(images.pk, pk), eq(images.revision, revision), eq(images.storagePk, before.storagePk));
	const changeable = and(asRead, eq(images.status, "ready"), isNull(images.lockedMs), unexpired(images, nowMs));
	const previous = {
		filename: before.filename,
		format: before.format,
		width: before.width,
		height: before.height,
		bytes: before.bytes,
	};
	return [
		updateStep(images, { ...set, words }, changeable, "moved"),
		{ run: markBlobsDead(sql`(${before.blobKey})`, nowMs) },
		{ run: queries.delete(imageAnalyses).where(eq(imageAnalyses.blobKey, before.blobKey)) },
		...seenSteps(after, nowMs),
		{ run: auditEntry({ atMs: nowMs, actor, requestId, appPk, event: "image.replaced", target: id }) },
		imageEvents({ nowMs, requestId }, "image.updated", { pk }, { previous }),
	];
}
