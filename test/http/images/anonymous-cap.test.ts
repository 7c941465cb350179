import { beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiApp } from "@svc/api/app";
import type { ApiRooms } from "@svc/api/kit/rooms";
import { sql } from "drizzle-orm";
import { imageOf, importWithoutKey, type Stranger, turnsOf, uploadWithoutKey } from "../../support/anonymous.ts";
import { countOf } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, upload } from "../../support/requests.ts";
import { changedRoom, openService, serviceFor } from "../../support/service.ts";

/* How many images a network may create without a key. */

const HOUR_MS = 3_600_000;
const LEGACY = { SVC_VARIANT: "legacy" };

const service = serviceFor(LEGACY);
const file = await plain(5, 5);
const otherFile = await plain(6, 6);

let networks = 0;
let here: Stranger;
beforeEach(() => {
	here = { address: `198.51.100.${++networks}` };
});

const create = (stranger = here, at = service) => uploadWithoutKey(at, file, {}, stranger);
const kept = (at = service) => countOf(at.database, sql`SELECT count(*) FROM images`);
const from = (address: string) => ({ address });

/** How many of each status there are. */
async function tally(answers: readonly Promise<Response>[]): Promise<Record<number, number>> {
	const counts: Record<number, number> = {};
	for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

const many = (count: number, make: (place: number) => Promise<Response>) =>
	tally(Array.from({ length: count }, (_, place) => make(place)));

describe("an hour of one network", () => {
	test("holds 20 creates; the 21st is told how long to wait and where to sign up [legacy.anon.hourly-cap, legacy.anon.hourly-cap-429, errors.legacy-signup-link, legacy.anon.ratelimit-headers]", async () => {
		for (let left = 19; left >= 0; left--) {
			const answer = await create();
			expect([answer.status, turnsOf(answer).remaining]).toEqual([201, left]);
		}
		const before = await kept();
		for (const refused of [await create(), await importWithoutKey(service, { url: "http://a.example/b.png" }, here)]) {
			const after = Number(refused.headers.get("Retry-After"));
			expect(after).toBeGreaterThan(3_500);
			expect(after).toBeLessThanOrEqual(3_600);
			expect(turnsOf(refused)).toMatchObject({ limit: 20, remaining: 0 });
			expect(Math.abs(turnsOf(refused).reset - (service.clock.now() / 1_000 + after))).toBeLessThan(3);
			expect(await errorOf(refused)).toMatchObject({
				status: 429,
				type: "rate_limit_error",
				code: "rate_limited",
				action: {
					type: "wait",
					retry_after: after,
					label: "Sign up",
					url: `${service.rooms.addresses.web}/account`,
				},
			});
		}
		expect(await kept()).toBe(before);
		expect((await create(from("192.0.2.1"))).status).toBe(201);
		expect(
			(await upload(service, file, "a.png", {}, { headers: { "X-Forwarded-For": here.address ?? "" } })).status,
		).toBe(201);
	});

	test("holds exactly 20 of 50 at once, and 20 more once it is over [legacy.anon.hourly-cap]", async () => {
		const own = await openService(LEGACY);
		expect(await many(50, () => create(here, own))).toEqual({ 201: 20, 429: 30 });
		expect(await kept(own)).toBe(20);
		own.clock.advance(HOUR_MS - 60_000);
		expect((await create(here, own)).status).toBe(429);
		own.clock.advance(60_000);
		expect(await many(50, () => create(here, own))).toEqual({ 201: 20, 429: 30 });
		await own.close();
	});

	test("goes on over a restart", async () => {
		const dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
		const start = () => openService({ ...LEGACY, SVC_DATA_DIR: dataDir });
		const first = await start();
		expect(await many(15, () => create(here, first))).toEqual({ 201: 15 });
		await first.close();
		const second = await start();
		expect(await many(15, () => create(here, second))).toEqual({ 201: 5, 429: 10 });
		await second.close();
		await rm(dataDir, { recursive: true });
	});

	test("reads no body for which there is no turn", async () => {
		await many(20, () => create());
		let read = 0;
		const endless = () =>
			new ReadableStream<Uint8Array>(
				{
					pull(controller) {
						read++;
						controller.enqueue(new Uint8Array(1_000_000));
					},
				},
				{ highWaterMark: 0 },
			);
		const ask = (headers: Record<string, string>) => {
			const type = { "Content-Type": "multipart/form-data; boundary=x" };
			return service.api("/v1/images", { method: "POST", headers: { ...type, ...headers }, body: endless() });
		};
		const forwarded = { "X-Forwarded-For": here.address ?? "" };
		expect((await ask(forwarded)).status).toBe(429);
		expect((await ask({ ...forwarded, "Idempotency-Key": "never seen" })).status).toBe(429);
		expect(read).toBe(0);
		expect((await ask({})).status).toBe(422);
		expect(read).toBeGreaterThan(20);
	});
});

describe("a network", () => {
	test("is a /64 of IPv6, however its addresses are written", async () => {
		expect(await many(30, (place) => create(from(`2001:db8:0:1::${place}`)))).toEqual({ 201: 20, 429: 10 });
		expect((await create(from("2001:0DB8:0000:0001:ffff::1"))).status).toBe(429);
		expect((await create(from("2001:db8:0:2::1"))).status).toBe(201);
	});

	test("is what the connection says, and behind a proxy what that has seen: made-up headers win no turn", async () => {
		const body = () => form(file, "a.png");
		const asked = (peer: string, forwarded: string) => {
			const url = `${service.rooms.addresses.base}/v1/images`;
			const headers = {
				Host: new URL(url).host,
				"X-Forwarded-For": forwarded,
				"X-Real-IP": forwarded,
				Forwarded: `for=${forwarded}`,
			};
			return Promise.resolve(service.handle(new Request(url, { method: "POST", body: body(), headers }), () => peer));
		};
		expect(await many(30, (place) => asked("203.0.113.5", `192.0.2.${place}`))).toEqual({ 201: 20, 429: 10 });
		expect(await many(30, (place) => asked("10.0.0.1", `192.0.2.${place}, 203.0.113.6`))).toEqual({ 201: 20, 429: 10 });
	});

	test("is kept as a pseudonym, and no image knows it", async () => {
		await create(from("192.0.2.77"));
		const rows = await service.database.queries.values(
			sql`SELECT bucket FROM throttles UNION ALL SELECT json_group_array(metadata) FROM images`,
		);
		expect(rows.length).toBeGreaterThan(1);
		expect(JSON.stringify(rows)).not.toContain("192.0.2");
	});
});

describe("a turn", () => {
	test("is spent by whatever is refused for what was sent, so that refused files have the same bound", async () => {
		const boundaries = () =>
			service.api("/v1/images", {
				method: "POST",
				headers: { "X-Forwarded-For": here.address ?? "", "Content-Type": "multipart/form-data; boundary=b" },
				body: "--b\r\n".repeat(1_000),
			});
		const refused = [
			() => uploadWithoutKey(service, Buffer.from("no picture"), {}, here),
			() => uploadWithoutKey(service, undefined, {}, here),
			() => uploadWithoutKey(service, file, { public: "0" }, here),
			() => importWithoutKey(service, { url: "http://127.0.0.1/a.png" }, here),
			() => importWithoutKey(service, [], here),
			() => service.api("/v1/images", { method: "POST", headers: { "X-Forwarded-For": here.address ?? "" } }),
			boundaries,
		];
		for (const [count, ask] of refused.entries()) {
			const answer = await ask();
			expect([Math.floor(answer.status / 100), turnsOf(answer).remaining]).toEqual([4, 19 - count]);
		}
		expect(await many(21, boundaries)).toEqual({ 400: 13, 429: 8 });
	});

	const process =
		(parts: Partial<ApiRooms["images"]>) =>
		(headers: Record<string, string> = {}) =>
			apiApp(changedRoom(service.rooms, "images", parts), service.version.api).handle(
				new Request(`${service.rooms.addresses.base}/v1/images`, {
					method: "POST",
					body: form(file, "a.png"),
					headers: { "X-Forwarded-For": here.address ?? "", ...headers },
				}),
			);
	const fail = async () => {
		throw new Error("the disk is gone");
	};

	test("is given back when storing fails, and kept while nobody can say whether it did", async () => {
		const { blobs } = service.rooms.images;
		const images = service.rooms.images.store;
		const failed = await process({ blobs: { ...blobs, put: fail } })();
		expect([failed.status, turnsOf(failed).remaining]).toEqual([500, 20]);
		const unsure = await process({ store: { ...images, commitCreate: fail, exists: fail } })();
		expect([unsure.status, turnsOf(unsure).remaining]).toEqual([503, 19]);
	});

	test("is never given back to a later hour", async () => {
		const own = await openService(LEGACY);
		const { blobs } = own.rooms.images;
		const late = async () => {
			own.clock.advance(HOUR_MS);
			await create(here, own);
			throw new Error("the disk is gone");
		};
		const api = apiApp(changedRoom(own.rooms, "images", { blobs: { ...blobs, put: late } }), own.version.api);
		const answer = await api.handle(
			new Request(`${own.rooms.addresses.base}/v1/images`, {
				method: "POST",
				body: form(file, "a.png"),
				headers: { "X-Forwarded-For": here.address ?? "" },
			}),
		);
		expect([answer.status, turnsOf(answer).remaining]).toEqual([500, 19]);
		await own.close();
	});
});

describe("an Idempotency-Key", () => {
	const under = (key: string, stranger = here): Stranger => ({ ...stranger, headers: { "Idempotency-Key": key } });

	test("makes one image in one turn, and is answered again when there is no turn left", async () => {
		const first = await uploadWithoutKey(service, file, {}, under("k1"));
		const again = await uploadWithoutKey(service, file, {}, under("k1"));
		expect([turnsOf(first).remaining, turnsOf(again).remaining]).toEqual([19, 19]);
		expect(again.headers.get("Idempotent-Replayed")).toBe("true");
		const image = await imageOf(first);
		expect(await imageOf(again)).toEqual(image);
		expect(await many(20, () => create())).toEqual({ 201: 19, 429: 1 });
		const late = await uploadWithoutKey(service, file, {}, under("k1"));
		expect(late.headers.get("Idempotent-Replayed")).toBe("true");
		expect(await imageOf(late)).toEqual(image);
		for (const [key, bytes] of [
			["k1", otherFile],
			["k2", file],
		] as const) {
			expect((await uploadWithoutKey(service, bytes, {}, under(key))).status).toBe(429);
		}
	});

	test("counts once when its row is lost, too", async () => {
		const first = await imageOf(await uploadWithoutKey(service, file, {}, under("lost")));
		await service.database.write([{ run: sql`DELETE FROM idempotency` }]);
		const again = await uploadWithoutKey(service, file, {}, under("lost"));
		expect(turnsOf(again).remaining).toBe(19);
		expect(await imageOf(again)).toEqual(first);
	});

	test("409 for another body costs no turn", async () => {
		await uploadWithoutKey(service, file, {}, under("k3"));
		const refused = await uploadWithoutKey(service, otherFile, {}, under("k3"));
		expect(turnsOf(refused).remaining).toBe(19);
		expect(await errorOf(refused)).toMatchObject({ status: 409, code: "idempotency_key_conflict" });
	});

	test("of one network is nobody else's: no stranger meets it, or can take it first", async () => {
		const before = await kept();
		const other = from("192.0.2.99");
		const mine = await imageOf(await uploadWithoutKey(service, file, {}, under("order-1")));
		const theirs = await uploadWithoutKey(service, otherFile, {}, under("order-1", other));
		expect([theirs.status, theirs.headers.has("Idempotent-Replayed")]).toEqual([201, false]);
		expect((await imageOf(theirs)).id).not.toBe(mine.id);
		expect(await kept()).toBe(before + 2);
		expect(await imageOf(await uploadWithoutKey(service, file, {}, under("order-1")))).toEqual(mine);
	});

	test("one at once by many is one image and one turn", async () => {
		const before = await kept();
		const answers = await many(10, () => uploadWithoutKey(service, file, {}, under("race")));
		expect(answers[201]).toBeGreaterThan(0);
		expect((answers[201] ?? 0) + (answers[409] ?? 0)).toBe(10);
		expect(await kept()).toBe(before + 1);
		expect(turnsOf(await uploadWithoutKey(service, file, {}, under("race"))).remaining).toBe(19);
	});
});

test("tries that create nothing have a bound too, for each network by itself [errors.legacy-signup-link]", async () => {
	const slow = await openService({ ...LEGACY, SVC_CREATE_RATE: "1" });
	const broken = (stranger: Stranger) => uploadWithoutKey(slow, Buffer.from("no picture"), {}, stranger);
	const counts = await many(30, () => broken(here));
	expect(counts[422]).toBeGreaterThanOrEqual(5);
	expect(counts[429]).toBeGreaterThan(15);
	const refused = await broken(here);
	expect(refused.headers.get("Retry-After")).toBe("1");
	expect(turnsOf(refused).remaining).toBe(20 - (counts[422] ?? 0));
	expect(await errorOf(refused)).toMatchObject({
		status: 429,
		action: { type: "wait", retry_after: 1, url: `${slow.rooms.addresses.web}/account` },
	});
	expect((await broken(from("192.0.2.50"))).status).toBe(422);
	await slow.close();
});
