import { describe, expect, test } from "bun:test";
import { apiApp } from "@svc/api/app";
import { newId } from "@svc/base/ids";
import type { ErrorBody, Image, Tombstone } from "@svc/sdk/shapes";
import type { BatchResult } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { addApp, lockImage, setImageStatus } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, headersOf, send, uploaded } from "../../support/requests.ts";
import { changedRoom, type OpenService, openService, serviceFor } from "../../support/service.ts";

const PATH = "/v1/images/batch";

const service = serviceFor();
const file = await plain(8, 8);

const create = (fields: { labels?: object; metadata?: object } = {}) =>
	uploaded(
		service,
		file,
		"a.png",
		Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])),
	);

async function get(id: string): Promise<Image> {
	return (await (await service.api(`/v1/images/${id}`)).json()) as Image;
}

/** A batch that is answered with this status. */
async function batch<T = Image>(method: "PATCH" | "DELETE", body: unknown, status: number): Promise<BatchResult<T>> {
	const response = await send(service, method, PATH, body);
	expect(response.status).toBe(status);
	const result = (await response.json()) as BatchResult<T>;
	expect([Object.keys(result), result.object]).toEqual([["object", "data", "errors"], "batch_result"]);
	return result;
}

const codes = ({ errors }: BatchResult) => errors.map(({ id, error }) => [id, error.code]);
const ids = (images: readonly { readonly id: string }[]) => images.map(({ id }) => id);
const tombstone = (id: string): Tombstone => ({ id, object: "image", deleted: true });

/** Seconds from now to the expiry. */
const life = ({ expires_at }: Image) => (Date.parse(String(expires_at)) - service.clock.now()) / 1_000;

describe.each(["PATCH", "DELETE"] as const)("the ids of %s", (method) => {
	test("422 names ids unless they are an array of strings, one at least [batch.update.ids-required, batch.delete.ids-required]", async () => {
		const { id } = await create();
		for (const sent of [undefined, null, "a", id, {}, [], [1], [id, null], [[id]]]) {
			const answer = await send(service, method, PATH, { ids: sent });
			expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["ids"] });
		}
		expect((await get(id)).id).toBe(id);
	});

	test("100 are taken; 101 are 422 and nothing happens [batch.update.ids-max, batch.delete.ids-max]", async () => {
		const image = await create();
		const many = (count: number) => [image.id, ...Array.from({ length: count - 1 }, () => newId("img"))];
		const fields = method === "PATCH" ? { caption: "c" } : {};
		const answer = await send(service, method, PATH, { ids: many(101), ...fields });
		expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["ids"] });
		expect(await get(image.id)).toEqual(image);
		const { data, errors } = await batch(method, { ids: many(100), ...fields }, method === "PATCH" ? 207 : 200);
		expect([data.length, errors.length]).toEqual(method === "PATCH" ? [1, 99] : [100, 0]);
	});

	test("400 for a body that is no JSON object, 405 for other methods", async () => {
		const headers = { ...headersOf(service), "Content-Type": "application/json" };
		expect((await service.api(PATH, { method, body: "[]", headers })).status).toBe(400);
		expect((await service.api(PATH, { method, headers })).status).toBe(400);
		const put = await send(service, "PUT", PATH, {});
		expect([put.status, put.headers.get("Allow")]).toEqual([405, "DELETE, PATCH"]);
	});
});

