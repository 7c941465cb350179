import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { addApp, addKey, firstApp } from "../../support/apps.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, importImage, send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

const DAY_MS = 86_400_000;
const CUTOFF = "2026-11-01T00:00:00Z";

let service: OpenService;
let origin: Origin;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(8, 8);
	origin = await startOrigin((_, response) => response.end(file));
	service = await openService({ SVC_IMPORT_ALLOW: origin.host, SVC_TUNING: `public_cutoff=${CUTOFF}` });
	service.clock.set(Date.parse("2026-10-15T00:00:00Z"));
});
afterAll(async () => {
	origin.stop();
	await service.close();
});

const create = (fields: Record<string, string> = {}) => uploaded(service, file, "a.png", fields);
const patch = (id: string, body: unknown) => send(service, "PATCH", `/v1/images/${id}`, body);

async function get(id: string): Promise<Image> {
	return (await (await service.api(`/v1/images/${id}`)).json()) as Image;
}

async function patched(id: string, body: unknown): Promise<Image> {
	const response = await patch(id, body);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Image;
}

/** A refusal that names these fields and changes nothing. */
async function expectRefused(image: Image, body: unknown, fields: readonly string[]): Promise<void> {
	const { type, code, status, fields: named } = await errorOf(await patch(image.id, body));
	expect({ type, code, status, named }).toEqual({
		type: "invalid_request_error",
		code: "validation_error",
		status: 422,
		named: fields,
	});
	expect(await get(image.id)).toEqual(image);
}

async function found(query: string, key = service.apiKey): Promise<string[]> {
	const response = await send(service, "GET", `/v1/images?${query}`, undefined, { key });
	return ((await response.json()) as List<Image>).data.map(({ id }) => id);
}

const keys = (count: number, value: string | null = "v") =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));

describe("the answer", () => {
	test("200 with the updated Image, and what was left out unchanged [patch.returns-200, patch.omitted-unchanged]", async () => {
		const image = await create({ caption: "old", metadata: '{"a":"1"}', labels: '{"l":"m"}', ttl: "7d" });
		expect(await patched(image.id, { caption: "new" })).toEqual({ ...image, caption: "new" });
		expect(await get(image.id)).toEqual({ ...image, caption: "new" });
	});

	test("200 unchanged for an empty body, written nowhere [patch.omitted-unchanged]", async () => {
		const image = await create({ caption: "c", labels: '{"l":"m"}' });
		expect(await patched(image.id, {})).toEqual(image);
		expect(await patched(image.id, { caption: "c", labels: { l: "m", x: null } })).toEqual(image);
	});

	test("400 for what is not a JSON object; 403 for a key that may only read", async () => {
		const image = await create();
		const raw = (body: string, type = "application/json") =>
			service.api(`/v1/images/${image.id}`, {
				method: "PATCH",
				body,
				headers: { Authorization: `Bearer ${service.apiKey}`, "Content-Type": type },
			});
		for (const answer of [await raw("{"), await raw("[]"), await raw(""), await raw("caption=x", "text/plain")]) {
			expect(await errorOf(answer)).toMatchObject({ status: 400, code: "bad_request" });
		}
		const reader = await addKey(service.database, await firstApp(service.database), { permissions: ["read"] });
		const answer = await send(service, "PATCH", `/v1/images/${image.id}`, { caption: "x" }, { key: reader });
		expect(await errorOf(answer)).toMatchObject({ status: 403, code: "forbidden" });
		expect(await get(image.id)).toEqual(image);
	});
});

describe("caption", () => {
	test("up to 5,000 characters replace it [patch.caption.set, create.caption.max]", async () => {
		const { id } = await create({ caption: "old" });
		expect((await patched(id, { caption: "ü".repeat(5_000) })).caption).toBe("ü".repeat(5_000));
		await expectRefused(await get(id), { caption: "ü".repeat(5_001) }, ["caption"]);
		await expectRefused(await get(id), { caption: 1 }, ["caption"]);
	});

	test("empty and null clear it [patch.caption.empty-clears, patch.caption.null-clears]", async () => {
		for (const caption of ["", null]) {
			const { id } = await create({ caption: "old" });
			expect((await patched(id, { caption })).caption).toBe("");
			expect((await get(id)).caption).toBe("");
		}
	});
});

describe("ttl", () => {
	test.each([
		["7d", 7 * DAY_MS],
		["5m", 300_000],
		["300", 300_000],
		[3_600, 3_600_000],
		["90d", 90 * DAY_MS],
	])("%p counts from the moment of the request [patch.ttl.set, create.ttl.min]", async (ttl, milliseconds) => {
		const { id } = await create({ ttl: "1h" });
		service.clock.advance(60_000);
		const before = service.clock.now();
		const expiresMs = Date.parse(String((await patched(id, { ttl })).expires_at));
		expect(expiresMs).toBeGreaterThanOrEqual(before + milliseconds);
		expect(expiresMs).toBeLessThanOrEqual(service.clock.now() + milliseconds);
	});

	test("null and never make it permanent [patch.ttl.null-permanent]", async () => {
		for (const ttl of [null, "never"]) {
			const { id } = await create({ ttl: "7d" });
			expect((await patched(id, { ttl })).expires_at).toBeNull();
		}
	});

	test("422 outside 5m to 90d, and for an empty one [patch.ttl.set, create.ttl.min]", async () => {
		const image = await create({ ttl: "1h" });
		for (const ttl of ["4m", "299", 299, "91d", "", "soon", 300.5, true]) await expectRefused(image, { ttl }, ["ttl"]);
	});
});

