import { beforeAll, describe, expect, test } from "bun:test";
import { apiApp } from "@svc/api/app";
import { sweep } from "@svc/erasure/sweep";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { countOf, firstApp, lockImage, setImageStatus } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { changedRoom, serviceFor } from "../../support/service.ts";

const HOUR_MS = 3_600_000;
const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(8, 8);
});

const create = (fields: Record<string, string> = {}) => uploaded(service, file, "a.png", fields);
const call = (method: string, path: string, body?: unknown) => send(service, method, `/v1/images${path}`, body);
const restore = (id: string) => call("POST", `/${id}/restore`);
const read = async (id: string) => (await (await call("GET", `/${id}`)).json()) as Image;
const usage = async () => (await service.api("/v1/usage")).json() as Promise<{ totals: object }>;
const swept = () => sweep(service.rooms.erasure, async () => undefined);
const pictureOf = async ({ url }: Image) => (await service.open(url)).status;

describe("a deleted image", () => {
	test("comes back as it was, under its id, its addresses and its place in lists", async () => {
		const image = await create({ caption: "c", labels: '{"a":"1"}', external_id: "mine" });
		await create();
		const list = async () => (await call("GET", "?label[a]=1")).json();
		const before = { list: await list(), totals: (await usage()).totals };
		expect((await call("DELETE", `/${image.id}`)).status).toBe(200);
		expect([await pictureOf(image), (await call("GET", `/${image.id}`)).status]).toEqual([404, 404]);
		const answer = await restore(image.id);
		expect([answer.status, await answer.json()]).toEqual([200, image]);
		expect({ list: await list(), totals: (await usage()).totals }).toEqual(before);
		expect(await pictureOf(image)).toBe(200);
		expect(await errorOf(await restore(image.id))).toMatchObject({ status: 409, code: "state_conflict" });
	});

	test("has the facts that it had", async () => {
		const { id } = await create();
		const digest = async () => ((await (await call("GET", `/${id}?include=facts`)).json()) as Image).facts?.sha256;
		const before = await digest();
		expect(before).toHaveLength(64);
		await call("DELETE", `/${id}`);
		await restore(id);
		expect(await digest()).toBe(before);
	});

	test("of a batch comes back too, and once for two who ask at once", async () => {
		const { id } = await create();
		await call("DELETE", "/batch", { ids: [id] });
		const both = await Promise.all([restore(id), restore(id)]);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
	});

	test("409 also for whoever looks for it among the deleted when another one has just brought it back", async () => {
		const { id } = await create();
		await call("DELETE", `/${id}`);
		const { deleted } = service.rooms.images;
		const find: typeof deleted.find = async (...about) => {
			expect((await restore(id)).status).toBe(200);
			return await deleted.find(...about);
		};
		const late = apiApp(changedRoom(service.rooms, "images", { deleted: { ...deleted, find } }), service.version.api);
		const headers = { Authorization: `Bearer ${service.apiKey}` };
		const answer = await late.handle(
			new Request(`http://localhost:3000/v1/images/${id}/restore`, { method: "POST", headers }),
		);
		expect(await errorOf(answer)).toMatchObject({ status: 409, code: "state_conflict" });
	});

	test.each(["/one?permanent=true", "/batch?permanent=true"])("is gone for good by %s", async (path) => {
		const { id } = await create();
		const batch = path.startsWith("/batch");
		await call("DELETE", path.replace("one", id), batch ? { ids: [id] } : undefined);
		expect((await restore(id)).status).toBe(404);
		expect(await countOf(service.database, sql`SELECT count(*) FROM deleted_images WHERE id = ${id}`)).toBe(0);
	});

	test("keeps its original for 24 hours and no longer", async () => {
		const [early, late] = [await create(), await create()];
		for (const { id } of [early, late]) await call("DELETE", `/${id}`);
		service.clock.advance(23 * HOUR_MS);
		await swept();
		expect((await restore(early.id)).status).toBe(200);
		expect(await pictureOf(early)).toBe(200);
		service.clock.advance(2 * HOUR_MS);
		expect((await restore(late.id)).status).toBe(404);
		await swept();
		const rest = sql`SELECT count(*) FROM blobs WHERE blob_key LIKE ${`${late.id}/%`}`;
		expect(await countOf(service.database, rest)).toBe(0);
		expect(await countOf(service.database, sql`SELECT count(*) FROM deleted_images WHERE id = ${late.id}`)).toBe(0);
		expect(await pictureOf(early)).toBe(200);
	});

	test("is still locked or blocked", async () => {
		const [locked, blocked] = [await create(), await create()];
		await lockImage(service.database, locked.id);
		await setImageStatus(service.database, blocked.id, "blocked");
		for (const { id } of [locked, blocked]) {
			expect((await call("DELETE", `/${id}`)).status).toBe(200);
			expect((await restore(id)).status).toBe(200);
		}
		expect(await errorOf(await call("PATCH", `/${locked.id}`, { caption: "x" }))).toMatchObject({
			code: "media_locked",
		});
		expect(await errorOf(await call("GET", `/${blocked.id}`))).toMatchObject({ code: "media_blocked" });
	});

	test("does not come back past its ttl, nor under a name that another one has", async () => {
		const short = await create({ ttl: "300" });
		const named = await create({ external_id: "name" });
		for (const { id } of [short, named]) await call("DELETE", `/${id}`);
		const other = await create({ external_id: "name" });
		expect(await errorOf(await restore(named.id))).toMatchObject({ status: 409, fields: ["external_id"] });
		service.clock.advance(301_000);
		expect((await restore(short.id)).status).toBe(404);
		await call("DELETE", `/${other.id}`);
		expect(await (await restore(named.id)).json()).toEqual(named);
	});

	test("does not come back into a full App", async () => {
		const { id } = await create();
		const app = await firstApp(service.database);
		await call("DELETE", `/${id}`);
		const used = await countOf(service.database, sql`SELECT images FROM app_usage LIMIT 1`);
		const limit = (value: number | null) =>
			service.database.write([{ run: sql`UPDATE apps SET images_limit = ${value} WHERE id = ${app.id}` }]);
		await limit(used);
		expect(await errorOf(await restore(id))).toMatchObject({ status: 403, code: "quota_exceeded" });
		await limit(null);
		expect((await restore(id)).status).toBe(200);
	});

	test("that never was is not found, and the delete takes no other word", async () => {
		const { id } = await create();
		expect((await restore("img_0000000000000000000000")).status).toBe(404);
		expect(await errorOf(await call("DELETE", `/${id}?permanent=yes`))).toMatchObject({
			status: 422,
			fields: ["permanent"],
		});
		expect(await read(id)).toMatchObject({ id });
	});

	test("is told in the feed", async () => {
		const { id } = await create();
		await call("DELETE", `/${id}`);
		await restore(id);
		const feed = (await (await service.api("/v1/events?types=image.deleted,image.restored&limit=100")).json()) as {
			data: { type: string; data: { object: { id: string } } }[];
		};
		const told = feed.data.filter(({ data }) => data.object.id === id).map(({ type }) => type);
		expect(told).toEqual(["image.deleted", "image.restored"]);
	});
});
