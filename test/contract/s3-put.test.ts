import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "@svc/base/failure";
import { selfSigned } from "../support/local-network.ts";
import type { Fault, Seen } from "../support/s3.ts";
import { hash, inChunks, someBytes } from "./bytes.ts";
import { errorOf, MIB, type OpenBucket, openBucket, PACE, told } from "./s3-bucket.ts";

/* What a network adds to a put. */

const certificate = selfSigned();
const withTls = certificate === undefined ? " (skipped: openssl is missing)" : "";
/** Prints by how many bytes the memory of a process of its own grew meanwhile, at most. */
const PUT_MUCH = `
	import { s3Blobs } from ${JSON.stringify(Bun.resolveSync("@svc/storage/s3/s3", import.meta.dir))};
	const store = s3Blobs({ ...JSON.parse(process.argv.at(-1)), log: console });
	const chunk = new Uint8Array(${MIB});
	async function* many() { for (let sent = 0; sent < 150; sent++) yield chunk; }
	const staged = await store.stage(many(), 200 * ${MIB});
	const before = process.memoryUsage.rss();
	let most = before;
	setInterval(() => { most = Math.max(most, process.memoryUsage.rss()); }, 5).unref();
	await store.put("img_a.n1", staged);
	console.log(most - before);
`;

let bucket: OpenBucket;
beforeEach(async () => {
	bucket = await openBucket();
});
afterEach(() => bucket.close());

