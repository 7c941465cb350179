import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { likenessBands, pictureQueue } from "@svc/base/database/schema/moderation";
import { column, columns } from "@svc/base/database/statements";
import { likenesses } from "@svc/images/analysis-store";
import { imageFields, toImage, unexpired } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { bandsOf, keptBand, restOf } from "@svc/images/transform/looks/likeness";
import { and, desc, eq, lte, sql } from "drizzle-orm";

/** A picture that waits to be compared. */
export interface QueuedPicture {
	readonly image: Image;
	/** Of its bytes, as they are stored and as they were sent. */
	readonly digests: readonly Uint8Array[];
	/** Undefined where it is not known yet, null where it has too little detail. */
	readonly grey: Uint8Array | null | undefined;
	readonly tries: number;
}

/** What a picture is found by from now on; null for one that is not found by its likeness. */
export type SeenPicture = Pick<QueuedPicture, "image"> & { readonly grey: Uint8Array | null };

export function pictureQueueStore({ queries, read, write }: Database) {
	return {
		/** The newest first. */
		async list(nowMs: number, limit: number): Promise<readonly QueuedPicture[]> {
			const likeness = sql<string | null>`(SELECT hex(${imageAnalyses.value}) FROM ${imageAnalyses}
				WHERE ${imageAnalyses.blobKey} = ${images.blobKey} AND ${imageAnalyses.kind} = 'likeness')`;
			const fields = { ...imageFields, sha256: images.sha256, sentSha256: images.sentSha256, likeness };
			const rows = await read(() =>
				queries
					.select({ ...fields, tries: pictureQueue.tries })
					.from(images)
					.innerJoin(storages, eq(storages.pk, images.storagePk))
					.innerJoin(pictureQueue, eq(pictureQueue.imagePk, images.pk))
					.where(and(lte(pictureQueue.dueMs, nowMs), eq(images.status, "ready"), unexpired(images, nowMs)))
					.orderBy(desc(pictureQueue.imagePk))
					.limit(limit),
			);
			return rows.map(({ sha256, sentSha256, likeness: kept, tries, ...row }) => ({
				image: toImage(row),
				digests: sentSha256 ? [sha256, sentSha256] : [sha256],
				grey: kept === null ? undefined : likenesses.decode(Buffer.from(kept, "hex")),
				tries,
			}));
		},
		/** They are found by their likeness from now on, and wait no more, unless they show other pictures by now. */
		async settle(seen: readonly SeenPicture[]): Promise<void> {
			const rows = seen.map(({ image: { pk, blobKey }, grey }) => [pk, blobKey, grey ? keptBands(grey) : []]);
			const { imagePk, storagePk, band, rest } = likenessBands;
			const same = sql`json_each(${JSON.stringify(rows)}) AS seen JOIN ${images}
				ON ${images.pk} = seen.value ->> 0 AND ${images.blobKey} = seen.value ->> 1`;
			const pks = sql`(SELECT ${images.pk} FROM ${same})`;
			await write([
				{ run: sql`DELETE FROM ${likenessBands} WHERE ${imagePk} IN ${pks}` },
				{
					run: sql`INSERT INTO ${likenessBands} (${columns(band, storagePk, imagePk, rest)})
						SELECT part.value ->> 0, ${images.storagePk}, ${images.pk}, part.value ->> 1
						FROM ${same} JOIN json_each(seen.value -> 2) AS part`,
				},
				{ run: sql`DELETE FROM ${pictureQueue} WHERE ${pictureQueue.imagePk} IN ${pks}` },
			]);
		},
		/** It could not be looked at now. */
		async putOff(imagePk: number, dueMs: number): Promise<void> {
			const tries = column(pictureQueue.tries);
			await write([
				{
					run: sql`UPDATE ${pictureQueue} SET ${column(pictureQueue.dueMs)} = ${dueMs}, ${tries} = ${tries} + 1
						WHERE ${pictureQueue.imagePk} = ${imagePk}`,
				},
			]);
		},
	};
}

function keptBands(grey: Uint8Array): readonly (readonly [band: number, rest: number])[] {
	const bands = bandsOf(grey);
	return bands.map((band, place) => [keptBand(band, place), restOf(bands, place)]);
}
