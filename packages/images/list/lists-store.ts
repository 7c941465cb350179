import type { Position } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { asText } from "@svc/base/database/statements";
import { nextTurn } from "@svc/base/pace/turns";
import { type SQL, sql } from "drizzle-orm";
import { imageFields, imageOfRow } from "../image-rows-store.ts";
import type { Image } from "../images.ts";
import type { ListedStatus, ListFilter, ListOrder, ListQuery, Narrowing } from "./list-filters.ts";
import {
	choiceStreams,
	driveStream,
	fits,
	IMAGE_PK,
	idStream,
	indexStream,
	lacks,
	lengths,
	PUBLISHED_MS,
	type StreamChoice,
	type StreamScope,
} from "./list-streams-store.ts";

/*
 * A filter that has the order of the list is a stream of its own (list-streams-store.ts). What has not is a check: the images of a
 * stream are looked at, some thousands to a statement, until there are enough, so that no statement grows with the storage. In the same
 * manner some thousands of each stream are compared where several must have an image. Where an index says that only few images pass a
 * check, these are the stream.
 */

interface Listing {
	readonly storagePk: number;
	readonly listed: readonly ListedStatus[];
}

/** Where a list comes from, and what is looked at in each image of it. */
interface Way {
	/** The list has what is in all of them. */
	streams(after: Position | undefined): readonly SQL[];
	readonly checks: readonly SQL[];
	readonly order: ListOrder;
}

/** Up to this number, looking at each image is cheaper than merging streams. */
const RARE = 2_500;

/** How many images of a stream one statement looks at, at most: less than 10 ms in a storage of a million, where most pages come from the disk. */
const STRIDE_MAX = 3_000;
/** The same where streams are compared, each of this many images. */
const COMPARED_STRIDE_MAX = 4_096;
/** The same where each image is looked up and checked. */
const CHECKED_STRIDE_MAX = 384;

/** At most `query.limit + 1` unexpired images in one of the statuses, in the order that the query names. */
export async function listImages(
	database: Database,
	listing: Listing,
	query: ListQuery,
	nowMs: number,
): Promise<readonly Image[]> {
	const way = await wayTo(database, { ...listing, after: query.after, nowMs }, query);
	if (way === undefined) return [];
	const found = await walk(database, way, query.after, query.limit + 1);
	const sign = way.order === "asc" ? -1 : 1;
	// A join promises no order, whatever its plan does today.
	return found.sort((one, other) => sign * (other.publishedMs - one.publishedMs || other.pk - one.pk));
}

/** How many images a filter without ids leaves, counted as far as `max`. */
export async function countImages(
	database: Database,
	listing: Listing,
	filter: ListFilter,
	max: number,
	nowMs: number,
): Promise<number> {
	const way = await wayTo(database, { ...listing, after: undefined, nowMs }, filter);
	let counted = 0;
	for (let after: Position | undefined; way !== undefined && counted < max; await nextTurn()) {
		const stride = strideMax(way, after);
		const end = await endOf(database, way, after, stride);
		// All images of a whole stride count where nothing more is asked of them.
		counted += end && stride === STRIDE_MAX ? stride : await countPassed(database, way, after, stride);
		if (end === undefined) break;
		after = end;
	}
	return Math.min(counted, max);
}

const SELECTED = asText(
	sql.join(
		Object.values(imageFields).map((field) => sql`${field}`),
		sql`, `,
	),
);
const JOINED = asText(sql`CROSS JOIN ${images} CROSS JOIN ${storages}
	WHERE ${images.pk} = page.${IMAGE_PK} AND ${storages.pk} = ${images.storagePk}`);

/** The images of one page. CROSS JOIN holds SQLite to this order: first the page, then its images. */
export function pageOf(stream: SQL, rows: number, order: ListOrder = "desc"): SQL {
	return sql`SELECT ${SELECTED} FROM (${first(rows, stream, order)}) AS page ${JOINED}`;
}

function first(rows: number, stream: SQL, order: ListOrder): SQL {
	const ordered = order === "asc" ? sql`ORDER BY 1, 2` : sql`ORDER BY 1 DESC, 2 DESC`;
	return sql`${stream} ${ordered} LIMIT ${rows}`;
}

