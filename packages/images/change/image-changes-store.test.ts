import { describe, expect, test } from "bun:test";
import type { Access } from "@svc/apps/access";
import { DatabaseError } from "@svc/base/database-error";
import { createImage, migratedDatabase, NOW, newImage, type Scratch, seedApp } from "@svc/test/support/scratch";
import type { Image } from "../images.ts";
import { imageStore } from "../images-store.ts";

interface World extends AsyncDisposable {
	readonly scratch: Scratch;
	readonly access: Access;
	create(differences?: Parameters<typeof newImage>[2]): Promise<Image>;
	/** An update through a store of its own: to the others, another process. */
	update(change: (image: Image) => Image, nowMs?: number): Promise<Image | undefined>;
}

async function world(): Promise<World> {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const place = { storagePk: access.storage.pk, id: "img_1" };
	return {
		scratch,
		access,
		create: (differences) => createImage(scratch.database, access, newImage(access, 1, differences)),
		update: (change, nowMs = NOW) => imageStore(scratch.database).update(place, change, "key_9", nowMs),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const LABELS = "SELECT json_group_array(json_array(key, value, published_ms, expires_ms)) FROM image_labels";
const UPDATES = "SELECT count(*) FROM audit WHERE event = 'image.updated'";

function found({ scratch, access }: World): Promise<Image | undefined> {
	return imageStore(scratch.database).find(access.storage.pk, "img_1", NOW);
}

describe("update", () => {
	test("writes what changed with the next revision, and gives back what is then stored", async () => {
		await using all = await world();
		const before = await all.create({ metadata: { a: "1" }, labels: { k: "v" } });
		const after = { caption: "日本", public: true, publishedMs: NOW - 5, metadata: { b: "2" }, labels: { z: "9" } };
		const updated = await all.update((image) => ({ ...image, ...after }));
		expect(updated).toEqual({ ...before, ...after, revision: 2 });
		expect(await found(all)).toEqual(updated);
	});

	test("those of one image read what the one before them has left", async () => {
		await using all = await world();
		await all.create();
		const store = imageStore(all.scratch.database);
		const seen: number[] = [];
		const place = { storagePk: all.access.storage.pk, id: "img_1" };
		const update = (caption: string) =>
			store.update(
				place,
				(image) => {
					seen.push(image.revision);
					return { ...image, caption };
				},
				{ ...all.access, requestId: "req_1" },
				NOW,
			);
		await Promise.all([update("a"), update("b"), update("c")]);
		expect(seen).toEqual([1, 2, 3]);
		expect((await found(all))?.caption).toBe("c");
	});

	test("label rows follow the labels, the date and the expiry of their image", async () => {
		await using all = await world();
		await all.create({ labels: { a: "1", b: "2" } });
		await all.update((image) => ({ ...image, publishedMs: 7 }));
		expect(await all.scratch.value(LABELS)).toBe('[["a","1",7,null],["b","2",7,null]]');
		await all.update((image) => ({ ...image, expiresMs: NOW + 9 }));
		expect(await all.scratch.value(LABELS)).toBe(`[["a","1",7,${NOW + 9}],["b","2",7,${NOW + 9}]]`);
		await all.update((image) => ({ ...image, labels: { b: "3" } }));
		expect(await all.scratch.value(LABELS)).toBe(`[["b","3",7,${NOW + 9}]]`);
	});

	test("the audit names who did it, in the same commit", async () => {
		await using all = await world();
		await all.create();
		await all.update((image) => ({ ...image, caption: "x" }), NOW + 5);
		expect(
			await all.scratch.sql("SELECT actor, target, at_ms, app_pk FROM audit WHERE event = 'image.updated'"),
		).toEqual([{ actor: "key_9", target: "img_1", at_ms: NOW + 5, app_pk: 1 }]);
	});

	test("an image that is given back as it is costs no write", async () => {
		await using all = await world();
		const before = await all.create();
		expect(await all.update((image) => image)).toEqual(before);
		expect((await found(all))?.revision).toBe(1);
		expect(await all.scratch.value(UPDATES)).toBe(0);
	});

	test("what the change throws is passed on, and nothing is written", async () => {
		await using all = await world();
		const before = await all.create();
		const refusal = new Error("no");
		const outcome = all.update(() => {
			throw refusal;
		});
		await expect(outcome).rejects.toBe(refusal);
		expect(await found(all)).toEqual(before);
	});

	test("no image, one of another storage and an expired one are not there to change", async () => {
		await using all = await world();
		const change = () => {
			throw new Error("must not be asked");
		};
		expect(await all.update(change)).toBeUndefined();
		await all.create({ expiresMs: NOW });
		expect(await all.update(change)).toBeUndefined();
		const elsewhere = { storagePk: all.access.storage.pk + 1, id: "img_1" };
		const images = imageStore(all.scratch.database);
		expect(await images.update(elsewhere, change, "key_9", NOW - 1)).toBeUndefined();
	});

	test("thirty changes at once through stores that know nothing of each other all land", async () => {
		await using all = await world();
		await all.create();
		const stores = Array.from({ length: 3 }, () => imageStore(all.scratch.database));
		const place = { storagePk: all.access.storage.pk, id: "img_1" };
		await Promise.all(
			Array.from({ length: 30 }, (_, n) => {
				const add = (image: Image) => ({ ...image, metadata: { ...image.metadata, [`k${n}`]: "v" } });
				return stores[n % 3]?.update(place, add, "key_9", NOW);
			}),
		);
		const image = await found(all);
		expect(Object.keys(image?.metadata ?? {})).toHaveLength(30);
		expect(image?.revision).toBe(31);
		expect(await all.scratch.value(UPDATES)).toBe(30);
	});

	test.each([
		["another change", "UPDATE images SET caption = 'theirs', revision = revision + 1", 2],
		["a lock", "UPDATE images SET locked_ms = 1", 2],
		["a block", "UPDATE images SET status = 'blocked', block_reason = 'spam'", 2],
		["its expiry", `UPDATE images SET expires_ms = ${NOW}`, 1],
		["its deletion", "DELETE FROM images", 1],
	])("%s between read and commit makes it read again", async (_, meanwhile, asked) => {
		await using all = await world();
		await all.create();
		const seen: Image[] = [];
		let moved: Promise<unknown> = Promise.resolve();
		// The writer works in order: what is queued here is committed before the change that is about to be.
		await all.update((image) => {
			seen.push(image);
			if (seen.length > 1) return image;
			moved = all.scratch.sql(meanwhile);
			return { ...image, caption: "ours" };
		});
		await moved;
		expect(seen).toHaveLength(asked);
		expect(await all.scratch.value("SELECT count(*) FROM images WHERE caption = 'ours'")).toBe(0);
		expect(await all.scratch.value(UPDATES)).toBe(0);
	});

	test("an image that never stands still is given up on, and the next change is not held up by it", async () => {
		await using all = await world();
		await all.create();
		const images = imageStore(all.scratch.database);
		const place = { storagePk: all.access.storage.pk, id: "img_1" };
		const restless = images.update(
			place,
			(image) => {
				void all.scratch.sql("UPDATE images SET revision = revision + 1");
				return { ...image, caption: "ours" };
			},
			"key_9",
			NOW,
		);
		const next = images.update(place, (image) => ({ ...image, caption: "next" }), "key_9", NOW);
		await expect(restless).rejects.toThrow("moved 20 times");
		expect((await next)?.caption).toBe("next");
	});

	test("a failure in the middle of the commit leaves image, label rows and audit as they were", async () => {
		await using all = await world();
		const before = await all.create({ labels: { a: "1" } });
		await all.scratch.sql("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'broken'); END");
		const outcome = all.update((image) => ({ ...image, labels: { b: "2" } }));
		await expect(outcome).rejects.toBeInstanceOf(DatabaseError);
		expect(await found(all)).toEqual(before);
		expect(await all.scratch.value(LABELS)).toBe(`[["a","1",${NOW + 1},null]]`);
	});
});
