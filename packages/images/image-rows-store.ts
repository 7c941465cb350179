import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { sql } from "drizzle-orm";
import type { Image } from "./images.ts";
import type { ListedStatus } from "./lists.ts";

/** What a query selects to make an {@link Image}; it joins the image's storage for the capability in its address. */
export const imageFields = {
	pk: images.pk,
	id: images.id,
	storagePk: images.storagePk,
	teamHash: storages.teamHash,
	status: images.status,
	lockedMs: images.lockedMs,
	blockReason: images.blockReason,
	nsfw: images.nsfw,
	public: images.public,
	filename: images.filename,
	format: images.format,
	width: images.width,
	height: images.height,
	bytes: images.bytes,
	blobKey: images.blobKey,
	publishedMs: images.publishedMs,
	expiresMs: images.expiresMs,
	createdMs: images.createdMs,
	caption: images.caption,
	metadata: images.metadata,
	labels: images.labels,
	revision: images.revision,
};

interface ImageRow extends Omit<Image, "locked"> {
	readonly lockedMs: number | null;
}

export function toImage({ lockedMs, ...row }: ImageRow): Image {
	return { ...row, locked: lockedMs !== null };
}

const COLUMNS = Object.entries(imageFields);

/** The same from a row as the driver gives it, in the order of {@link imageFields}. */
export function imageOfRow(row: readonly unknown[]): Image {
	const fields: Record<string, unknown> = {};
	for (const [place, [name, column]] of COLUMNS.entries()) {
		const value = row[place];
		fields[name] = value === null ? null : column.mapFromDriverValue(value as never);
	}
	return toImage(fields as unknown as ImageRow);
}

/** What is found by its labels, where the interface says nothing else. */
export const READY: readonly ListedStatus[] = ["ready"];

/** Label rows are made from the image's own row, so that they cannot differ from it; only of an image that is listed. */
export function insertLabels(imageId: string, listed = READY) {
	return sql`INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk, expires_ms)
		SELECT images.storage_pk, label.key, label.value, images.published_ms, images.pk, images.expires_ms
		FROM images, json_each(images.labels) AS label WHERE images.id = ${imageId} AND images.status IN ${[...listed]}`;
}