describe("one commit", () => {
	/** Commits that the call itself makes; what the service writes beside it is not among them. */
	async function commitsOf(method: "PATCH" | "DELETE", body: object): Promise<number> {
		const images = service.rooms.images.store;
		let commits = 0;
		const counted = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
			return (...args: Args) => {
				commits += 1;
				return work(...args);
			};
		};
		const { update, updateAll, deleteAll } = images;
		const store = { ...images, update: counted(update), delete: counted(images.delete) };
		const answer = await withImages({ ...store, updateAll: counted(updateAll), deleteAll: counted(deleteAll) })(
			method,
			body,
		);
		expect([200, 207]).toContain(answer.status);
		return commits;
	}

	test("is made by a batch that changes or deletes fifty, with those that fail among them", async () => {
		const images = [await create(), await create({ labels: { k: "v" } })];
		const locked = await create();
		await lockImage(service.database, locked.id);
		for (let more = 0; more < 47; more += 1) images.push(await create());
		const sent = [locked.id, ...ids(images), newId("img")];
		expect(await commitsOf("PATCH", { ids: sent, caption: "c", labels: { n: "1" } })).toBe(1);
		for (const { id } of images) expect(await get(id)).toMatchObject({ caption: "c", labels: { n: "1" } });
		expect(await get(locked.id)).toEqual(locked);
		expect(await commitsOf("DELETE", { ids: sent })).toBe(1);
		for (const id of sent) expect((await service.api(`/v1/images/${id}`)).status).toBe(404);
	});

	test("that meets an image which has changed meanwhile changes nothing, and each is tried by itself", async () => {
		const [one, two] = [await create(), await create({ metadata: { a: "1" } })];
		const images = service.rooms.images.store;
		const updateAll: typeof images.updateAll = async (...args) => {
			await send(service, "PATCH", `/v1/images/${two.id}`, { metadata: { b: "2" } });
			return await images.updateAll(...args);
		};
		const body = { ids: ids([one, two]), metadata: { c: "3" } };
		const answer = await withImages({ ...images, updateAll })("PATCH", body);
		expect(answer.status).toBe(200);
		const { data } = (await answer.json()) as BatchResult<Image>;
		expect(data.map(({ metadata }) => metadata)).toEqual([{ c: "3" }, { a: "1", b: "2", c: "3" }]);
		expect([await get(one.id), await get(two.id)]).toEqual([...data]);
		const audited = await service.database.read(() =>
			service.database.queries.values<[string, number]>(sql`SELECT target, count(*) FROM audit
				WHERE event = 'image.updated' AND target IN ${ids([one, two])} GROUP BY target ORDER BY count(*)`),
		);
		expect(audited).toEqual([
			[one.id, 1],
			[two.id, 2],
		]);
	});

	test("of a delete counts each image once, also where another delete was first", async () => {
		const [one, two, three] = [await create(), await create(), await create()];
		const used = async () => {
			const { read, queries } = service.database;
			const counted = sql`SELECT sum(images), (SELECT sum(images) FROM app_usage) FROM storages`;
			return (await read(() => queries.values<[number, number]>(counted)))[0] ?? [0, 0];
		};
		const [before] = await used();
		const batches = [ids([one, two]), ids([two, three])].map((sent) => batch<Tombstone>("DELETE", { ids: sent }, 200));
		await Promise.all(batches);
		expect(await used()).toEqual([before - 3, before - 3]);
	});
});

