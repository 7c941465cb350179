import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { imagesOf, ultraHdr } from "../../support/ultra-hdr.ts";
import { until } from "../../support/workers.ts";

let service: OpenService;
let dataDir: string;
beforeEach(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-gain-maps-"));
	service = await openService({ SVC_DATA_DIR: dataDir });
});
afterEach(async () => {
	await service.close();
	await removeData(dataDir);
});

async function opened(address: string) {
	const answer = await service.open(address);
	const bytes = await answer.bytes();
	return { images: imagesOf(bytes).length, bytes: bytes.length, etag: answer.headers.get("ETag") };
}

const factsOf = async ({ id }: Image) =>
	((await (await send(service, "GET", `/v1/images/${id}?include=facts`)).json()) as Image).facts;

test("[C] a photo with a gain map has it in its JPEG renditions, under a validator of their own, and its facts say so", async () => {
	const photo = await uploaded(service, await ultraHdr(), "a.jpg");
	for (const query of ["w=200", "size=s", "w=120&h=120&fit=cover&gravity=left", "rotate=90&format=jpg", "q=60"]) {
		const [bright, off] = [await opened(`${photo.url}?${query}`), await opened(`${photo.url}?${query}&hdr=off`)];
		expect([query, bright.images, off.images, bright.bytes > off.bytes]).toEqual([query, 2, 1, true]);
		expect(bright.etag).not.toBe(off.etag);
		expect((await opened(`${photo.url}?hdr=on&${query}`)).etag).toBe(bright.etag);
	}
	for (const query of ["w=200&format=webp", "w=200&blur=4", "w=200&metadata=none"]) {
		const [one, off] = [await opened(`${photo.url}?${query}`), await opened(`${photo.url}?${query}&hdr=off`)];
		expect([query, one.images, off]).toEqual([query, 1, one]);
	}
	expect((await opened(photo.url)).images).toBe(2);
	await until(async () => (await factsOf(photo))?.hdr === true);
});

test("[C] `hdr=off` is nothing to a picture without a gain map, whose facts do not speak of one", async () => {
	const picture = await uploaded(service, new Uint8Array(await plain(300, 200, "jpeg")), "a.jpg");
	for (const query of ["", "w=200&", "q=60&"])
		expect(await opened(`${picture.url}?${query}hdr=off`)).toEqual(await opened(`${picture.url}?${query}`));
	await until(async () => (await factsOf(picture))?.thumbhash != null);
	expect(await factsOf(picture)).not.toHaveProperty("hdr");
});

test("[C] a rendition of a release before is served until the photo is known to have a gain map, then made anew with it", async () => {
	const photo = await uploaded(service, await ultraHdr(), "a.jpg");
	const other = await uploaded(service, new Uint8Array(await plain(300, 200, "jpeg")), "b.jpg");
	const plainly = (await opened(`${other.url}?w=200`)).etag;
	const nothing = JSON.stringify({ upTo: 100, has: [] });
	const known = (run: ReturnType<typeof sql>) => service.database.write([{ run }]);
	await until(async () => (await factsOf(photo))?.hdr === true);
	await known(sql`UPDATE image_facts SET value = CAST(${nothing} AS BLOB) WHERE kind = 'mends'`);
	await service.close();
	service = await openService({ SVC_DATA_DIR: dataDir });
	const before = await opened(`${photo.url}?w=200`);
	expect(before.images).toBe(1);
	await known(sql`DELETE FROM image_facts WHERE kind = 'mends'`);
	await service.close();
	service = await openService({ SVC_DATA_DIR: dataDir });
	expect((await opened(`${photo.url}?w=200`)).etag).toBe(before.etag);
	await until(async () => (await opened(`${photo.url}?w=200`)).images === 2);
	expect((await opened(`${other.url}?w=200`)).etag).toBe(plainly);
});
