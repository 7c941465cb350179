import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { S3BlobsOptions } from "@svc/storage/s3/s3";
import { freePorts } from "../support/ports.ts";
import { fakeS3 } from "../support/s3.ts";
import { collect, hash, someBytes } from "./bytes.ts";
import { errorOf, MIB, type OpenBucket, openBucket, PACE, told } from "./s3-bucket.ts";

/* What a network, and a store with a will of its own, add to reading. */

type Overrides = Partial<S3BlobsOptions>;

/** Not one of those that `fetch` does not ask. */
const [closedPort] = await freePorts(1);
let bucket: OpenBucket;
beforeEach(async () => {
	bucket = await openBucket();
});
afterEach(() => bucket.close());

describe("reading", () => {
	const bytes = someBytes(9 * MIB);

	test("a stream asks for 4 MiB at a time, and only when it is read [s3.read.segments]", async () => {
		await bucket.put("img_a.n1", bytes);
		const blob = await bucket.stored("img_a.n1");
		const stream = blob.stream();
		expect(bucket.count("GET")).toBe(0);
		const reader = stream.getReader();
		expect((await reader.read()).value?.length).toBe(4 * MIB);
		await Bun.sleep(20);
		expect(bucket.count("GET")).toBe(1);
		await reader.cancel();
		expect(hash(await collect(blob.stream({ first: 4 * MIB - 1, last: 8 * MIB })))).toBe(
			hash(bytes.subarray(4 * MIB - 1, 8 * MIB + 1)),
		);
		expect(bucket.s3.seen.at(-1)?.headers.range).toBe(`bytes=${8 * MIB - 1}-${8 * MIB}`);
	});

	for (const [kind, times] of [
		["break-answer", 2],
		["lose-answer", 2],
		["stall-answer", 1],
		["silence", 1],
	] as const) {
		test(`${kind} in the middle of a stream goes unnoticed [s3.read.resume]`, async () => {
			await bucket.put("img_a.n1", bytes);
			const blob = await bucket.stored("img_a.n1");
			bucket.s3.fail("GET", { kind }, times);
			expect(hash(await collect(blob.stream()))).toBe(hash(bytes));
			bucket.s3.fail("GET", { kind }, 1);
			expect(hash(await blob.read())).toBe(hash(bytes));
		});
	}

	test("an object that lost bytes breaks stream and read instead of ending them [s3.read.short]", async () => {
		await bucket.put("img_a.n1", someBytes(1_000));
		const blob = await bucket.stored("img_a.n1");
		bucket.s3.objects.set("img_a.n1", { body: Buffer.alloc(500), headers: {} });
		await expect(collect(blob.stream())).rejects.toThrow();
		await expect(blob.read()).rejects.toThrow("500 bytes where 1000");
	});

	test("a cancel ends the request that is under way at once [s3.read.cancel]", async () => {
		await bucket.put("img_a.n1", someBytes(1_000));
		const blob = await bucket.stored("img_a.n1", bucket.open({ pace: { ...PACE, answerMs: 600_000 } }));
		bucket.s3.fail("GET", { kind: "silence" }, 99);
		const reader = blob.stream().getReader();
		const pending = reader.read();
		await Bun.sleep(20);
		await reader.cancel();
		expect((await pending).done).toBe(true);
		expect(bucket.warned).toEqual([]);
		expect(bucket.count("GET")).toBe(1);
	});

	test("a store that cannot answer is an error, never a missing blob [s3.find.fault]", async () => {
		await bucket.put("img_a.n1", someBytes(1_000));
		bucket.s3.fail("HEAD", { kind: "refuse", status: 403, code: "AccessDenied" }, 1);
		await expect(bucket.open().find("img_a.n1")).rejects.toThrow("403");
		bucket.s3.fail("HEAD", { kind: "silence" }, 99);
		await expect(bucket.open().find("img_a.n1")).rejects.toThrow("in time");
	});

	test("a remove whose answer was lost is repeated, and harmless [s3.remove.retry]", async () => {
		await bucket.put("img_a.n1", someBytes(1_000));
		bucket.s3.fail("DELETE", { kind: "lose-answer" }, 2);
		await bucket.open().remove("img_a.n1");
		expect(bucket.s3.objects.size).toBe(0);
		expect(bucket.count("DELETE")).toBe(3);
	});
});

