import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Position } from "@svc/base/cursors";
import { createImage, migratedDatabase, NOW, newImage, type Scratch, seedApp } from "@svc/test/support/scratch";
import { imageStore } from "../images-store.ts";
import type { LabelFilter, ListFilter } from "./list-filters.ts";

describe("labels that many images carry each and few together", () => {
	const MANY = 12_000;
	/** Where both labels meet: at both ends, and around the ends of strides. */
	const MEETING = [1, 2, 3, 203, 204, 205, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, 11_998, 12_000];
	const labels: LabelFilter[] = [
		{ key: "colour", values: ["red", "pink"] },
		{ key: "mood", values: ["wild"] },
	];
	let large: Scratch;

	beforeAll(async () => {
		large = await migratedDatabase();
		const owner = await seedApp(large.database);
		const one = await createImage(large.database, owner, newImage(owner, 0, { id: "img_0" }));
		await large.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
			INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key, published_ms, created_ms, labels)
			SELECT 'img_' || i, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256,
				'blob' || i, ${NOW} + i / 7, ${NOW} + i, '{}' FROM images, n WHERE images.pk = ${one.pk}`);
		const isMeeting = `CAST(substr(id, 5) AS INTEGER) IN (${MEETING})`;
		// One label is on twice as many images as the other, so that its strides end sooner.
		const isColoured = "CAST(substr(id, 5) AS INTEGER) % 2 = 0";
		const isWild = "CAST(substr(id, 5) AS INTEGER) % 4 = 1";
		const insert = "INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk) SELECT storage_pk,";
		await large.sql(
			`${insert} 'colour', iif(pk % 3, 'red', 'pink'), published_ms, pk FROM images WHERE id <> 'img_0' AND (${isColoured} OR ${isMeeting})`,
		);
		await large.sql(
			`${insert} 'mood', 'wild', published_ms, pk FROM images WHERE id <> 'img_0' AND (${isWild} OR ${isMeeting})`,
		);
	});
	afterAll(() => large[Symbol.asyncDispose]());

	const count = (filter: Partial<ListFilter>, max = 100_001) =>
		imageStore(large.database).count(1, { ids: undefined, labels, ...filter }, max, NOW);

	async function walked(limit: number, filter: Partial<ListFilter>): Promise<number[]> {
		const seen: number[] = [];
		let after: Position | undefined;
		for (;;) {
			const query = { ids: undefined, labels, limit, after, ...filter };
			const page = await imageStore(large.database).list(1, query, NOW);
			seen.push(...page.slice(0, limit).map(({ id }) => Number(id.slice(4))));
			after = page.length > limit ? page[limit - 1] : undefined;
			if (after === undefined) return seen;
		}
	}

	test("where all carry what is not wanted one look through them goes on at a time, eight wait, and the rest are refused", async () => {
		await large.sql(
			"INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk) SELECT storage_pk, 'tag', 'on', published_ms, pk FROM images",
		);
		const untagged = { ids: undefined, labels: [{ key: "tag", absent: true }] as const };
		const list = () => imageStore(large.database).list(1, { ...untagged, limit: 50, after: undefined }, NOW);
		const total = () => imageStore(large.database).count(1, untagged, 100_001, NOW);
		const ended = await Promise.allSettled(Array.from({ length: 24 }, (_, place) => (place % 2 ? list() : total())));
		const refused = ended.filter(({ status }) => status === "rejected");
		expect(refused).toHaveLength(15);
		expect(refused[0]).toMatchObject({ reason: { code: "rate_limited", retryAfterSeconds: 5 } });
		expect(await list()).toEqual([]);
	});

	test.each([1, 3, 4, 50])("are found where they meet, in pages of %d and both orders", async (limit) => {
		expect(await walked(limit, {})).toEqual(MEETING.toReversed());
		expect(await walked(limit, { order: "asc" })).toEqual(MEETING);
		const created = { from: NOW + 3, to: NOW + 8_193 };
		expect(await walked(limit, { narrowed: { created } })).toEqual(MEETING.slice(2, -3).toReversed());
	});

	test("are counted", async () => {
		expect(await count({})).toBe(MEETING.length);
		expect(await count({ order: "asc" })).toBe(MEETING.length);
		expect(await count({}, 5)).toBe(5);
		expect(await count({ narrowed: { created: { from: NOW + 3, to: NOW + 8_193 } } })).toBe(MEETING.length - 5);
	});

	test("are found where nearly all images carry both", async () => {
		const both: LabelFilter[] = [
			{ key: "colour", values: ["red", "pink"] },
			{ key: "colour", values: ["pink", "red"] },
		];
		const wanted = (await walked(50, { labels: both.slice(1) })).slice(0, 5_000);
		expect((await walked(1_000, { labels: both })).slice(0, 5_000)).toEqual(wanted);
		expect(await count({ labels: both })).toBe(await count({ labels: both.slice(1) }));
	});
});
