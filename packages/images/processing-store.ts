import { auditEntry } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import type { JobLease } from "@svc/jobs/jobs";
import { leaseStep } from "@svc/jobs/jobs-store";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { imageFields, insertLabels, toImage } from "./image-rows-store.ts";
import type { Image } from "./images.ts";
import type { Processed, ProcessedMaster, SettleRefusal } from "./process-image.ts";

export interface ProcessingStore {
	/** Undefined unless the image is there for its callers and is still being processed. */
	find(imageId: string, nowMs: number): Promise<Image | undefined>;
	/**
	 * One guarded commit: image ready, labels, and with another master its blob live, the old one in the trash, and the counters
	 * right. "fenced": the sweep has condemned the new master.
	 */
	finish(
		lease: JobLease,
		image: Image,
		processed: Processed,
		nowMs: number,
	): Promise<SettleRefusal | "fenced" | undefined>;
	/** For good. The image stays where it is, and counts, until somebody deletes it. */
	fail(lease: JobLease, image: Image, nowMs: number): Promise<SettleRefusal | undefined>;
}

export function processingStore({ queries, read, write }: Database): ProcessingStore {
	return {
		async find(imageId, nowMs) {
			const rows = await read(() =>
				queries
					.select(imageFields)
					.from(images)
					.innerJoin(storages, eq(storages.pk, images.storagePk))
					.where(
						and(
							eq(images.id, imageId),
							eq(images.status, "processing"),
							eq(storages.state, "active"),
							sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${nowMs})`,
						),
					),
			);
			return rows[0] && toImage(rows[0]);
		},
		async finish(lease, image, processed, nowMs) {
			const { refused } = await write<"lost" | "gone" | "fenced">([
				leaseStep({ lease, done: 1, nowMs }),
				{ run: changeImage(image, readyAs(processed)), guard: "gone" },
				...(processed.master ? masterSteps(image, processed.master, nowMs) : []),
				// Whether an image has label rows before it is ready depends on what was listed when it came.
				{ run: deleteLabels(image) },
				{ run: insertLabels(image.id) },
			]);
			return refused;
		},
		async fail(lease, image, nowMs) {
			const appPk = sql`(SELECT app_pk FROM images WHERE pk = ${image.pk})`;
			const { refused } = await write<"lost" | "gone">([
				leaseStep({ lease, done: 1, nowMs }),
				{ run: changeImage(image, sql`status = 'failed'`), guard: "gone" },
				{ run: deleteLabels(image) },
				{ run: auditEntry({ atMs: nowMs, actor: lease.jobId, appPk, event: "image.failed", target: image.id }) },
			]);
			return refused;
		},
	};
}

/** Only while it is what was inspected. */
function changeImage({ pk, id, blobKey }: Image, set: SQL): SQL {
	return sql`UPDATE images SET ${set}, revision = revision + 1
		WHERE pk = ${pk} AND id = ${id} AND blob_key = ${blobKey} AND status = 'processing'`;
}

function readyAs({ format, width, height, master }: Processed): SQL {
	const stays = sql`status = 'ready', format = ${format}, width = ${width}, height = ${height}`;
	if (!master) return stays;
	return sql`${stays}, blob_key = ${master.blobKey}, bytes = ${master.bytes}, sha256 = ${master.sha256}`;
}

function masterSteps(image: Image, master: ProcessedMaster, nowMs: number): readonly Step<"fenced">[] {
	// The image was still what it is here, or else the step before has refused: its bytes are what the counters hold.
	const more = master.bytes - image.bytes;
	return [
		{
			run: sql`UPDATE blobs SET state = 'live', since_ms = ${nowMs} WHERE blob_key = ${master.blobKey} AND state = 'pending'`,
			guard: "fenced",
		},
		{ run: sql`UPDATE blobs SET state = 'dead', since_ms = ${nowMs} WHERE blob_key = ${image.blobKey}` },
		{ run: sql`UPDATE storages SET bytes = bytes + ${more} WHERE pk = ${image.storagePk}` },
		{
			run: sql`UPDATE app_usage SET bytes = bytes + ${more}
				WHERE app_pk = (SELECT app_pk FROM images WHERE pk = ${image.pk})`,
		},
	];
}

function deleteLabels({ pk }: Image): SQL {
	return sql`DELETE FROM image_labels WHERE image_pk = ${pk}`;
}
