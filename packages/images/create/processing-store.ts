import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { appUsage, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import type { Step } from "@svc/base/database/step";
import type { ImageFormat } from "@svc/base/enumerations";
import type { JobLease } from "@svc/jobs/jobs";
import { leaseStep } from "@svc/jobs/jobs-store";
import { and, eq, sql } from "drizzle-orm";
import { seenSteps } from "../analysis-store.ts";
import { imageEvents } from "../image-events-store.ts";
import { appOf, deleteLabels, insertLabels, selectImages, toImage, unexpired } from "../image-rows-store.ts";
import type { Image } from "../images.ts";
import { markBlobsDead, movePendingBlob } from "../keep/blobs-store.ts";
import type { SeenFacts } from "../transform/analysis.ts";

export function processingStore(database: Database) {
	const { read, write } = database;
	return {
		/** Undefined unless the image exists for its callers and is still being processed. */
		async find(imageId: string, nowMs: number): Promise<Image | undefined> {
			const coming = and(eq(images.id, imageId), eq(images.status, "processing"));
			const processing = and(coming, eq(storages.state, "active"), unexpired(images, nowMs));
			const [row] = await read(() => selectImages(database).where(processing));
			return row && toImage(row);
		},
		/**
		 * One guarded commit: image ready, labels, and with another master its blob live, the old one dead, and the counters
		 * right. "fenced": the sweep has marked the new master dead.
		 */
		async finish(
			lease: JobLease,
			image: Image,
			processed: Processed,
			nowMs: number,
		): Promise<SettleRefusal | "fenced" | undefined> {
			const { refused } = await write([
				leaseStep({ lease, done: 1, nowMs }),
				{ run: changeImage(database, image, readyAs(processed)), guard: "gone", rows: [rowsOf.images(image.id)] },
				...(processed.master ? masterSteps(database, image, processed.master, nowMs) : []),
				...seenSteps({ ...image, ...processed.master, seen: processed.seen }, nowMs),
				// Whether an image has label rows before it is ready depends on the statuses listed when it was created.
				{ run: deleteLabels(image.pk) },
				{ run: insertLabels(image.id) },
				imageEvents({ nowMs }, "image.updated", { pk: image.pk }, { previous: asInspected(image) }),
			]);
			return refused;
		},
		/** Marks the image as failed for good. It stays where it is, and counts, until it is deleted. */
		async fail(lease: JobLease, image: Image, nowMs: number): Promise<SettleRefusal | undefined> {
			const entry = { atMs: nowMs, actor: lease.jobId, event: "image.failed", target: image.id };
			const { refused } = await write([
				leaseStep({ lease, done: 1, nowMs }),
				{ run: changeImage(database, image, { status: "failed" }), guard: "gone", rows: [rowsOf.images(image.id)] },
				{ run: deleteLabels(image.pk) },
				{ run: auditEntry({ ...entry, appPk: appOf(image.pk) }) },
				imageEvents({ nowMs }, "image.updated", { pk: image.pk }, { previous: asInspected(image) }),
			]);
			return refused;
		},
	};
}

/** What processing may change. */
function asInspected({ status, format, width, height, bytes }: Image): Partial<Image> {
	return { status, format, width, height, bytes };
}

/** Changes the image only while it is what was inspected. */
function changeImage({ queries }: Database, { pk, id, blobKey }: Image, set: Partial<typeof images.$inferInsert>) {
	return queries
		.update(images)
		.set({ ...set, revision: sql`${images.revision} + 1` })
		.where(and(eq(images.pk, pk), eq(images.id, id), eq(images.blobKey, blobKey), eq(images.status, "processing")));
}

function readyAs({ format, width, height, master }: Processed): Partial<typeof images.$inferInsert> {
	const ready = { status: "ready", format, width, height } as const;
	return master ? { ...ready, blobKey: master.blobKey, bytes: master.bytes, sha256: master.sha256 } : ready;
}

function masterSteps(
	database: Database,
	image: Image,
	master: ProcessedMaster,
	nowMs: number,
): readonly Step<"fenced">[] {
	const { queries } = database;
	// The image is unchanged, or the step before has refused: the counters hold its bytes.
	const more = master.bytes - image.bytes;
	const [inStorage, ofStorage] = [eq(storages.pk, image.storagePk), { bytes: sql`${storages.bytes} + ${more}` }];
	const [inApp, ofApp] = [eq(appUsage.appPk, appOf(image.pk)), { bytes: sql`${appUsage.bytes} + ${more}` }];
	return [
		{ run: movePendingBlob(master.blobKey, "live", nowMs), guard: "fenced" },
		{ run: markBlobsDead(sql`(${image.blobKey})`, nowMs) },
		{ run: queries.update(storages).set(ofStorage).where(inStorage), rows: [rowsOf.storageCounts(image.storagePk)] },
		{ run: queries.update(appUsage).set(ofApp).where(inApp) },
	];
}

/** "lost": another worker holds the job. "gone": the image is not being processed any more, or not there. */
export type SettleRefusal = "lost" | "gone";

/** The properties that processing found. */
export interface Processed {
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Replaces the bytes that were sent; undefined where those stay. */
	readonly master: ProcessedMaster | undefined;
	/** Left out where the picture was not looked at on the way. */
	readonly seen?: SeenFacts | undefined;
}

interface ProcessedMaster {
	readonly blobKey: string;
	readonly bytes: number;
	readonly sha256: Uint8Array<ArrayBuffer>;
}