/** So many images of each stream, or rather those of them that are in all. */
function strideOf({ streams, order }: Way, after: Position | undefined, rows: number): SQL {
	const parts = streams(after).map((stream) => first(rows, stream, order));
	if (parts.length === 1) return sql.join(parts);
	return sql.join(
		parts.map((part) => sql`SELECT * FROM (${part})`),
		sql` INTERSECT `,
	);
}

function strideMax({ streams, checks }: Way, after: Position | undefined): number {
	if (checks.length > 0) return CHECKED_STRIDE_MAX;
	return streams(after).length > 1 ? COMPARED_STRIDE_MAX : STRIDE_MAX;
}

export async function imagesOf({ queries, read }: Database, page: SQL): Promise<Image[]> {
	return (await read(() => queries.values(page))).map(imageOfRow);
}

/** The first images that are in all streams and pass all checks. */
async function walk(database: Database, way: Way, start: Position | undefined, rows: number): Promise<Image[]> {
	const max = strideMax(way, start);
	// Of one stream without a check each row is one of the page.
	if (max === STRIDE_MAX) return await imagesOf(database, pageOf(sql.join([...way.streams(start)]), rows, way.order));
	const found: Image[] = [];
	let after = start;
	for (let stride = 4 * rows; ; stride = Math.min(4 * stride, max)) {
		found.push(...(await imagesOf(database, passed(way, after, stride, rows - found.length))));
		if (found.length >= rows) return found;
		after = await endOf(database, way, after, stride);
		if (after === undefined) return found;
		await nextTurn();
	}
}

/** The first `rows` images of a stride that pass all checks. */
function passed(way: Way, after: Position | undefined, stride: number, rows: number): SQL {
	const part = strideOf(way, after, stride);
	if (way.checks.length === 0) return pageOf(part, rows, way.order);
	const checks = way.checks.map((check) => sql` AND ${check}`);
	const direction = way.order === "asc" ? sql`ASC` : sql`DESC`;
	return sql`SELECT ${SELECTED} FROM (${part}) AS page ${JOINED}${sql.join(checks)}
		ORDER BY page.${PUBLISHED_MS} ${direction}, page.${IMAGE_PK} ${direction} LIMIT ${rows}`;
}

/** The last place of a stride; undefined where a stream ends before. */
async function endOf(
	database: Database,
	way: Way,
	after: Position | undefined,
	stride: number,
): Promise<Position | undefined> {
	const streams = way.streams(after);
	const ends: Position[] = [];
	for (const stream of streams) {
		const part = first(stride, stream, way.order);
		const end = streams.length === 1 ? sql`(${part}) LIMIT 1 OFFSET ${stride - 1}` : lastOf(part, way.order);
		const [row] = await database.read(() => database.queries.values<[number, number]>(sql`SELECT * FROM ${end}`));
		if (row === undefined) return undefined;
		ends.push({ publishedMs: row[0], pk: row[1] });
	}
	// What lies behind the nearest end, its stream was not asked for.
	const sign = way.order === "asc" ? 1 : -1;
	return ends.sort((one, other) => sign * (one.publishedMs - other.publishedMs || one.pk - other.pk))[0];
}

/** Also of a stream that has fewer: where it ends, all of them have been compared. */
function lastOf(part: SQL, order: ListOrder): SQL {
	return order === "asc" ? sql`(${part}) ORDER BY 1 DESC, 2 DESC LIMIT 1` : sql`(${part}) ORDER BY 1, 2 LIMIT 1`;
}

/** How many images of a stride pass all checks. */
async function countPassed(database: Database, way: Way, after: Position | undefined, stride: number): Promise<number> {
	const checks = sql.join([sql`${images.pk} = page.${IMAGE_PK}`, ...way.checks], sql` AND `);
	const checked = way.checks.length === 0 ? sql`` : sql` CROSS JOIN ${images} WHERE ${checks}`;
	const query = sql`SELECT count(*) FROM (${strideOf(way, after, stride)}) AS page${checked}`;
	const [row] = await database.read(() => database.queries.values<[number]>(query));
	return row?.[0] ?? 0;
}

