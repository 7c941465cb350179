import { describe, expect, test } from "bun:test";
import { migratedDatabase, NOW, newImage, type Scratch, seedApp } from "@svc/test/support/scratch";
import { TestLog } from "@svc/test/support/service";
import { imageStore } from "../images-store.ts";
import { purgeFollower } from "./purge-log.ts";
import { purgeLogStore } from "./purge-log-store.ts";

/* A machine's renditions are a list of blobs here; the images and the log are in a real database. */

async function world() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const images = imageStore(scratch.database);
	const kept = new Set<string>();
	const purges = purgeLogStore(scratch.database);
	const renditions = {
		purge: async (blobKey: string) => void kept.delete(blobKey),
		blobKeys: () => [...kept],
	};
	const follower = purgeFollower({ purges, renditions, log: new TestLog() }, async () => undefined);
	return {
		scratch,
		purges,
		kept,
		follower,
		/** Images whose renditions are kept. */
		async add(...names: readonly number[]) {
			for (const name of names) {
				const image = newImage(access, name);
				await images.claimBlob(image.blobKey, NOW);
				expect(await images.commitCreate(image, access)).toBeUndefined();
				kept.add(image.blobKey);
			}
		},
		async remove(name: number) {
			const { id } = newImage(access, name);
			const image = await images.find(access.storage.pk, id, NOW);
			if (image) await images.delete(image, "sweeper", NOW);
		},
		block: (name: number) =>
			scratch.sql(`UPDATE images SET status = 'blocked' WHERE id = '${newImage(access, name).id}'`),
		blobKeyOf: (name: number) => newImage(access, name).blobKey,
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const age = ({ sql }: Scratch, seconds: number) => sql(`UPDATE purges SET at_s = at_s - ${seconds}`);

describe("a machine's renditions", () => {
	test("go with images that others delete or block, and no others", async () => {
		await using all = await world();
		await all.add(1, 2, 3);
		await all.follower.follow();
		await all.remove(1);
		await all.block(2);
		await all.follower.follow();
		expect([...all.kept]).toEqual([all.blobKeyOf(3)]);
	});

	test("go however many images are deleted at once", async () => {
		await using all = await world();
		await all.follower.follow();
		const many = Array.from({ length: 2_500 }, (_, place) => `('b${place}', 1)`);
		await all.scratch.sql(`INSERT INTO purges (blob_key, at_s) VALUES ${many.join(", ")}`);
		for (const place of many.keys()) all.kept.add(`b${place}`);
		await all.follower.follow();
		expect(all.kept.size).toBe(0);
	});

	test("are compared with the database, a thousand at once, where nobody told", async () => {
		await using all = await world();
		await all.add(1, 2, 3);
		await all.remove(1);
		await all.block(2);
		for (let place = 0; place < 2_500; place++) all.kept.add(`gone${place}`);
		expect(await all.follower.compare()).toBe(2_502);
		expect([...all.kept]).toEqual([all.blobKeyOf(3)]);
	});

	test("that were purged while they are compared are told by the log", async () => {
		await using all = await world();
		await all.add(1);
		const comparing = all.follower.compare();
		await all.remove(1);
		await comparing;
		await all.follower.follow();
		expect(all.kept.size).toBe(0);
	});
});

describe("the log", () => {
	test("is kept for hours", async () => {
		await using all = await world();
		await all.add(1);
		await all.remove(1);
		await age(all.scratch, 5 * 3_600);
		expect(await all.purges.forget(10)).toBe(0);
		await age(all.scratch, 2 * 3_600);
		expect(await all.purges.forget(10)).toBe(1);
	});
});
