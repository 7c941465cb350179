import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { imageFields, toImage } from "@svc/images/image-rows-store";
import { imageStore } from "@svc/images/images-store";
import type { LabelFilter, ListQuery } from "@svc/images/list/list-filters";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { migratedDatabase, NOW, seedApp } from "../support/scratch.ts";
import { fill } from "./full-storage.ts";
import { megabytes, printTable, ratioOf, residentOf, type Spread, shown, spreadOf } from "./measure.ts";

/*
 * The first page of a list in a storage of a million images with five labels each (the argument sets another number), against the two
 * queries that anybody would write first: an EXISTS for each filter, and the labels grouped by image. All of them run in this process,
 * on one connection, and must find the same images.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000);
const LIMIT = 50;
const ROUNDS = 15;
/** A query that takes seconds is not asked fifteen times; three times it is. */
const BUDGET_MS = 10_000;
const ROUNDS_MIN = 3;

const has = (key: string, ...values: string[]): LabelFilter => ({ key, values });
const lacks = (key: string): LabelFilter => ({ key, absent: true });

/**
 * Shares of the storage: `colour` and `shape` half each and independent, `tag` a thousandth to a value with the first ones a little
 * above it, `mood` the opposite of `colour`, `draft` on every second image and `final` on the others.
 */
const QUERIES: Readonly<Record<string, readonly LabelFilter[]>> = {
	"no filter": [],
	"dense AND: two keys of a half": [has("colour", "red"), has("shape", "round")],
	"four keys, one of them NOT": [has("colour", "red"), has("shape", "round"), has("mood", "calm"), lacks("draft")],
	"the same with one of 1,250": [has("colour", "red"), has("shape", "round"), has("tag", "t1"), lacks("draft")],
	"four that never meet": [has("colour", "red"), has("shape", "round"), has("mood", "wild"), lacks("draft")],
	"IN of 50 out of 800": [has("tag", ...Array.from({ length: 50 }, (_, place) => `t${place * 16}`))],
};

const labelOf = ({ key }: LabelFilter) => sql`SELECT 1 FROM image_labels WHERE image_pk = images.pk AND key = ${key}`;

function existing(filter: LabelFilter): SQL {
	if (!("values" in filter)) return sql`NOT EXISTS (${labelOf(filter)})`;
	return sql`EXISTS (${labelOf(filter)} AND value IN ${[...filter.values]})`;
}

function grouped(filters: readonly LabelFilter[]): SQL[] {
	const present = filters.filter((filter) => "values" in filter);
	const absent = filters.filter((filter) => !("values" in filter));
	const matches = present.map(({ key, values }) => sql`(key = ${key} AND value IN ${[...values]})`);
	const group = sql`images.pk IN (SELECT image_pk FROM image_labels
		WHERE storage_pk = 1 AND (${sql.join(matches, sql` OR `)}) GROUP BY image_pk HAVING count(*) = ${present.length})`;
	return [...(present.length > 0 ? [group] : []), ...absent.map(existing)];
}

async function naive({ queries, read }: Database, conditions: readonly SQL[]): Promise<readonly number[]> {
	const rows = await read(() =>
		queries
			.select(imageFields)
			.from(images)
			.innerJoin(storages, eq(storages.pk, images.storagePk))
			.where(
				and(
					eq(images.storagePk, 1),
					sql`${images.status} = 'ready'`,
					sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${NOW})`,
					...conditions,
				),
			)
			.orderBy(desc(images.publishedMs), desc(images.pk))
			.limit(LIMIT + 1),
	);
	return rows.map((row) => toImage(row).pk);
}

interface Measured {
	readonly name: string;
	readonly found: number;
	readonly product: readonly number[];
	readonly exists: readonly number[];
	readonly group: readonly number[];
}

async function timed(work: () => Promise<readonly number[]>, expected: readonly number[]): Promise<number> {
	const startMs = performance.now();
	const found = await work();
	const ms = performance.now() - startMs;
	if (found.join() !== expected.join()) throw new Error("two queries found different images");
	return ms;
}

async function measure(database: Database, name: string, labels: readonly LabelFilter[]): Promise<Measured> {
	const query: ListQuery = { ids: undefined, labels, limit: LIMIT, after: undefined };
	const store = imageStore(database);
	const sides = {
		product: async () => (await store.list(1, query, NOW)).map(({ pk }) => pk),
		exists: () => naive(database, labels.map(existing)),
		group: () => naive(database, grouped(labels)),
	};
	const expected = await sides.product();
	const measured = { product: [] as number[], exists: [] as number[], group: [] as number[] };
	const startMs = performance.now();
	for (let round = 0; round < ROUNDS; round++) {
		for (const side of ["product", "exists", "group"] as const) {
			measured[side].push(await timed(sides[side], expected));
		}
		if (round + 1 >= ROUNDS_MIN && performance.now() - startMs > BUDGET_MS) break;
	}
	return { name, found: expected.length, ...measured };
}

function rowOf({ name, found, product, exists, group }: Measured): string[] {
	const ms = (values: readonly number[]) => spreadOf(values).median.toFixed(1);
	const times = (ratio: Spread) => shown(ratio, ratio.median < 10 ? 2 : 0);
	return [
		name,
		String(found),
		String(product.length),
		...[product, exists, group].map(ms),
		times(ratioOf(exists, product)),
		times(ratioOf(group, product)),
	];
}

await using scratch = await migratedDatabase();
await seedApp(scratch.database);
const startMs = performance.now();
await fill(scratch, COUNT);
const labels = await scratch.value("SELECT count(*) FROM image_labels");
console.log(`${COUNT} images, ${labels} labels, filled in ${Math.round((performance.now() - startMs) / 1_000)} s.`);
const rows: string[][] = [];
for (const [name, filters] of Object.entries(QUERIES)) {
	rows.push(rowOf(await measure(scratch.database, name, filters)));
}
printTable(
	`First page of ${LIMIT}, milliseconds; how many times faster than the naive queries, median (min–max)`,
	["", "found", "rounds", "list ms", "EXISTS ms", "GROUP ms", "EXISTS/list", "GROUP/list"],
	rows,
);
console.log(`\nPeak memory of this process: ${megabytes((await residentOf(process.pid)).peak)}.`);
