import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { firstApp } from "../../support/apps.ts";
import { placeholdersMade } from "../../support/background.ts";
import { DAMAGES, flip, type StoredImage, storeImage } from "../../support/damage.ts";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { gifWithRights } from "../../support/rights.ts";
import { fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

interface Result {
	readonly usage: { readonly drifts: readonly unknown[] };
	readonly billing: object;
	readonly damaged: readonly Readonly<Record<string, unknown>>[];
	readonly damaged_total: number;
	readonly mended: readonly unknown[];
	readonly mended_total: number;
	readonly converted_without_profile: readonly unknown[];
	readonly converted_without_profile_total: number;
	readonly repaired?: number;
}

let parent: string;
let service: OpenService;
beforeAll(async () => {
	parent = await mkdtemp(join(tmpdir(), "svc-reconcile-"));
});
afterAll(() => removeData(parent));
beforeEach(async () => {
	service = await openService();
});
afterEach(() => service.close());

async function jobAt(path: string, body?: unknown, on = service): Promise<Result> {
	const caller = { key: on.token };
	const answer = await send(on, "POST", path, body, caller);
	expect(answer.status).toBe(202);
	const { id } = (await answer.json()) as { id: string };
	await on.runJobs();
	const job = (await (await send(on, "GET", `/v1/jobs/${id}`, undefined, caller)).json()) as {
		state: string;
		result: Result;
	};
	expect(job.state).toBe("done");
	return job.result;
}

const reconciled = (body?: unknown, on = service) => jobAt("/v1/operator/reconcile", body, on);
const backUp = (on = service) => jobAt("/v1/operator/backups", undefined, on);

async function damagedOnes(): Promise<readonly StoredImage[]> {
	const stored: StoredImage[] = [];
	for (const [place] of DAMAGES.entries()) stored.push(await storeImage(service, 60 + place));
	await placeholdersMade(service);
	return stored;
}

describe("a reconcile", () => {
	test("names images whose size is wrong or whose bytes are gone, and with scrub all that are damaged [reconcile.damaged]", async () => {
		await storeImage(service, 50);
		const stored = await damagedOnes();
		expect(await reconciled()).toEqual({
			usage: { drifts: [] },
			billing: { checked: 0, drifts: [], repaired: 0 },
			damaged: [],
			damaged_total: 0,
			mended: [],
			mended_total: 0,
			converted_without_profile: [],
			converted_without_profile_total: 0,
		});
		for (const [place, [, , damage]] of DAMAGES.entries()) {
			const doomed = stored[place];
			if (doomed) await damage(doomed);
		}
		const bySize = await reconciled({});
		expect(bySize.damaged.map(({ kind }) => kind)).toEqual(["size", "size", "missing"]);
		const all = await reconciled({ scrub: true });
		expect(all.damaged_total).toBe(5);
		expect(all.repaired).toBeUndefined();
		const app = await firstApp(service.database);
		for (const [place, [, kind]] of DAMAGES.entries()) {
			const { image, body } = stored[place] ?? (await storeImage(service));
			const found = {
				size: kind === "size" ? all.damaged[place]?.found_bytes : null,
				digest: body.length,
				missing: null,
			};
			expect(all.damaged[place]).toEqual({
				image_id: image.id,
				app_id: app.id,
				kind,
				bytes: body.length,
				found_bytes: found[kind],
			});
		}
		// What is known stays named, though its size is right.
		expect((await reconciled()).damaged_total).toBe(5);
	});

	test("names images of which something else is made than earlier releases made, and what nothing can be made right of", async () => {
		const gif = await uploaded(service, await gifWithRights(), "rights.gif");
		await uploaded(service, await plain(20, 10), "plain.png");
		const bare = await uploaded(service, await plain(20, 10, "jpeg", "#111111"), "bare.jpg");
		const own = await sharp(await plain(20, 10, "jpeg", "#222222"))
			.withIccProfile("p3")
			.toBuffer();
		const kept = await uploaded(service, new Uint8Array(own), "own.jpg");
		const ids = JSON.stringify([bare.id, kept.id]);
		// As they lie where a HEIC was sent.
		const sent = sql`UPDATE images SET sent_sha256 = zeroblob(32) WHERE id IN (SELECT value FROM json_each(${ids}))`;
		await service.database.write([{ run: sent }]);
		const found = await reconciled();
		const app = await firstApp(service.database);
		expect(found).toMatchObject({
			mended: [{ image_id: gif.id, app_id: app.id, why: ["rights", "XMP"] }],
			mended_total: 1,
			converted_without_profile: [{ image_id: bare.id, app_id: app.id, created_at: bare.created_at }],
			converted_without_profile_total: 1,
		});
	});

	test("repairs from a backup what that has whole; then it is served again, and nothing is named [reconcile.repair]", async () => {
		const stored = await damagedOnes();
		await backUp();
		for (const [place, [, , damage]] of DAMAGES.entries()) {
			const doomed = stored[place];
			if (doomed) await damage(doomed);
		}
		for (const { image } of stored) expect((await service.open(image.url)).status).toBe(503);
		const { damaged, damaged_total, repaired } = await reconciled({ repair: true });
		expect([damaged_total, repaired]).toEqual([5, 5]);
		expect(damaged.every((one) => one.repaired === true)).toBe(true);
		for (const { image, body } of stored) {
			const answer = await service.open(image.url);
			expect(answer.status).toBe(200);
			expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
			expect((await service.open(`${image.url}?w=20`)).status).toBe(200);
		}
		expect(await reconciled({ scrub: true, repair: true })).toMatchObject({ damaged_total: 0, repaired: 0 });
		const { blobs } = (await (
			await send(service, "GET", "/v1/operator/health", undefined, { key: service.token })
		).json()) as { blobs: unknown };
		expect(blobs).toMatchObject({ damaged: 0, missing: 0 });
	});

	test("repairs nothing from a copy that is damaged itself, and brings back a folder that is gone [reconcile.whole-copies]", async () => {
		const [one, other] = [await storeImage(service, 60), await storeImage(service, 61)];
		const { path } = (await backUp()) as unknown as { path: string };
		await flip(join(path, one.path.slice(service.dataDir.length)), 9);
		await flip(one.path, 3);
		await rm(dirname(other.path), { recursive: true });
		const { damaged, repaired } = await reconciled({ scrub: true, repair: true });
		expect(repaired).toBe(1);
		expect(damaged.find(({ image_id }) => image_id === one.image.id)).toMatchObject({ repaired: false });
		expect((await service.open(one.image.url)).status).toBe(503);
		expect((await service.open(other.image.url)).status).toBe(200);
	});

	test("a later backup takes a damaged original from an earlier one, and is whole [backup.heals]", async () => {
		const { path } = await storeImage(service);
		await backUp();
		await flip(path, 3);
		expect(await backUp()).toMatchObject({ damaged: 0, images: 1 });
	});

	test("a rotten byte is found by a scrub though its file looks as old as ever, and the original is served no more [reconcile.rot]", async () => {
		const { image, path } = await storeImage(service);
		await placeholdersMade(service);
		expect((await service.open(image.url)).status).toBe(200);
		await flip(path, 3);
		await utimes(path, new Date(0), new Date(0));
		expect((await reconciled({ scrub: true })).damaged_total).toBe(1);
		expect((await service.open(image.url)).status).toBe(503);
	});

	test("brings objects of a bucket back from a backup [reconcile.s3]", async () => {
		const s3 = await fakeS3();
		const bucket = await openService(s3.env);
		const images = [];
		for (let width = 40; width < 43; width++) images.push(await uploaded(bucket, await plain(width, 30)));
		await backUp(bucket);
		const [one = "", other = "", lost = ""] = [...s3.objects.keys()].filter((key) => key.startsWith("img_"));
		const [a, b] = [s3.objects.get(one), s3.objects.get(other)];
		if (!(a && b)) throw new Error("nothing was stored");
		s3.objects.set(one, b).set(other, a).delete(lost);
		expect(await reconciled({ scrub: true, repair: true }, bucket)).toMatchObject({ damaged_total: 3, repaired: 3 });
		for (const { url } of images) expect((await bucket.open(url)).status).toBe(200);
		await bucket.close();
		await s3.close();
	});

	test("422 for a wish that is none, and for a field that it does not know [reconcile.fields]", async () => {
		const sent = { scrub: "yes", everything: true };
		const wrong = await errorOf(await send(service, "POST", "/v1/operator/reconcile", sent, { key: service.token }));
		expect([wrong.status, wrong.fields.toSorted()]).toEqual([422, ["everything", "scrub"]]);
	});
});
