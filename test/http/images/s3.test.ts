import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { addApp, connectUser } from "../../support/apps.ts";
import { corpus, corpusNote, withoutCorpus } from "../../support/corpus.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { corners, noise, plain } from "../../support/pictures.ts";
import { importImage, send, uploaded } from "../../support/requests.ts";
import { type FakeS3, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { HAS_PYTHON, readZip } from "../../support/zip-file.ts";

/* The whole service on a bucket: whatever reads a master has to do without a file of its own. */

const DAY_MS = 24 * 3_600_000;

let s3: FakeS3;
let service: OpenService;
let origin: Origin;
beforeAll(async () => {
	s3 = await fakeS3();
	const imported = await plain(31, 21, "jpeg");
	origin = await startOrigin((_, response) => response.end(imported));
	service = await openService({ ...s3.env, SVC_IMPORT_ALLOW: origin.host });
});
afterAll(async () => {
	await service.close();
	await s3.close();
	origin.stop();
});

afterEach(() => s3.objects.clear());

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

async function rendered(url: string) {
	const response = await service.open(url);
	expect(response.status).toBe(200);
	const { width, height, format } = await sharp(await bytesOf(response)).metadata();
	return { width, height, format };
}

/** The one object that is there. */
function onlyObject(): Buffer {
	expect(s3.blobs().size).toBe(1);
	return [...s3.blobs().values()][0]?.body ?? Buffer.alloc(0);
}

async function deleted(image: Image): Promise<void> {
	expect((await send(service, "DELETE", `/v1/images/${image.id}`)).status).toBe(200);
	service.clock.advance(2 * DAY_MS);
	await service.sweep();
	expect(s3.blobs().size).toBe(0);
}

async function eventually(done: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 4_000 && !(await done()); tries++) await Bun.sleep(25);
	expect(await done()).toBe(true);
}

describe("the service on a bucket", () => {
	test("an upload becomes one object of the same bytes, is served from it, and goes with the sweep [s3.service.upload]", async () => {
		const file = await corners(300, 200, "jpeg");
		const image = await uploaded(service, file, "corners.jpg");
		expect(onlyObject().length).toBe(image.bytes);
		expect(await readdir(join(service.dataDir, "images", "incoming"))).toEqual([]);
		const whole = await service.open(image.url);
		expect(whole.headers.get("content-length")).toBe(String(image.bytes));
		expect(Buffer.from(await bytesOf(whole)).equals(file)).toBe(true);
		await deleted(image);
		expect((await service.open(image.url)).status).toBe(404);
	});

	test("a master with metadata goes out without it, in whole and in ranges [s3.service.strip]", async () => {
		const file = await sharp(await noise(200, 150))
			.withExif({ IFD0: { ImageDescription: "Somebody at home" } })
			.jpeg()
			.toBuffer();
		const image = await uploaded(service, new Uint8Array(file), "exif.jpg");
		const whole = await bytesOf(await service.open(image.url));
		expect(Buffer.from(whole).includes("at home")).toBe(false);
		const part = await service.open(image.url, { headers: { Range: "bytes=100-299" } });
		expect(part.status).toBe(206);
		expect(await bytesOf(part)).toEqual(whole.slice(100, 300));
		await deleted(image);
	});

	test("a large master is served in whole, in ranges and by HEAD, with its lengths [s3.service.ranges]", async () => {
		const pixels = crypto
			.getRandomValues(new Uint8Array(1_350 * 48))
			.toHex()
			.repeat(90);
		const raw = { width: 1_350, height: 1_350, channels: 3 } as const;
		const file = await sharp(Buffer.from(pixels, "hex").subarray(0, 1_350 * 1_350 * 3), { raw })
			.png({ compressionLevel: 0 })
			.toBuffer();
		expect(file.length).toBeGreaterThan(5_000_000);
		const image = await uploaded(service, new Uint8Array(file), "noise.png");
		const before = s3.seen.length;
		const head = await service.open(image.url, { method: "HEAD" });
		expect(head.headers.get("content-length")).toBe(String(file.length));
		expect(s3.seen.slice(before).map(({ method }) => method)).not.toContain("PUT");
		expect(Buffer.from(await bytesOf(await service.open(image.url))).equals(file)).toBe(true);
		for (const [range, first, last] of [
			["bytes=0-0", 0, 0],
			["bytes=4194300-4194400", 4_194_300, 4_194_400],
			["bytes=-1000", file.length - 1_000, file.length - 1],
			["bytes=5000000-", 5_000_000, file.length - 1],
		] as const) {
			const part = await service.open(image.url, { headers: { Range: range } });
			expect([part.status, part.headers.get("content-length")]).toEqual([206, String(last + 1 - first)]);
			expect(Buffer.from(await bytesOf(part)).equals(file.subarray(first, last + 1))).toBe(true);
		}
		await deleted(image);
	});

	test("renditions, smaller copies and facts are made from the object [s3.service.transform]", async () => {
		const image = await uploaded(service, await corners(2_601, 1_999, "jpeg"), "large.jpg");
		expect(await rendered(`${image.url}?w=200&rotate=90&format=png`)).toEqual({
			width: 200,
			height: 260,
			format: "png",
		});
		expect(await rendered(`${image.url}?w=300&h=300&fit=cover&gravity=auto&format=webp`)).toMatchObject({ width: 300 });
		expect(await rendered(`${image.url}?size=social`)).toMatchObject({ width: 1_200, height: 630 });
		const cached = async () => {
			const files = await readdir(join(service.dataDir, "cache"), { recursive: true, withFileTypes: true });
			return files.filter((file) => file.isFile()).length;
		};
		// Three renditions, halves and quarters.
		await eventually(async () => (await cached()) >= 5);
		await deleted(image);
	});

	test("a rendition that is kept asks the bucket for nothing [s3.service.cached]", async () => {
		const image = await uploaded(service, await corners(900, 600, "jpeg"), "corners.jpg");
		const url = `${image.url}?w=50`;
		const asked = async () => {
			const before = s3.seen.length;
			await rendered(url);
			return s3.seen.slice(before).map(({ method }) => method);
		};
		// Its original is kept from then on as well.
		expect(await asked()).toEqual(["GET"]);
		expect(await asked()).toEqual([]);
		await deleted(image);
	});

	test("an import becomes an object [s3.service.import]", async () => {
		const response = await importImage(service, { url: origin.url("/cat.jpg") });
		expect(response.status).toBe(201);
		const image = (await response.json()) as Image;
		expect(onlyObject().length).toBe(image.bytes);
		await deleted(image);
	});

	test("an operator sees the stored picture [s3.service.preview]", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const image = await uploaded(service, await plain(30, 20), "plain.png");
		const preview = await send(service, "GET", `/v1/moderation/images/${image.id}/preview`, undefined, as(operator));
		expect(Buffer.from(await bytesOf(preview)).equals(onlyObject())).toBe(true);
		await deleted(image);
	});

	test("/readyz makes a round trip through the bucket, and says when it fails; what needs none goes on [s3.service.ready]", async () => {
		const before = s3.seen.length;
		expect((await service.api("/readyz")).status).toBe(200);
		const probes = s3.seen.slice(before).filter(({ path }) => path.includes("/probe/"));
		expect(probes.map(({ method }) => method)).toEqual(["PUT", "GET", "DELETE"]);
		service.clock.advance(1_000);
		s3.fail("PUT", { kind: "refuse", status: 403, code: "AccessDenied" }, 1);
		const failed = await service.api("/readyz");
		// No other process is better.
		expect(failed.status).toBe(200);
		expect(await failed.json()).toMatchObject({ checks: { blobs: "failed", database: "ok" } });
		expect(s3.blobs().size).toBe(0);
	});

	test.skipIf(withoutCorpus)(
		`[C][T] HEIC is read before it is put, and served as JPEG${corpusNote} [s3.service.heic]`,
		async () => {
			const image = await uploaded(service, await corpus("iphone_grid_p3.heic"), "photo.heic");
			expect(image).toMatchObject({ format: "jpg", width: 3_024, height: 4_032, status: "ready" });
			expect(onlyObject().length).toBe(image.bytes);
			expect(await rendered(`${image.url}?w=100`)).toMatchObject({ width: 100, format: "jpeg" });
			await deleted(image);
		},
	);
});

