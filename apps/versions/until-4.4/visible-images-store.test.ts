import { expect, test } from "bun:test";
import { imageStore } from "@svc/images/images-store";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { type SQL, sql } from "drizzle-orm";
import { nextPublic, publicRows, visibleImageStore } from "./visible-images-store.ts";

async function world() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	return {
		scratch,
		store: visibleImageStore(scratch.database),
		images: imageStore(scratch.database),
		create: (place: number, differences: Parameters<typeof newImage>[2] = {}) =>
			createImage(scratch.database, access, newImage(access, place, differences)),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

test("findPublic: by id alone, of whatever status, while it is public, unexpired and kept", async () => {
	await using all = await world();
	for (const [place, status] of (["ready", "processing", "failed", "blocked"] as const).entries()) {
		const image = await all.create(place, { id: `img_${status}`, status, public: true, expiresMs: NOW + 10 });
		expect(await all.images.findPublic(image.id, NOW)).toEqual(image);
		expect(await all.images.findPublic(image.id, NOW + 10)).toBeUndefined();
	}
	await all.create(10, { public: false });
	await all.create(11, { public: null });
	for (const id of ["img_10", "img_11", "img_12"]) expect(await all.images.findPublic(id, NOW)).toBeUndefined();
	await all.scratch.sql("UPDATE storages SET state = 'deleting'");
	expect(await all.images.findPublic("img_ready", NOW)).toBeUndefined();
});

test("findFor: whoever is in the team, or whose storage it is; nobody else, and not past its time", async () => {
	await using all = await world();
	const image = await all.create(1, { public: false, expiresMs: NOW + 10 });
	for (const pk of [2, 3, 4]) {
		await all.scratch.sql(`INSERT INTO accounts (pk, id, email, email_norm, status, created_ms)
			VALUES (${pk}, 'acc_${pk}', '${pk}@e.com', '${pk}@e.com', 'active', 0)`);
	}
	await all.scratch.sql("INSERT INTO members (app_pk, account_pk, role, created_ms) VALUES (1, 2, 'viewer', 0)");
	await all.scratch.sql(`INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, created_ms)
		VALUES (9, 'sto_9', 1, 'user', 3, 'team9', 'active', 0)`);
	const seen = async () => {
		const found = await Promise.all([1, 2, 3, 4].map((pk) => all.store.findFor(pk, image.id, NOW)));
		return found.flatMap((one, place) => (one ? [place + 1] : []));
	};
	expect(await seen()).toEqual([1, 2]);
	expect(await all.store.findFor(1, image.id, NOW)).toEqual(image);
	expect(await all.store.findFor(1, image.id, NOW + 10)).toBeUndefined();
	expect(await all.store.findFor(1, "img_2", NOW)).toBeUndefined();
	await all.scratch.sql("UPDATE images SET storage_pk = 9");
	expect(await seen()).toEqual([1, 2, 3]);
	await all.scratch.sql("UPDATE storages SET state = 'deleting' WHERE pk = 9");
	expect(await seen()).toEqual([]);
});

test("listPublic: in order, a stretch at a time, and says what search engines may be told", async () => {
	await using all = await world();
	await all.create(1, { public: true });
	await all.create(2, { public: false });
	await all.create(3, { public: true, nsfw: true });
	await all.create(4, { public: true, status: "blocked", blockReason: "spam" });
	await all.create(5, { public: true, expiresMs: NOW + 10, format: "png" });
	await all.create(6, { public: null });
	await all.create(7, { public: true, status: "processing" });
	const rows = await all.store.listPublic({ fromPk: 0, beforePk: undefined }, 100, NOW);
	expect(rows.map(({ id, listed }) => [id, listed])).toEqual([
		["img_1", true],
		["img_3", false],
		["img_4", false],
		["img_5", true],
		["img_7", false],
	]);
	expect(rows[3]).toEqual({
		pk: rows[3]?.pk ?? 0,
		id: "img_5",
		teamHash: "team1",
		format: "png",
		createdMs: NOW,
		listed: true,
	});
	const pks = rows.map(({ pk }) => pk);
	const ids = async (fromPk = 0, beforePk?: number, limit = 100, nowMs = NOW) =>
		(await all.store.listPublic({ fromPk, beforePk }, limit, nowMs)).map(({ id, listed }) => (listed ? id : "-"));
	expect(await ids(pks[1], pks[4])).toEqual(["-", "-", "img_5"]);
	expect(await ids(pks[1], pks[4], 2)).toEqual(["-", "-"]);
	expect(await ids(pks[3], undefined, 100, NOW + 10)).toEqual(["-", "-"]);
	expect(await Promise.all([0, 1, 4, 5].map((count) => all.store.findNext(0, count)))).toEqual([
		pks[0],
		pks[1],
		pks[4],
		undefined,
	]);
	await all.scratch.sql("UPDATE storages SET state = 'deleting'");
	expect(await ids()).toEqual(["-", "-", "-", "-", "-"]);
});

test("a walk reads the index of the public images and no image that it does not show", async () => {
	await using all = await world();
	const { database } = all.scratch;
	const planOf = async (query: SQL) =>
		(await database.read(() => database.queries.values<unknown[]>(sql`EXPLAIN QUERY PLAN ${query}`))).map((row) =>
			String(row[3]),
		);
	expect(await planOf(nextPublic(1, 50_000))).toEqual(["SEARCH images USING COVERING INDEX images_public (pk>?)"]);
	expect(await planOf(publicRows({ fromPk: 1, beforePk: 9 }, 5, NOW))).toEqual([
		"CO-ROUTINE page",
		"SEARCH images USING COVERING INDEX images_public (pk>? AND pk<?)",
		"SCAN page",
		"SEARCH images USING INTEGER PRIMARY KEY (rowid=?)",
		"SEARCH storages USING INTEGER PRIMARY KEY (rowid=?)",
		// Of one page.
		"USE TEMP B-TREE FOR ORDER BY",
	]);
});
