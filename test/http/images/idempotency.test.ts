import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, countOf, setPlan, setStorageState } from "../../support/apps.ts";
import { type KeyedCreates, made, openKeyedCreates, refusal, slowBlobs } from "../../support/keyed-creates.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";

let world: KeyedCreates;
let otherFile: Buffer<ArrayBuffer>;
beforeAll(async () => {
	world = await openKeyedCreates();
	otherFile = await plain(7, 7);
});
afterAll(() => world.close());

describe("the same key", () => {
	test("with the same body is answered as before and makes one image; without a key there are two [idem.header-optional, idem.same-body-replay, idem.replayed-header]", async () => {
		const before = await world.stored();
		const key = world.newKey();
		const fields = { caption: "c", labels: '{"a":"b"}', metadata: '{"z":"1","a":"2"}', ttl: "7d" };
		const first = await made(world.create(key, fields));
		expect(first.replayed).toBeNull();
		expect(await made(world.create(key, fields))).toEqual({ ...first, replayed: "true" });
		expect(await world.stored()).toBe(before + 1);
		await made(upload(world.service, world.file, "a.png", fields, { key: world.app.key }));
		await made(upload(world.service, world.file, "a.png", fields, { key: world.app.key }));
		expect(await world.stored()).toBe(before + 3);
	});

	test("the original response is given, whatever became of the image since [idem.same-body-replay]", async () => {
		const key = world.newKey();
		const { image } = await made(world.create(key));
		await world.service.database.write([{ run: sql`UPDATE images SET caption = 'changed' WHERE id = ${image.id}` }]);
		expect(await made(world.create(key))).toEqual({ status: 201, image, replayed: "true" });
	});

	test("409 for another body: any field, the file or its name; nothing is stored [idem.conflict, idem.metadata-compared]", async () => {
		const key = world.newKey();
		await made(world.create(key, { metadata: '{"a":"1"}' }));
		const before = await world.stored();
		const others = [
			world.create(key, { metadata: '{"a":"2"}' }),
			world.create(key, {}),
			world.create(key, { metadata: '{"a":"1"}', caption: "c" }),
			world.create(key, { metadata: '{"a":"1"}', labels: '{"a":"1"}' }),
			world.create(key, { metadata: '{"a":"1"}', ttl: "300" }),
			world.create(key, { metadata: '{"a":"1"}', published_at: "1600000000" }),
			world.create(key, { metadata: '{"a":"1"}' }, otherFile),
			world.create(key, { metadata: '{"a":"1"}' }, world.file, "b.png"),
			world.importUnder(key, "/a.png"),
		];
		for (const answer of others) {
			expect(await refusal(answer)).toMatchObject({
				status: 409,
				type: "idempotency_error",
				code: "idempotency_key_conflict",
				action: undefined,
			});
		}
		expect(await world.stored()).toBe(before);
	});

	test("of an import is compared by its address and fields", async () => {
		const key = world.newKey();
		const first = await made(world.importUnder(key, "/one.png"));
		expect(await made(world.importUnder(key, "/one.png"))).toEqual({ ...first, replayed: "true" });
		expect((await refusal(world.importUnder(key, "/two.png"))).code).toBe("idempotency_key_conflict");
		expect(world.asked.filter((path) => path === "/one.png")).toHaveLength(1);
	});

	test("belongs to the storage: a rotated API key finds it, another storage does not", async () => {
		const key = world.newKey();
		const { image } = await made(world.create(key));
		const rotated = await addKey(world.service.database, world.app);
		const again = await made(upload(world.service, world.file, "a.png", {}, { ...world.under(key), key: rotated }));
		expect([again.image.id, again.replayed]).toEqual([image.id, "true"]);
		const ann = await connectUser(world.service.database, world.app);
		const asAnn = { key: world.app.key, headers: { "Idempotency-Key": key, "X-Svc-User": ann.id } };
		const hers = await made(upload(world.service, world.file, "a.png", {}, asAnn));
		expect([hers.image.id === image.id, hers.replayed]).toEqual([false, null]);
		const own = await addUserKey(world.service.database, world.app, ann);
		const byHer = await made(upload(world.service, world.file, "a.png", {}, { ...world.under(key), key: own }));
		expect([byHer.image.id, byHer.replayed]).toEqual([hers.image.id, "true"]);
	});

	test("422 names the header unless it is 1 to 255 printable ASCII characters", async () => {
		for (const key of ["", "k".repeat(256), "a\tb", "clé"]) {
			const { status, code, fields } = await refusal(world.create(key));
			expect([status, code, fields]).toEqual([422, "validation_error", ["Idempotency-Key"]]);
		}
		await made(world.create("k".repeat(255)));
		await made(world.create("!~ \"'"));
	});

	test("means nothing on other calls", async () => {
		const { image } = await made(world.create(world.newKey()));
		const caller = world.under("k".repeat(300));
		expect((await send(world.service, "GET", `/v1/images/${image.id}`, undefined, caller)).status).toBe(200);
		expect((await send(world.service, "DELETE", `/v1/images/${image.id}`, undefined, caller)).status).toBe(200);
	});

	test("ids in metadata and labels are nobody's key [idem.no-external-id-upsert]", async () => {
		const fields = { metadata: '{"id":"1"}', labels: '{"external_id":"1"}' };
		const [one, two] = [
			await made(upload(world.service, world.file, "a.png", fields, { key: world.app.key })),
			await made(upload(world.service, world.file, "a.png", fields, { key: world.app.key })),
		];
		expect(one.image.id).not.toBe(two.image.id);
	});

	test("[C] a second external_id changes nothing [idem.no-external-id-upsert]", async () => {
		const named = { external_id: "1" };
		const first = await made(world.create(world.newKey(), named));
		expect(await refusal(world.create(world.newKey(), { ...named, caption: "new" }))).toMatchObject({
			status: 409,
			fields: ["external_id"],
		});
		expect(first.image.caption).toBe("");
	});
});

