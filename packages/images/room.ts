import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import { hmac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import type { BlobStore, BlobTrash, Importer, RenditionStore } from "@svc/base/ports";
import { changedSince } from "./change/changed-since-store.ts";
import { movesStore } from "./change/moves-store.ts";
import { replacementsStore } from "./change/replacements-store.ts";
import type { QuotaRefusal } from "./create/create-failure.ts";
import { idempotencyStore } from "./create/idempotency-store.ts";
import { processingStore } from "./create/processing-store.ts";
import { SpareSlots } from "./create/spare-slots.ts";
import { deletedImagesStore } from "./delete/deleted-images-store.ts";
import { purgeLogStore } from "./delete/purge-log-store.ts";
import { imageStore } from "./images-store.ts";
import type { Masters } from "./keep/masters.ts";
import { scrubStore } from "./keep/scrub-store.ts";
import { walkStore } from "./keep/walk-store.ts";
import type { ListedStatus } from "./list/list-filters.ts";
import { pictureFactsStore } from "./picture-facts-store.ts";
import type { Inspector, LikenessLooker, MendLooker, ShrinkQueue } from "./ports.ts";
import { searchWordsStore } from "./search-words-store.ts";
import { DailyCounters } from "./usage/daily-usage.ts";
import { dailyUsageStore } from "./usage/daily-usage-store.ts";
import { recounter } from "./usage/recount-store.ts";
import type { QuotaOf } from "./usage/usage.ts";
import { appUsageStore, usageStore } from "./usage/usage-store.ts";
import { findUserLimits, type UserLimitsQuery } from "./usage/user-limits-store.ts";

export type Images = Awaited<ReturnType<typeof openImages>>;

interface ImageParts {
	readonly apps: Apps;
	readonly blobs: BlobStore;
	readonly trash: BlobTrash;
	readonly masters: Masters;
	readonly renditions: RenditionStore;
	readonly inspector: Inspector;
	readonly importer: Importer;
	readonly shrunkMasters: ShrinkQueue;
	readonly looks: MendLooker;
	readonly likenesses: LikenessLooker;
	readonly quotaOf: QuotaOf;
	readonly quotaRefusal: QuotaRefusal;
	readonly userLimits: UserLimitsQuery;
	/** The statuses that lists show. */
	readonly listed: readonly ListedStatus[];
}

export async function openImages(base: Base, database: Database, parts: ImageParts) {
	const daily = dailyUsageStore(database);
	return {
		...base,
		...parts,
		dailyUsage: daily,
		/** What this process has served, until it is written. */
		dailyCounters: new DailyCounters(base.clock, daily.add),
		store: imageStore(database, parts),
		deleted: deletedImagesStore(database, parts),
		/** Which fields of an image were changed after one of its revisions. */
		changedSince: changedSince(database),
		moves: movesStore(database, parts),
		replacements: replacementsStore(database, parts),
		idempotency: idempotencyStore(database, base.process),
		/** Undefined where a commit is no further away than the disk. */
		spareSlots: database.kind === "remote" ? new SpareSlots() : undefined,
		usage: usageStore(database),
		/** What the plan of a storage's user lets it hold now; undefined for a storage of nobody. */
		heldLimits: (storagePk: number, nowMs: number) => findUserLimits(database, parts.userLimits, storagePk, nowMs),
		appUsage: appUsageStore(database),
		processing: processingStore(database),
		pictureFacts: pictureFactsStore(database),
		recounter: recounter(database),
		purges: purgeLogStore(database),
		searchWords: searchWordsStore(database),
		walks: walkStore(database),
		scrubPlace: scrubStore(database),
		/** A MAC of network addresses: they are so few that a plain hash could be reversed by trying them all. */
		anonymousMac: await hmac(await keptKey(database, base.keyring, "anonymous")),
	};
}
