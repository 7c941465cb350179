import { describe, expect, test } from "bun:test";
import { apiApp } from "@svc/api/app";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, connectUser, countOf, firstApp, lockImage, setImageStatus } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, headersOf, send, uploaded } from "../../support/requests.ts";
import { changedRoom, openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(8, 8);

const create = (labels: object = {}) => uploaded(service, file, "a.png", { labels: JSON.stringify(labels) });
const patch = (id: string, body: unknown, key = service.apiKey) =>
	send(service, "PATCH", `/v1/images/${id}`, body, { key });

async function get(id: string): Promise<Image> {
	return (await (await service.api(`/v1/images/${id}`)).json()) as Image;
}

/** What the database holds of an image, seen or not; no change at all leaves it as it was. */
async function rowOf(id: string): Promise<unknown> {
	const rows = await service.database.read(() =>
		service.database.queries.values(sql`SELECT caption, metadata, labels, published_ms, expires_ms, status, revision,
			(SELECT count(*) FROM audit WHERE target = images.id) FROM images WHERE id = ${id}`),
	);
	return rows[0];
}

/** A patch that is refused with this code and leaves no trace. */
async function expectUntouched(id: string, body: unknown, status: number, code: string): Promise<void> {
	const before = await rowOf(id);
	expect(await errorOf(await patch(id, body))).toMatchObject({ status, code });
	expect(await rowOf(id)).toEqual(before);
}

describe("if_labels", () => {
	test("200 with every field applied when all of them hold; 409 when one differs [patch.if-labels.all-must-equal]", async () => {
		const image = await create({ a: "1", b: "2" });
		const fields = { caption: "c", metadata: { m: "x" }, labels: { a: "9" }, published_at: 1_700_000_000, ttl: "1h" };
		const answer = await patch(image.id, { if_labels: { a: "1", b: "2" }, ...fields });
		expect(answer.status).toBe(200);
		expect((await answer.json()) as Image).toMatchObject({
			caption: "c",
			metadata: { m: "x" },
			labels: { a: "9", b: "2" },
			published_at: "2023-11-14T22:13:20.000Z",
			expires_at: expect.any(String) as string,
			status: "ready",
		});
		await expectUntouched(image.id, { if_labels: { a: "9", b: "3" }, caption: "d" }, 409, "state_conflict");
	});

	test("409 state_conflict applies nothing of what comes along [patch.err.state_conflict]", async () => {
		const image = await create({ a: "1" });
		const body = { if_labels: { a: "2" }, ttl: "1h", metadata: { m: "x" }, labels: { a: "3" }, caption: "c" };
		const answer = await patch(image.id, body);
		expect(await errorOf(answer)).toMatchObject({ status: 409, type: "invalid_request_error", code: "state_conflict" });
		expect(await get(image.id)).toEqual(image);
		await expectUntouched(image.id, body, 409, "state_conflict");
	});

	test("409 for a label that the image lacks, one that objects inherit included [patch.if-labels.absent-label]", async () => {
		const { id } = await create({ a: "1" });
		for (const key of ["z", "constructor"]) {
			await expectUntouched(id, { if_labels: { [key]: "1" }, caption: "c" }, 409, "state_conflict");
		}
	});

	test("alone it checks and changes nothing", async () => {
		const image = await create({ a: "1" });
		const before = await rowOf(image.id);
		const answer = await patch(image.id, { if_labels: { a: "1" } });
		expect([answer.status, await answer.json()]).toEqual([200, image]);
		expect(await rowOf(image.id)).toEqual(before);
		await expectUntouched(image.id, { if_labels: { a: "2" } }, 409, "state_conflict");
	});

	test("422 names if_labels for anything that no label can be [patch.if-labels.null-rejected, patch.if-labels.empty-rejected, patch.if-labels.bounds]", async () => {
		const { id } = await create({ a: "1" });
		const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]));
		const bad = [{ a: null }, { a: "" }, keys(21), { A: "x" }, { a: "v".repeat(129) }, { a: "x,y" }, { a: " x" }];
		for (const if_labels of [...bad, { a: "x " }, { a: 1 }, { [`k${"k".repeat(64)}`]: "x" }, null, [], "a"]) {
			const answer = await patch(id, { if_labels, caption: "c" });
			expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["if_labels"] });
		}
		expect((await get(id)).caption).toBe("");
		expect(await errorOf(await patch(id, { if_labels: keys(20) }))).toMatchObject({ status: 409 });
	});

	test("of 50 patches at once that claim the same label exactly one wins [patch.if-labels.atomic]", async () => {
		const { id } = await create({ s: "0" });
		const answers = await Promise.all(
			Array.from({ length: 50 }, (_, n) =>
				patch(id, { if_labels: { s: "0" }, labels: { s: "1", winner: String(n) }, caption: String(n) }),
			),
		);
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
		expect(statuses.filter((status) => status === 409)).toHaveLength(49);
		const winner = String(statuses.indexOf(200));
		expect(await get(id)).toMatchObject({ caption: winner, labels: { s: "1", winner } });
	});
});

