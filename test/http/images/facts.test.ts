import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Event, Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { errorOf, form, headersOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { until } from "../../support/workers.ts";

const service = serviceFor();

const RED = { r: 220, g: 30, b: 40 };

/** Red with a band of blue below, as a camera would have written it. */
function photo(exif: Record<string, string>): Promise<Buffer<ArrayBuffer>> {
	const band = { create: { width: 300, height: 60, channels: 3, background: "#143cc8" } } as const;
	return sharp({ create: { width: 300, height: 200, channels: 3, background: RED } })
		.composite([{ input: band, top: 140, left: 0 }])
		.withExif({ IFD2: exif })
		.png()
		.toBuffer() as Promise<Buffer<ArrayBuffer>>;
}

const get = async (id: string, query = "?include=facts") =>
	(await (await send(service, "GET", `/v1/images/${id}${query}`)).json()) as Image;

async function known(id: string): Promise<NonNullable<Image["facts"]>> {
	let found: Image["facts"];
	await until(async () => {
		found = (await get(id)).facts;
		return found?.thumbhash != null;
	});
	if (!found) throw new Error("no facts");
	return found;
}

test("facts are shown to who asks: ThumbHash and colours seconds later, the date with its offset, the digest of what was sent", async () => {
	const file = await photo({ DateTimeOriginal: "2026:05:01 16:03:00", OffsetTimeOriginal: "+02:00" });
	const sha256 = createHash("sha256").update(file).digest("hex");
	const body = form(file, "a.png");
	const answer = await service.api("/v1/images?include=facts", { method: "POST", body, headers: headersOf(service) });
	const created = (await answer.json()) as Image;
	expect(created.facts).toMatchObject({ sha256 });
	const facts = await known(created.id);
	expect(facts).toEqual({
		thumbhash: expect.stringMatching(/^[A-Za-z0-9+/]{20,}=*$/),
		colors: ["#dc1e28", "#143cc8"],
		taken_at: "2026-05-01T14:03:00.000Z",
		sha256,
	} as never);
	const { facts: _, ...bare } = await get(created.id);
	expect(await get(created.id, "")).toEqual(bare);
	const list = (await (await send(service, "GET", "/v1/images?include=facts&limit=1")).json()) as List<Image>;
	expect(list.data[0]?.facts).toEqual(facts);
	const changed = await send(service, "PATCH", `/v1/images/${created.id}?include=facts`, { caption: "x" });
	expect(((await changed.json()) as Image).facts).toEqual(facts);
	const batch = { ids: [created.id], caption: "y" };
	const many = (await (await send(service, "PATCH", "/v1/images/batch?include=facts", batch)).json()) as List<Image>;
	expect(many.data[0]?.facts).toEqual(facts);
	const feed = (await (await send(service, "GET", "/v1/events?types=image.updated")).json()) as List<Event>;
	expect(feed.data.at(-1)?.data.object).toMatchObject({ facts });
});

test("facts of a JPEG are there with the 201, and in the event of it", async () => {
	const body = form(
		await sharp(await photo({}))
			.jpeg()
			.toBuffer(),
		"a.jpg",
	);
	const answer = await service.api("/v1/images?include=facts", { method: "POST", body, headers: headersOf(service) });
	const { facts } = (await answer.json()) as Image;
	expect(facts).toMatchObject({
		thumbhash: expect.any(String),
		colors: [expect.stringMatching(/^#d[b-d]1[d-f]2[6-9]$/), expect.any(String)],
	});
	const feed = (await (await send(service, "GET", "/v1/events?types=image.created")).json()) as List<Event>;
	expect(feed.data.at(-1)?.data.object).toMatchObject({ facts });
});

test("facts: a date without an offset is read as UTC, and what is no date is none", async () => {
	const { id } = await uploaded(service, await photo({ DateTimeOriginal: "2020:02:29 23:59:59" }), "a.png");
	expect((await known(id)).taken_at).toBe("2020-02-29T23:59:59.000Z");
	const none = await uploaded(service, await photo({ DateTimeOriginal: "2021:02:29 00:00:00" }), "a.png");
	expect((await known(none.id)).taken_at).toBeNull();
});

test("facts of an image of before the upgrade are found when they are asked for", async () => {
	const { id } = await uploaded(service, await photo({}), "a.png");
	await known(id);
	await service.database.write([{ run: sql`DELETE FROM image_facts WHERE kind IN ('colours', 'taken')` }]);
	expect((await get(id)).facts?.colors).toBeNull();
	await until(async () => (await get(id)).facts?.colors !== null);
});

test("include: other names, and where there is nothing to show, are refused", async () => {
	const { id } = await uploaded(service, await photo({}), "a.png");
	for (const [method, path] of [
		["GET", `/v1/images/${id}?include=face`],
		["GET", `/v1/images/${id}?includes=facts`],
		["GET", "/v1/images?include=facts,"],
		["DELETE", `/v1/images/${id}?include=facts`],
	] as const) {
		expect(await errorOf(await send(service, method, path))).toMatchObject({ status: 422 });
	}
	expect(await errorOf(await upload(service, "x", "a.png", { facts: "x" }))).toMatchObject({ fields: ["file"] });
});
