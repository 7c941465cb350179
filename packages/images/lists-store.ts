import type { Position } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { turn } from "@svc/base/database/connection";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { asText } from "@svc/base/database/statements";
import { type SQL, sql } from "drizzle-orm";
import { imageFields, imageOfRow } from "./image-rows-store.ts";
import type { Image } from "./images.ts";
import type { ListOrder, Narrowing } from "./list-filters.ts";
import {
	type Choice,
	driveStream,
	fits,
	IMAGE_PK,
	idStream,
	indexStream,
	lacks,
	lengths,
	mergeStream,
	PUBLISHED_MS,
	type Scope,
} from "./list-streams-store.ts";
import type { ListedStatus, ListFilter, ListQuery } from "./lists.ts";

/*
 * A filter that has the order of the list is a stream of its own (list-streams-store.ts). What has not is a check: the images of a
 * stream are looked at, some thousands to a statement, until there are enough, so that no statement grows with the storage. Where an
 * index says that only few images pass a check, these are the stream.
 */

interface Listing {
	readonly storagePk: number;
	readonly listed: readonly ListedStatus[];
}

/** Where a list comes from, and what is looked at in each image of it. */
interface Way {
	stream(after: Position | undefined): SQL;
	readonly checks: readonly SQL[];
	readonly order: ListOrder;
}

/** Up to this number, looking at each image is cheaper than merging streams. */
const RARE = 2_500;

/** How many images of a stream one statement looks at, at most: less than 10 ms in a storage of a million, where most pages come from the disk. */
const STRIDE_MAX = 8_192;
/** The same where each image is looked up and checked. */
const CHECKED_STRIDE_MAX = 512;

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
	const stride = way?.checks.length === 0 ? STRIDE_MAX : CHECKED_STRIDE_MAX;
	for (let after: Position | undefined; way !== undefined && counted < max; await turn()) {
		const part = way.checks.length > 0 ? await countPassed(database, way, after, stride) : undefined;
		const end = await endOf(database, way, after, stride);
		counted += part ?? (end ? stride : await countPassed(database, way, after, stride));
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
	return pageWith({ stream: () => stream, checks: [], order }, undefined, rows);
}

function pageWith(way: Way, after: Position | undefined, stride: number): SQL {
	const checks = way.checks.map((check) => sql` AND ${check}`);
	return sql`SELECT ${SELECTED} FROM (${ordered(way, after)} LIMIT ${stride}) AS page ${JOINED}${sql.join(checks)}`;
}

function ordered({ stream, order }: Way, after: Position | undefined): SQL {
	return order === "asc" ? sql`${stream(after)} ORDER BY 1, 2` : sql`${stream(after)} ORDER BY 1 DESC, 2 DESC`;
}

export async function imagesOf({ queries, read }: Database, page: SQL): Promise<Image[]> {
	return (await read(() => queries.values(page))).map(imageOfRow);
}

/** The first images that pass all checks. */
async function walk(database: Database, way: Way, start: Position | undefined, rows: number): Promise<Image[]> {
	// Without a check each row is one of the page.
	if (way.checks.length === 0) return await imagesOf(database, pageWith(way, start, rows));
	const found: Image[] = [];
	const direction = way.order === "asc" ? sql`ASC` : sql`DESC`;
	let after = start;
	for (let stride = 4 * rows; ; stride = Math.min(4 * stride, CHECKED_STRIDE_MAX)) {
		const page = sql`${pageWith(way, after, stride)}
			ORDER BY page.${PUBLISHED_MS} ${direction}, page.${IMAGE_PK} ${direction} LIMIT ${rows - found.length}`;
		found.push(...(await imagesOf(database, page)));
		if (found.length >= rows) return found;
		after = await endOf(database, way, after, stride);
		if (after === undefined) return found;
		await turn();
	}
}

/** The last place of a stride; undefined where the stream ends before. */
async function endOf(
	database: Database,
	way: Way,
	after: Position | undefined,
	stride: number,
): Promise<Position | undefined> {
	const query = sql`SELECT * FROM (${ordered(way, after)} LIMIT 1 OFFSET ${stride - 1})`;
	const [row] = await database.read(() => database.queries.values<[number, number]>(query));
	return row && { publishedMs: row[0], pk: row[1] };
}

/** How many images of a stride pass all checks. */
async function countPassed(database: Database, way: Way, after: Position | undefined, stride: number): Promise<number> {
	const page = sql`(${ordered(way, after)} LIMIT ${stride}) AS page`;
	const checks = sql.join([sql`${images.pk} = page.${IMAGE_PK}`, ...way.checks], sql` AND `);
	const query = sql`SELECT count(*) FROM ${page} CROSS JOIN ${images} WHERE ${checks}`;
	const [row] = await database.read(() => database.queries.values<[number]>(query));
	return row?.[0] ?? 0;
}

/** Undefined where nothing can fit. */
async function wayTo(database: Database, scope: Scope, filter: ListFilter): Promise<Way | undefined> {
	const { ids, labels, narrowed = {}, order = "desc" } = filter;
	const { published } = narrowed;
	const at = (after: Position | undefined): Scope => ({ ...scope, after, order, published });
	if (ids !== undefined) {
		return ids.length === 0 ? undefined : { stream: (after) => idStream(at(after), ids), checks: [], order };
	}
	const choices: Choice[] = labels.filter((label) => "values" in label);
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
		return { stream: (after) => indexStream(at(after), found.index, found.condition), checks, order };
	}
	const checks = [...conditions, ...absent];
	const driver = choices[place];
	const others = choices.filter((choice) => choice !== driver);
	if (driver === undefined || others.length === 0)
		return { stream: (after) => mergeStream(at(after), choices), checks, order };
	return { stream: (after) => driveStream(at(after), driver, others), checks, order };
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
	scope: Scope,
	choices: readonly Choice[],
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
