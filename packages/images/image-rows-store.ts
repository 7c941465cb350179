import type { Database } from "@svc/base/database/client";
import { lookUpOf } from "@svc/base/database/remote/shared-reads";
import { storages } from "@svc/base/database/schema/apps";
import { imageLabels, images } from "@svc/base/database/schema/images";
import { columns, condition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import { and, eq, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Image } from "./images.ts";
import type { ListedStatus } from "./list/list-filters.ts";

/** What a query selects to make an {@link Image}; it joins the image's storage for the capability in its address. */
export const imageFields = {
	pk: images.pk,
	id: images.id,
	appPk: images.appPk,
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
	externalId: images.externalId,
	publishedMs: images.publishedMs,
	expiresMs: images.expiresMs,
	createdMs: images.createdMs,
	caption: images.caption,
	metadata: images.metadata,
	labels: images.labels,
	revision: images.revision,
};

/** Selects images of any storage, status and age: the caller adds conditions. */
export function selectImages({ queries }: Database) {
	return queries.select(imageFields).from(images).innerJoin(storages, eq(storages.pk, images.storagePk));
}

/** The look-up of one image. */
export function lookUpImage({ queries }: Database, where: SQL | undefined) {
	const ofStorage = eq(storages.pk, images.storagePk);
	return lookUpOf<Readonly<Record<string, SQLiteColumn>>>(imageFields, (fields) =>
		queries.select(fields).from(images).innerJoin(storages, ofStorage).where(where),
	);
}

/** An image is gone from the millisecond at which it expires; a label row carries the expiry of its image. */
export function unexpired({ expiresMs }: { readonly expiresMs: SQLiteColumn }, nowMs: number | SQLWrapper): SQL {
	return sql`(${expiresMs} IS NULL OR ${expiresMs} > ${nowMs})`;
}

/** The App whose image it is. */
export function appOf(imagePk: number): SQL {
	return sql`(SELECT ${images.appPk} FROM ${images} WHERE ${images.pk} = ${imagePk})`;
}

interface ImageRow extends Omit<Image, "locked"> {
	readonly lockedMs: number | null;
}

export function toImage({ lockedMs, ...row }: ImageRow): Image {
	return { ...row, locked: lockedMs !== null };
}

const FIELDS = Object.entries(imageFields).map(([name, field]) =>
	name === "lockedMs"
		? { name: "locked", read: (sent: unknown) => sent !== null }
		: { name, read: (sent: unknown) => (sent === null ? null : field.mapFromDriverValue(sent as never)) },
);

/** The same from a row as the driver gives it, in the order of {@link imageFields}: most calls make some. */
export function imageOfRow(row: readonly unknown[]): Image {
	const image: Record<string, unknown> = {};
	let place = 0;
	for (const { name, read } of FIELDS) image[name] = read(row[place++]);
	return image as unknown as Image;
}

/** Lists show these statuses where the interface says nothing else. */
export const READY: readonly ListedStatus[] = ["ready"];

/** Label rows are made from the image's own row, so that they cannot differ from it; only of an image that is listed. */
export function insertLabels(imageId: string, listed = READY): SQLWrapper {
	return insertLabelsOfOne({ imageId }, listed.join());
}

const insertLabelsOfOne = keptStatement<{ readonly imageId: string }, [listed: string]>(({ imageId }, listed) =>
	insertLabelsOf(sql`${images.id} = ${imageId}`, listed.split(",") as ListedStatus[]),
);

/** The same for all images that `which`, a condition on `images`, holds for. */
export function insertLabelsOf(which: SQL, listed = READY): SQL {
	const { storagePk, key, value, publishedMs, imagePk, expiresMs } = imageLabels;
	return sql`INSERT INTO ${imageLabels} (${columns(storagePk, key, value, publishedMs, imagePk, expiresMs)})
		SELECT ${images.storagePk}, label.key, label.value, ${images.publishedMs}, ${images.pk}, ${images.expiresMs}
		FROM ${images}, json_each(${images.labels}) AS label
		WHERE ${which} AND ${images.status} IN ${[...listed]}`;
}

export function deleteLabels(imagePk: number): SQLWrapper {
	return deleteLabelsOf({ imagePk });
}

const deleteLabelsOf = keptStatement<{ readonly imagePk: number }>(({ imagePk }) =>
	statements.delete(imageLabels).where(eq(imageLabels.imagePk, imagePk)),
);

/** Nothing where the image has no external id. What has expired is gone, whether or not the sweep has been there: its name is free. */
export function externalIdSteps(
	{ appPk, storagePk, externalId, id }: Pick<Image, "appPk" | "storagePk" | "externalId" | "id">,
	nowMs: number,
): readonly Step<"taken">[] {
	if (externalId === null) return [];
	const holder = and(eq(images.storagePk, storagePk), eq(images.externalId, externalId), ne(images.id, id));
	const free = updateStep(images, { externalId: null }, sql`${holder} AND NOT ${unexpired(images, nowMs)}`);
	return [free, condition(appPk, sql`NOT EXISTS (SELECT 1 FROM ${images} WHERE ${holder})`, "taken")];
}