describe("PATCH", () => {
	test("200 with complete Images that carry the new values, in the order sent [batch.envelope.object, batch.envelope.data-update, batch.update.uniform-fields, batch.update.all-ok-200, batch.envelope.errors]", async () => {
		const images = [await create(), await create({ labels: { k: "v" } })];
		const fields = { caption: "c", published_at: 1_700_000_000, ttl: "1h" };
		const { data, errors } = await batch("PATCH", { ids: ids(images).reverse(), ...fields }, 200);
		expect(errors).toEqual([]);
		const expires_at = data[0]?.expires_at ?? "";
		const changed = { caption: "c", published_at: "2023-11-14T22:13:20.000Z", expires_at };
		expect(data).toEqual(images.reverse().map((image) => ({ ...image, ...changed })));
		for (const image of data) {
			expect(life(image)).toBeCloseTo(3_600, -1);
			expect(await get(image.id)).toEqual(image);
		}
	});

	test("duplicates collapse, and a batch without a change is a 200", async () => {
		const image = await create();
		expect((await batch("PATCH", { ids: [image.id, image.id] }, 200)).data).toEqual([image]);
	});

	test("each keeps its own and gains what is sent [batch.update.metadata-merge, batch.update.labels-merge]", async () => {
		const a = await create({ metadata: { x: "1" }, labels: { x: "1" } });
		const b = await create({ metadata: { y: "2" }, labels: { y: "2" } });
		const { data } = await batch("PATCH", { ids: ids([a, b]), metadata: { z: "3" }, labels: { z: "4" } }, 200);
		expect(data).toEqual([
			{ ...a, metadata: { x: "1", z: "3" }, labels: { x: "1", z: "4" } },
			{ ...b, metadata: { y: "2", z: "3" }, labels: { y: "2", z: "4" } },
		]);
	});

	test("null takes the key from every item [batch.update.null-deletes]", async () => {
		const a = await create({ metadata: { x: "1", m: "a" }, labels: { l: "1" } });
		const b = await create({ metadata: { x: "2" }, labels: { l: "2", n: "b" } });
		const { data } = await batch("PATCH", { ids: ids([a, b]), metadata: { x: null }, labels: { l: null } }, 200);
		expect(data).toEqual([
			{ ...a, metadata: { m: "a" }, labels: {} },
			{ ...b, metadata: {}, labels: { n: "b" } },
		]);
	});

	test("207: it holds for some and not for others [batch.update.if-labels, batch.update.some-fail-207, batch.update.failures-in-errors, batch.update.eligible-still-update]", async () => {
		const a = await create({ labels: { s: "0" } });
		const b = await create({ labels: { s: "1" } });
		const body = { ids: ids([b, a]), if_labels: { s: "0" }, labels: { s: "2" }, caption: "c" };
		const result = await batch("PATCH", body, 207);
		expect(ids(result.data)).toEqual([a.id]);
		expect(codes(result)).toEqual([[b.id, "state_conflict"]]);
		expect(await get(a.id)).toMatchObject({ caption: "c", labels: { s: "2" } });
		expect(await get(b.id)).toEqual(b);
	});

	test("an error has the id and the very object that a single PATCH answers with [batch.envelope.errors, errors.code.media_locked]", async () => {
		const [locked, full] = [await create(), await create({ labels: Object.fromEntries(keysOf(20)) })];
		await lockImage(service.database, locked.id);
		const body = { labels: { more: "x" } };
		const { errors } = await batch("PATCH", { ids: ids([locked, full]), ...body }, 207);
		expect(errors).toEqual([
			{ id: locked.id, ...(await singleError(locked.id, body)) },
			{ id: full.id, ...(await singleError(full.id, body)) },
		]);
		expect(errors.map(({ error }) => [error.type, error.code, error.details])).toEqual([
			["permission_error", "media_locked", undefined],
			["invalid_request_error", "validation_error", { labels: ["must have at most 20 keys"] }],
		]);
		expect(await get(full.id)).toEqual(full);
	});

	test("207 names locked, failed, processing and unknown ones; the ready one changes [batch.update.ready-gate, batch.update.some-fail-207, batch.update.failures-in-errors, batch.update.eligible-still-update]", async () => {
		const [ready, locked, failed, processing] = [await create(), await create(), await create(), await create()];
		await lockImage(service.database, locked.id);
		await setImageStatus(service.database, failed.id, "failed");
		await setImageStatus(service.database, processing.id, "processing");
		const unknown = newId("img");
		const sent = [locked.id, failed.id, ready.id, processing.id, unknown, "nonsense"];
		const result = await batch("PATCH", { ids: sent, caption: "c" }, 207);
		expect(result.data).toEqual([{ ...ready, caption: "c" }]);
		expect(codes(result)).toEqual([
			[locked.id, "media_locked"],
			[failed.id, "media_failed"],
			[processing.id, "not_found"],
			[unknown, "not_found"],
			["nonsense", "not_found"],
		]);
		expect(await get(ready.id)).toEqual({ ...ready, caption: "c" });
		expect(await get(locked.id)).toEqual(locked);
	});

	test("all failed is still a 207, and another App's image is not there", async () => {
		const image = await create();
		const other = await addApp(service.database);
		const answer = await send(service, "PATCH", PATH, { ids: [image.id], caption: "c" }, { key: other.key });
		expect(answer.status).toBe(207);
		expect(await answer.json()).toMatchObject({ data: [], errors: [{ id: image.id, error: { code: "not_found" } }] });
		expect(await get(image.id)).toEqual(image);
	});

	test("422 for the fields that a single PATCH refuses, before anything is changed [batch.update.field-restrictions, create.caption.max, create.ttl.min]", async () => {
		const image = await create();
		for (const [field, value] of [
			["nsfw", true],
			["tool", "x"],
			["defaults", {}],
			["filename", "x.png"],
			["foo", 1],
			["published_at", null],
			["ttl", "4m"],
			["ttl", 299],
			["caption", "x".repeat(5_001)],
			["labels", { A: "x" }],
			["if_labels", { a: null }],
			["metadata", Object.fromEntries(keysOf(51))],
		] as const) {
			const answer = await send(service, "PATCH", PATH, { ids: [image.id], labels: { b: "c" }, [field]: value });
			expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: [field] });
		}
		expect(await get(image.id)).toEqual(image);
		const ignored = { id: "x", width: 1, url: "y", page_url: "z", status: "failed" };
		expect((await batch("PATCH", { ids: [image.id], ...ignored }, 200)).data).toEqual([image]);
	});

	test("[C] public is ignored before the cut-off and 422 after it [versioning.public-cutoff, versioning.public-ignored-until]", async () => {
		const versions = await openService({ SVC_TUNING: "public_cutoff=2026-11-01T00:00:00Z" });
		const { id } = await uploaded(versions, file);
		const set = () => send(versions, "PATCH", PATH, { ids: [id], public: "x" });
		versions.clock.set(Date.parse("2026-10-31T23:59:00Z"));
		const early = await set();
		expect(early.status).toBe(200);
		expect(((await early.json()) as BatchResult<Image>).data[0]).not.toHaveProperty("public");
		versions.clock.set(Date.parse("2026-11-01T00:00:00Z"));
		expect(await errorOf(await set())).toMatchObject({ status: 422, fields: ["public"] });
		expect((await send(versions, "PATCH", PATH, { ids: [id], caption: "c" })).status).toBe(200);
		await versions.close();
	});

	test.each(["transition", "legacy"])("[%s] public is set on all items [batch.update.public]", async (variant) => {
		const visible = await openService({ SVC_VARIANT: variant });
		const made = [await uploaded(visible, file), await uploaded(visible, file)];
		const set = (value: unknown) => send(visible, "PATCH", PATH, { ids: ids(made), public: value });
		expect(await (await set(true)).json()).toMatchObject({ data: [{ public: true }, { public: true }] });
		expect(await (await set(false)).json()).toMatchObject({ data: [{ public: false }, { public: false }] });
		expect(await errorOf(await set(null))).toMatchObject({ status: 422, fields: ["public"] });
		await visible.close();
	});

	test("207: a failure of ours is that item's alone, told in the envelope and kept in the log [errors.code.update_failed]", async () => {
		const [good, bad] = [await create(), await create()];
		const images = service.rooms.images.store;
		const update: typeof images.update = (place, ...rest) =>
			place.id === bad.id ? Promise.reject(new Error("SECRET INNARDS")) : images.update(place, ...rest);
		const updateAll: typeof images.updateAll = () => Promise.reject(new Error("one of them cannot be written"));
		const answer = await withImages({ ...images, update, updateAll })("PATCH", { ids: ids([bad, good]), caption: "c" });
		expect(answer.status).toBe(207);
		const result = (await answer.json()) as BatchResult<Image>;
		expect(codes(result)).toEqual([[bad.id, "update_failed"]]);
		expect(ids(result.data)).toEqual([good.id]);
		expect(JSON.stringify(result)).not.toContain("INNARDS");
		expect(await get(bad.id)).toEqual(bad);
		expect(service.log.lines.find(({ message }) => message === "batch item failed")?.facts).toMatchObject({
			id: bad.id,
			code: "update_failed",
			cause: { message: "SECRET INNARDS" },
		});
	});
});

