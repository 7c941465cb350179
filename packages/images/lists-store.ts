import type { Position } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { imageLabels, images } from "@svc/base/database/schema/images";
import { column } from "@svc/base/database/statements";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { imageFields, imageOfRow, READY, unexpired } from "./image-rows-store.ts";
import type { Image } from "./images.ts";
import type { LabelFilter, ListedStatus, ListQuery } from "./lists.ts";

/*
 * Every form of a list is a stream of (published_ms, image_pk) that comes out of an index in the order of the list, so that a page costs
 * what it shows and not what the storage holds. SQLite merges ordered streams without sorting: several values of a key are UNION
 * ALL, several keys INTERSECT, an absent key EXCEPT, with the cursor in every leg. Statuses are UNION ALL like values; label rows exist
 * for images in a listed status only.
 */

type Present = Extract<LabelFilter, { readonly values: readonly string[] }>;

/** The parameters that every leg of one query shares. */
interface Scope {
	readonly storagePk: number;
	readonly after: Position | undefined;
	readonly nowMs: number;
	/** {@link READY} when left out. */
	readonly listed?: readonly ListedStatus[];
}

/** The condition for each status: its index has the order of a list, and a query reaches it only by a literal status. */
const LISTED: Readonly<Record<ListedStatus, SQL>> = {
	ready: sql`${images} INDEXED BY images_list WHERE ${images.status} = 'ready'`,
	processing: sql`${images} INDEXED BY images_processing WHERE ${images.status} = 'processing'`,
};

/* Every stream has the same two columns, which are named as in the table of labels. */

const IMAGE_PK = column(imageLabels.imagePk);
const IMAGE_STREAM = sql`SELECT ${images.publishedMs}, ${images.pk} AS ${IMAGE_PK} FROM`;
const LABEL_STREAM = sql`SELECT ${imageLabels.publishedMs}, ${imageLabels.imagePk} FROM ${imageLabels}`;

/** Up to this number, walking the rarest label and checking each image is cheaper than merging all of them. */
const RARE = 2_500;

/** At most `query.limit + 1` unexpired images in one of the statuses, newest `published_at` first. */
export async function listImages(
	database: Database,
	{ storagePk, listed }: Required<Pick<Scope, "storagePk" | "listed">>,
	query: ListQuery,
	nowMs: number,
): Promise<readonly Image[]> {
	const stream = await streamOf(database, { storagePk, listed, after: query.after, nowMs }, query);
	if (stream === undefined) return [];
	const page = pageOf(database, stream, query.limit + 1).toSQL();
	const rows = await database.rows(page.sql, page.params);
	// A join promises no order, whatever its plan does today.
	return rows.map(imageOfRow).sort((one, other) => other.publishedMs - one.publishedMs || other.pk - one.pk);
}

/** The images of one page. CROSS JOIN holds SQLite to this order: first the page, then its images. */
export function pageOf(database: Database, stream: SQL, rows: number) {
	const page = sql`(${stream} ORDER BY 1 DESC, 2 DESC LIMIT ${rows}) AS page`;
	return database.queries
		.select(imageFields)
		.from(page)
		.crossJoin(images)
		.crossJoin(storages)
		.where(and(eq(images.pk, sql`page.${IMAGE_PK}`), eq(storages.pk, images.storagePk)));
}

async function streamOf(database: Database, scope: Scope, query: ListQuery): Promise<SQL | undefined> {
	if (query.ids !== undefined) return query.ids.length === 0 ? undefined : idStream(scope, query.ids);
	const present = query.labels.filter(isPresent);
	if (present.some(({ values }) => values.length === 0)) return undefined;
	const absent = query.labels.flatMap((filter) => (isPresent(filter) ? [] : [filter.key]));
	// One filter is one stream already; only a choice between streams needs to know how long they are.
	if (present.length === 0 || query.labels.length === 1) return mergeStream(scope, present, absent);
	const counts = await countLabels(database, scope, present);
	const fewest = Math.min(...counts);
	if (fewest === 0) return undefined;
	const rarest = present[counts.indexOf(fewest)];
	if (rarest === undefined || fewest >= RARE) return mergeStream(scope, present, absent);
	const others = present.filter((filter) => filter !== rarest);
	return driveStream(scope, rarest, others, absent);
}

function isPresent(filter: LabelFilter): filter is Present {
	return "values" in filter;
}

