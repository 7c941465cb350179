import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiApp } from "@svc/api/app";
import type { Ticker } from "@svc/base/ports";
import { firstStart } from "@svc/operator/bootstrap";
import { readConfig } from "@svc/server/config/config";
import { wire } from "@svc/server/wire/service";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import {
	deadImages,
	type KeyedCreates,
	made,
	openKeyedCreates,
	refusal,
	slowBlobs,
	uploadRequest,
} from "../../support/keyed-creates.ts";
import { errorOf, form, headersOf } from "../../support/requests.ts";
import { changedRoom, TestClock, TestLog } from "../../support/service.ts";

let world: KeyedCreates;
beforeAll(async () => {
	world = await openKeyedCreates();
});
afterAll(() => world.close());

const gone = () => Promise.reject(new Error("the answer was lost"));

describe("a create that did not end", () => {
	test("is taken over once its lease is dead, and finished from what was stored: no second fetch", async () => {
		const before = await world.stored();
		const key = world.newKey();
		const { reached, store } = deadImages(world.service.rooms);
		void world.process({ store }).importFrom(key, "/killed.png");
		await reached;
		expect((await refusal(world.importUnder(key, "/killed.png"))).code).toBe("idempotency_key_in_progress");
		world.service.clock.advance(61_000);
		const { image, replayed } = await made(world.importUnder(key, "/killed.png"));
		expect([image.width, replayed]).toEqual([6, null]);
		expect(world.asked.filter((path) => path === "/killed.png")).toHaveLength(1);
		expect((await world.service.open(image.url)).status).toBe(200);
		expect(await world.stored()).toBe(before + 1);
	});

	test("is done again where its blob is not whole", async () => {
		const key = world.newKey();
		const lost: string[] = [];
		const { reached, store } = deadImages(world.service.rooms, (blobKey) => lost.push(blobKey));
		void world.process({ store }).upload(key);
		await reached;
		for (const blobKey of lost) await world.service.rooms.images.blobs.remove(blobKey);
		world.service.clock.advance(61_000);
		const { image } = await made(world.create(key));
		expect((await world.service.open(image.url)).status).toBe(200);
	});

	test("is not taken over while it beats; when it wakes up too late, it is fenced and gives the other's answer", async () => {
		const before = await world.stored();
		const key = world.newKey();
		const beats: (() => Promise<void>)[] = [];
		const ticker: Ticker = {
			every(milliseconds, work) {
				expect(milliseconds).toBe(15_000);
				beats.push(work);
				return () => beats.splice(0);
			},
		};
		const { reached, open, blobs } = slowBlobs(world.service.rooms);
		const sleeper = world.process({ ticker, blobs }).upload(key);
		await reached;
		for (let beat = 0; beat < 3; beat++) {
			world.service.clock.advance(50_000);
			await beats[0]?.();
			expect((await refusal(world.create(key))).code).toBe("idempotency_key_in_progress");
		}
		world.service.clock.advance(61_000);
		const { image, replayed } = await made(world.create(key));
		expect(replayed).toBeNull();
		open();
		expect(await made(sleeper)).toEqual({ status: 201, image, replayed: "true" });
		expect(beats).toEqual([]);
		expect(await world.stored()).toBe(before + 1);
	});

	test("does not hold its key over a restart", async () => {
		const dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
		const config = readConfig({ SVC_DATA_DIR: dataDir });
		const start = () => wire(config, { clock: new TestClock(), log: new TestLog() });
		const before = await start();
		const first = await firstStart(before.rooms.operator, config.mode);
		const headers = { Authorization: `Bearer ${first?.apiKey}`, "Idempotency-Key": "k" };
		const { reached, store } = deadImages(before.rooms);
		void apiApp(changedRoom(before.rooms, "images", { store }), before.version.api).handle(
			uploadRequest(world.file, headers),
		);
		await reached;
		await before.close();
		const after = await start();
		const { replayed } = await made(apiApp(after.rooms, after.version.api).handle(uploadRequest(world.file, headers)));
		expect(replayed).toBeNull();
		expect(await countOf(after.database, sql`SELECT count(*) FROM images`)).toBe(1);
		await after.close();
		await rm(dataDir, { recursive: true });
	});

	test("and that nobody retries is swept: key, blob row and file", async () => {
		const key = world.newKey();
		const { reached, store } = deadImages(world.service.rooms);
		void world.process({ store }).upload(key);
		await reached;
		world.service.clock.advance(2 * 3_600_000);
		const swept = await world.service.sweep();
		expect(swept.keys).toBeGreaterThan(0);
		expect(swept.blobs).toBeGreaterThan(0);
		expect(await countOf(world.service.database, sql`SELECT count(*) FROM blobs WHERE state = 'pending'`)).toBe(0);
		expect((await made(world.create(key))).replayed).toBeNull();
	});

	test("a client that hangs up once its body is here changes nothing", async () => {
		const key = world.newKey();
		const { reached, open, blobs } = slowBlobs(world.service.rooms);
		const done = Promise.withResolvers<number>();
		const api = apiApp(changedRoom(world.service.rooms, "images", { blobs }), world.service.version.api);
		const server = Bun.serve({
			port: 0,
			async fetch(request) {
				const response = await api.handle(request);
				done.resolve(response.status);
				return response;
			},
		});
		const hangUp = new AbortController();
		const headers = headersOf(world.service, world.under(key));
		const init = { method: "POST", body: form(world.file, "a.png"), headers, signal: hangUp.signal };
		const call = fetch(`${server.url.origin}/v1/images`, init);
		await reached;
		hangUp.abort();
		expect(await call.catch((cause: unknown) => (cause as Error).name)).toBe("AbortError");
		open();
		expect(await done.promise).toBe(201);
		expect((await made(world.create(key))).replayed).toBe("true");
		await server.stop(true);
	});
});

