import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mayStillWrite } from "@svc/keys/authority-store";
import { and, eq, isNull, sql } from "drizzle-orm";
import { imageEvents } from "../image-events-store.ts";
import { deleteLabels, externalIdSteps, insertLabels, unexpired } from "../image-rows-store.ts";
import type { Image } from "../images.ts";
import type { CallAccess } from "../ports.ts";
import { countInStorage } from "../usage/counting-store.ts";
import { appQuota, type QuotaOf } from "../usage/usage.ts";
import { type UserLimitsQuery, userLimitSteps } from "../usage/user-limits-store.ts";
import { changedBy } from "./image-changes-store.ts";

export type MoveRefusal = "closed" | "moved" | "taken" | "quota";

interface MoveOptions {
	readonly quotaOf?: QuotaOf;
	readonly userLimits?: UserLimitsQuery;
}

export function movesStore(database: Database, { quotaOf = appQuota, userLimits }: MoveOptions) {
	return {
		/** One guarded commit; undefined when it was committed. `access` selects the storage from which, `target` that to which. */
		async move(image: Image, access: CallAccess, target: CallAccess, nowMs: number): Promise<MoveRefusal | undefined> {
			const place = { appPk: image.appPk, storagePk: target.storage.pk, nowMs };
			const { refused } = await database.write([
				...moveSteps(image, access, target, nowMs),
				...userLimitSteps(userLimits, place, quotaOf(target)),
			]);
			return refused;
		},
	};
}

function moveSteps(image: Image, access: CallAccess, target: CallAccess, nowMs: number): readonly Step<MoveRefusal>[] {
	const { pk, id, appPk, bytes, revision } = image;
	const { pk: storagePk, teamHash } = target.storage;
	const { actor, requestId } = changedBy(access);
	const asRead = and(eq(images.pk, pk), eq(images.revision, revision), eq(images.storagePk, image.storagePk));
	const movable = and(asRead, eq(images.status, "ready"), isNull(images.lockedMs), unexpired(images, nowMs));
	// The key of its create is remembered where that was made.
	const set = { storagePk, revision: revision + 1, idempotencyHash: null, idempotencyFingerprint: null };
	const left = { images: sql`${storages.images} - 1`, bytes: sql`${storages.bytes} - ${bytes}` };
	const source = and(eq(storages.pk, image.storagePk), eq(storages.state, "active"), mayStillWrite(access));
	return [
		...(access.besides ?? []),
		updateStep(storages, left, source, "closed"),
		{ run: countInStorage({ storagePk, teamHash, bytes }, target), guard: "closed" },
		...externalIdSteps({ ...image, storagePk }, nowMs),
		updateStep(images, set, movable, "moved"),
		{ run: deleteLabels(pk) },
		{ run: insertLabels(id) },
		{ run: auditEntry({ atMs: nowMs, actor, requestId, appPk, event: "image.moved", target: id }) },
		imageEvents({ nowMs, requestId }, "image.moved", { pk }, { previous: { teamHash: image.teamHash } }),
	];
}