function idStream(scope: Scope, ids: readonly string[]): SQL {
	// Reads by id rather than along the list: the planner cannot know that a hundred look-ups are fewer than a storage holds.
	return sql`${IMAGE_STREAM} ${images} INDEXED BY images_id_unique
		WHERE ${images.id} IN ${[...ids]} AND ${images.storagePk} = ${scope.storagePk}
			AND ${images.status} IN ${[...(scope.listed ?? READY)]}
			AND ${unexpired(images, scope.nowMs)}${afterImage(scope)}`;
}

/** All label streams merged; the images themselves where no label has to be present. */
export function mergeStream(scope: Scope, present: readonly Present[], absent: readonly string[]): SQL {
	const positive = present.length === 0 ? [listedImages(scope)] : present.map((filter) => labelled(scope, filter));
	const negative = absent.map(
		(key) => sql` EXCEPT ${LABEL_STREAM} INDEXED BY labels_by_key
			WHERE ${imageLabels.storagePk} = ${scope.storagePk} AND ${imageLabels.key} = ${key}${afterLabel(scope)}`,
	);
	return sql.join([sql.join(positive, sql` INTERSECT `), ...negative]);
}

/** The stream of the rarest label; each of its images is checked for all others. */
export function driveStream(scope: Scope, rarest: Present, others: readonly Present[], absent: readonly string[]): SQL {
	const label = (key: string) =>
		sql`SELECT 1 FROM ${imageLabels} INDEXED BY labels_by_image
			WHERE ${imageLabels.imagePk} = driver.${IMAGE_PK} AND ${imageLabels.key} = ${key}`;
	const conditions = [
		...others.map(({ key, values }) => sql`EXISTS (${label(key)} AND ${imageLabels.value} IN ${[...values]})`),
		...absent.map((key) => sql`NOT EXISTS (${label(key)})`),
	];
	return sql`SELECT ${column(imageLabels.publishedMs)}, ${IMAGE_PK} FROM (${legs(scope, rarest)}) AS driver WHERE ${sql.join(conditions, sql` AND `)}`;
}

function listedImages(scope: Scope): SQL {
	const listed = scope.listed ?? READY;
	const streams = listed.map(
		(status) => sql`${IMAGE_STREAM} ${LISTED[status]}
			AND ${images.storagePk} = ${scope.storagePk} AND ${unexpired(images, scope.nowMs)}${afterImage(scope)}`,
	);
	return merged(streams);
}

/** A compound within a compound has to be a table. */
function merged(streams: readonly SQL[]): SQL {
	const all = sql.join([...streams], sql` UNION ALL `);
	return streams.length === 1 ? all : sql`SELECT * FROM (${all})`;
}

function labelled(scope: Scope, filter: Present): SQL {
	return filter.values.length === 1 ? legs(scope, filter) : sql`SELECT * FROM (${legs(scope, filter)})`;
}

// An image has one value for a key, so no image is in two legs.
function legs(scope: Scope, { key, values }: Present): SQL {
	const unique = [...new Set(values)];
	return sql.join(
		unique.map(
			(value) => sql`${LABEL_STREAM} WHERE ${imageLabels.storagePk} = ${scope.storagePk} AND ${imageLabels.key} = ${key}
				AND ${imageLabels.value} = ${value} AND ${unexpired(imageLabels, scope.nowMs)}${afterLabel(scope)}`,
		),
		sql` UNION ALL `,
	);
}

/** How many images each filter has left in this walk, counted only as far as matters. */
async function countLabels(database: Database, scope: Scope, filters: readonly Present[]): Promise<readonly number[]> {
	const counts = filters.map((filter) => sql`(SELECT count(*) FROM (${legs(scope, filter)} LIMIT ${RARE}))`);
	const rows = await database.read(() => database.queries.values<number[]>(sql`SELECT ${sql.join(counts, sql`, `)}`));
	return rows[0] ?? [];
}

function afterImage({ after }: Scope): SQL {
	return after === undefined
		? sql``
		: sql` AND (${images.publishedMs}, ${images.pk}) < (${after.publishedMs}, ${after.pk})`;
}

function afterLabel({ after }: Scope): SQL {
	if (after === undefined) return sql``;
	return sql` AND (${imageLabels.publishedMs}, ${imageLabels.imagePk}) < (${after.publishedMs}, ${after.pk})`;
}