describe("an answer that is lost", () => {
	test("503 when nobody knows whether it was saved; the identical request finds out [idem.ambiguous, idem.ambiguous-no-duplicate]", async () => {
		for (const saved of [true, false]) {
			const before = await world.stored();
			const key = world.newKey();
			const images = world.service.rooms.images.store;
			const { idempotency } = world.service.rooms.images;
			let isLost = false;
			const commitCreate: typeof images.commitCreate = async (...given) => {
				if (saved) await images.commitCreate(...given);
				isLost = true;
				return gone();
			};
			const find: typeof idempotency.find = (...given) => (isLost ? gone() : idempotency.find(...given));
			const broken = world.process({ store: { ...images, commitCreate }, idempotency: { ...idempotency, find } });
			const answer = await broken.upload(key);
			expect(answer.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(answer)).toMatchObject({
				status: 503,
				type: "api_error",
				code: "create_outcome_ambiguous",
				action: { type: "wait", retry_after: 2 },
			});
			expect(await world.stored()).toBe(before + (saved ? 1 : 0));
			expect((await made(world.create(key))).replayed).toBe(saved ? "true" : null);
			expect(await world.stored()).toBe(before + 1);
		}
	});

	test("is looked up: 201 when it was saved, saved again when it was not, once [idem.ambiguous-no-duplicate]", async () => {
		for (const saved of [true, false]) {
			const before = await world.stored();
			const key = world.newKey();
			const images = world.service.rooms.images.store;
			let tries = 0;
			const commitCreate: typeof images.commitCreate = async (...given) => {
				if (tries++ > 0) return images.commitCreate(...given);
				if (saved) await images.commitCreate(...given);
				return gone();
			};
			const { image, replayed } = await made(world.process({ store: { ...images, commitCreate } }).upload(key));
			expect([replayed, tries]).toEqual([null, saved ? 1 : 2]);
			expect(await made(world.create(key))).toEqual({ status: 201, image, replayed: "true" });
			expect(await world.stored()).toBe(before + 1);
		}
	});

	test("a commit that never works is a 500 that kept nothing, and the key is free", async () => {
		const before = await world.stored();
		const key = world.newKey();
		const images = world.service.rooms.images.store;
		expect((await refusal(world.process({ store: { ...images, commitCreate: gone } }).upload(key))).code).toBe(
			"upload_failed",
		);
		expect(await world.stored()).toBe(before);
		expect((await made(world.create(key, { caption: "another body" }))).replayed).toBeNull();
	});

	test("a claim whose answer was lost does not hold the key", async () => {
		const key = world.newKey();
		const { idempotency } = world.service.rooms.images;
		const claim: typeof idempotency.claim = async (...given) => {
			await idempotency.claim(...given);
			return gone();
		};
		expect((await refusal(world.process({ idempotency: { ...idempotency, claim } }).upload(key))).code).toBe(
			"upload_failed",
		);
		expect((await made(world.create(key))).replayed).toBeNull();
	});

	test("a lost row is made up for by the image itself: the original, not a replay, and no second image [idem.recover-original]", async () => {
		const key = world.newKey();
		const { image } = await made(world.create(key));
		const before = await world.stored();
		await world.loseRows();
		expect(await made(world.create(key))).toEqual({ status: 201, image, replayed: null });
		expect((await refusal(world.create(key, { caption: "other" }))).code).toBe("idempotency_key_conflict");
		expect(await world.stored()).toBe(before);
	});

	test("an import is recovered the same way, its address reachable or not [idem.lost-cache-import]", async () => {
		const key = world.newKey();
		const { image } = await made(world.importUnder(key, "/lost.png"));
		await world.loseRows();
		world.reachable = false;
		expect(await made(world.importUnder(key, "/lost.png"))).toEqual({ status: 201, image, replayed: null });
		world.reachable = true;
		expect((await made(world.importUnder(key, "/lost.png"))).image).toEqual(image);
		expect(world.asked.filter((path) => path === "/lost.png")).toHaveLength(1);
	});
});
