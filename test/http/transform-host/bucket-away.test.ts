import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { plain } from "../../support/pictures.ts";
import { errorOf, upload, uploaded } from "../../support/requests.ts";
import { type FakeS3, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Pictures lie in a bucket that does not answer: whoever asks is told to come back, and soon. */

let s3: FakeS3;
let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	s3 = await fakeS3();
	service = await openService(s3.env);
	file = await plain(40, 30);
});
afterAll(async () => {
	await service.close();
	await s3.close();
});
beforeEach(() => s3.heal());

const PICTURES = /img_/;
const DOWN = [
	["answers 503 to everything", { kind: "refuse", status: 503, code: "SlowDown" }],
	["cuts every connection", { kind: "lose-answer" }],
	["says nothing", { kind: "silence" }],
] as const;

test.each(DOWN)(
	"503 with Retry-After from the transform host while the bucket %s, and 200 after it",
	async (_, fault) => {
		const { url } = await uploaded(service, file);
		for (const method of ["HEAD", "GET"]) s3.fail(method, fault, 999, PICTURES);
		for (const query of ["", "?w=20"]) {
			const answer = await service.open(`${url}${query}`);
			expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
			expect(answer.headers.get("cache-control")).toContain("no-store");
		}
		s3.heal();
		for (const query of ["", "?w=20"]) expect((await service.open(`${url}${query}`)).status).toBe(200);
	},
	60_000,
);

test.each(DOWN)(
	"500 upload_failed with Retry-After for an upload while the bucket %s; the same one is taken after it",
	async (_, fault) => {
		const again = { headers: { "Idempotency-Key": `while it ${fault.kind}` } };
		for (const method of ["PUT", "HEAD", "DELETE"]) s3.fail(method, fault, 999, PICTURES);
		const answer = await upload(service, file, "a.png", {}, again);
		expect([answer.status, answer.headers.get("retry-after")]).toEqual([500, "2"]);
		expect((await errorOf(answer)).code).toBe("upload_failed");
		s3.heal();
		// What is tried in the background has the key free in a moment.
		let later = await upload(service, file, "a.png", {}, again);
		for (let tries = 0; later.status === 409 && tries < 300; tries++) {
			await Bun.sleep(100);
			later = await upload(service, file, "a.png", {}, again);
		}
		expect(later.status).toBe(201);
	},
	120_000,
);

test("an original that was served once is served again without the bucket, also one in which there is nothing to strip", async () => {
	const { url } = await uploaded(service, file);
	const first = await service.open(url);
	expect(first.status).toBe(200);
	for (const method of ["HEAD", "GET"])
		s3.fail(method, { kind: "refuse", status: 503, code: "SlowDown" }, 999, PICTURES);
	const again = await service.open(url);
	expect(again.status).toBe(200);
	expect(await again.bytes()).toEqual(await first.bytes());
});