describe("published_at", () => {
	test("a unix timestamp or an ISO date moves the image in the list [patch.published_at.set]", async () => {
		const { key } = await addApp(service.database);
		const make = (published_at: string) =>
			uploaded(service, file, "a.png", { published_at, labels: '{"l":"m"}' }, { key });
		const [old, young] = [await make("1600000000"), await make("1650000000")];
		const orders = async () => [await found("", key), await found("label[l]=m", key), await found("label[!x]", key)];
		expect(await orders()).toEqual(Array(3).fill([young.id, old.id]));
		for (const [published_at, iso, first] of [
			[1_700_000_000, "2023-11-14T22:13:20.000Z", old],
			["1500000000", "2017-07-14T02:40:00.000Z", young],
			["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000Z", old],
		] as const) {
			const answer = await send(service, "PATCH", `/v1/images/${old.id}`, { published_at }, { key });
			expect(((await answer.json()) as Image).published_at).toBe(iso);
			const order = first === old ? [old.id, young.id] : [young.id, old.id];
			expect(await orders()).toEqual(Array(3).fill(order));
		}
	});

	test("422 names published_at and changes nothing [patch.null-published-at]", async () => {
		const image = await create({ published_at: "1600000000" });
		await expectRefused(image, { published_at: null, caption: "x" }, ["published_at"]);
		for (const published_at of ["", "yesterday", 17.5, "2024", "20240102"])
			await expectRefused(image, { published_at }, ["published_at"]);
	});
});

describe("metadata", () => {
	test("merged; null removes a key and keeps the others [patch.metadata.merge, patch.metadata.null-removes]", async () => {
		const { id } = await create({ metadata: '{"a":"1"}' });
		expect((await patched(id, { metadata: { b: "2" } })).metadata).toEqual({ a: "1", b: "2" });
		expect((await patched(id, { metadata: { a: "9" } })).metadata).toEqual({ a: "9", b: "2" });
		expect((await patched(id, { metadata: { a: null, never: null } })).metadata).toEqual({ b: "2" });
	});

	test("422 for bounds that the result would break, not the request", async () => {
		const image = await create({ metadata: JSON.stringify(keys(50)) });
		await expectRefused(image, { metadata: { more: "x" } }, ["metadata"]);
		for (const bad of [{ ["k".repeat(65)]: "x" }, { a: "v".repeat(1_025) }, { a: 1 }, null, [], "a"]) {
			await expectRefused(image, { metadata: bad }, ["metadata"]);
		}
		expect((await patched(image.id, { metadata: { more: "x", k0: null } })).metadata).toMatchObject({ more: "x" });
		expect((await patched(image.id, { metadata: { ...keys(60, null), last: "y" } })).metadata).toEqual({
			more: "x",
			last: "y",
		});
	});

	test("an import's address counts as neither key nor value, and can be removed", async () => {
		const url = origin.url(`/${"long/".repeat(300)}a.png`);
		const response = await importImage(service, { url, metadata: keys(49) });
		const { id, metadata } = (await response.json()) as Image;
		expect(metadata.source_url).toBe(url);
		expect(Object.keys((await patched(id, { metadata: { k49: "v" } })).metadata)).toHaveLength(51);
		await expectRefused(await get(id), { metadata: { k50: "v" } }, ["metadata"]);
		expect((await patched(id, { metadata: { source_url: null } })).metadata).toEqual({ ...keys(50) } as never);
	});
});

