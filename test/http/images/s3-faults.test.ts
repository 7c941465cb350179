import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { access, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server/config/config";
import { wire } from "@svc/server/wire/service";
import { s3Url } from "@svc/storage/s3/place";
import { noise } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { type FakeS3, type Fault, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService, TestClock, TestLog } from "../../support/service.ts";

const HOUR_MS = 3_600_000;

let s3: FakeS3;
let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	s3 = await fakeS3();
	service = await openService(s3.env);
	file = await noise(600, 400);
});
afterEach(() => {
	s3.heal();
	s3.objects.clear();
});
afterAll(async () => {
	await service.close();
	await s3.close();
});

async function images(): Promise<number> {
	return ((await (await service.api("/v1/images")).json()) as { data: unknown[] }).data.length;
}

const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });

describe("uploads to a bucket that fails", () => {
	const FINAL: readonly (readonly [string, Fault, number])[] = [
		["a connection that is cut in the middle of every PUT", { kind: "break-upload", afterBytes: 20_000 }, 500],
		["a bucket that is always busy", { kind: "refuse", status: 503, code: "SlowDown" }, 500],
		["credentials that were taken back", { kind: "refuse", status: 403, code: "InvalidAccessKeyId" }, 500],
	];
	test.each(FINAL)(
		"upload_failed with Retry-After for %s; nothing is stored or counted [s3.service.upload-failed]",
		async (_, fault, status) => {
			s3.fail("PUT", fault, 99);
			const refused = await upload(service, file, "a.jpg");
			expect(refused.status).toBe(status);
			expect(refused.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(refused)).toMatchObject({ code: "upload_failed" });
			expect([s3.blobs().size, await images()]).toEqual([0, 0]);
			expect(await readdir(join(service.dataDir, "images", "incoming"))).toEqual([]);
			const usage = (await (await service.api("/v1/usage")).json()) as { totals: object };
			expect(usage.totals).toMatchObject({ storage_used_bytes: 0 });
			const told = JSON.stringify(service.log.lines, (_name, value) =>
				value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value,
			);
			expect(told).not.toContain(s3.bucket.secretAccessKey);
			expect(told).not.toContain("Signature=");
		},
	);

	test("201 where a try fails and another answer is lost, once and whole [s3.service.upload-retried]", async () => {
		s3.fail("PUT", { kind: "break-upload", afterBytes: 20_000 }, 1);
		s3.fail("PUT", { kind: "lose-answer" }, 1);
		const image = await uploaded(service, file, "a.jpg");
		expect([...s3.blobs().values()].map(({ body }) => body.length)).toEqual([image.bytes]);
		await send(service, "DELETE", `/v1/images/${image.id}`);
	});

	test("after upload_failed the same Idempotency-Key makes the image, and then replays it [s3.service.idempotent]", async () => {
		s3.fail("PUT", { kind: "refuse", status: 503, code: "SlowDown" }, 99);
		expect((await upload(service, file, "a.jpg", {}, keyed("k1"))).status).toBe(500);
		s3.heal();
		const image = await uploaded(service, file, "a.jpg", {}, keyed("k1"));
		expect((await uploaded(service, file, "a.jpg", {}, keyed("k1"))).id).toBe(image.id);
		expect(s3.blobs().size).toBe(1);
		await send(service, "DELETE", `/v1/images/${image.id}`);
	});

	test("an object whose put could not be told from a failure goes with the sweep [s3.service.orphan]", async () => {
		s3.fail("PUT", { kind: "lose-answer" }, 99);
		s3.fail("HEAD", { kind: "refuse", status: 503, code: "SlowDown" }, 99);
		expect((await upload(service, file, "a.jpg")).status).toBe(500);
		expect(s3.blobs().size).toBe(1);
		s3.heal();
		service.clock.advance(2 * HOUR_MS);
		await service.sweep();
		expect(s3.blobs().size).toBe(0);
	});

	test("a bucket that cannot delete now keeps its rows for the next sweep [s3.service.sweep]", async () => {
		const image = await uploaded(service, file, "a.jpg");
		await send(service, "DELETE", `/v1/images/${image.id}`);
		service.clock.advance(48 * HOUR_MS);
		s3.fail("DELETE", { kind: "refuse", status: 403, code: "AccessDenied" }, 1);
		await expect(service.sweep()).rejects.toThrow("AccessDenied");
		expect(s3.blobs().size).toBe(1);
		await service.sweep();
		expect(s3.blobs().size).toBe(0);
	});
});

describe("reads from a bucket that fails", () => {
	test("500 without a word about the bucket, never a 404, and the next read succeeds [s3.service.read-failed]", async () => {
		// More than once, and before the upload: what is searched for after it reads the master as well.
		s3.fail("GET", { kind: "refuse", status: 403, code: "AccessDenied" }, 99);
		const image = await uploaded(service, file, "a.jpg");
		const failed = await service.open(`${image.url}?w=33`);
		expect(failed.status).toBe(500);
		expect(await failed.text()).not.toMatch(/AccessDenied|127\.0\.0\.1|pictures/);
		s3.heal();
		s3.fail("GET", { kind: "break-answer" }, 1);
		expect((await service.open(`${image.url}?w=33`)).status).toBe(200);
		await send(service, "DELETE", `/v1/images/${image.id}`);
	});
});

describe("a start on a bucket that cannot be used", () => {
	const other = (change: Partial<Parameters<typeof s3Url>[0]>) => () => ({
		SVC_STORAGE: s3Url({ ...s3.bucket, path: "", ...change }),
	});
	const WRONG: readonly (readonly [string, () => Record<string, string>, string])[] = [
		["a wrong secret", () => ({ AWS_SECRET_ACCESS_KEY: "wrong" }), "the secret access key or the region is wrong"],
		["a wrong region", other({ region: "us-east-1" }), "the region is not the bucket's"],
		["no such bucket", other({ bucket: "missing" }), "there is no such bucket"],
		// Not port 1, which fetch refuses by itself where it goes by the standard.
		["nobody there", other({ endpoint: "http://127.0.0.1:2" }), "ECONNREFUSED"],
	];
	test.each(WRONG)(
		"%s is said with the variables to look at, and nothing is made [s3.start.refused]",
		async (_, env, why) => {
			const parent = await mkdtemp(join(tmpdir(), "svc-start-"));
			const dataDir = join(parent, "data");
			const config = readConfig({ SVC_DATA_DIR: dataDir, ...s3.env, ...env() });
			const starting = wire(config, { clock: new TestClock(), log: new TestLog() });
			await expect(starting).rejects.toThrow(why);
			await expect(starting).rejects.toThrow("SVC_STORAGE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
			await expect(starting).rejects.not.toThrow(s3.bucket.secretAccessKey);
			await expect(access(dataDir)).rejects.toThrow("ENOENT");
			await rm(parent, { recursive: true });
		},
	);

	test("what would not fit into an address or a header is refused by its name [s3.start.configured]", () => {
		for (const [name, value] of [
			["SVC_STORAGE", "s3://host/a/../b"],
			["SVC_STORAGE", "s3://host/"],
			["SVC_STORAGE", "s3://host/pictures?region=eu west"],
			["AWS_ACCESS_KEY_ID", "AK/TEST"],
			["AWS_SECRET_ACCESS_KEY", "two words"],
			["SVC_STORAGE", "https://s3.example.com/bucket"],
		] as const) {
			expect(() => readConfig({ ...s3.env, [name]: value })).toThrow(name);
		}
	});
});
