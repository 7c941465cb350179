import { describe, expect, test } from "bun:test";
import { mintSecret } from "@svc/base/crypto/secrets";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { addApp, firstApp, lockImage, setImageStatus } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(400, 200, "jpeg");

async function listed(query = "", key = service.apiKey): Promise<List<Image>> {
	const response = await send(service, "GET", `/v1/images${query}`, undefined, { key });
	expect(response.status).toBe(200);
	return (await response.json()) as List<Image>;
}

describe("GET /v1/images/{id}", () => {
	test("200 with the very Image that was created [get.returns-image]", async () => {
		const image = await uploaded(service, file, "a.jpg", {
			caption: "c",
			metadata: '{"a":"b"}',
			labels: '{"l":"m"}',
			ttl: "1h",
		});
		const response = await service.api(`/v1/images/${image.id}`);
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual(image as never);
	});

	test("[C] 401 without a key or with an unknown one, whether or not there is such an image [get.key-required]", async () => {
		const image = await uploaded(service, file);
		for (const id of [image.id, newId("img")]) {
			expect(await errorOf(await service.api(`/v1/images/${id}`, { headers: {} }))).toMatchObject({
				status: 401,
				code: "unauthorized",
			});
			const headers = { Authorization: `Bearer ${(await mintSecret("svc_sk_test_")).secret}` };
			expect(await errorOf(await service.api(`/v1/images/${id}`, { headers }))).toMatchObject({ status: 401 });
		}
	});

	test("another App's image is missing in exactly the same words [get.foreign-id-404, get.foreign-same-as-missing, get.not-found, auth.no-cross-app]", async () => {
		const image = await uploaded(service, file);
		const other = await addApp(service.database);
		const answers = await Promise.all(
			[image.id, newId("img"), "nonsense", "..%2f..", "%00"].map((id) =>
				send(service, "GET", `/v1/images/${id}`, undefined, { key: other.key }),
			),
		);
		const bodies = await Promise.all(answers.map((answer) => answer.text()));
		const names = answers.map((answer) => [...answer.headers.keys()].sort().join());
		expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
		expect(new Set(bodies).size).toBe(1);
		expect(new Set(names).size).toBe(1);
		expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ error: { type: "invalid_request_error", code: "not_found" } });
	});

	test("403 media_blocked with its reason [get.media-blocked, errors.code.media_blocked-reason]", async () => {
		const image = await uploaded(service, file);
		for (const reason of ["content_policy", "dmca", "spam", "terms"]) {
			await setImageStatus(service.database, image.id, "blocked", reason);
			const error = await errorOf(await service.api(`/v1/images/${image.id}`));
			expect(error).toMatchObject({ status: 403, type: "permission_error", code: "media_blocked" });
			expect(error.message).toContain(reason);
		}
	});

	test("422 media_failed, and its address serves nothing [get.media-failed, image.status.failed-never-servable]", async () => {
		const image = await uploaded(service, file);
		await setImageStatus(service.database, image.id, "failed");
		expect(await errorOf(await service.api(`/v1/images/${image.id}`))).toMatchObject({
			status: 422,
			type: "processing_error",
			code: "media_failed",
		});
		expect((await service.open(image.url)).status).toBe(404);
	});

	test("an expired image is gone everywhere at once, before any sweep", async () => {
		const lasting = await openService();
		const image = await uploaded(lasting, file, "a.jpg", { ttl: "5m" });
		expect((await lasting.open(image.url)).status).toBe(200);
		lasting.clock.advance(300_001);
		expect((await lasting.api(`/v1/images/${image.id}`)).status).toBe(404);
		expect((await send(lasting, "DELETE", `/v1/images/${image.id}`)).status).toBe(404);
		expect((await lasting.open(image.url)).status).toBe(404);
		expect((await (await lasting.api("/v1/images")).json()) as List<Image>).toMatchObject({ data: [] });
		expect(await lasting.sweep()).toMatchObject({ expired: 1 });
		expect((await (await lasting.api("/v1/usage")).json()) as object).toMatchObject({
			totals: { images_stored: 0, storage_used_bytes: 0 },
		});
		await lasting.close();
	});
});

