import type { Position } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images, imageWords } from "@svc/base/database/schema/images";
import { asText } from "@svc/base/database/statements";
import { type SQL, sql } from "drizzle-orm";
import { imageFields, imageOfRow } from "../image-rows-store.ts";
import type { Image } from "../images.ts";
import type { ListedImage } from "../ports.ts";
import { alikeImages } from "./alike-store.ts";
import type { ListedStatus, ListFilter, ListOrder, ListQuery, Narrowing } from "./list-filters.ts";
import { stateWay } from "./list-states-store.ts";
import {
	choiceStreams,
	driveStream,
	fits,
	foundStream,
	IMAGE_PK,
	idStream,
	lacks,
	lengths,
	PUBLISHED_MS,
	type StreamChoice,
	type StreamScope,
	type Way,
	within,
} from "./list-streams-store.ts";
import { walkThrough } from "./long-walks.ts";

/*
 * A filter that has the order of the list is a stream of its own (list-streams-store.ts). What has not is a check: the images of a
 * stream are looked at, some thousands to a statement, until there are enough, so that no statement grows with the storage. In the same
 * manner some thousands of each stream are compared where several must have an image. Where an index says that only few images pass a
 * check, these are the stream.
 */

export interface Listing {
	readonly storagePk: number;
	readonly listed: readonly ListedStatus[];
}

/** Up to this number, looking at each image is cheaper than merging streams. */
const RARE = 2_500;