/** Undefined where nothing can fit. */
async function wayTo(database: Database, scope: StreamScope, filter: ListFilter): Promise<Way | undefined> {
	const { ids, labels, narrowed = {}, order = "desc" } = filter;
	const { published } = narrowed;
	const at = (after: Position | undefined): StreamScope => ({ ...scope, after, order, published });
	if (ids !== undefined) {
		return ids.length === 0 ? undefined : { streams: (after) => [idStream(at(after), ids)], checks: [], order };
	}
	const choices: StreamChoice[] = labels.filter((label) => "values" in label);
	if (narrowed.formats) choices.push({ formats: narrowed.formats });
	if (choices.some((choice) => ("values" in choice ? choice.values : choice.formats).length === 0)) return undefined;
	const absent = labels.flatMap((label) => ("values" in label ? [] : [lacks(label.key, sql`${images.pk}`)]));
	const narrow = narrowings(narrowed);
	const [few, ...counts] = await rarest(database, at(scope.after), choices, narrow);
	if (few === 0) return undefined;
	const conditions = narrow.map(({ condition }) => condition);
	const place = few === undefined || few >= RARE ? -1 : counts.indexOf(few);
	const found = narrow[place - choices.length];
	if (found) {
		const rest = narrow.filter((one) => one !== found).map(({ condition }) => condition);
		const checks = [...rest, ...absent, ...choices.map((choice) => fits(choice, sql`${images.pk}`))];
		return { streams: (after) => [indexStream(at(after), found.index, found.condition)], checks, order };
	}
	const checks = [...conditions, ...absent];
	const driver = choices[place];
	const others = choices.filter((choice) => choice !== driver);
	if (driver === undefined || others.length === 0)
		return { streams: (after) => choiceStreams(at(after), choices), checks, order };
	return { streams: (after) => [driveStream(at(after), driver, others)], checks, order };
}

/** A filter without the order of the list, and the index that finds what fits it. */
interface Narrow {
	readonly index: SQL;
	readonly condition: SQL;
}

function narrowings({ created, expires, filenamePrefix, externalId, sha256 }: Narrowing): readonly Narrow[] {
	const found: Narrow[] = [];
	if (created) found.push({ index: sql.raw("images_created"), condition: within(sql`${images.createdMs}`, created) });
	if (expires) {
		const condition = sql`${images.expiresMs} IS NOT NULL AND ${within(sql`${images.expiresMs}`, expires)}`;
		found.push({ index: sql.raw("images_expiring"), condition });
	}
	if (filenamePrefix !== undefined) {
		// No character sorts after the last one: what begins with the prefix lies before the prefix with it.
		const condition = sql`${images.filename} >= ${filenamePrefix} AND ${images.filename} < ${`${filenamePrefix}\u{10ffff}`}`;
		found.push({ index: sql.raw("images_filenames"), condition });
	}
	if (externalId !== undefined) {
		found.push({ index: sql.raw("images_external_id"), condition: sql`${images.externalId} = ${externalId}` });
	}
	if (sha256 !== undefined) {
		const condition = sql`coalesce(${images.sentSha256}, ${images.sha256}) = ${Buffer.from(sha256, "hex")}`;
		found.push({ index: sql.raw("images_sent"), condition });
	}
	return found;
}

function within(
	column: SQL,
	{ from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): SQL {
	const parts = [
		...(from === undefined ? [] : [sql`${column} >= ${from}`]),
		...(to === undefined ? [] : [sql`${column} < ${to}`]),
	];
	return sql.join(parts, sql` AND `);
}

/**
 * The length of the shortest, and all lengths as far as {@link RARE}: of the choices, then of the narrowings. Nothing where there is
 * one stream only: it is the list.
 */
async function rarest(
	database: Database,
	scope: StreamScope,
	choices: readonly StreamChoice[],
	narrow: readonly Narrow[],
): Promise<readonly number[]> {
	if (narrow.length === 0 && choices.length < 2) return [];
	const narrowed = narrow.map(
		({ index, condition }) => sql`(SELECT count(*) FROM (SELECT 1 FROM ${images} INDEXED BY ${index}
			WHERE ${images.status} = 'ready' AND ${images.storagePk} = ${scope.storagePk} AND ${condition} LIMIT ${RARE}))`,
	);
	const columns = [...lengths(scope, choices, RARE), ...narrowed];
	const query = sql`SELECT ${sql.join(columns, sql`, `)}`;
	const [counts = []] = await database.read(() => database.queries.values<number[]>(query));
	return [Math.min(...counts), ...counts];
}
