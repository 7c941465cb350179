import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Access } from "@svc/apps/access";
import type { Position } from "@svc/base/cursors";
import {
	connect,
	createImage,
	migratedDatabase,
	NOW,
	newImage,
	type Scratch,
	seedApp,
} from "@svc/test/support/scratch";
import { type SQL, sql } from "drizzle-orm";
import type { Image } from "../images.ts";
import { imageStore } from "../images-store.ts";
import type { LabelFilter, ListFilter, ListQuery, Narrowing, Period } from "./list-filters.ts";
import { choiceStreams, driveStream, foundStream } from "./list-streams-store.ts";
import { imagesOf, pageOf } from "./lists-store.ts";

const KEYS = ["album", "b", "c.d", "e-f_g"];
const FORMATS = ["jpg", "webp", "gif"] as const;
let scratch: Scratch;
let access: Access;
let other: Access;
let all: Image[] = [];

/** The same numbers on every run (mulberry32), so that a failure can be looked at. */
function numbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

function randomImage(random: (below: number) => number, place: number) {
	const labels: Record<string, string> = {};
	for (const key of KEYS) if (random(10) < 6) labels[key] = `v${random(3)}`;
	return {
		labels,
		// Few different times, so that most pages end among equals.
		publishedMs: NOW + random(40),
		expiresMs: random(4) === 0 ? NOW + random(10) - 5 : null,
		status: random(10) === 0 ? ("blocked" as const) : ("ready" as const),
		id: `img_${place}`,
		createdMs: NOW + random(50),
		format: FORMATS[random(3)] ?? "jpg",
		filename: `${["a", "A", "ab", "ä", "a%"][random(5)]}${random(3)}.jpg`,
	};
}

beforeAll(async () => {
	scratch = await migratedDatabase();
	access = await seedApp(scratch.database);
	await scratch.sql(
		"INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms) VALUES ('sto_2', 1, 'user', 1, 'team2', 'active', 0)",
	);
	await connect(scratch, 2);
	other = { ...access, storage: { ...access.storage, pk: 2, id: "sto_2", teamHash: "team2", kind: "user" } };
	const random = numbers(7);
	for (let place = 0; place < 400; place += 1) {
		const owner = random(4) === 0 ? other : access;
		all.push(await createImage(scratch.database, owner, newImage(owner, place, randomImage(random, place))));
	}
});

afterAll(async () => {
	all = [];
	await scratch[Symbol.asyncDispose]();
});

function matches(image: Image, filter: LabelFilter): boolean {
	const value = image.labels[filter.key];
	return "values" in filter ? value !== undefined && filter.values.includes(value) : value === undefined;
}

function lies(ms: number | null, period: Period | undefined): boolean {
	if (period === undefined) return true;
	return ms !== null && ms >= (period.from ?? -Infinity) && ms < (period.to ?? Infinity);
}

function isNarrowed(image: Image, narrowed: Narrowing): boolean {
	const { created, published, expires, formats = FORMATS, filenamePrefix = "" } = narrowed;
	return (
		lies(image.createdMs, created) &&
		lies(image.publishedMs, published) &&
		lies(image.expiresMs, expires) &&
		formats.some((format) => format === image.format) &&
		image.filename.startsWith(filenamePrefix)
	);
}

/** What a list has to give, said without any index. */
function naive(storagePk: number, query: ListFilter): Image[] {
	const sign = query.order === "asc" ? -1 : 1;
	return all
		.filter(({ storagePk: pk, status }) => pk === storagePk && status === "ready")
		.filter(({ expiresMs }) => expiresMs === null || expiresMs > NOW)
		.filter(({ id }) => query.ids === undefined || query.ids.includes(id))
		.filter((image) => query.labels.every((filter) => matches(image, filter)))
		.filter((image) => isNarrowed(image, query.narrowed ?? {}))
		.sort((one, two) => sign * (two.publishedMs - one.publishedMs || two.pk - one.pk));
}

async function walk(storagePk: number, query: Omit<ListQuery, "after">): Promise<Image[]> {
	const images = imageStore(scratch.database);
	const seen: Image[] = [];
	let after: Position | undefined;
	for (;;) {
		const page = await images.list(storagePk, { ...query, after }, NOW);
		expect(page.length).toBeLessThanOrEqual(query.limit + 1);
		seen.push(...page.slice(0, query.limit));
		after = page[query.limit - 1];
		if (page.length <= query.limit || after === undefined) return seen;
	}
}