/** How many images of a stream one statement looks at, at most: less than 10 ms in a storage of a million, where most pages come from the disk. */
export const STRIDE_MAX = 3_000;
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
): Promise<readonly ListedImage[]> {
	const way = await wayTo(database, { ...listing, after: query.after, nowMs }, query);
	if (way === undefined) return [];
	const found = await walk(database, listing, way, query.after, query.limit + 1);
	const sign = way.order === "asc" ? -1 : 1;
	const ms = ({ deletedMs, publishedMs }: ListedImage) => deletedMs ?? publishedMs;
	// A join promises no order, whatever its plan does today.
	return found.sort((one, other) => sign * (ms(other) - ms(one) || other.pk - one.pk));
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
export function strideOf({ streams, order }: Way, after: Position | undefined, rows: number): SQL {
	const parts = streams(after).map((stream) => first(rows, stream, order));
	if (parts.length === 1) return sql.join(parts);
	return sql.join(
		parts.map((part) => sql`SELECT * FROM (${part})`),
		sql` INTERSECT `,
	);
}

export function strideMax({ streams, checks }: Way, after: Position | undefined): number {
	if (checks.length > 0) return CHECKED_STRIDE_MAX;
	return streams(after).length > 1 ? COMPARED_STRIDE_MAX : STRIDE_MAX;
}

async function deletedImagesOf({ queries, read }: Database, page: SQL): Promise<ListedImage[]> {
	const rows = await read(() => queries.values(page));
	return rows.map((row) => ({ ...imageOfRow(row), deletedMs: Number(row.at(-1)) }));
}

export async function imagesOf({ queries, read }: Database, page: SQL): Promise<Image[]> {
	return (await read(() => queries.values(page))).map(imageOfRow);
}

/** The first images that are in all streams and pass all checks. */
async function walk(
	database: Database,
	{ storagePk }: Listing,
	way: Way,
	start: Position | undefined,
	rows: number,
): Promise<ListedImage[]> {
	const max = strideMax(way, start);
	// Of one stream without a check each row is one of the page.
	if (max === STRIDE_MAX) return await imagesOf(database, pageOf(sql.join([...way.streams(start)]), rows, way.order));
	const found: ListedImage[] = [];
	const find = way.deleted ? deletedImagesOf : imagesOf;
	await using pace = walkThrough(storagePk);
	let after = start;
	for (let stride = 4 * rows; ; stride = Math.min(4 * stride, max)) {
		found.push(...(await find(database, passed(way, after, stride, rows - found.length))));
		if (found.length >= rows) return found;
		after = await endOf(database, way, after, stride);
		if (after === undefined) return found;
		await pace.next();
	}
}

/** The first `rows` images of a stride that pass all checks. */
function passed(way: Way, after: Position | undefined, stride: number, rows: number): SQL {
	const part = strideOf(way, after, stride);
	if (way.checks.length === 0) return pageOf(part, rows, way.order);
	const checks = way.checks.map((check) => sql` AND ${check}`);
	const direction = way.order === "asc" ? sql`ASC` : sql`DESC`;
	const selected = way.deleted ? sql`${SELECTED}, page.${PUBLISHED_MS}` : SELECTED;
	return sql`SELECT ${selected} FROM (${part}) AS page ${way.deleted ?? JOINED}${sql.join(checks)}
		ORDER BY page.${PUBLISHED_MS} ${direction}, page.${IMAGE_PK} ${direction} LIMIT ${rows}`;
}

/** The last place of a stride; undefined where a stream ends before. */
export async function endOf(
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

/** Undefined where nothing can fit. */
export async function wayTo(database: Database, scope: StreamScope, filter: ListFilter): Promise<Way | undefined> {
	const { ids, labels, narrowed = {}, order = "desc", state = "ready" } = filter;
	const narrow = [...narrowings(narrowed, scope.storagePk), ...(await similar(database, narrowed, scope))];
	const conditions = narrow.map(({ condition }) => condition);
	if (state !== "ready") return stateWay(scope, state, filter, conditions);
	const { published } = narrowed;
	const at = (after: Position | undefined): StreamScope => ({ ...scope, after, order, published });
	if (ids !== undefined) {
		return ids.length === 0 ? undefined : { streams: (after) => [idStream(at(after), ids)], checks: [], order };
	}
	const choices: StreamChoice[] = labels.filter((label) => "values" in label);
	if (narrowed.formats) choices.push({ formats: narrowed.formats });
	if (choices.some((choice) => ("values" in choice ? choice.values : choice.formats).length === 0)) return undefined;
	const absent = labels.flatMap((label) => ("values" in label ? [] : [lacks(label.key, sql`${images.pk}`)]));
	const [few, ...counts] = await rarest(database, at(scope.after), choices, narrow);
	if (few === 0) return undefined;
	const place = few === undefined || few >= RARE ? -1 : counts.indexOf(few);
	const found = narrow[place - choices.length];
	if (found) {
		const rest = narrow.filter((one) => one !== found).map(({ condition }) => condition);
		const checks = [...rest, ...absent, ...choices.map((choice) => fits(choice, sql`${images.pk}`))];
		return { streams: (after) => [foundStream(at(after), found.from, found.found)], checks, order };
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
	/** Of an image that is looked at. */
	readonly condition: SQL;
	/** What is read to find those that fit, and what is asked of it. */
	readonly from: SQL;
	readonly found: SQL;
	/** A row for each, of one index alone. */
	readonly counted: SQL;
}

function narrowings(narrowed: Narrowing, storagePk: number): readonly Narrow[] {
	const { created, expires, filenamePrefix, externalId, sha256, words = [] } = narrowed;
	const found = words.map((word) => byWord(word, storagePk));
	const add = (index: string, condition: SQL) => {
		const from = sql`${images} INDEXED BY ${sql.raw(index)}`;
		const counted = sql`SELECT 1 FROM ${from} WHERE ${images.status} = 'ready' AND ${images.storagePk} = ${storagePk} AND ${condition}`;
		found.push({ condition, from, found: condition, counted });
	};
	if (created) add("images_created", within(sql`${images.createdMs}`, created));
	if (expires) {
		add("images_expiring", sql`${images.expiresMs} IS NOT NULL AND ${within(sql`${images.expiresMs}`, expires)}`);
	}
	if (filenamePrefix !== undefined) {
		add(
			"images_filenames",
			sql`${images.filename} >= ${filenamePrefix} AND ${images.filename} < ${filenamePrefix + LAST}`,
		);
	}
	if (externalId !== undefined) add("images_external_id", sql`${images.externalId} = ${externalId}`);
	if (sha256 !== undefined) {
		add("images_sent", sql`coalesce(${images.sentSha256}, ${images.sha256}) = ${Buffer.from(sha256, "hex")}`);
	}
	return found;
}

async function similar(database: Database, { similarTo }: Narrowing, scope: StreamScope): Promise<readonly Narrow[]> {
	if (similarTo === undefined) return [];
	const list = JSON.stringify(await alikeImages(database, similarTo, scope));
	const found = {
		condition: sql`${images.pk} IN (SELECT value FROM json_each(${list}))`,
		from: sql`json_each(${list}) AS alike CROSS JOIN ${images}`,
		found: sql`${images.pk} = alike.value`,
		counted: sql`SELECT 1 FROM json_each(${list})`,
	};
	return [found];
}

/** No character sorts after it: what begins with a text lies between the text and the text with it. */
const LAST = "\u{10ffff}";

function byWord(word: string, storagePk: number): Narrow {
	const begun = sql`${imageWords.storagePk} = ${storagePk} AND ${imageWords.word} >= ${word} AND ${imageWords.word} < ${word + LAST}`;
	return {
		// A word of the JSON array begins behind its quotation mark.
		condition: sql`instr(${images.words}, ${`"${word}`}) > 0`,
		from: sql`${imageWords} CROSS JOIN ${images}`,
		found: sql`${images.pk} = ${imageWords.imagePk} AND ${begun}`,
		counted: sql`SELECT 1 FROM ${imageWords} WHERE ${begun}`,
	};
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
	const narrowed = narrow.map(({ counted }) => sql`(SELECT count(*) FROM (${counted} LIMIT ${RARE}))`);
	const columns = [...lengths(scope, choices, RARE), ...narrowed];
	const query = sql`SELECT ${sql.join(columns, sql`, `)}`;
	const [counts = []] = await database.read(() => database.queries.values<number[]>(query));
	return [Math.min(...counts), ...counts];
}
