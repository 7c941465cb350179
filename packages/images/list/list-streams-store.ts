import type { Position } from "@svc/base/cursors";
import { type deletedImages, imageLabels, images } from "@svc/base/database/schema/images";
import { asText, column } from "@svc/base/database/statements";
import type { ImageFormat } from "@svc/base/enumerations";
import { type SQL, sql } from "drizzle-orm";
import { READY, unexpired } from "../image-rows-store.ts";
import type { LabelFilter, ListedStatus, ListOrder, Period } from "./list-filters.ts";

/*
 * Every form of a list is a stream of (published_ms, image_pk) that comes out of an index in the order of the list, so that a page costs
 * what it shows and not what the storage holds. SQLite merges ordered streams without sorting: several values of a key are UNION ALL, with
 * the cursor in every leg. Statuses are UNION ALL like values; label rows exist for images in a listed status only. An index serves both
 * orders: it is read backwards.
 */

type Present = Extract<LabelFilter, { readonly values: readonly string[] }>;

/** A filter by some values, of which an image has one: a stream for each value. */
export type StreamChoice = Present | { readonly formats: readonly ImageFormat[] };

/** The parameters that every leg of one query shares. */
export interface StreamScope {
	readonly storagePk: number;
	readonly after: Position | undefined;
	readonly nowMs: number;
	/** {@link READY} when left out. */
	readonly listed?: readonly ListedStatus[];
	/** Newest first when left out. */
	readonly order?: ListOrder | undefined;
	readonly published?: Period | undefined;
}

/** Where a list comes from, and what is looked at in each image of it. */
export interface Way {
	/** The list has what is in all of them. */
	streams(after: Position | undefined): readonly SQL[];
	readonly checks: readonly SQL[];
	readonly order: ListOrder;
	/** Of images that are no rows of their table any more: how one is found by its place in the stream. */
	readonly deleted?: SQL;
}

/** The condition for each status: its index has the order of a list, and a query reaches it only by a literal status. */
const LISTED: Readonly<Record<ListedStatus, SQL>> = {
	ready: asText(sql`${images} INDEXED BY images_list WHERE ${images.status} = 'ready'`),
	processing: asText(sql`${images} INDEXED BY images_processing WHERE ${images.status} = 'processing'`),
};

/* Every stream has the same two columns, which are named as in the table of labels. */

export const IMAGE_PK = column(imageLabels.imagePk);
export const PUBLISHED_MS = column(imageLabels.publishedMs);
export const IMAGE_STREAM = asText(sql`SELECT ${images.publishedMs}, ${images.pk} AS ${IMAGE_PK} FROM`);
const LABEL_STREAM = asText(sql`SELECT ${imageLabels.publishedMs}, ${imageLabels.imagePk} FROM ${imageLabels}`);

/** The images with these ids. */
export function idStream(scope: StreamScope, ids: readonly string[], isListed?: SQL): SQL {
	const statuses = isListed ?? sql`${images.status} IN ${[...(scope.listed ?? READY)]}`;
	// Reads by id rather than along the list: the planner cannot know that a hundred look-ups are fewer than a storage holds.
	return sql`${IMAGE_STREAM} ${images} INDEXED BY images_id_unique
		WHERE ${images.id} IN ${[...ids]} AND ${images.storagePk} = ${scope.storagePk}
			AND ${statuses} AND ${unexpired(images, scope.nowMs)}${beyond(scope, images.publishedMs, images.pk)}`;
}

/** A stream for each choice, of which a list shows what is in all of them; all listed images where there is no choice. */
export function choiceStreams(scope: StreamScope, choices: readonly StreamChoice[]): readonly SQL[] {
	return choices.length === 0 ? [listedImages(scope)] : choices.map((choice) => merged(legs(scope, choice)));
}

/** The stream of the rarest choice; each of its images is checked for all others. */
export function driveStream(scope: StreamScope, rarest: StreamChoice, others: readonly StreamChoice[]): SQL {
	const all = sql.join([...legs(scope, rarest)], sql` UNION ALL `);
	const checks = others.map((other) => fits(other, sql`driver.${IMAGE_PK}`));
	return sql`SELECT ${PUBLISHED_MS}, ${IMAGE_PK} FROM (${all}) AS driver WHERE ${sql.join(checks, sql` AND `)}`;
}

/** The images that an index finds by a condition, each once, in no order. */
export function foundStream(scope: StreamScope, from: SQL, found: SQL): SQL {
	const stream = sql`SELECT DISTINCT ${images.publishedMs}, ${images.pk} AS ${IMAGE_PK} FROM`;
	return sql`${stream} ${from} WHERE ${images.status} = 'ready' AND ${images.storagePk} = ${scope.storagePk} AND ${found}
		AND ${unexpired(images, scope.nowMs)}${beyond(scope, images.publishedMs, images.pk)}`;
}

