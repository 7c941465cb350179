import { describe, expect, test } from "bun:test";
import type { Access } from "@svc/apps/access";
import { DatabaseError } from "@svc/base/database-error";
import { createImage, migratedDatabase, NOW, newImage, type Scratch, seedApp } from "@svc/test/support/scratch";
import type { Image } from "./images.ts";
import { imageStore } from "./images-store.ts";
import { UNBOUNDED } from "./usage/usage.ts";

interface World extends AsyncDisposable {
	readonly scratch: Scratch;
	readonly access: Access;
	readonly images: ReturnType<typeof imageStore>;
	create(place: number, differences?: Parameters<typeof newImage>[2]): Promise<Image>;
}

async function world(): Promise<World> {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	return {
		scratch,
		access,
		images: imageStore(scratch.database),
		create: (place, differences) => createImage(scratch.database, access, newImage(access, place, differences)),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const COUNTERS = `SELECT json_array(
	(SELECT images FROM app_usage), (SELECT bytes FROM app_usage),
	(SELECT images FROM storages), (SELECT bytes FROM storages),
	(SELECT coalesce(sum(uploads), 0) FROM monthly_usage))`;

describe("commitCreate", () => {
	test("an image comes back exactly as it was committed", async () => {
		await using all = await world();
		const created = await all.create(1, {
			locked: true,
			nsfw: true,
			public: false,
			caption: "日本 'quoted' \"double\"",
			metadata: { source_url: "https://example.com/a,b?c=%20", empty: "" },
			labels: { album: "summer", "a.b-c_d": "x y" },
			expiresMs: NOW + 1,
		});
		expect(await all.images.find(all.access.storage.pk, "img_1", NOW)).toEqual(created);
		expect(await all.images.findServable("team1", "img_1", NOW)).toEqual(created);
		expect(await all.images.exists("img_1")).toBe(true);
	});

	test("one commit counts the image and its bytes, the upload of the month, the labels, the live blob and the audit", async () => {
		await using all = await world();
		await all.create(1, { bytes: 700, labels: { album: "summer", year: "2026" } });
		await all.create(2, { bytes: 300 });
		expect(await all.scratch.value(COUNTERS)).toBe("[2,1000,2,1000,2]");
		expect(await all.scratch.value("SELECT group_concat(month) FROM monthly_usage")).toBe("2026-11");
		expect(await all.scratch.value("SELECT group_concat(key || '=' || value) FROM image_labels")).toBe(
			"album=summer,year=2026",
		);
		expect(await all.scratch.value("SELECT count(*) FROM blobs WHERE state = 'live'")).toBe(2);
		expect(
			await all.scratch.sql("SELECT actor, event, target, at_ms, app_pk FROM audit WHERE event = 'image.created'"),
		).toEqual([
			{ actor: "key_1", event: "image.created", target: "img_1", at_ms: NOW, app_pk: 1 },
			{ actor: "key_1", event: "image.created", target: "img_2", at_ms: NOW, app_pk: 1 },
		]);
	});

	test("labels of an image that is not ready are kept on it, but not listed", async () => {
		await using all = await world();
		await all.create(1, { status: "processing", labels: { album: "summer" } });
		expect(await all.scratch.value("SELECT count(*) FROM image_labels")).toBe(0);
		expect((await all.images.find(all.access.storage.pk, "img_1", NOW))?.labels).toEqual({ album: "summer" });
	});

	test("quota: at the limit nothing is written, and a delete makes room again", async () => {
		await using all = await world();
		const access = { ...all.access, app: { ...all.access.app, imagesLimit: 1 } };
		const first = await all.create(1);
		await all.scratch.sql("UPDATE apps SET images_limit = 1");
		await all.images.claimBlob("img_2/nonce", NOW);
		const second = newImage(access, 2, { labels: { a: "b" } });
		expect(await all.images.commitCreate(second, access)).toBe("quota");
		expect(await all.scratch.value(COUNTERS)).toBe("[1,1000,1,1000,1]");
		expect(await all.scratch.value("SELECT state FROM blobs WHERE blob_key = 'img_2/nonce'")).toBe("pending");
		expect(await all.images.exists("img_2")).toBe(false);
		await all.images.delete(first, "key_1", NOW);
		expect(await all.images.commitCreate(second, access)).toBeUndefined();
	});

	test("quota: the plan's own limit holds without an override, and an unlimited plan has none", async () => {
		await using all = await world();
		await all.scratch.sql("UPDATE app_usage SET images = 5000");
		await all.images.claimBlob("img_1/nonce", NOW);
		expect(await all.images.commitCreate(newImage(all.access, 1), all.access)).toBe("quota");
		await all.scratch.sql("UPDATE apps SET plan = 'unlimited'");
		const unlimited = { ...all.access, app: { ...all.access.app, plan: "unlimited" as const } };
		expect(await all.images.commitCreate(newImage(all.access, 1), unlimited)).toBeUndefined();
	});

	test("quota: of twelve commits at once for five places exactly five pass", async () => {
		await using all = await world();
		const access = { ...all.access, app: { ...all.access.app, imagesLimit: 5 } };
		await all.scratch.sql("UPDATE apps SET images_limit = 5");
		const outcomes = await Promise.all(
			Array.from({ length: 12 }, async (_, place) => {
				const image = newImage(access, place);
				await all.images.claimBlob(image.blobKey, NOW);
				return await all.images.commitCreate(image, access);
			}),
		);
		expect(outcomes.filter((refused) => refused === undefined)).toHaveLength(5);
		expect(outcomes.filter((refused) => refused === "quota")).toHaveLength(7);
		expect(await all.scratch.value(COUNTERS)).toBe("[5,5000,5,5000,5]");
	});

	test("quota: the bytes that a storage may hold count the new image, and what is refused leaves nothing", async () => {
		await using all = await world();
		const bounded = imageStore(all.scratch.database, { quotaOf: () => ({ ...UNBOUNDED, bytes: 1_000 }) });
		for (const place of [1, 2, 3]) await all.images.claimBlob(`img_${place}/nonce`, NOW);
		expect(await bounded.commitCreate(newImage(all.access, 1, { bytes: 1_001 }), all.access)).toBe("quota");
		expect(await bounded.commitCreate(newImage(all.access, 2, { bytes: 1_000 }), all.access)).toBeUndefined();
		expect(await bounded.commitCreate(newImage(all.access, 3, { bytes: 1 }), all.access)).toBe("quota");
		expect(await all.scratch.value(COUNTERS)).toBe("[1,1000,1,1000,1]");
	});

	test("closed: what was read under other limits than hold by now takes nothing", async () => {
		await using all = await world();
		await all.images.claimBlob("img_1/nonce", NOW);
		for (const set of ["images_limit = 9", "images_limit = NULL, plan = 'pro'", "plan = 'free', tier = 'pro'"]) {
			await all.scratch.sql(`UPDATE apps SET ${set}`);
			expect(await all.images.commitCreate(newImage(all.access, 1), all.access)).toBe("closed");
		}
		await all.scratch.sql("UPDATE apps SET tier = 'free'");
		expect(await all.images.commitCreate(newImage(all.access, 1), all.access)).toBeUndefined();
	});

	test("closed: a storage that is being emptied takes nothing, even below the limit", async () => {
		await using all = await world();
		await all.scratch.sql("UPDATE storages SET state = 'deleting'");
		await all.images.claimBlob("img_1/nonce", NOW);
		expect(await all.images.commitCreate(newImage(all.access, 1), all.access)).toBe("closed");
		expect(await all.images.findServable("team1", "img_1", NOW)).toBeUndefined();
	});

	test("fenced: no blob row, a dead blob and a second commit of one blob are all refused", async () => {
		await using all = await world();
		const image = newImage(all.access, 1);
		expect(await all.images.commitCreate(image, all.access)).toBe("fenced");
		await all.images.claimBlob(image.blobKey, NOW);
		expect(await all.images.markBlobDead(image.blobKey, NOW)).toBe(true);
		expect(await all.images.commitCreate(image, all.access)).toBe("fenced");
		await all.create(2);
		expect(await all.images.commitCreate(newImage(all.access, 2), all.access)).toBe("fenced");
		expect(await all.scratch.value(COUNTERS)).toBe("[1,1000,1,1000,1]");
	});

	test("fenced: of two nonces for one image id the second finds it taken", async () => {
		await using all = await world();
		await all.create(1);
		await all.images.claimBlob("img_1/other", NOW);
		const late = newImage(all.access, 1, { blobKey: "img_1/other" });
		expect(await all.images.commitCreate(late, all.access)).toBe("fenced");
		expect(await all.scratch.value("SELECT state FROM blobs WHERE blob_key = 'img_1/other'")).toBe("pending");
	});

	test("a blob key is claimed once", async () => {
		await using all = await world();
		await all.images.claimBlob("img_1/nonce", NOW);
		await expect(all.images.claimBlob("img_1/nonce", NOW)).rejects.toBeInstanceOf(DatabaseError);
	});
});

describe("find", () => {
	test("an image is found in its own storage only, and under its own capability only", async () => {
		await using all = await world();
		await all.create(1);
		expect(await all.images.find(all.access.storage.pk + 1, "img_1", NOW)).toBeUndefined();
		expect(await all.images.findServable("team2", "img_1", NOW)).toBeUndefined();
		expect(await all.images.find(all.access.storage.pk, "img_2", NOW)).toBeUndefined();
	});

	test("an image is gone from the millisecond at which it expires", async () => {
		await using all = await world();
		await all.create(1, { expiresMs: NOW + 100 });
		expect(await all.images.find(all.access.storage.pk, "img_1", NOW + 99)).toBeDefined();
		expect(await all.images.find(all.access.storage.pk, "img_1", NOW + 100)).toBeUndefined();
		expect(await all.images.findServable("team1", "img_1", NOW + 99)).toBeDefined();
		expect(await all.images.findServable("team1", "img_1", NOW + 100)).toBeUndefined();
	});

	test("only a ready image is servable; the API finds the others", async () => {
		await using all = await world();
		for (const [place, status] of (["processing", "failed", "blocked"] as const).entries()) {
			await all.create(place, { status });
			expect(await all.images.findServable("team1", `img_${place}`, NOW)).toBeUndefined();
			expect((await all.images.find(all.access.storage.pk, `img_${place}`, NOW))?.status).toBe(status);
		}
	});
});

describe("delete", () => {
	test("totals fall, the uploads of the month stay, labels go, the blob is dead, the audit names who did it", async () => {
		await using all = await world();
		const image = await all.create(1, { bytes: 700, labels: { album: "summer" } });
		await all.create(2, { bytes: 300 });
		expect(await all.images.delete(image, "key_9", NOW + 5)).toBe(true);
		expect(await all.scratch.value(COUNTERS)).toBe("[1,300,1,300,2]");
		expect(await all.scratch.value("SELECT count(*) FROM image_labels")).toBe(0);
		expect(await all.scratch.sql("SELECT state, since_ms FROM blobs WHERE blob_key = 'img_1/nonce'")).toEqual([
			{ state: "dead", since_ms: NOW + 5 },
		]);
		expect(await all.scratch.sql("SELECT actor, target, at_ms FROM audit WHERE event = 'image.deleted'")).toEqual([
			{ actor: "key_9", target: "img_1", at_ms: NOW + 5 },
		]);
		expect(await all.images.find(all.access.storage.pk, "img_1", NOW)).toBeUndefined();
	});

	test("of eight deletes at once one does it, and the counters fall once", async () => {
		await using all = await world();
		const image = await all.create(1);
		const outcomes = await Promise.all(Array.from({ length: 8 }, () => all.images.delete(image, "key_1", NOW)));
		expect(outcomes.filter(Boolean)).toHaveLength(1);
		expect(await all.scratch.value(COUNTERS)).toBe("[0,0,0,0,1]");
		expect(await all.scratch.value("SELECT count(*) FROM audit WHERE event = 'image.deleted'")).toBe(1);
	});

	test("a locked image is deleted like any other", async () => {
		await using all = await world();
		expect(await all.images.delete(await all.create(1, { locked: true }), "key_1", NOW)).toBe(true);
	});

	test("the place of a deleted image is never given to another, so that a cursor stays true", async () => {
		await using all = await world();
		const first = await all.create(1);
		await all.images.delete(first, "key_1", NOW);
		expect((await all.create(2)).pk).toBeGreaterThan(first.pk);
	});
});

describe("sweeping", () => {
	test("listExpired gives expired images of any status, oldest first, and no more than asked", async () => {
		await using all = await world();
		await all.create(1, { expiresMs: NOW - 1 });
		await all.create(2, { expiresMs: NOW - 3, status: "failed" });
		await all.create(3, { expiresMs: NOW });
		await all.create(4, { expiresMs: NOW + 1 });
		await all.create(5);
		const ids = async (limit: number) => (await all.images.listExpired(NOW, limit)).map(({ id }) => id);
		expect(await ids(10)).toEqual(["img_2", "img_1", "img_3"]);
		expect(await ids(2)).toEqual(["img_2", "img_1"]);
	});

	test("listRemovable gives old pending and old dead blobs and never a live one", async () => {
		await using all = await world();
		await all.create(1);
		await all.images.claimBlob("old-pending", NOW - 10);
		await all.images.claimBlob("new-pending", NOW);
		await all.images.claimBlob("old-dead", NOW - 50);
		await all.images.markBlobDead("old-dead", NOW - 20);
		await all.images.claimBlob("new-dead", NOW - 50);
		await all.images.markBlobDead("new-dead", NOW - 15);
		expect(await all.images.listRemovable(NOW, NOW - 15, 10)).toEqual(["old-dead", "old-pending"]);
		expect(await all.images.listRemovable(NOW, NOW - 15, 1)).toEqual(["old-dead"]);
	});

	test("a live blob is not marked dead, a dead one keeps its age, an unknown one is nobody's", async () => {
		await using all = await world();
		await all.create(1);
		expect(await all.images.markBlobDead("img_1/nonce", NOW)).toBe(false);
		await all.images.claimBlob("doomed", NOW);
		expect(await all.images.markBlobDead("doomed", NOW + 1)).toBe(true);
		expect(await all.images.markBlobDead("doomed", NOW + 9)).toBe(true);
		expect(await all.scratch.value("SELECT since_ms FROM blobs WHERE blob_key = 'doomed'")).toBe(NOW + 1);
		expect(await all.images.markBlobDead("unknown", NOW)).toBe(false);
	});

	test("only a dead blob is forgotten", async () => {
		await using all = await world();
		await all.create(1);
		await all.images.forgetBlob("img_1/nonce");
		expect(await all.scratch.value("SELECT state FROM blobs")).toBe("live");
		await all.images.claimBlob("doomed", NOW);
		await all.images.markBlobDead("doomed", NOW);
		await all.images.forgetBlob("doomed");
		expect(await all.scratch.value("SELECT count(*) FROM blobs")).toBe(1);
	});
});
