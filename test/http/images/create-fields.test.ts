import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "../../support/pictures.ts";
import { errorOf, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const service = serviceFor({ SVC_TUNING: "public_cutoff=2100-01-01T00:00:00Z" });
const file = await plain(8, 8);

const create = (fields: Record<string, string>) => uploaded(service, file, "a.png", fields);
const refused = async (fields: Record<string, string>) => errorOf(await upload(service, file, "a.png", fields));

/** Milliseconds from creation to expiry. */
function life(image: Image): number | null {
	return image.expires_at === null ? null : Date.parse(image.expires_at) - Date.parse(image.created_at);
}

describe("caption", () => {
	test("up to 5,000 characters [create.caption.optional, create.caption.max, create.rule1.written-exceptions]", async () => {
		expect((await create({})).caption).toBe("");
		expect((await create({ caption: "x" })).caption).toBe("x");
		expect((await create({ caption: "ü".repeat(5_000) })).caption).toBe("ü".repeat(5_000));
		expect(await refused({ caption: "ü".repeat(5_001) })).toMatchObject({
			status: 422,
			code: "validation_error",
			fields: ["caption"],
		});
		expect(await refused({ caption: "a\0b" })).toMatchObject({ status: 422, fields: ["caption"] });
	});
});

describe("published_at", () => {
	test("a unix timestamp or an ISO date [create.published_at.unix, create.published_at.iso, image.fields.published_at, create.rule1.written-exceptions]", async () => {
		expect((await create({ published_at: "1700000000" })).published_at).toBe("2023-11-14T22:13:20.000Z");
		expect((await create({ published_at: "2024-01-02T03:04:05Z" })).published_at).toBe("2024-01-02T03:04:05.000Z");
		expect(await refused({ published_at: "yesterday" })).toMatchObject({ status: 422, fields: ["published_at"] });
		expect(await refused({ published_at: "" })).toMatchObject({ status: 422, fields: ["published_at"] });
	});

	test("defaults to the time of the upload [image.fields.published_at-default, image.fields.created_at]", async () => {
		const image = await create({});
		expect(image.published_at).toBe(image.created_at);
	});
});

describe("ttl", () => {
	test.each([
		["3600", 60 * MINUTE],
		["24h", DAY],
		["7d", 7 * DAY],
		["5m", 5 * MINUTE],
		["300", 5 * MINUTE],
		["90d", 90 * DAY],
	])(
		"%s expires after it [create.ttl.seconds, create.ttl.duration, create.ttl.min, create.ttl.max, image.fields.expires_at]",
		async (ttl, milliseconds) => {
			expect(life(await create({ ttl }))).toBe(milliseconds);
		},
	);

	test("never, empty and omitted are permanent [create.ttl.never, create.ttl.empty-multipart, image.fields.expires_at-null-permanent]", async () => {
		expect(life(await create({ ttl: "never" }))).toBeNull();
		expect(life(await create({ ttl: "" }))).toBeNull();
		expect(life(await create({}))).toBeNull();
	});

	test.each(["299", "4m", "91d", "5x", "abc", "-1", "7776001"])(
		"%s is refused [create.ttl.min, create.ttl.max, create.ttl.duration]",
		async (ttl) => {
			expect(await refused({ ttl })).toMatchObject({ status: 422, code: "validation_error", fields: ["ttl"] });
		},
	);
});

describe("metadata and labels", () => {
	test("JSON objects of strings [create.metadata.multipart-json, image.fields.metadata, create.labels.multipart-json, image.fields.labels]", async () => {
		const image = await create({ metadata: '{"artist":"A","constructor":"c"}', labels: '{"k":"v","constructor":"c"}' });
		expect(image.metadata).toEqual({ artist: "A", constructor: "c" } as never);
		expect(image.labels).toEqual({ k: "v", constructor: "c" } as never);
		for (const bad of ["notjson", "[1]", '{"a":1}', '"text"', "null", ""]) {
			expect(await refused({ metadata: bad })).toMatchObject({ status: 422, fields: ["metadata"] });
			expect(await refused({ labels: bad })).toMatchObject({ status: 422, fields: ["labels"] });
		}
	});

	test("bounds of metadata [image.metadata.keys-max, image.metadata.key-length, image.metadata.value-length]", async () => {
		const keys = (count: number) =>
			JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"])));
		expect(Object.keys((await create({ metadata: keys(50) })).metadata)).toHaveLength(50);
		expect(await refused({ metadata: keys(51) })).toMatchObject({ status: 422, fields: ["metadata"] });
		const one = (key: number, value: number) => JSON.stringify({ ["k".repeat(key)]: "v".repeat(value) });
		expect((await upload(service, file, "a.png", { metadata: one(64, 1_024) })).status).toBe(201);
		expect(await refused({ metadata: one(65, 1) })).toMatchObject({ status: 422, fields: ["metadata"] });
		expect(await refused({ metadata: one(1, 1_025) })).toMatchObject({ status: 422, fields: ["metadata"] });
	});

	test("bounds of labels, naming the key [image.labels.keys-max, labels.bounds.key-pattern, labels.bounds.value-length, labels.bounds.value-no-comma, labels.bounds.value-no-outer-space, labels.bounds.error-names-key]", async () => {
		const keys = (count: number) =>
			JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"])));
		expect(Object.keys((await create({ labels: keys(20) })).labels)).toHaveLength(20);
		expect(await refused({ labels: keys(21) })).toMatchObject({ status: 422, fields: ["labels"] });
		for (const good of [{ "a.b_c-1": "a b" }, { ["k".repeat(64)]: "v".repeat(128) }]) {
			expect((await create({ labels: JSON.stringify(good) })).labels).toEqual(good);
		}
		for (const [key, value] of [
			["A", "x"],
			["a b", "x"],
			["é", "x"],
			["k".repeat(65), "x"],
			["k", "v".repeat(129)],
			["k", "a,b"],
			["k", " a"],
			["k", "a "],
			["", "x"],
		] as const) {
			const response = await upload(service, file, "a.png", { labels: JSON.stringify({ [key]: value }) });
			const text = await response.clone().text();
			expect(await errorOf(response)).toMatchObject({ status: 422, code: "validation_error", fields: ["labels"] });
			expect(text).toContain(key);
		}
	});

	test("nothing of it is written into the file [image.metadata.not-in-file]", async () => {
		const marker = "MARKER7f3a";
		const jpeg = await plain(30, 30, "jpeg");
		const image = await uploaded(service, jpeg, "a.jpg", {
			caption: marker,
			metadata: JSON.stringify({ m: marker }),
			labels: JSON.stringify({ l: marker }),
		});
		for (const query of ["", "?metadata=keep", "?w=10&metadata=keep"]) {
			const bytes = Buffer.from(await (await service.open(image.url + query)).arrayBuffer());
			expect(bytes.includes(marker)).toBe(false);
		}
	});
});

describe("other fields", () => {
	test("an unknown one is refused by name [create.rule1.unknown-form-field]", async () => {
		expect(await refused({ artist: "Bob" })).toMatchObject({
			status: 422,
			code: "validation_error",
			fields: ["artist"],
		});
		expect(await refused({ artist: "Bob", colour: "red", ttl: "1" })).toMatchObject({
			fields: ["artist", "colour", "ttl"],
		});
	});

	test("the Image's own names are ignored [create.rule1.image-fields-ignored, create.rule1.url-in-multipart-ignored, image.fields.nsfw-false-on-create]", async () => {
		const sent = {
			id: "abc",
			format: "gif",
			status: "failed",
			width: "1",
			bytes: "1",
			created_at: "x",
			expires_at: "x",
			nsfw: "true",
			url: "http://x",
			page_url: "x",
			filename: "x",
		};
		const image = await create(sent);
		expect(image).toMatchObject({
			format: "png",
			status: "ready",
			width: 8,
			bytes: file.length,
			expires_at: null,
			nsfw: false,
			filename: "a.png",
		});
		expect(image.id).not.toBe("abc");
		expect(image.url).not.toBe("http://x");
	});

	test("[C] public is ignored until the cut-off [versioning.public-ignored-until]", async () => {
		expect(await create({ public: "false" })).not.toHaveProperty("public");
	});
});