/** Whether the image with this number has one of the values. */
export function fits(choice: StreamChoice, imagePk: SQL): SQL {
	if ("formats" in choice) {
		// A name of its own: `imagePk` may be that of an image outside.
		return sql`EXISTS (SELECT 1 FROM ${images} AS one
			WHERE one.${column(images.pk)} = ${imagePk} AND one.${column(images.format)} IN ${[...choice.formats]})`;
	}
	return sql`EXISTS (${labelOf(imagePk, choice.key)} AND ${imageLabels.value} IN ${[...choice.values]})`;
}

/** Whether the image with this number lacks a label. */
export function lacks(key: string, imagePk: SQL): SQL {
	return sql`NOT EXISTS (${labelOf(imagePk, key)})`;
}

/** How many images each choice has left in this walk, counted only as far as `max`: columns of a SELECT. */
export function lengths(scope: StreamScope, choices: readonly StreamChoice[], max: number): readonly SQL[] {
	return choices.map((choice) => {
		const all = sql.join([...legs(scope, choice)], sql` UNION ALL `);
		return sql`(SELECT count(*) FROM (${all} LIMIT ${max}))`;
	});
}

function labelOf(imagePk: SQL, key: string): SQL {
	return sql`SELECT 1 FROM ${imageLabels} INDEXED BY labels_by_image
		WHERE ${imageLabels.imagePk} = ${imagePk} AND ${imageLabels.key} = ${key}`;
}

function listedImages(scope: StreamScope): SQL {
	const listed = scope.listed ?? READY;
	const streams = listed.map(
		(status) => sql`${IMAGE_STREAM} ${LISTED[status]}
			AND ${images.storagePk} = ${scope.storagePk} AND ${unexpired(images, scope.nowMs)}${beyond(scope, images.publishedMs, images.pk)}`,
	);
	return merged(streams);
}

/** A compound within a compound has to be a table. */
function merged(streams: readonly SQL[]): SQL {
	const all = sql.join([...streams], sql` UNION ALL `);
	return streams.length === 1 ? all : sql`SELECT * FROM (${all})`;
}

// An image has one value for a key, and one format, so no image is in two legs.
function legs(scope: StreamScope, choice: StreamChoice): readonly SQL[] {
	if ("formats" in choice) {
		return choice.formats.map(
			(format) => sql`${IMAGE_STREAM} ${images} INDEXED BY images_formats
				WHERE ${images.status} = 'ready' AND ${images.storagePk} = ${scope.storagePk} AND ${images.format} = ${format}
					AND ${unexpired(images, scope.nowMs)}${beyond(scope, images.publishedMs, images.pk)}`,
		);
	}
	return [...new Set(choice.values)].map(
		(value) => sql`${LABEL_STREAM} WHERE ${imageLabels.storagePk} = ${scope.storagePk}
			AND ${imageLabels.key} = ${choice.key} AND ${imageLabels.value} = ${value}
			AND ${unexpired(imageLabels, scope.nowMs)}${beyond(scope, imageLabels.publishedMs, imageLabels.imagePk)}`,
	);
}

type StreamColumn =
	| typeof images.publishedMs
	| typeof imageLabels.publishedMs
	| typeof images.pk
	| typeof imageLabels.imagePk
	| typeof deletedImages.deletedMs
	| SQL;

/** What lies behind the cursor, and within the time of publication that was asked for. */
export function beyond({ after, order, published }: StreamScope, publishedMs: StreamColumn, pk: StreamColumn): SQL {
	const ascending = order === "asc";
	// Behind a cursor the nearer end of the time is passed already, and SQLite seeks by one condition.
	const from =
		published?.from === undefined || (after && ascending) ? sql`` : sql` AND ${publishedMs} >= ${published.from}`;
	const to = published?.to === undefined || (after && !ascending) ? sql`` : sql` AND ${publishedMs} < ${published.to}`;
	if (after === undefined) return sql`${from}${to}`;
	const behind = ascending ? sql`>` : sql`<`;
	return sql` AND (${publishedMs}, ${pk}) ${behind} (${after.publishedMs}, ${after.pk})${from}${to}`;
}

export function within(
	column: SQL,
	{ from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): SQL {
	const parts = [
		...(from === undefined ? [] : [sql`${column} >= ${from}`]),
		...(to === undefined ? [] : [sql`${column} < ${to}`]),
	];
	return sql.join(parts, sql` AND `);
}