describe("put", () => {
	test("is one conditional PUT, addressed by path, whose signature covers the bytes and the condition [s3.put.once]", async () => {
		await bucket.put("img_a/n1", someBytes(1_000));
		expect(bucket.s3.seen).toHaveLength(1);
		const { method, path, headers = {} }: Partial<Seen> = bucket.s3.seen[0] ?? {};
		expect([method, path]).toEqual(["PUT", "/pictures/img_a/n1"]);
		expect(headers).toMatchObject({ "if-none-match": "*", "content-length": "1000", "accept-encoding": "identity" });
		expect(headers["x-amz-content-sha256"]).toBe(hash(someBytes(1_000)));
		expect(Buffer.from(String(headers["x-amz-checksum-sha256"]), "base64").toString("hex")).toBe(
			hash(someBytes(1_000)),
		);
		expect(headers.authorization).toMatch(
			/SignedHeaders=host;if-none-match;x-amz-checksum-sha256;x-amz-content-sha256;/,
		);
		expect(await readdir(join(bucket.dir, "incoming"))).toEqual([]);
	});

	const PASSING: readonly (readonly [string, Fault])[] = [
		["503 SlowDown", { kind: "refuse", status: 503, code: "SlowDown" }],
		["500 InternalError", { kind: "refuse", status: 500, code: "InternalError" }],
		["502 without a code", { kind: "refuse", status: 502, code: "" }],
		["504", { kind: "refuse", status: 504, code: "GatewayTimeout" }],
		["429", { kind: "refuse", status: 429, code: "TooManyRequests" }],
		["400 RequestTimeout", { kind: "refuse", status: 400, code: "RequestTimeout" }],
		["409 ConditionalRequestConflict", { kind: "refuse", status: 409, code: "ConditionalRequestConflict" }],
		["a connection that breaks on the way there", { kind: "break-upload", afterBytes: 100_000 }],
		["no answer in time", { kind: "silence" }],
	];
	test.each(PASSING)("%s is tried again, and told in the log [s3.put.retry]", async (_, fault) => {
		bucket.s3.fail("PUT", fault, 1);
		await bucket.put("img_a.n1", someBytes(300_000));
		expect(hash(await (await bucket.stored("img_a.n1")).read())).toBe(hash(someBytes(300_000)));
		expect(bucket.count("PUT")).toBe(2);
		expect(bucket.warned).toHaveLength(1);
	});

	test.each([1, 2, 3])(
		"a put whose answer was lost %d times has happened once, and counts as done [s3.put.lost-answer]",
		async (times) => {
			bucket.s3.fail("PUT", { kind: "lose-answer" }, times);
			await bucket.put("img_a.n1", someBytes(5_000));
			expect((await bucket.stored("img_a.n1")).bytes).toBe(5_000);
			expect(bucket.count("PUT")).toBe(times + 1);
		},
	);

	test("also when every answer is lost: the store is asked what it has [s3.put.lost-answer]", async () => {
		bucket.s3.fail("PUT", { kind: "lose-answer" }, 99);
		await bucket.put("img_a.n1", someBytes(5_000));
		expect(bucket.count("PUT")).toBe(PACE.tries);
	});

	test("the same bytes under the same key by somebody else are no lost answer [s3.put.not-mine]", async () => {
		await bucket.put("img_a.n1", someBytes(5_000));
		bucket.s3.fail("PUT", { kind: "refuse", status: 503, code: "SlowDown" }, 1);
		expect((await errorOf(bucket.put("img_a.n1", someBytes(5_000)))).message).toContain("taken");
	});

	const FINAL: readonly (readonly [string, Fault, string])[] = [
		["SlowDown without end", { kind: "refuse", status: 503, code: "SlowDown" }, "503 SlowDown"],
		["a full store", { kind: "refuse", status: 507, code: "StorageFull" }, "507 StorageFull"],
		["a connection that always breaks", { kind: "break-upload", afterBytes: 10_000 }, "did not answer"],
		["an endpoint that never says anything", { kind: "silence" }, "in time"],
		["a redirect", { kind: "redirect", location: "http://127.0.0.1:1/else" }, "307"],
	];
	test.each(FINAL)(
		"%s: upload_failed, nothing stored, and the file is still there [s3.put.failed]",
		async (_, fault, why) => {
			bucket.s3.fail("PUT", fault, 99);
			const store = bucket.open();
			const staged = await store.stage(inChunks(someBytes(100_000), 65_536), MIB);
			const error = await errorOf(store.put("img_a.n1", staged));
			expect(error).toBeInstanceOf(Failure);
			expect(error).toMatchObject({ code: "upload_failed" });
			expect(told(error)).toContain(why);
			expect(bucket.s3.objects.size).toBe(0);
			bucket.s3.heal();
			await store.put("img_a.n1", staged);
			expect((await bucket.stored("img_a.n1")).bytes).toBe(100_000);
		},
	);

	test("an endpoint that says nothing is given up after three limits at the most [s3.put.silence]", async () => {
		bucket.s3.fail("PUT", { kind: "silence" }, 99);
		await errorOf(bucket.put("img_a.n1", someBytes(10)));
		expect(bucket.count("PUT")).toBeLessThanOrEqual(3);
	});

	test("a staged file that went meanwhile, or lost bytes, is not sent [s3.put.swept]", async () => {
		const store = bucket.open();
		const staged = await store.stage(inChunks(someBytes(100), 50), MIB);
		await Bun.write(staged.path, "short");
		expect(await errorOf(store.put("img_a.n1", staged))).toMatchObject({ code: "upload_failed" });
		await staged.discard();
		expect(await errorOf(store.put("img_a.n1", staged))).toMatchObject({ code: "upload_failed" });
		expect(bucket.s3.seen).toEqual([]);
	});

	test("bytes that changed on the disk since they were hashed are refused by the store [s3.put.altered]", async () => {
		const store = bucket.open();
		const staged = await store.stage(inChunks(someBytes(100), 50), MIB);
		await Bun.write(staged.path, new Uint8Array(100));
		expect(told(await errorOf(store.put("img_a.n1", staged)))).toContain("XAmzContentSHA256Mismatch");
		expect(bucket.s3.objects.size).toBe(0);
	});

	test("no file stays open: after broken and lost answers, silence, refusals and successes [s3.put.closed]", async () => {
		const store = bucket.open();
		for (const kind of ["lose-answer", "silence"] as const) {
			bucket.s3.fail("PUT", { kind }, 1);
			await bucket.put(`img_${kind}.n1`, someBytes(300_000), store);
		}
		bucket.s3.fail("PUT", { kind: "break-upload", afterBytes: 1_000 }, 4);
		await errorOf(bucket.put("img_broken.n1", someBytes(300_000), store));
		await errorOf(bucket.put("img_silence.n1", someBytes(300_000), store));
		const handles = await readdir("/proc/self/fd");
		const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => "")));
		expect(paths.filter((path) => path.startsWith(bucket.dir))).toEqual([]);
	});

	test.skipIf(certificate === undefined)(
		`150 MB go out over TLS without being held in memory${withTls} [s3.put.memory]`,
		async () => {
			let bytes = 0;
			using sink = Bun.serve({
				port: 0,
				...(certificate && { tls: certificate }),
				maxRequestBodySize: 200 * MIB,
				async fetch(request) {
					for await (const part of request.body ?? []) bytes += part.length;
					return new Response();
				},
			});
			const options = { ...bucket.s3.bucket, dir: bucket.dir, endpoint: sink.url.origin };
			const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
			const child = Bun.spawn([process.execPath, "-e", PUT_MUCH, JSON.stringify(options)], { env, stdout: "pipe" });
			const grown = Number(await new Response(child.stdout).text());
			expect([await child.exited, bytes]).toEqual([0, 150 * MIB]);
			expect(grown).toBeLessThan(75 * MIB);
		},
	);
});