describe("patches at once", () => {
	test("30 that add a key of metadata each all land", async () => {
		const { id } = await create();
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, n) => patch(id, { metadata: { [`k${n}`]: String(n) } })),
		);
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		const { metadata } = await get(id);
		expect(metadata).toEqual(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, String(n)])));
	});

	test("30 that fill the last 5 labels: 5 land, the others are told 422, and there are never 21", async () => {
		const { id } = await create(Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`old${n}`, "v"])));
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, n) => patch(id, { labels: { [`new${n}`]: "v" } })),
		);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
		expect(answers.filter(({ status }) => status === 422)).toHaveLength(25);
		expect(Object.keys((await get(id)).labels)).toHaveLength(20);
	});

	test("patches and a delete at once: every answer is one or the other, and nothing is left", async () => {
		const { id } = await create({ k: "v" });
		const work = Array.from({ length: 20 }, (_, n) => patch(id, { labels: { k: String(n) } }));
		const removal = send(service, "DELETE", `/v1/images/${id}`);
		for (const { status } of await Promise.all(work)) expect([200, 404]).toContain(status);
		expect((await removal).status).toBe(200);
		expect(await countOf(service.database, sql`SELECT count(*) FROM images WHERE id = ${id}`)).toBe(0);
	});
});

describe("states", () => {
	test("403 media_locked for a locked image, unchanged and still ready [patch.err.media_locked, errors.code.media_locked, image.status.lock-separate]", async () => {
		const { id } = await create();
		await lockImage(service.database, id);
		await expectUntouched(id, { caption: "c" }, 403, "media_locked");
		await expectUntouched(id, {}, 403, "media_locked");
		expect((await get(id)).status).toBe("ready");
	});

	test("422 media_failed for a failed image [patch.err.media_failed]", async () => {
		const { id } = await create();
		await setImageStatus(service.database, id, "failed");
		await expectUntouched(id, { caption: "c" }, 422, "media_failed");
	});

	test("404 for an image that is being processed [image.status.non-terminal-patch, errors.code.not_found]", async () => {
		const { id } = await create();
		await setImageStatus(service.database, id, "processing");
		await expectUntouched(id, { caption: "c" }, 404, "not_found");
	});

	test("404 for a blocked image, locked or not", async () => {
		const { id } = await create();
		await setImageStatus(service.database, id, "blocked", "spam");
		await expectUntouched(id, { caption: "c" }, 404, "not_found");
		await lockImage(service.database, id);
		await expectUntouched(id, { caption: "c" }, 404, "not_found");
	});

	test("locked, failed and processing images stay as they are; a ready one changes [image.status.only-ready-mutable]", async () => {
		const states = ["ready", "locked", "failed", "processing"];
		const images = await Promise.all(states.map(() => create()));
		const id = (n: number) => images[n]?.id ?? "";
		await lockImage(service.database, id(1));
		await setImageStatus(service.database, id(2), "failed");
		await setImageStatus(service.database, id(3), "processing");
		expect((await patch(id(0), { caption: "c" })).status).toBe(200);
		await expectUntouched(id(1), { caption: "c" }, 403, "media_locked");
		await expectUntouched(id(2), { caption: "c" }, 422, "media_failed");
		await expectUntouched(id(3), { caption: "c" }, 404, "not_found");
	});

	test("404 in the same words for an unknown id, one of another App, and one of another storage [patch.err.not_found]", async () => {
		const app = await firstApp(service.database);
		const user = await connectUser(service.database, app);
		const other = await addApp(service.database);
		const { id } = await create();
		const asUser = { headers: { "X-Svc-User": user.id } };
		const answers = [
			await patch(newId("img"), { caption: "c" }),
			await patch("nonsense", { caption: "c" }),
			await patch(id, { caption: "c" }, other.key),
			await send(service, "PATCH", `/v1/images/${id}`, { caption: "c" }, asUser),
		];
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
		expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
		expect((await get(id)).caption).toBe("");
	});

	test("404 for an image that has expired, before the sweeper came", async () => {
		const late = await openService();
		const { id } = await uploaded(late, file, "a.png", { ttl: "5m" });
		late.clock.advance(300_000);
		expect(await errorOf(await send(late, "PATCH", `/v1/images/${id}`, { ttl: null }))).toMatchObject({ status: 404 });
		await late.close();
	});
});

describe("failures of ours", () => {
	test("500 update_failed when the change cannot be saved; the image is as it was [errors.code.update_failed]", async () => {
		const image = await create({ a: "1" });
		const update = () => Promise.reject(new Error("SECRET INNARDS"));
		const app = apiApp(
			changedRoom(service.rooms, "images", { store: { ...service.rooms.images.store, update } }),
			service.version.api,
		);
		const headers = { ...headersOf(service), "Content-Type": "application/json" };
		const request = { method: "PATCH", body: '{"caption":"c"}', headers };
		const answer = await app.handle(new Request(`http://localhost:3000/v1/images/${image.id}`, request));
		expect(await answer.clone().text()).not.toContain("INNARDS");
		expect(await errorOf(answer)).toMatchObject({ status: 500, type: "api_error", code: "update_failed" });
		expect(await get(image.id)).toEqual(image);
	});

	test("500 when the database fails in the middle of the commit, and all of it is undone [errors.code.update_failed]", async () => {
		const broken = await openService();
		const image = await uploaded(broken, file, "a.png", { labels: '{"a":"1"}' });
		const path = `/v1/images/${image.id}`;
		const run = sql`CREATE TRIGGER broken BEFORE INSERT ON audit WHEN new.event = 'image.updated'
			BEGIN SELECT raise(ABORT, 'broken'); END`;
		await broken.database.write([{ run }]);
		const change = { caption: "c", labels: { a: "2" }, ttl: "1h" };
		const answer = await send(broken, "PATCH", path, change);
		expect(await errorOf(answer)).toMatchObject({ status: 500, code: "update_failed" });
		expect((await (await broken.api(path)).json()) as Image).toEqual(image);
		expect(await (await broken.api("/v1/images?label[a]=1")).json()).toMatchObject({ data: [image] });
		await broken.database.write([{ run: sql`DROP TRIGGER broken` }]);
		expect((await send(broken, "PATCH", path, change)).status).toBe(200);
		await broken.close();
	});
});