describe("labels", () => {
	test("merged; null removes a key; filters follow [patch.labels.merge, patch.labels.null-removes]", async () => {
		const { id } = await create({ labels: '{"merge":"1"}' });
		const other = await create({ labels: '{"merge":"other"}' });
		expect((await patched(id, { labels: { b: "2" } })).labels).toEqual({ merge: "1", b: "2" });
		expect(await found("label[merge]=1&label[b]=2")).toEqual([id]);
		expect((await patched(id, { labels: { merge: "9" } })).labels).toEqual({ merge: "9", b: "2" });
		expect(await found("label[merge]=1")).toEqual([]);
		expect(await found("label[merge]=9")).toEqual([id]);
		expect((await patched(id, { labels: { merge: null } })).labels).toEqual({ b: "2" });
		expect(await found("label[merge]=9")).toEqual([]);
		expect(await found("label[!merge]")).toContain(id);
		expect(await found("label[!merge]")).not.toContain(other.id);
	});

	test("filters follow the expiry that a ttl sets", async () => {
		const { id } = await create({ labels: '{"short":"1"}' });
		await patched(id, { ttl: "5m" });
		expect(await found("label[short]=1")).toEqual([id]);
		service.clock.advance(299_000);
		expect(await found("label[short]=1")).toEqual([id]);
		service.clock.advance(1_000);
		expect(await found("label[short]=1")).toEqual([]);
	});

	test("422 when the result would have 21, or an entry is no label [patch.labels.merge, labels.bounds.error-names-key]", async () => {
		const image = await create({ labels: JSON.stringify(keys(20)) });
		await expectRefused(image, { labels: { more: "x" } }, ["labels"]);
		for (const [key, value] of [
			["A", "x"],
			["a b", "x"],
			["", "x"],
			["k".repeat(65), "x"],
			["k", ""],
			["k", "v".repeat(129)],
			["k", "a,b"],
			["k", " a"],
			["k", 1],
		]) {
			const body = { labels: { [String(key)]: value } };
			await expectRefused(image, body, ["labels"]);
			expect(await (await patch(image.id, body)).text()).toContain(String(key));
		}
		expect((await patched(image.id, { labels: { more: "x", k0: null } })).labels).toMatchObject({ more: "x" });
	});
});

describe("other fields", () => {
	test("422 names each, and a valid caption beside it is not applied [patch.reject.nsfw, patch.reject.tool, patch.reject.defaults, patch.reject.filename, patch.reject.unknown]", async () => {
		const image = await create();
		for (const [field, value] of [
			["nsfw", true],
			["tool", "x"],
			["defaults", {}],
			["filename", "x.png"],
			["foo", 1],
			["url2", null],
		] as const) {
			await expectRefused(image, { caption: "c", [field]: value }, [field]);
		}
		const hidden: unknown = JSON.parse('{"caption":"c","__proto__":1}');
		await expectRefused(image, hidden, ["__proto__"]);
	});

	test("422 tells all faults at once", async () => {
		const body = { nsfw: true, ttl: "1s", labels: { A: "x" }, published_at: null, foo: 1, if_labels: null };
		await expectRefused(await create(), body, Object.keys(body));
	});

	test("the Image's read-only names are accepted and ignored [patch.readonly-ignored]", async () => {
		const image = await create();
		const { filename: _, nsfw: __, ...own } = image;
		const sent = {
			...own,
			id: "x",
			url: "y",
			width: 1,
			status: "failed",
			created_at: "z",
			page_url: "p",
			expires_at: 1,
		};
		expect(await patched(image.id, { ...sent, caption: "c" })).toEqual({ ...image, caption: "c" });
	});
});

describe("public", () => {
	test("[C] before the cut-off it is ignored, whatever it holds [versioning.public-ignored-until]", async () => {
		const image = await create();
		for (const value of [false, "x", null]) expect(await patched(image.id, { public: value })).toEqual(image);
		expect(await patched(image.id, { public: false, caption: "c" })).toEqual({ ...image, caption: "c" });
	});

	test("[C] 422 names public from the cut-off on; without it the call succeeds [versioning.public-cutoff]", async () => {
		const late = await openService({ SVC_TUNING: `public_cutoff=${CUTOFF}` });
		const { id } = await uploaded(late, file);
		const status = async (body: unknown) => (await send(late, "PATCH", `/v1/images/${id}`, body)).status;
		late.clock.set(Date.parse(CUTOFF) - 60_000);
		expect(await status({ public: true, caption: "c" })).toBe(200);
		late.clock.set(Date.parse(CUTOFF));
		const answer = await send(late, "PATCH", `/v1/images/${id}`, { public: true, caption: "d" });
		expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["public"] });
		expect(await status({ caption: "d" })).toBe(200);
		await late.close();
	});

	describe.each(["transition", "legacy"])("[%s]", (variant) => {
		test("an Image that is sent back is taken, but for the names that no update takes [patch.readonly-ignored]", async () => {
			const visible = await openService({ SVC_VARIANT: variant });
			const image = await uploaded(visible, file, "a.png", { labels: '{"a":"1"}' });
			const { filename: _, nsfw: __, ...own } = image;
			const answer = await send(visible, "PATCH", `/v1/images/${image.id}`, own);
			expect([answer.status, await answer.json()]).toEqual([200, image]);
			await visible.close();
		});

		test("booleans, integers and strings set it; null and others are refused [patch.public]", async () => {
			const visible = await openService({ SVC_VARIANT: variant });
			const { id } = await uploaded(visible, file);
			const set = (value: unknown) => send(visible, "PATCH", `/v1/images/${id}`, { public: value });
			for (const [sent, expected] of [
				[false, false],
				[true, true],
				[0, false],
				[1, true],
				["false", false],
				["TRUE", true],
			] as const) {
				expect(await (await set(sent)).json()).toMatchObject({ public: expected });
			}
			for (const sent of [null, "", 2, "yes", {}]) {
				expect(await errorOf(await set(sent))).toMatchObject({ status: 422, fields: ["public"] });
			}
			await visible.close();
		});
	});
});