function randomPeriod(random: (below: number) => number): Period {
	const end = () => (random(4) === 0 ? undefined : NOW + random(50) - 5);
	return { from: end(), to: NOW + random(50) };
}

function randomNarrowing(random: (below: number) => number): Narrowing {
	const sometimes = <Key extends keyof Narrowing>(key: Key, value: () => NonNullable<Narrowing[Key]>) =>
		random(3) === 0 ? { [key]: value() } : {};
	return {
		...sometimes("created", () => randomPeriod(random)),
		...sometimes("published", () => randomPeriod(random)),
		...sometimes("expires", () => randomPeriod(random)),
		...sometimes("formats", () => FORMATS.slice(0, 1 + random(2))),
		...sometimes("filenamePrefix", () => ["a", "A", "ab", "ä", "a%", "a1", "z"][random(7)] ?? "a"),
	};
}

function randomFilters(random: (below: number) => number): LabelFilter[] {
	const filters: LabelFilter[] = [];
	for (const key of [...KEYS, "never"]) {
		const kind = random(20);
		const values = Array.from({ length: 1 + random(3) }, () => `v${random(4)}`);
		if (kind < 6) filters.push({ key, values });
		else if (kind < 9) filters.push({ key, absent: true });
	}
	return filters;
}

describe("list", () => {
	test("whole walks agree with a naive filter, for random filters and page sizes", async () => {
		const random = numbers(11);
		for (let round = 0; round < 1_000; round += 1) {
			const storagePk = 1 + random(2);
			const query = { ids: undefined, labels: randomFilters(random), limit: 1 + random(20) };
			expect(await walk(storagePk, query)).toEqual(naive(storagePk, query));
		}
	});

	test("and so they do for random narrowings in both orders, and their totals are right", async () => {
		const random = numbers(19);
		for (let round = 0; round < 1_000; round += 1) {
			const storagePk = 1 + random(2);
			const order = random(2) === 0 ? ("asc" as const) : ("desc" as const);
			const labels = random(2) === 0 ? [] : randomFilters(random);
			const query = { ids: undefined, labels, narrowed: randomNarrowing(random), order, limit: 1 + random(20) };
			const wanted = naive(storagePk, query);
			expect(await walk(storagePk, query)).toEqual(wanted);
			const store = imageStore(scratch.database);
			expect(await store.count(storagePk, query, 1_000, NOW)).toBe(wanted.length);
			if (round % 4 > 0) continue;
			expect(await store.countAmong(storagePk, query, 1_000, NOW)).toBe(wanted.length);
			// Too few to tell, or enough: never a wrong number.
			expect([wanted.length, undefined]).toContain(await store.countAmong(storagePk, query, 1 + random(40), NOW));
		}
	});

	test("a list without a filter has as many as the counter of its storage says, without what no list shows", async () => {
		for (const listed of [["ready"], ["ready", "processing"]] as const) {
			const store = imageStore(scratch.database, { listed });
			for (const storagePk of [1, 2]) {
				const whole = { ids: undefined, labels: [] };
				for (const later of [0, 3, 1_000]) {
					const counted = await store.count(storagePk, whole, 1_000, NOW + later);
					expect(await store.countListed(storagePk, NOW + later)).toBe(counted);
				}
			}
		}
		expect(await imageStore(scratch.database).countListed(9, NOW)).toBe(0);
	});

	test("what fits lies far behind in a long list, and is found and counted", async () => {
		await using large = await migratedDatabase();
		const owner = await seedApp(large.database);
		const one = await createImage(
			large.database,
			owner,
			newImage(owner, 1, { filename: "b1.jpg", labels: { k: "v" } }),
		);
		// More than one stride, and more than are looked at one by one.
		await large.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key, published_ms, created_ms, labels)
			SELECT 'img_n' || i, app_pk, storage_pk, status, CASE WHEN i % 2 THEN 'a' ELSE 'b' END || '.jpg', format, width, height, bytes, sha256,
				'blob' || i, ${NOW} + 1000 + i, ${NOW} + 1000 + i, '{}' FROM images, n WHERE images.pk = ${one.pk}`);
		await large.sql(`INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk)
			SELECT storage_pk, 'done', 'yes', published_ms, pk FROM images WHERE pk <> ${one.pk}`);
		const store = imageStore(large.database);
		const list = async (filter: Partial<ListFilter>) =>
			(await store.list(1, { ids: undefined, labels: [], limit: 5, after: undefined, ...filter }, NOW)).map(
				({ id }) => id,
			);
		const count = async (filter: Partial<ListFilter>) =>
			await store.count(1, { ids: undefined, labels: [], ...filter }, 100_001, NOW);
		const unlabelled: LabelFilter[] = [{ key: "done", absent: true }];
		expect(await list({ labels: unlabelled })).toEqual([one.id]);
		expect(await count({ labels: unlabelled })).toBe(1);
		const old = { created: { from: undefined, to: NOW + 1_000 } };
		expect(await list({ narrowed: { ...old, filenamePrefix: "b" } })).toEqual([one.id]);
		expect(await list({ narrowed: { filenamePrefix: "b" }, order: "asc" })).toHaveLength(6);
		expect(await list({ narrowed: { filenamePrefix: "b", published: { from: undefined, to: NOW + 500 } } })).toEqual([
			one.id,
		]);
		expect(await count({ narrowed: { filenamePrefix: "b" } })).toBe(10_001);
		expect(await count({})).toBe(20_001);
		expect(await store.count(1, { ids: undefined, labels: [] }, 100, NOW)).toBe(100);
		const among = (filter: Partial<ListFilter>) =>
			store.countAmong(1, { ids: undefined, labels: [], ...filter }, 10_000, NOW);
		expect(await among({ narrowed: { filenamePrefix: "b" } })).toBeUndefined();
		expect(await among({ labels: [{ key: "done", values: ["yes"] }] })).toBeUndefined();
		expect(await among({ narrowed: old })).toBe(1);
	});

	test("ids: those of this storage that are ready and unexpired, in the order of the list, page by page", async () => {
		const random = numbers(13);
		for (let round = 0; round < 40; round += 1) {
			const ids = Array.from({ length: 1 + random(100) }, () => `img_${random(450)}`);
			const query = { ids, labels: [], limit: 1 + random(30) };
			expect(await walk(1, query)).toEqual(naive(1, query));
		}
	});

	test("no ids and an empty set of values give an empty page", async () => {
		const images = imageStore(scratch.database);
		const none = { limit: 10, after: undefined };
		expect(await images.list(1, { ids: [], labels: [], ...none }, NOW)).toEqual([]);
		expect(await images.list(1, { ids: undefined, labels: [{ key: "album", values: [] }], ...none }, NOW)).toEqual([]);
	});

	test("a label that is both wanted and absent gives an empty page", async () => {
		const labels: LabelFilter[] = [
			{ key: "album", values: ["v1"] },
			{ key: "album", absent: true },
		];
		expect(await walk(1, { ids: undefined, labels, limit: 10 })).toEqual([]);
	});

	test("twenty keys with fifty values between them are one query that SQLite takes", async () => {
		const labels: LabelFilter[] = Array.from({ length: 20 }, (_, place) =>
			place < 10
				? { key: KEYS[place % 4] ?? "", values: Array.from({ length: 5 }, (_, value) => `v${value}`) }
				: { key: `absent${place}`, absent: true },
		);
		expect(await walk(1, { ids: undefined, labels, limit: 7 })).toEqual(naive(1, { ids: undefined, labels }));
	});
});

describe("driving from one label", () => {
	async function walkStream(
		streams: (scope: Parameters<typeof driveStream>[0]) => SQL,
		limit: number,
	): Promise<number[]> {
		const seen: number[] = [];
		let after: Position | undefined;
		for (;;) {
			const page = await imagesOf(scratch.database, pageOf(streams({ storagePk: 1, after, nowMs: NOW }), limit));
			page.sort((one, two) => two.publishedMs - one.publishedMs || two.pk - one.pk);
			seen.push(...page.map(({ pk }) => pk));
			after = page[limit - 1];
			if (after === undefined) return seen;
		}
	}

	test("agrees with a naive filter over whole walks", async () => {
		const random = numbers(17);
		for (let round = 0; round < 100; round += 1) {
			const first = { key: "album", values: [`v${random(3)}`, `v${random(3)}`] };
			const rest = KEYS.slice(1, 2 + random(3)).map((key) => ({ key, values: [`v${random(3)}`, `v${random(3)}`] }));
			const wanted = naive(1, { ids: undefined, labels: [first, ...rest] }).map(({ pk }) => pk);
			expect(await walkStream((scope) => driveStream(scope, first, rest), 1 + random(9))).toEqual(wanted);
		}
	});
});

describe("query plans", () => {
	const after = { publishedMs: NOW + 20, pk: 100 };
	const scope = { storagePk: 1, after, nowMs: NOW };
	const both = { ...scope, listed: ["ready", "processing"] as const };
	const published = { from: NOW + 5, to: NOW + 30 };
	const one = { key: "album", values: ["v1"] };
	const many = { key: "b", values: ["v0", "v1", "v2"] };

	async function planOf(stream: SQL, order: "asc" | "desc" = "desc"): Promise<string[]> {
		const query = pageOf(stream, 51, order);
		const rows = await scratch.database.read(() =>
			scratch.database.queries.values<[number, number, number, string]>(sql`EXPLAIN QUERY PLAN ${query}`),
		);
		return rows.map(([, , , detail]) => detail);
	}

	test.each([
		["no filter", choiceStreams(scope, [])],
		["one value", choiceStreams(scope, [one])],
		["several values", choiceStreams(scope, [many])],
		["a format", choiceStreams(scope, [{ formats: ["gif"] }])],
		["formats and keys", choiceStreams(scope, [one, many, { formats: ["gif", "jpg"] }])],
		["a time of publication", choiceStreams({ ...scope, published }, [one, many])],
		["a time of publication, from the first page", choiceStreams({ ...scope, after: undefined, published }, [])],
		["driving from one value", [driveStream(scope, one, [many])]],
		["driving from a format", [driveStream(scope, { formats: ["gif"] }, [many])]],
		["two statuses", choiceStreams(both, [])],
		["two statuses, from the first page", choiceStreams({ ...both, after: undefined }, [])],
		["two statuses, and everything", choiceStreams(both, [one, many])],
	])("%s: streams from indexes in both orders, without a sort and without a scan of a table", async (_, streams) => {
		for (const stream of streams) {
			const plan = [...(await planOf(stream)), ...(await planOf(stream, "asc"))];
			expect(plan.join("\n")).not.toContain("TEMP B-TREE");
			expect(plan.filter((detail) => /^SCAN (images|image_labels|storages)/.test(detail))).toEqual([]);
			expect(plan.at(-2)).toContain("SEARCH images USING INTEGER PRIMARY KEY");
		}
	});

	test.each([
		["images_created", sql`${sql.raw("created_ms")} >= 1 AND ${sql.raw("created_ms")} < 9`],
		["images_expiring", sql`${sql.raw("expires_ms")} IS NOT NULL AND ${sql.raw("expires_ms")} >= 1`],
		["images_filenames", sql`${sql.raw("filename")} >= 'a' AND ${sql.raw("filename")} < 'b'`],
	])("%s finds the few images that a list is narrowed to by one search", async (index, condition) => {
		const plan = await planOf(foundStream(scope, sql`images INDEXED BY ${sql.raw(index)}`, condition));
		expect(plan.join("\n")).toMatch(
			new RegExp(`SEARCH images USING (COVERING )?INDEX ${index} \\(storage_pk=\\? AND `),
		);
	});

	test.each([
		["find", "SELECT * FROM images WHERE id = 'a' AND storage_pk = 1", "images_id_unique"],
		["a key", "SELECT * FROM keys WHERE hash = x'00'", "keys_hash_unique"],
		["expired images", "SELECT * FROM images WHERE expires_ms <= 1 ORDER BY expires_ms LIMIT 9", "images_expiry"],
	])("%s: one search of one index", async (_, text, index) => {
		const rows = await scratch.database.read(() =>
			scratch.database.queries.values<[number, number, number, string]>(sql.raw(`EXPLAIN QUERY PLAN ${text}`)),
		);
		expect(rows).toHaveLength(1);
		expect(rows[0]?.[3]).toContain(`USING INDEX ${index}`);
	});
});
