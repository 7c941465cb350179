import { describe, expect, test } from "bun:test";
import type { Access } from "@svc/apps/access";
import {
	addProcess,
	digest,
	migratedDatabase,
	NOW,
	newImage,
	PROCESS,
	type Scratch,
	seedApp,
} from "@svc/test/support/scratch";
import { imageStore } from "../images-store.ts";
import { type Claim, leaseAt, RETENTION_MS } from "./idempotency.ts";
import { endLeases, idempotencyStore } from "./idempotency-store.ts";

interface World extends AsyncDisposable {
	readonly scratch: Scratch;
	readonly access: Access;
	readonly images: ReturnType<typeof imageStore>;
	readonly keys: ReturnType<typeof idempotencyStore>;
	claimOf(nonce: string, imageId?: string, blobKey?: string): Claim;
	/** The image that a claim is for. */
	imageOf(claim: Claim, differences?: Parameters<typeof newImage>[2]): ReturnType<typeof newImage>;
	find(nowMs?: number): ReturnType<ReturnType<typeof idempotencyStore>["find"]>;
}

const KEY = digest(7);
const BODY = digest(8);
const LEASE = leaseAt(NOW);

async function world(): Promise<World> {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	await addProcess(scratch);
	const keys = idempotencyStore(scratch.database, PROCESS);
	const storagePk = access.storage.pk;
	return {
		scratch,
		access,
		images: imageStore(scratch.database),
		keys,
		claimOf: (nonce, imageId = "img_1", blobKey = `${imageId}/${nonce}`) => ({
			storagePk,
			keyHash: KEY,
			fingerprint: BODY,
			imageId,
			nonce,
			blobKey,
		}),
		imageOf: ({ imageId, blobKey }, differences) => newImage(access, 1, { id: imageId, blobKey, ...differences }),
		find: (nowMs = NOW) => keys.find(storagePk, KEY, nowMs),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const ROW = "SELECT json_array(claim, state, lease_ms, expires_ms) FROM idempotency";
const blobOf = (blobKey: string) => `SELECT json_array(state, since_ms) FROM blobs WHERE blob_key = '${blobKey}'`;

describe("a claim", () => {
	test("is taken once, together with its blob", async () => {
		await using all = await world();
		expect(await all.find()).toEqual({ kept: undefined, keyedImage: undefined });
		expect(await all.keys.claim(all.claimOf("one"), LEASE, NOW)).toBe(true);
		expect(await all.keys.claim(all.claimOf("two", "img_2"), LEASE, NOW)).toBe(false);
		expect(await all.scratch.value("SELECT group_concat(blob_key) FROM blobs")).toBe("img_1/one");
		const kept = {
			fingerprint: BODY,
			imageId: "img_1",
			nonce: "one",
			leaseMs: LEASE.untilMs,
			isAbandoned: false,
			state: "claimed",
		} as const;
		expect(await all.find()).toEqual({ kept, keyedImage: undefined });
	});

	test("is abandoned once its process is dead, and held again by whoever takes it over", async () => {
		await using all = await world();
		await all.keys.claim(all.claimOf("one"), LEASE, NOW);
		await all.scratch.sql("DELETE FROM processes");
		await addProcess(all.scratch, "another");
		const { kept } = await all.find();
		expect(kept).toMatchObject({ nonce: "one", leaseMs: LEASE.untilMs, isAbandoned: true });
		const another = idempotencyStore(all.scratch.database, "another");
		expect(await another.takeOver(all.claimOf("two"), { nonce: "one", leaseMs: LEASE.untilMs }, LEASE, NOW)).toBe(true);
		expect((await all.find()).kept).toMatchObject({ nonce: "two", isAbandoned: false });
	});

	test("of a release that named no process counts until its lease ends", async () => {
		await using all = await world();
		await all.keys.claim(all.claimOf("one"), LEASE, NOW);
		await all.scratch.sql("UPDATE idempotency SET process = NULL");
		await all.scratch.sql("DELETE FROM processes");
		expect((await all.find()).kept).toMatchObject({ isAbandoned: false });
	});

	test("of many at once exactly one is taken", async () => {
		await using all = await world();
		const taken = await Promise.all(
			Array.from({ length: 12 }, (_, place) => all.keys.claim(all.claimOf(`n${place}`, `img_${place}`), LEASE, NOW)),
		);
		expect(taken.filter(Boolean)).toHaveLength(1);
		expect(await all.scratch.value("SELECT count(*) FROM blobs")).toBe(1);
	});

	test("belongs to its storage: another one's same key is another key", async () => {
		await using all = await world();
		await all.keys.claim(all.claimOf("one"), LEASE, NOW);
		const elsewhere = await all.keys.find(all.access.storage.pk + 1, KEY, NOW);
		expect(elsewhere).toEqual({ kept: undefined, keyedImage: undefined });
	});

	test("that nobody finished is forgotten two leases after its own, and the key is free again", async () => {
		await using all = await world();
		await all.keys.claim(all.claimOf("one"), LEASE, NOW);
		expect((await all.find(LEASE.forgottenMs - 1)).kept).toBeDefined();
		expect((await all.find(LEASE.forgottenMs)).kept).toBeUndefined();
		expect(await all.keys.claim(all.claimOf("two", "img_2"), leaseAt(LEASE.forgottenMs), LEASE.forgottenMs)).toBe(true);
		expect(
			await all.images.commitCreate(all.imageOf(all.claimOf("one")), all.access, { claim: all.claimOf("one") }),
		).toBe("fenced");
	});

	test("is renewed by its own nonce only, and keeps its blob young", async () => {
		await using all = await world();
		const claim = all.claimOf("one");
		await all.keys.claim(claim, LEASE, NOW);
		await all.keys.renew({ ...claim, nonce: "two" }, leaseAt(NOW + 9), NOW + 9);
		expect(await all.scratch.value(blobOf(claim.blobKey))).toBe(`["pending",${NOW}]`);
		const later = leaseAt(NOW + 5);
		await all.keys.renew(claim, later, NOW + 5);
		expect(await all.scratch.value(ROW)).toBe(`["one","claimed",${later.untilMs},${later.forgottenMs}]`);
		expect(await all.scratch.value(blobOf(claim.blobKey))).toBe(`["pending",${NOW + 5}]`);
	});

	test("is surrendered and released by its own nonce only; a release condemns the blob", async () => {
		await using all = await world();
		const claim = all.claimOf("one");
		const stranger = { ...claim, nonce: "two" };
		await all.keys.claim(claim, LEASE, NOW);
		await all.keys.surrender(stranger, NOW);
		expect(await all.keys.release(stranger, NOW)).toBe(false);
		expect((await all.find()).kept?.leaseMs).toBe(LEASE.untilMs);
		await all.keys.surrender(claim, NOW);
		expect((await all.find()).kept?.leaseMs).toBe(NOW);
		expect(await all.keys.release(claim, NOW + 3)).toBe(true);
		expect((await all.find()).kept).toBeUndefined();
		expect(await all.scratch.value(blobOf(claim.blobKey))).toBe(`["dead",${NOW + 3}]`);
	});

	test("a start ends the leases of whoever is gone", async () => {
		await using all = await world();
		await all.keys.claim(all.claimOf("one"), LEASE, NOW);
		await endLeases(all.scratch.database, NOW + 1);
		expect((await all.find()).kept?.leaseMs).toBe(NOW + 1);
	});
});

describe("a takeover", () => {
	test("starts over under a new nonce, unless the lease was renewed since it was read", async () => {
		await using all = await world();
		const [one, two] = [all.claimOf("one"), all.claimOf("two")];
		await all.keys.claim(one, LEASE, NOW);
		const dead = { nonce: "one", leaseMs: LEASE.untilMs };
		await all.keys.renew(one, leaseAt(NOW + 1), NOW + 1);
		expect(await all.keys.takeOver(two, dead, LEASE, NOW)).toBe(false);
		const renewed = { nonce: "one", leaseMs: leaseAt(NOW + 1).untilMs };
		expect(await all.keys.takeOver(two, renewed, LEASE, NOW)).toBe(true);
		expect(await all.keys.takeOver(all.claimOf("three"), renewed, LEASE, NOW)).toBe(false);
		expect(await all.scratch.value("SELECT group_concat(blob_key) FROM blobs")).toBe("img_1/one,img_1/two");
		expect(await all.images.commitCreate(all.imageOf(one), all.access, { claim: one })).toBe("fenced");
		expect(await all.images.commitCreate(all.imageOf(two), all.access, { claim: two })).toBeUndefined();
	});

	test("finishes with the image and the blob that were stored, or learns that the sweep has the blob", async () => {
		await using all = await world();
		const one = all.claimOf("one");
		const image = all.imageOf(one, { metadata: { "a,b": 'c"d' }, labels: { x: "y" }, expiresMs: NOW + 9 });
		await all.keys.claim(one, LEASE, NOW);
		await all.keys.keep(one, image, LEASE, NOW);
		const { kept } = await all.find();
		expect(kept).toMatchObject({ state: "stored", image });
		const two = all.claimOf("two", "img_1", one.blobKey);
		expect(await all.keys.resume(two, { nonce: "other", leaseMs: LEASE.untilMs }, LEASE, NOW)).toBe("fenced");
		expect(await all.keys.resume(two, { nonce: "one", leaseMs: LEASE.untilMs }, LEASE, NOW + 4)).toBeUndefined();
		expect(await all.scratch.value(blobOf(one.blobKey))).toBe(`["pending",${NOW + 4}]`);
		await all.images.markBlobDead(one.blobKey, NOW);
		const three = all.claimOf("three", "img_1", one.blobKey);
		expect(await all.keys.resume(three, { nonce: "two", leaseMs: LEASE.untilMs }, LEASE, NOW)).toBe("dead");
		expect((await all.find()).kept?.nonce).toBe("two");
	});

	test("a swept blob is not marked dead while its claim was renewed after the sweep looked", async () => {
		await using all = await world();
		const one = all.claimOf("one");
		await all.keys.claim(one, LEASE, NOW - 10);
		expect(await all.images.listRemovable(NOW, NOW, 10)).toEqual([one.blobKey]);
		await all.keys.renew(one, LEASE, NOW);
		expect(await all.images.markBlobDead(one.blobKey, NOW, NOW)).toBe(false);
	});
});

describe("a commit under a claim", () => {
	async function created(all: World, differences?: Parameters<typeof newImage>[2]) {
		const claim = all.claimOf("one");
		const image = all.imageOf(claim, differences);
		await all.keys.claim(claim, LEASE, NOW);
		expect(await all.images.commitCreate(image, all.access, { claim })).toBeUndefined();
		return { claim, image };
	}

	test("is done in the same batch, remembered for 24 hours with the image as it was", async () => {
		await using all = await world();
		const { claim, image } = await created(all, { caption: "first" });
		await all.scratch.sql("UPDATE images SET caption = 'changed'");
		const { kept } = await all.find(NOW + RETENTION_MS - 1);
		expect(kept).toMatchObject({ state: "done", exists: true, nonce: "one", image });
		expect(await all.find(NOW + RETENTION_MS)).toEqual({ kept: undefined, keyedImage: undefined });
		expect(await all.images.commitCreate(image, all.access, { claim })).toBe("fenced");
		expect(await all.keys.release(claim, NOW)).toBe(false);
	});

	test("that is refused leaves the claim as it was", async () => {
		await using all = await world();
		const claim = all.claimOf("one");
		await all.keys.claim(claim, LEASE, NOW);
		const access = { ...all.access, app: { ...all.access.app, imagesLimit: 0 } };
		await all.scratch.sql("UPDATE apps SET images_limit = 0");
		expect(await all.images.commitCreate(all.imageOf(claim), access, { claim })).toBe("quota");
		expect((await all.find()).kept?.state).toBe("claimed");
	});

	test("whose row is lost is found by the image, which also bars the key", async () => {
		await using all = await world();
		const { image } = await created(all);
		await all.scratch.sql("DELETE FROM idempotency");
		const { kept, keyedImage } = await all.find();
		expect([kept, keyedImage?.image.id, keyedImage?.fingerprint]).toEqual([undefined, image.id, BODY]);
		expect(await all.keys.claim(all.claimOf("two", "img_2"), LEASE, NOW)).toBe(false);
	});

	test("whose image is deleted or expired says so", async () => {
		await using all = await world();
		await created(all, { expiresMs: NOW + 5 });
		expect((await all.find(NOW + 4)).kept).toMatchObject({ exists: true });
		expect((await all.find(NOW + 5)).kept).toMatchObject({ exists: false });
		const image = await all.images.find(all.access.storage.pk, "img_1", NOW);
		if (image) await all.images.delete(image, "key_1", NOW);
		expect((await all.find(NOW + 4)).kept).toMatchObject({ exists: false });
	});

	test("a key that is used again after a day makes another image beside the first", async () => {
		await using all = await world();
		await created(all);
		const later = NOW + RETENTION_MS;
		const claim = all.claimOf("two", "img_2");
		expect(await all.keys.claim(claim, leaseAt(later), later)).toBe(true);
		const image = all.imageOf(claim, { createdMs: later });
		expect(await all.images.commitCreate(image, all.access, { claim })).toBeUndefined();
		expect(await all.scratch.value("SELECT group_concat(id) FROM images WHERE idempotency_hash IS NULL")).toBe("img_1");
		expect(await all.scratch.value("SELECT count(*) FROM images")).toBe(2);
	});
});

test("forget removes what find no longer finds, as many as asked, and nothing else", async () => {
	await using all = await world();
	const { database } = all.scratch;
	for (let place = 0; place < 5; place++) {
		const claim = { ...all.claimOf(`n${place}`, `img_${place}`), keyHash: digest(place) };
		await all.keys.claim(claim, { untilMs: NOW, forgottenMs: NOW + place }, NOW);
	}
	expect(await idempotencyStore(database, PROCESS).forget(NOW + 3, 3)).toBe(3);
	expect(await all.keys.forget(NOW + 3, 3)).toBe(1);
	expect(await all.keys.forget(NOW + 3, 3)).toBe(0);
	expect(await all.scratch.value("SELECT count(*) FROM idempotency")).toBe(1);
});

test("keys are found, forgotten and told from images by index", async () => {
	await using all = await world();
	const plan = async (query: string) => {
		const rows = await all.scratch.database.read(() =>
			all.scratch.database.queries.values<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${query}`),
		);
		return rows.map((row) => row[3]).join();
	};
	expect(await plan("SELECT 1 FROM images WHERE storage_pk = 1 AND idempotency_hash = x'00'")).toContain(
		"images_idempotency",
	);
	expect(await plan("SELECT 1 FROM idempotency WHERE expires_ms <= 1")).toContain("idempotency_expiry");
});