describe("DELETE /v1/images/{id}", () => {
	test("200 with a tombstone, then 404 [delete.tombstone-200, delete.permanent, delete.already-deleted, tombstone.id, tombstone.object, tombstone.deleted, image.status.deleted-get-404]", async () => {
		const image = await uploaded(service, file);
		const response = await send(service, "DELETE", `/v1/images/${image.id}`);
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual({ id: image.id, object: "image", deleted: true });
		expect(await errorOf(await send(service, "DELETE", `/v1/images/${image.id}`))).toMatchObject({
			status: 404,
			code: "not_found",
		});
		expect((await service.api(`/v1/images/${image.id}`)).status).toBe(404);
		expect((await listed()).data.map(({ id }) => id)).not.toContain(image.id);
	});

	test("every address of it is 404 at the next request, cached or not [delete.removes-variants]", async () => {
		const image = await uploaded(service, file);
		const sizes = Object.values(image.sizes).map((size) => size.url);
		const urls = [image.url, `${image.url}?w=50`, ...sizes];
		for (const url of [...urls, ...urls]) expect((await service.open(url)).status).toBe(200);
		await send(service, "DELETE", `/v1/images/${image.id}`);
		for (const url of urls) expect((await service.open(url)).status).toBe(404);
	});

	test("a locked image can be deleted; so can blocked and failed ones [delete.locked-allowed, image.status.lock-separate]", async () => {
		const locked = await uploaded(service, file);
		await lockImage(service.database, locked.id);
		expect(await (await service.api(`/v1/images/${locked.id}`)).json()).toMatchObject({ status: "ready" });
		const blocked = await uploaded(service, file);
		await setImageStatus(service.database, blocked.id, "blocked", "spam");
		for (const { id } of [locked, blocked])
			expect((await send(service, "DELETE", `/v1/images/${id}`)).status).toBe(200);
	});

	test("of 20 deletes at once exactly one deletes", async () => {
		const image = await uploaded(service, file);
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => send(service, "DELETE", `/v1/images/${image.id}`)),
		);
		expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
		expect(answers.filter((answer) => answer.status === 404)).toHaveLength(19);
	});

	test("another App's image is not deleted, and its bytes stay", async () => {
		const image = await uploaded(service, file);
		const other = await addApp(service.database);
		expect((await send(service, "DELETE", `/v1/images/${image.id}`, undefined, { key: other.key })).status).toBe(404);
		expect((await service.open(image.url)).status).toBe(200);
	});
});