describe("interface 4.2.0 on a bucket", () => {
	test.skipIf(withoutCorpus)(
		`a queued HEIC is fetched, and put again as JPEG${corpusNote} [s3.service.processing]`,
		async () => {
			const legacy = await openService({ ...s3.env, SVC_VARIANT: "legacy" });
			try {
				const image = await uploaded(legacy, await corpus("iphone_grid_p3.heic"), "photo.heic");
				expect(image.status).toBe("processing");
				await legacy.runJobs();
				const got = await (await legacy.api(`/v1/images/${image.id}`)).json();
				expect(got).toMatchObject({ status: "ready", width: 3_024, height: 4_032 });
				expect(s3.blobs().size).toBe(2);
				legacy.clock.advance(2 * DAY_MS);
				await legacy.sweep();
				expect(onlyObject().subarray(0, 3).toString("hex")).toBe("ffd8ff");
			} finally {
				await legacy.close();
				s3.objects.clear();
			}
		},
	);
});

test.skipIf(!HAS_PYTHON)(
	"an export holds the pictures of a bucket, and leaves out one whose bytes are others",
	async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const secret = await addSession(service.database, user.accountId);
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		const file = await corners(16, 12);
		const [whole, damaged] = [
			await uploaded(service, file, "a.png", {}, caller),
			await uploaded(service, file, "b.png", {}, caller),
		];
		const { id } = await (await send(service, "POST", "/v1/me/export", {}, as({ secret }))).json();
		await service.runJobs();
		const [row] = await service.database.rows("SELECT blob_key FROM images WHERE id = ?", [damaged.id]);
		const name = [...s3.objects.keys()].find((key) => key.includes(String(row?.[0]))) ?? "";
		const object = s3.objects.get(name);
		if (!object) throw new Error("the picture is not in the bucket");
		s3.objects.set(name, { ...object, body: Buffer.from(object.body.map((byte) => byte ^ 1)) });
		const answer = await send(service, "GET", `/v1/me/exports/${id}/file`, undefined, as({ secret }));
		const files = await readZip(await answer.arrayBuffer());
		expect([...files.keys()]).toEqual([`${app.id}/${whole.id}.png`, "images.json", "account.json"]);
		expect(Buffer.from(files.get(`${app.id}/${whole.id}.png`) ?? []).equals(Buffer.from(file))).toBe(true);
		expect(JSON.parse(Buffer.from(files.get("account.json") ?? []).toString()).left_out).toEqual([damaged.id]);
	},
);
