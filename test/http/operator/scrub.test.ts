import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scrubber } from "@svc/images/keep/scrub";
import type { Image } from "@svc/sdk/shapes";
import { firstApp, setPlan } from "../../support/apps.ts";
import { addImages } from "../../support/bulk-images.ts";
import { DAMAGES, damageLines, flip, masterFile, storeImage } from "../../support/damage.ts";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { send, uploaded } from "../../support/requests.ts";
import { fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

const DAY_MS = 24 * 3_600_000;

let parent: string;
beforeAll(async () => {
	parent = await mkdtemp(join(tmpdir(), "svc-scrub-"));
});
afterAll(() => removeData(parent));

interface Health {
	readonly ready: boolean;
	readonly degraded: boolean;
	readonly blobs: { readonly damaged: number; readonly missing: number; readonly scrubbed_at: string | null };
}

async function healthOf(service: OpenService): Promise<Health> {
	const { token: key } = service;
	return (await (await send(service, "GET", "/v1/operator/health", undefined, { key })).json()) as Health;
}

async function metricsOf(service: OpenService): Promise<string[]> {
	return (await (await service.api("/metrics")).text()).split("\n");
}

async function withImages(service: OpenService, images: number): Promise<string[]> {
	const app = await firstApp(service.database);
	await setPlan(service.database, app.id, "unlimited");
	await addImages(service, app.storageId, images, Uint8Array.from(await plain(6, 6)));
	return (await service.database.rows("SELECT id FROM images ORDER BY pk", [])).map(([id]) => String(id));
}

describe("a scrub", () => {
	test("finds each damage that nobody has read: in the log, in health and in the metrics [scrub.finds]", async () => {
		const env = { SVC_DATA_DIR: join(parent, "finds") };
		const before = await openService(env);
		const sound = await storeImage(before, 50);
		const stored = [];
		for (const [place] of DAMAGES.entries()) stored.push(await storeImage(before, 60 + place));
		const [one, other] = [await storeImage(before, 70), await storeImage(before, 71)];
		await before.close();
		for (const [place, [, , damage]] of DAMAGES.entries()) {
			const doomed = stored[place];
			if (doomed) await damage(doomed);
		}
		await rename(one.path, `${one.path}.away`);
		await rename(other.path, one.path);
		await rename(`${one.path}.away`, other.path);
		const service = { ...(await openService(env)), token: before.token };
		expect(await healthOf(service)).toMatchObject({
			degraded: false,
			blobs: { damaged: 0, missing: 0, scrubbed_at: null },
		});
		expect(await service.scrub()).toBe(8);
		expect(damageLines(service)).toHaveLength(7);
		const { ready, degraded, blobs } = await healthOf(service);
		expect([ready, degraded, blobs.damaged, blobs.missing]).toEqual([true, true, 6, 1]);
		expect(Date.parse(String(blobs.scrubbed_at))).toBeGreaterThan(0);
		const metrics = await metricsOf(service);
		expect(metrics).toContain('svc_blobs_damaged{kind="missing"} 1');
		expect(metrics).toContain("svc_scrub_checked_total 8");
		expect(metrics.some((line) => /^svc_scrub_last_complete_seconds \d{9}/.test(line))).toBe(true);
		expect((await service.open(sound.image.url)).status).toBe(200);
		await service.close();
	});

	test("goes on where it was after a restart, and begins again when it is due [scrub.resumes]", async () => {
		const env = { SVC_DATA_DIR: join(parent, "resumes") };
		const first = await openService(env);
		const ids = await withImages(first, 45);
		expect(await first.scrub()).toBe(20);
		await flip(await masterFile(first, ids[2] ?? ""), 5);
		await flip(await masterFile(first, ids[40] ?? ""), 5);
		await first.close();
		const second = await openService(env);
		expect([await second.scrub(), await second.scrub(), await second.scrub()]).toEqual([20, 5, 0]);
		expect(damageLines(second).map(({ facts }) => (facts as { image: string }).image)).toEqual([ids[40] ?? ""]);
		second.clock.advance(19 * DAY_MS);
		expect(await second.scrub()).toBe(0);
		// From now on all of them are due within ten days.
		second.clock.advance(2 * DAY_MS);
		expect(await second.scrub()).toBe(20);
		second.clock.advance(10 * DAY_MS);
		expect(await second.scrub()).toBe(25);
		expect(damageLines(second).map(({ facts }) => (facts as { image: string }).image)).toContain(ids[2] ?? "");
		await second.close();
	});

	test("is one for all processes: the second waits until the first one's lease is over [scrub.one]", async () => {
		const service = await openService();
		await withImages(service, 30);
		expect(await service.scrub()).toBe(20);
		const other = scrubber(service.rooms.images, { days: 30, yieldToRequests: () => Bun.sleep(0) });
		expect(await other.run()).toBe(0);
		service.clock.advance(3_600_000);
		expect(await other.run()).toBe(10);
		await service.close();
	});

	test("scrub_days=0 turns it off; reads find damage all the same [scrub.off]", async () => {
		const service = await openService({ SVC_TUNING: "scrub_days=0" });
		const { image, path } = await storeImage(service);
		await flip(path, 3);
		expect(await service.scrub()).toBe(0);
		expect((await service.open(image.url)).status).toBe(503);
		expect((await healthOf(service)).blobs).toMatchObject({ damaged: 1, scrubbed_at: null });
		await service.close();
	});

	test("asks a bucket for the checksums that it keeps, and fetches nothing [scrub.s3]", async () => {
		const s3 = await fakeS3();
		const env = { ...s3.env, SVC_DATA_DIR: join(parent, "s3") };
		const before = await openService(env);
		const images: Image[] = [];
		for (let width = 40; width < 44; width++) images.push(await uploaded(before, await plain(width, 30)));
		await before.close();
		const [one = "", other = "", lost = ""] = [...s3.objects.keys()].filter((key) => key.startsWith("img_"));
		const [a, b] = [s3.objects.get(one), s3.objects.get(other)];
		if (!(a && b)) throw new Error("nothing was stored");
		s3.objects.set(one, b).set(other, a).delete(lost);
		// As on another machine, on which no original is kept: one that is, and is whole, is shown all the same.
		await rm(join(parent, "s3", "cache"), { recursive: true });
		const service = { ...(await openService(env)), token: before.token };
		s3.seen.length = 0;
		expect(await service.scrub()).toBe(4);
		const asked = s3.seen.filter(({ path }) => path.includes("/img_")).map(({ method }) => method);
		expect(new Set(asked)).toEqual(new Set(["HEAD"]));
		expect((await healthOf(service)).blobs).toMatchObject({ damaged: 2, missing: 1 });
		const statuses = await Promise.all(images.map(async ({ url }) => (await service.open(url)).status));
		expect(statuses.toSorted()).toEqual([200, 503, 503, 503]);
		await service.close();
		await s3.close();
	});
});

test("a byte that changed in a bucket, behind a checksum that did not, is not rendered [damage.s3]", async () => {
	const s3 = await fakeS3();
	const service = await openService(s3.env);
	const image = await uploaded(service, await plain(40, 30));
	for (const [key, stored] of s3.objects) {
		if (!key.startsWith("img_")) continue;
		const body = Buffer.from(stored.body);
		body[20] = (body[20] ?? 0) ^ 1;
		s3.objects.set(key, { ...stored, body });
	}
	expect((await service.open(`${image.url}?w=20`)).status).toBe(503);
	expect((await service.open(image.url)).status).toBe(503);
	expect(damageLines(service)).toHaveLength(1);
	await service.close();
	await s3.close();
});
