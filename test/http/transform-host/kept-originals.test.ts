import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { type FakeS3, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Originals lie in a bucket, and are kept on this machine once they were needed. */

let s3: FakeS3;
let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	s3 = await fakeS3();
	service = await openService({ ...s3.env, SVC_CACHE_MAX_BYTES: "400000" });
	file = await plain(40, 30);
});
afterAll(async () => {
	await service.close();
	await s3.close();
});
beforeEach(() => s3.heal());

/** How often the bucket was asked for a picture since, by method. */
async function askedFor(work: () => Promise<void>): Promise<Readonly<Record<string, number>>> {
	const before = s3.seen.length;
	await work();
	const seen = s3.seen.slice(before).filter(({ path }) => path.includes("/img_"));
	return Object.fromEntries(
		["HEAD", "GET"].map((method) => [method, seen.filter((one) => one.method === method).length]),
	);
}

const keyOf = (id: string) => [...s3.blobs().keys()].find((key) => key.startsWith(`${id}/`)) ?? "";

async function statusesOf(url: string, queries: readonly string[]): Promise<number[]> {
	const statuses: number[] = [];
	for (const query of queries) {
		const answer = await service.open(`${url}${query}`);
		await answer.bytes();
		statuses.push(answer.status);
	}
	return statuses;
}

test("an original is asked for once, and not looked at before, for itself and for all that is made of it", async () => {
	const asked = await askedFor(async () => {
		const { url } = await uploaded(service, file);
		expect(await statusesOf(url, ["?w=20", "", "?w=10", "?w=11", ""])).toEqual([200, 200, 200, 200, 200]);
	});
	expect(asked).toEqual({ HEAD: 0, GET: 1 });
});

test("requests that come together fetch it together", async () => {
	const asked = await askedFor(async () => {
		const { url } = await uploaded(service, await plain(41, 30));
		await Promise.all([12, 13, 14, 15, 16].map((width) => statusesOf(url, [`?w=${width}`])));
	});
	expect(asked).toEqual({ HEAD: 0, GET: 1 });
});

test("a range of a kept original has the bytes of the original", async () => {
	const { url } = await uploaded(service, file);
	const whole = await (await service.open(url)).bytes();
	const part = await service.open(url, { headers: { Range: "bytes=10-29" } });
	expect(part.status).toBe(206);
	expect(await part.bytes()).toEqual(whole.slice(10, 30));
});

test("nothing of a deleted image stays on this machine", async () => {
	const { id, url } = await uploaded(service, file);
	await statusesOf(url, ["", "?w=20"]);
	const filesOf = async () =>
		(await readdir(join(service.dataDir, "cache"), { recursive: true })).filter((name) => name.includes(id));
	expect(await filesOf()).not.toEqual([]);
	expect((await send(service, "DELETE", `/v1/images/${id}`)).status).toBe(200);
	expect(await statusesOf(url, ["", "?w=20", "?w=21"])).toEqual([404, 404, 404]);
	while ((await filesOf()).length > 0) await Bun.sleep(20);
});

test("more originals than have room are served all the same, also those that went", async () => {
	const urls: string[] = [];
	for (let count = 0; count < 40; count += 1) urls.push((await uploaded(service, file)).url);
	const all = await Promise.all(urls.flatMap((url) => [statusesOf(url, ["?w=20", "?w=21"]), statusesOf(url, [""])]));
	expect(new Set(all.flat())).toEqual(new Set([200]));
	expect(await statusesOf(urls[0] ?? "", ["?w=9", ""])).toEqual([200, 200]);
});

test("an original that the bucket has lost, and one whose bytes are others, are 503, and whole again once they are", async () => {
	const lost = await uploaded(service, await plain(42, 30));
	const other = await uploaded(service, await plain(43, 30));
	const [lostKey, otherKey] = [keyOf(lost.id), keyOf(other.id)];
	// The transform host may have fetched them by now, for their placeholders: others ask the bucket.
	const objects = new Map([lostKey, otherKey].map((key) => [key, s3.objects.get(key)]));
	s3.objects.delete(lostKey);
	const changed = objects.get(otherKey);
	if (!changed) throw new Error("the bucket has no such blob");
	s3.objects.set(otherKey, { ...changed, body: Buffer.from(changed.body).fill(7, 40, 44) });
	const masters = service.rooms.images.masters;
	await expect(masters.findWhole(lostKey).then((found) => found?.read())).rejects.toMatchObject({ kind: "missing" });
	await expect(masters.findWhole(otherKey).then((found) => found?.read())).rejects.toMatchObject({ kind: "digest" });
	await expect(masters.findWhole(lostKey)).rejects.toMatchObject({ kind: "missing" });
	for (const [key, object] of objects) if (object) s3.objects.set(key, object);
	expect((await masters.findWhole(lostKey))?.bytes).toBe(objects.get(lostKey)?.body.length);
});