describe("at the same time", () => {
	test("409 with a wait while the first is running, and a replay afterwards [idem.in-progress]", async () => {
		const key = world.newKey();
		const { reached, open, blobs } = slowBlobs(world.service.rooms);
		const first = world.process({ blobs }).upload(key);
		await reached;
		const meanwhile = await world.create(key);
		expect(meanwhile.headers.get("Retry-After")).toBe("2");
		expect(await errorOf(meanwhile)).toMatchObject({
			status: 409,
			type: "idempotency_error",
			code: "idempotency_key_in_progress",
			action: { type: "wait", retry_after: 2 },
		});
		expect((await refusal(world.create(key, { caption: "other" }))).code).toBe("idempotency_key_conflict");
		open();
		const { image, replayed } = await made(first);
		expect(replayed).toBeNull();
		expect(await made(world.create(key))).toEqual({ status: 201, image, replayed: "true" });
	});

	test("20 creates with one key: one image, one original answer, the others replays or in progress [idem.in-progress, idem.same-body-replay]", async () => {
		const before = await world.stored();
		const key = world.newKey();
		const answers = await Promise.all(Array.from({ length: 20 }, () => world.create(key)));
		const originals = answers.filter(({ status, headers }) => status === 201 && !headers.has("Idempotent-Replayed"));
		expect(originals).toHaveLength(1);
		const ids = new Set<string>();
		for (const answer of answers) {
			if (answer.status === 201) ids.add((await made(answer)).image.id);
			else expect((await errorOf(answer)).code).toBe("idempotency_key_in_progress");
		}
		expect(ids.size).toBe(1);
		expect(await world.stored()).toBe(before + 1);
	});
});

describe("what cannot be replayed", () => {
	const cases = [
		["deleted", (id: string) => send(world.service, "DELETE", `/v1/images/${id}`, undefined, { key: world.app.key })],
		["expired", async () => world.service.clock.advance(301_000)],
	] as const;
	for (const [fate, bringAbout] of cases) {
		test(`409 without a wait once the image is ${fate}; a new key makes it anew [idem.recovery-conflict]`, async () => {
			const key = world.newKey();
			const { image } = await made(world.create(key, { ttl: "300" }));
			await bringAbout(image.id);
			const answer = await world.create(key, { ttl: "300" });
			expect(answer.headers.has("Retry-After")).toBe(false);
			expect(await errorOf(answer)).toMatchObject({
				status: 409,
				type: "idempotency_error",
				code: "idempotency_recovery_conflict",
				action: undefined,
			});
			expect((await made(world.create(world.newKey(), { ttl: "300" }))).image.id).not.toBe(image.id);
		});
	}

	test("[C] a quota refusal is not remembered: with room made the same request succeeds, and is replayed at the limit [idem.quota-not-stored]", async () => {
		const small = await addApp(world.service.database);
		await setPlan(world.service.database, small.id, "free", 1);
		const full = await made(upload(world.service, world.file, "full.png", {}, { key: small.key }));
		const key = world.newKey();
		const post = () => upload(world.service, world.file, "a.png", {}, { ...world.under(key), key: small.key });
		expect(await refusal(post())).toMatchObject({ status: 403, code: "quota_exceeded" });
		await send(world.service, "DELETE", `/v1/images/${full.image.id}`, undefined, { key: small.key });
		expect((await made(post())).replayed).toBeNull();
		expect((await made(post())).replayed).toBe("true");
	});

	test("a refusal is not remembered: the key may go with another body", async () => {
		const key = world.newKey();
		expect((await refusal(world.create(key, {}, "no picture"))).code).toBe("validation_error");
		expect((await made(world.create(key))).replayed).toBeNull();
		const other = world.newKey();
		world.reachable = false;
		expect((await refusal(world.importUnder(other, "/missing.png"))).code).toBe("fetch_failed");
		world.reachable = true;
		expect((await made(world.importUnder(other, "/missing.png"))).replayed).toBeNull();
		expect(await countOf(world.service.database, sql`SELECT count(*) FROM idempotency WHERE state <> 'done'`)).toBe(0);
	});

	test("a storage that is being deleted takes no create, known key or not", async () => {
		const doomed = await addApp(world.service.database);
		const key = world.newKey();
		const post = () => upload(world.service, world.file, "a.png", {}, { ...world.under(key), key: doomed.key });
		await made(post());
		await setStorageState(world.service.database, doomed.storageId, "deleting");
		expect((await refusal(post())).code).toBe("workspace_unavailable");
	});
});

test("a key is known for 24 hours and free afterwards, beside the image that it made [idem.retention-24h]", async () => {
	const key = world.newKey();
	const { image } = await made(world.create(key));
	world.service.clock.advance(24 * 3_600_000 - 60_000);
	expect(await made(world.create(key))).toEqual({ status: 201, image, replayed: "true" });
	world.service.clock.advance(61_000);
	const next = await made(world.create(key, { caption: "another body" }));
	expect([next.replayed, next.image.id === image.id]).toEqual([null, false]);
	expect((await send(world.service, "GET", `/v1/images/${image.id}`, undefined, { key: world.app.key })).status).toBe(
		200,
	);
	world.service.clock.advance(24 * 3_600_000);
	expect((await world.service.sweep()).keys).toBeGreaterThan(0);
	expect(await countOf(world.service.database, sql`SELECT count(*) FROM idempotency`)).toBe(0);
});
