import type { Position } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { type SQL, sql } from "drizzle-orm";
import type { ListFilter } from "./list-filters.ts";
import { IMAGE_PK, type Way } from "./list-streams-store.ts";
import { endOf, type Listing, STRIDE_MAX, strideMax, strideOf, wayTo } from "./lists-store.ts";
import { walkThrough } from "./long-walks.ts";

/* How many images a list has on all of its pages. */

/**
 * How many images a list without a filter has. The storage's own counter has all of its images: what no list shows is taken off, of which there are few,
 * so that it costs the same however many images there are.
 */
export async function countListed(
	{ queries, read }: Database,
	{ storagePk, listed }: Listing,
	nowMs: number,
): Promise<number> {
	const rows = (index: string, condition: SQL) => sql`(SELECT count(*) FROM ${images} INDEXED BY ${sql.raw(index)}
		WHERE ${condition} AND ${images.storagePk} = ${storagePk})`;
	const expired = sql`${images.expiresMs} <= ${nowMs}`;
	const processing = sql`${images.status} = 'processing'`;
	const unlisted = [
		rows("images_unlisted", sql`(${images.status} = 'blocked' OR ${images.status} = 'failed')`),
		rows("images_processing", listed.includes("processing") ? sql`${processing} AND ${expired}` : processing),
		rows("images_expiring", sql`${images.status} = 'ready' AND ${images.expiresMs} IS NOT NULL AND ${expired}`),
	];
	const query = sql`SELECT ${sql.join([sql`${storages.images}`, ...unlisted], sql` - `)} FROM ${storages} WHERE ${storages.pk} = ${storagePk}`;
	const [row] = await read(() => queries.values<[number]>(query));
	return Math.max(0, row?.[0] ?? 0);
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
	await using pace = walkThrough(listing.storagePk);
	for (let after: Position | undefined; way !== undefined && counted < max; await pace.next()) {
		const stride = strideMax(way, after);
		const end = await endOf(database, way, after, stride);
		// All images of a whole stride count where nothing more is asked of them.
		counted += end && stride === STRIDE_MAX ? stride : await numberFrom(database, passedOf(way, after, stride));
		if (end === undefined) break;
		after = end;
	}
	return Math.min(counted, max);
}

/**
 * The same by one statement, which looks at no more than `lookedMax` images of each stream; undefined where that are not all.
 * @param lookedMax up to 10,000: some milliseconds
 */
export async function countAmong(
	database: Database,
	listing: Listing,
	filter: ListFilter,
	lookedMax: number,
	nowMs: number,
): Promise<number | undefined> {
	const way = await wayTo(database, { ...listing, after: undefined, nowMs }, filter);
	if (way === undefined) return 0;
	const { streams, checks } = way;
	const among = streams(undefined).map(
		(stream) => sql`(SELECT count(*) FROM (SELECT 1 FROM (${stream}) LIMIT ${lookedMax + 1})) <= ${lookedMax}`,
	);
	const isPlain = checks.length === 0 && among.length === 1;
	// Of one stream without a check what is looked at is what is counted.
	if (isPlain) {
		const counted = await numberFrom(database, passedOf(way, undefined, lookedMax + 1));
		return counted > lookedMax ? undefined : counted;
	}
	const passed = sql`(${passedOf(way, undefined, lookedMax)})`;
	const counted = await numberFrom(database, sql`SELECT iif(${sql.join(among, sql` AND `)}, ${passed}, -1)`);
	return counted < 0 ? undefined : counted;
}

/** How many images of a stride pass all checks. */
function passedOf(way: Way, after: Position | undefined, stride: number): SQL {
	const joined = way.deleted ?? sql`CROSS JOIN ${images} WHERE ${images.pk} = page.${IMAGE_PK}`;
	const checked = way.checks.length === 0 ? sql`` : sql.join([joined, ...way.checks], sql` AND `);
	return sql`SELECT count(*) FROM (${strideOf(way, after, stride)}) AS page ${checked}`;
}

async function numberFrom({ queries, read }: Database, query: SQL): Promise<number> {
	const [row] = await read(() => queries.values<[number]>(query));
	return row?.[0] ?? 0;
}