describe("GET /v1/images", () => {
	test("pages in order, without gap or overlap [list.envelope.object, list.envelope.data, list.envelope.pagination, list.cursor.terminal, list.cursor.opaque, list.limit.default, list.limit.range, list.order, list.next-url.carries-limit, list.ids]", async () => {
		const { key } = await addApp(service.database);
		const empty = await listed("", key);
		expect(empty).toEqual({
			object: "list",
			data: [],
			pagination: { has_more: false, next_cursor: null, next_url: null },
		});
		const small = await plain(4, 4);
		const made: Image[] = [];
		for (let n = 0; n < 51; n++) {
			// Five share each date: the order among them must be stable as well.
			const published_at = String(1_700_000_000 + ((n * 7) % 10) * 60);
			made.push(await uploaded(service, small, `${n}.png`, { published_at }, { key }));
		}
		const firstPage = await listed("", key);
		expect(firstPage.data).toHaveLength(50);
		expect(firstPage.pagination.has_more).toBe(true);

		const walked: Image[] = [];
		let url: string | null = "http://localhost:3000/v1/images?limit=10";
		while (url !== null) {
			const page = (await (
				await service.open(url, { headers: { Authorization: `Bearer ${key}` } })
			).json()) as List<Image>;
			walked.push(...page.data);
			url = page.pagination.next_url;
			if (url !== null) {
				expect(url).toContain("limit=10");
				expect(url).toContain(encodeURIComponent(String(page.pagination.next_cursor)));
			}
		}
		expect(walked.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
		const dates = walked.map(({ published_at }) => published_at);
		expect(dates).toEqual([...dates].sort().reverse());

		const two = `${made[3]?.id},${made[8]?.id},${made[3]?.id},${newId("img")}`;
		expect((await listed(`?ids=${two}`, key)).data).toHaveLength(2);
		expect((await listed("?limit=100", key)).data).toHaveLength(51);
		expect((await listed("?limit=51", key)).pagination).toEqual({ has_more: false, next_cursor: null, next_url: null });
	});

	// What the list does not know skips nothing: where it is not ignored, it is refused by its name.
	test("[C] 422 for an offset, which lists of images do not know [list.no-offset]", async () => {
		const { key } = await addApp(service.database);
		const offset = await errorOf(await send(service, "GET", "/v1/images?offset=1&limit=1", undefined, { key }));
		expect([offset.status, offset.fields]).toEqual([422, ["offset"]]);
	});

	test("filters by labels [list.label.equality, list.label.in, list.label.and, list.label.never-set-empty, list.label.not-key, list.label.not-key-composes, list.next-url.carries-filter, list.cursor.same-filter, list.ids-not-with-labels]", async () => {
		const { key } = await addApp(service.database);
		const small = await plain(4, 4);
		const ids: Record<string, string> = {};
		for (const [name, labels] of Object.entries({
			v: { k: "v" },
			w: { k: "w", a: "1" },
			x: { k: "x", a: "1", b: "2" },
			none: {},
		})) {
			ids[name] = (await uploaded(service, small, "a.png", { labels: JSON.stringify(labels) }, { key })).id;
		}
		const found = async (query: string) => {
			const { data } = await listed(query, key);
			return Object.keys(ids).filter((name) => data.some(({ id }) => id === ids[name]));
		};
		expect(await found("?label[k]=v")).toEqual(["v"]);
		expect(await found("?label[k]=v,w")).toEqual(["v", "w"]);
		expect(await found("?label[k]=w,x&label[a]=1&label[b]=2")).toEqual(["x"]);
		expect(await found("?label[nokey]=1")).toEqual([]);
		expect(await found("?label[!k]")).toEqual(["none"]);
		expect(await found("?label[a]=1&label[!b]")).toEqual(["w"]);
		expect(await errorOf(await send(service, "GET", "/v1/images?ids=a&label[k]=v", undefined, { key }))).toMatchObject({
			status: 422,
			fields: ["ids"],
		});

		const page = await listed("?label[a]=1&limit=1", key);
		const next = new URL(String(page.pagination.next_url));
		expect(next.searchParams.get("label[a]")).toBe("1");
		const rest = (await (
			await service.open(next.href, { headers: { Authorization: `Bearer ${key}` } })
		).json()) as List<Image>;
		expect([page.data[0]?.id, rest.data[0]?.id].sort()).toEqual([ids.w, ids.x].sort() as string[]);
		expect(rest.pagination.has_more).toBe(false);
	});

	test("422 names a bad cursor or filter [list.cursor.opaque, list.filter.malformed, list.filter.alternatives-max, list.filter.keys-max, list.filter.not-key-counts]", async () => {
		await uploaded(service, file);
		await uploaded(service, file);
		const cursor = String((await listed("?limit=1")).pagination.next_cursor);
		const keys = (count: number) => Array.from({ length: count }, (_, i) => `label[k${i}]=v`).join("&");
		const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join(",");
		for (const [query, field] of [
			["cursor=garbage", "cursor"],
			[`cursor=${cursor}&label[k]=v`, "cursor"],
			[`cursor=${cursor.slice(0, -2)}AA`, "cursor"],
			["label[]=x", "label[]"],
			["label[BAD KEY]=x", "label[BAD KEY]"],
			["label[k", "label[k"],
			["limit=0", "limit"],
			["limit=101", "limit"],
			[`label[a]=${values(25)}&label[b]=${values(26)}`, "label"],
			[keys(21), "label"],
			[`${keys(20)}&label[!z]`, "label"],
		] as const) {
			expect(await errorOf(await service.api(`/v1/images?${query}`))).toMatchObject({
				status: 422,
				code: "validation_error",
				fields: [field],
			});
		}
		expect((await service.api(`/v1/images?${keys(19)}&label[!z]`)).status).toBe(200);
		expect((await service.api(`/v1/images?label[a]=${values(25)}&label[b]=${values(25)}`)).status).toBe(200);
	});

	test("[C][T] only ready images are listed [image.status.list-ready-only, image.status.values]", async () => {
		const { key } = await addApp(service.database);
		const made = [];
		for (let n = 0; n < 4; n++) made.push(await uploaded(service, file, "a.jpg", {}, { key }));
		for (const [n, status] of ["processing", "failed", "blocked"].entries()) {
			await setImageStatus(service.database, made[n]?.id ?? "", status, status === "blocked" ? "spam" : null);
		}
		expect((await listed("", key)).data.map(({ id }) => id)).toEqual([made[3]?.id ?? ""]);
	});
});

test("the first App is the one that the key belongs to", async () => {
	const app = await firstApp(service.database);
	expect(await (await service.api("/v1/key")).json()).toMatchObject({
		object: "key",
		reach: "app",
		permissions: ["read", "write"],
		app: { id: app.id },
	});
});
