import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { type PublicRow, sitemap } from "./sitemap.ts";
import type { VisibleImageStore } from "./visible-images-store.ts";

const rowOf = (pk: number, listed = true): PublicRow => ({
	pk,
	id: `img_${pk}`,
	teamHash: "team",
	format: "jpg",
	createdMs: pk,
	listed,
});

/** A store of so many public images, every second pk, that counts what it is asked. */
function world(count: number, entriesMax?: number, listed: (pk: number) => boolean = () => true) {
	const rows = Array.from({ length: count }, (_, place) => rowOf(place * 2 + 1, listed(place * 2 + 1)));
	const asked = { next: 0, list: 0, largest: 0, atOnce: 0, now: 0 };
	const store: Pick<VisibleImageStore, "findNext" | "listPublic"> & { broken: boolean } = {
		broken: false,
		async findNext(fromPk, skip) {
			asked.next++;
			return rows.filter(({ pk }) => pk >= fromPk)[skip]?.pk;
		},
		async listPublic({ fromPk, beforePk = Number.POSITIVE_INFINITY }, limit) {
			if (this.broken) throw new Error("no database");
			asked.list++;
			asked.now++;
			asked.atOnce = Math.max(asked.atOnce, asked.now);
			await Bun.sleep(0);
			asked.now--;
			const page = rows.filter(({ pk }) => pk >= fromPk && pk < beforePk).slice(0, limit);
			asked.largest = Math.max(asked.largest, page.length);
			return page;
		},
	};
	const clock = { at: 1_000_000, now: () => clock.at };
	return { rows, asked, store, clock, edition: sitemap({ visibleImages: store, clock }, entriesMax) };
}

async function idsOf(all: ReturnType<typeof world>, number: number): Promise<string[] | undefined> {
	const file = await (await all.edition()).file(number);
	return file?.parts.flatMap((part) => [...part].map(({ id }) => id));
}

describe("the sitemap", () => {
	test("no file grows past its bound by what comes after the cut; that is in the next edition", async () => {
		const all = world(10, 10);
		expect((await all.edition()).files).toBe(1);
		for (let pk = 21; pk < 30; pk += 2) all.rows.push(rowOf(pk));
		expect(await idsOf(all, 1)).toHaveLength(10);
		all.clock.at += 60_000;
		expect([(await all.edition()).files, (await idsOf(all, 2))?.length]).toEqual([2, 5]);
	});

	test.each([
		[0, 1],
		[1, 1],
		[10, 1],
		[11, 2],
		[20, 2],
		[21, 3],
	])("of %d images, 10 to a file, has %d files, and each image stands in one of them", async (count, files) => {
		const all = world(count, 10);
		expect((await all.edition()).files).toBe(files);
		const found: string[] = [];
		for (let number = 1; number <= files; number++) {
			const ids = (await idsOf(all, number)) ?? [];
			expect(ids.length).toBeLessThanOrEqual(10);
			found.push(...ids);
		}
		expect(found).toEqual(all.rows.map(({ id }) => id));
		for (const number of [0, files + 1, -1, 1.5]) expect(await idsOf(all, number)).toBeUndefined();
	});

	test("is read a bounded part at a time, and gives every entry as it is", async () => {
		const all = world(3_500, undefined, (pk) => pk % 3 !== 0);
		const file = await (await all.edition()).file(1);
		const entries = file?.parts.flatMap((part) => [...part]) ?? [];
		const expected = all.rows.filter(({ listed }) => listed).map(({ pk: _, listed: __, ...entry }) => entry);
		expect(entries).toEqual(expected);
		expect([all.asked.largest, all.asked.list]).toEqual([1_000, 4]);
	});

	test("is taken once a minute, however many ask at once and again", async () => {
		const all = world(25, 10);
		const ask = () => Promise.all([1, 2, 3, 1, 2, 3].map((number) => idsOf(all, number)));
		await Promise.all([ask(), ask()]);
		const once = { ...all.asked };
		expect([once.next, once.list, once.atOnce]).toEqual([3, 3, 1]);
		all.clock.at += 59_999;
		await ask();
		expect(all.asked).toEqual(once);
		expect((await all.edition()).freshSeconds()).toBe(0);
		all.clock.at += 1;
		await ask();
		expect([all.asked.next, all.asked.list]).toEqual([6, 6]);
		expect((await all.edition()).freshSeconds()).toBe(60);
		// Nor is it kept for ever when the clock goes back.
		all.clock.at -= 1;
		await ask();
		expect(all.asked.next).toBe(9);
	});

	test("keeps so many files and no more: the others come in the next minute", async () => {
		const all = world(20, 1);
		for (let number = 1; number <= 16; number++) expect(await idsOf(all, number)).toHaveLength(1);
		const refused = await idsOf(all, 17).catch((cause: unknown) => cause);
		expect(refused).toBeInstanceOf(Failure);
		expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: 61 });
		expect(await idsOf(all, 16)).toHaveLength(1);
		expect(await idsOf(all, 21)).toBeUndefined();
		all.clock.at += 60_000;
		expect(await idsOf(all, 17)).toHaveLength(1);
	});

	test("is tried again when it could not be read", async () => {
		const all = world(3);
		all.store.broken = true;
		await expect(idsOf(all, 1)).rejects.toThrow("no database");
		all.store.broken = false;
		expect(await idsOf(all, 1)).toHaveLength(3);
	});
});