describe("DELETE", () => {
	test("200 with a tombstone each; they are gone, renditions too [batch.delete.200, batch.envelope.object, batch.envelope.data-delete, batch.delete.tombstone-each, image.status.batch-delete-removes]", async () => {
		const images = [await create(), await create(), await create()];
		const urls = images.flatMap(({ url, sizes }) => [url, sizes.small?.url ?? ""]);
		for (const url of urls) expect((await service.open(url)).status).toBe(200);
		const { data, errors } = await batch<Tombstone>("DELETE", { ids: ids(images) }, 200);
		expect([data, errors]).toEqual([ids(images).map(tombstone), []]);
		for (const { id } of images) expect((await service.api(`/v1/images/${id}`)).status).toBe(404);
		for (const url of urls) expect((await service.open(url)).status).toBe(404);
	});

	test("an id that is gone, unknown or named twice reports deleted true, unlike a single DELETE [batch.delete.idempotent]", async () => {
		const { id } = await create();
		const unknown = newId("img");
		const sent = { ids: [id, unknown, id, "nonsense"] };
		for (let round = 0; round < 2; round++) {
			const { data } = await batch<Tombstone>("DELETE", sent, 200);
			expect(data).toEqual([id, unknown, "nonsense"].map(tombstone));
		}
		expect((await send(service, "DELETE", `/v1/images/${id}`)).status).toBe(404);
	});

	test("locked, blocked, failed and processing ones are deleted like any other", async () => {
		const images = [await create(), await create(), await create(), await create()];
		await lockImage(service.database, images[0]?.id ?? "");
		for (const [n, status] of ["blocked", "failed", "processing"].entries()) {
			await setImageStatus(service.database, images[n + 1]?.id ?? "", status, status === "blocked" ? "spam" : null);
		}
		expect((await batch("DELETE", { ids: ids(images) }, 200)).data).toHaveLength(4);
		for (const { id } of images) expect((await service.api(`/v1/images/${id}`)).status).toBe(404);
	});

	test("another App's image reports deleted true and is not touched", async () => {
		const image = await create();
		const other = await addApp(service.database);
		const answer = await send(service, "DELETE", PATH, { ids: [image.id] }, { key: other.key });
		expect(await answer.json()).toEqual({ object: "batch_result", data: [tombstone(image.id)], errors: [] });
		expect(await get(image.id)).toEqual(image);
		expect((await service.open(image.url)).status).toBe(200);
	});

	test("422 for a field that might have been meant to hold the deletion back", async () => {
		const image = await create();
		for (const field of ["if_labels", "caption", "labels", "id"]) {
			const answer = await send(service, "DELETE", PATH, { ids: [image.id], [field]: { a: "b" } });
			expect(await errorOf(answer)).toMatchObject({ status: 422, fields: [field] });
		}
		expect(await get(image.id)).toEqual(image);
	});

	test("207: an image that could not be deleted is in errors, the others are gone [errors.code.delete_failed]", async () => {
		const [good, bad, other] = [await create(), await create(), await create()];
		const images = service.rooms.images.store;
		const fail = () => Promise.reject(new Error("SECRET INNARDS"));
		const remove: typeof images.delete = (image, ...rest) =>
			image.id === bad.id ? fail() : images.delete(image, ...rest);
		const find: typeof images.find = (storagePk, id, nowMs) =>
			id === other.id ? fail() : images.find(storagePk, id, nowMs);
		const broken = withImages({ ...images, delete: remove, deleteAll: fail, find });
		const answer = await broken("DELETE", { ids: ids([bad, good, other]) });
		expect(answer.status).toBe(207);
		const result = (await answer.json()) as BatchResult<Image>;
		expect(codes(result)).toEqual([
			[bad.id, "delete_failed"],
			[other.id, "delete_failed"],
		]);
		expect(result.data).toEqual([tombstone(good.id)] as never);
		expect(await get(bad.id)).toEqual(bad);
	});
});

function keysOf(count: number): [string, string][] {
	return Array.from({ length: count }, (_, n) => [`k${n}`, "v"]);
}

async function singleError(id: string, body: unknown): Promise<ErrorBody> {
	return (await (await send(service, "PATCH", `/v1/images/${id}`, body)).json()) as ErrorBody;
}

/** The API over another image store. */
function withImages(store: OpenService["rooms"]["images"]["store"]) {
	const app = apiApp(changedRoom(service.rooms, "images", { store }), service.version.api);
	const headers = { ...headersOf(service), "Content-Type": "application/json" };
	return (method: string, body: unknown) =>
		app.handle(new Request(`http://localhost:3000${PATH}`, { method, body: JSON.stringify(body), headers }));
}
