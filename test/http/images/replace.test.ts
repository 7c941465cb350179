import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { countOf, lockImage, setImageStatus } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let small: Buffer<ArrayBuffer>;
let large: Buffer<ArrayBuffer>;
beforeAll(async () => {
	[small, large] = [await plain(8, 8), await plain(40, 20, "jpeg")];
});

const create = (fields: Record<string, string> = {}) => uploaded(service, small, "a.png", fields);
const replace = (id: string, file: Buffer<ArrayBuffer> = large, key?: string, fields = {}) =>
	service.api(`/v1/images/${id}/replace`, {
		method: "POST",
		body: form(file, "b.jpg", fields),
		headers: headersOf(service, { headers: key === undefined ? {} : { "Idempotency-Key": key } }),
	});
const pixels = async (url: string) => {
	const { width, height, format } = await sharp(await (await service.open(url)).bytes()).metadata();
	return `${width}x${height} ${format}`;
};
const usage = async () => ((await (await service.api("/v1/usage")).json()) as { totals: object }).totals;

describe("a replaced image", () => {
	test("keeps its id, labels, dates and name, and its old address serves the new picture in the old format", async () => {
		const image = await create({ labels: '{"a":"1"}', external_id: "x", ttl: "1d" });
		expect(await pixels(`${image.url}?w=4`)).toBe("4x4 png");
		const answer = await replace(image.id);
		const replaced = (await answer.json()) as Image;
		const { url, sizes, filename, format, width, height, bytes, ...kept } = replaced;
		expect(answer.status).toBe(200);
		expect(image).toMatchObject(kept);
		expect({ filename, format, width, height, bytes }).toEqual({
			filename: "b.jpg",
			format: "jpg",
			width: 40,
			height: 20,
			bytes: large.length,
		});
		expect([await pixels(url), await pixels(image.url), await pixels(`${image.url}?w=4`)]).toEqual([
			"40x20 jpeg",
			"40x20 png",
			"4x2 png",
		]);
		expect(await (await service.api(`/v1/images/${image.id}`)).json()).toEqual(replaced);
	});

	test("counts with its new bytes, and leaves none of the old ones alive", async () => {
		const image = await create();
		const before = (await usage()) as { images_stored: number; storage_used_bytes: number };
		await replace(image.id);
		const more = large.length - small.length;
		expect(await usage()).toMatchObject({
			images_stored: before.images_stored,
			storage_used_bytes: before.storage_used_bytes + more,
		});
		const blobs = (state: string) =>
			countOf(
				service.database,
				sql`SELECT count(*) FROM blobs WHERE blob_key LIKE ${`${image.id}/%`} AND state = ${state}`,
			);
		expect([await blobs("live"), await blobs("dead"), await blobs("pending")]).toEqual([1, 1, 0]);
	});

	test("is replaced once under one Idempotency-Key, and other bytes under it are refused", async () => {
		const { id } = await create();
		const first = await replace(id, large, "r1");
		const again = await replace(id, large, "r1");
		expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
		expect(await again.json()).toEqual(await first.json());
		const told = sql`SELECT count(*) FROM events WHERE subject = ${id} AND type = 'image.updated'`;
		expect(await countOf(service.database, told)).toBe(1);
		expect(await errorOf(await replace(id, small, "r1"))).toMatchObject({ code: "idempotency_key_conflict" });
	});

	test("stays as it is where the new bytes are refused, while it is locked, and blocked", async () => {
		const [image, locked, blocked] = [await create(), await create(), await create()];
		await lockImage(service.database, locked.id);
		await setImageStatus(service.database, blocked.id, "blocked");
		const broken = Buffer.from("no picture");
		expect(await errorOf(await replace(image.id, broken))).toMatchObject({ status: 422, fields: ["file"] });
		expect(await errorOf(await replace(image.id, large, undefined, { caption: "x" }))).toMatchObject({
			status: 422,
			fields: ["caption"],
		});
		expect(await errorOf(await replace(locked.id))).toMatchObject({ status: 403, code: "media_locked" });
		expect((await replace(blocked.id)).status).toBe(404);
		expect((await replace("img_0000000000000000000000")).status).toBe(404);
		expect([await pixels(image.url), await pixels(locked.url)]).toEqual(["8x8 png", "8x8 png"]);
	});

	test("is one of both where two come at once", async () => {
		const { id, url } = await create();
		const both = await Promise.all([replace(id, large), replace(id, small)]);
		expect(both.map(({ status }) => status)).toEqual([200, 200]);
		const live = sql`SELECT count(*) FROM blobs WHERE blob_key LIKE ${`${id}/%`} AND state = 'live'`;
		expect(await countOf(service.database, live)).toBe(1);
		expect(["40x20 png", "8x8 png"]).toContain(await pixels(url));
	});
});