describe("a bucket that is tried", () => {
	test("verify and probe succeed and leave nothing [s3.verify.ok]", async () => {
		await bucket.open().verify();
		await bucket.open().probe();
		expect(bucket.s3.objects.size).toBe(0);
		expect(await readdir(join(bucket.dir, "incoming"))).toEqual([]);
	});

	const WRONG: readonly (readonly [string, Overrides, string])[] = [
		["a wrong secret", { secretAccessKey: "guessed+secret" }, "403 SignatureDoesNotMatch: the secret access key"],
		["an unknown access key", { accessKeyId: "AKNOBODY" }, "403 InvalidAccessKeyId: the access key is unknown"],
		["another region", { region: "us-east-1" }, "400 AuthorizationHeaderMalformed: the region is not"],
		["no such bucket", { bucket: "missing" }, "404 NoSuchBucket: there is no such bucket"],
		["nobody there", { endpoint: `http://127.0.0.1:${closedPort}` }, "ECONNREFUSED"],
		["a name that does not exist", { endpoint: "http://s3.invalid" }, "did not answer"],
		["TLS where none is spoken", { endpoint: "https:" }, "did not answer"],
	];
	test.each(WRONG)(
		"%s is said, by verify and probe alike, without secrets [s3.verify.wrong]",
		async (_, wrong, why) => {
			const endpoint =
				wrong.endpoint === "https:" ? { endpoint: bucket.s3.bucket.endpoint.replace("http:", "https:") } : {};
			const store = bucket.open({ ...wrong, ...endpoint });
			for (const attempt of [store.verify, store.probe]) {
				const error = await errorOf(attempt());
				expect(error.message).toContain(why);
				for (const secret of [
					bucket.s3.bucket.secretAccessKey,
					bucket.s3.bucket.accessKeyId,
					"guessed",
					"AKNOBODY",
					"Signature=",
				]) {
					expect(told(error)).not.toContain(secret);
				}
			}
			expect(JSON.stringify(bucket.warned)).not.toContain("guessed");
		},
	);

	test("a clock that is wrong is told, and by how much [s3.verify.clock]", async () => {
		const late = await fakeS3({ skewMs: 3_600_000 });
		const error = await errorOf(bucket.open(late.bucket).verify());
		expect(error.message).toMatch(
			/403 RequestTimeTooSkewed: the clock of this machine differs .* by 3(599|600) seconds/,
		);
		await late.close();
	});

	test("a blob has its checksum at the store, and none where the store refuses it at the start [s3.checksum]", async () => {
		const store = bucket.open();
		await store.verify();
		await bucket.put("img_a/n1", someBytes(1_000), store);
		expect(await bucket.stored("img_a/n1", store)).toMatchObject({ checksum: hash(someBytes(1_000)) });
		const plain = await fakeS3({ checksums: false });
		const without = bucket.open(plain.bucket);
		await without.verify();
		await bucket.put("img_a/n1", someBytes(1_000), without);
		const blob = await bucket.stored("img_a/n1", without);
		expect(blob.checksum).toBeUndefined();
		expect(await blob.digest()).toEqual({ bytes: 1_000, sha256: hash(someBytes(1_000)) });
		await plain.close();
	});

	test("a store that ignores If-None-Match, forgets metadata or hides what is missing is refused [s3.verify.conditional]", async () => {
		const lax = await fakeS3({ conditional: false });
		expect((await errorOf(bucket.open(lax.bucket).verify())).message).toContain("ignores If-None-Match");
		const forgetful = await fakeS3({ metadata: false });
		expect((await errorOf(bucket.open(forgetful.bucket).verify())).message).toContain("metadata");
		const hiding = await fakeS3({ listing: false });
		expect((await errorOf(bucket.open(hiding.bucket).verify())).message).toContain("allowed to list the bucket");
		expect([lax, forgetful, hiding].map(({ objects }) => objects.size)).toEqual([0, 0, 0]);
		await Promise.all([lax, forgetful, hiding].map((one) => one.close()));
	});

	test("a probe finds a store that gives back something else, and one that says nothing [s3.probe.lies]", async () => {
		const store = bucket.open();
		const probing = errorOf(store.probe());
		while (bucket.s3.objects.size === 0) await Bun.sleep(0);
		for (const key of bucket.s3.objects.keys()) bucket.s3.objects.set(key, { body: Buffer.from("other"), headers: {} });
		expect((await probing).message).toContain("something else");
		bucket.s3.fail("PUT", { kind: "silence" }, 99);
		await expect(store.probe()).rejects.toThrow("in time");
	});
});
