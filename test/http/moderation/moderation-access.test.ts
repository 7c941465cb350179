import { describe, expect, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { addApp, addKey, connectUser, setImageStatus } from "../../support/apps.ts";
import { act, acted, itemOf, queueOf } from "../../support/moderation.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const file = await plain(8, 6);

const create = (fields: Record<string, string> = {}) => uploaded(service, file, "a.png", fields, { key: app.key });
const byOperator = (method: string, path: string, body?: unknown) => send(service, method, path, body, as(operator));
/** Until there is something to show in place of the picture, and the look at it is over. */
async function known(id: string): Promise<void> {
	const count = async () => {
		const facts = await service.database.read(() =>
			service.database.queries.values(sql`SELECT kind FROM image_facts WHERE kind IN ('thumbhash', 'colour', 'colours', 'taken')
				AND blob_key = (SELECT blob_key FROM images WHERE id = ${id})`),
		);
		return facts.length;
	};
	for (let tries = 0; tries < 1_200 && (await count()) < 4; tries++) await Bun.sleep(25);
	expect(await count()).toBe(4);
}
const state = (id: string) =>
	service.database.read(() =>
		service.database.queries.values(sql`SELECT status, locked_ms, block_reason, nsfw, revision,
			(SELECT count(*) FROM moderation_actions WHERE image_id = images.id),
			(SELECT count(*) FROM audit WHERE target = images.id),
			(SELECT count(*) FROM image_labels WHERE image_pk = images.pk) FROM images WHERE id = ${id}`),
	);

describe("the lists", () => {
	test("show each state's images, newest first, page by page, of one App or of all", async () => {
		const mine = await addApp(service.database);
		const make = () => uploaded(service, file, "a.png", {}, { key: mine.key });
		const images = [await make(), await make(), await make(), await make()];
		const [first, second, third, fourth] = images.map(({ id }) => id) as [string, string, string, string];
		await acted(service, operator, first, "lock");
		await acted(service, operator, third, "lock");
		await acted(service, operator, second, "block", { reason: "spam" });
		await byOperator("PATCH", `/v1/moderation/images/${fourth}`, { nsfw: true });
		const of = (query: string) => queueOf(service, operator, query);
		expect(await of(`state=all&app=${mine.id}`)).toEqual([fourth, third, second, first]);
		expect(await of(`state=locked&app=${mine.id}`)).toEqual([third, first]);
		expect(await of(`state=blocked&app=${mine.id}`)).toEqual([second]);
		expect(await of(`state=nsfw&app=${mine.id}`)).toEqual([fourth]);
		expect(await of(`state=reported&app=${mine.id}`)).toEqual([]);
		expect((await of("state=locked")).slice(0, 2)).toEqual([third, first]);
		expect((await of("state=all")).slice(0, 4)).toEqual([fourth, third, second, first]);
		expect(await of(`state=all&app=${newId("app")}`)).toEqual([]);
		const pages: string[] = [];
		let next: string | null = `/v1/moderation/images?state=all&app=${mine.id}&limit=3`;
		while (next !== null) {
			const page = await byOperator("GET", next.replace(service.rooms.addresses.base, ""));
			const { data, pagination } = (await page.json()) as {
				data: { id: string }[];
				pagination: { next_url: string | null };
			};
			pages.push(...data.map(({ id }) => id));
			next = pagination.next_url;
		}
		expect(pages).toEqual([fourth, third, second, first]);
	});

	test("show what stands in for a picture as soon as it has been looked at", async () => {
		const { id } = await create();
		const fact = (kind: string, value: string) => ({
			run: sql`INSERT INTO image_facts (blob_key, kind, value, found_ms)
				SELECT blob_key, ${kind}, CAST(${JSON.stringify(value)} AS BLOB), 0 FROM images WHERE id = ${id} ON CONFLICT DO NOTHING`,
		});
		await service.database.write([fact("thumbhash", "3OcRJYB4"), fact("colour", "#336699")]);
		expect(await itemOf(service, operator, id)).toMatchObject({
			placeholder: { thumbhash: expect.stringMatching(/^[\w+/=]+$/), colour: expect.stringMatching(/^#[0-9a-f]{6}$/) },
		});
	});

	test("have it made for a picture that nobody has looked at yet, whatever state it is in", async () => {
		const mine = await addApp(service.database);
		for (const verb of ["lock", "block"] as const) {
			const { id } = await uploaded(service, file, "a.png", {}, { key: mine.key });
			await acted(service, operator, id, verb, { reason: "spam" });
			await known(id);
			// As if the process had ended before it was made.
			await service.database.write([
				{ run: sql`DELETE FROM image_facts WHERE blob_key = (SELECT blob_key FROM images WHERE id = ${id})` },
			]);
			const shown = await byOperator("GET", `/v1/moderation/images?state=${verb}ed&app=${mine.id}`);
			expect(await shown.json()).toMatchObject({ data: [{ id, placeholder: null }] });
			await known(id);
			expect((await itemOf(service, operator, id)).placeholder).toEqual({
				thumbhash: expect.stringMatching(/^[\w+/=]+$/),
				colour: expect.stringMatching(/^#[0-9a-f]{6}$/),
			});
		}
	});

	test("422 for an unknown state or parameter", async () => {
		for (const [query, field] of [
			["state=odd", "state"],
			["state=", "state"],
			["state=locked&state=all", "state"],
			["colour=red", "colour"],
			["cursor=x", "cursor"],
		]) {
			expect(await errorOf(await byOperator("GET", `/v1/moderation/images?${query}`))).toMatchObject({
				status: 422,
				fields: [field],
			});
		}
	});

	test("an expired image is gone here as well", async () => {
		const image = await create({ ttl: "5m" });
		await acted(service, operator, image.id, "lock");
		service.clock.advance(300_000);
		expect((await byOperator("GET", `/v1/moderation/images/${image.id}`)).status).toBe(404);
		expect((await act(service, operator, image.id, "unlock")).status).toBe(404);
		expect(await queueOf(service, operator, `state=locked&app=${app.id}`)).not.toContain(image.id);
	});
});

describe("the preview", () => {
	const open = (id: string, person: Pick<TestPerson, "secret"> = operator) =>
		send(service, "GET", `/v1/moderation/images/${id}/preview`, undefined, as(person));

	test("shows operators the stored picture whatever state it is in, and nothing may keep or run it", async () => {
		const images: Image[] = [];
		for (let index = 0; index < 5; index++) images.push(await create());
		const [ready, locked, blocked, failed, processing] = images.map(({ id }) => id) as [
			string,
			string,
			string,
			string,
			string,
		];
		await acted(service, operator, locked, "lock");
		await acted(service, operator, blocked, "block", { reason: "spam" });
		await setImageStatus(service.database, failed, "failed");
		await setImageStatus(service.database, processing, "processing");
		for (const id of [ready, locked, blocked, failed, processing]) {
			const answer = await open(id);
			expect(answer.status).toBe(200);
			expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
			expect(Object.fromEntries(answer.headers)).toMatchObject({
				"cache-control": "no-store",
				"content-type": "image/png",
				"content-length": String(file.length),
				"content-disposition": `inline; filename="${id}.png"`,
				"x-content-type-options": "nosniff",
				"content-security-policy": "default-src 'none'; sandbox",
			});
		}
	});

	test("is for operators only, and 404 for what is not there", async () => {
		const image = await create();
		await acted(service, operator, image.id, "block", { reason: "spam" });
		const owner = await addSession(service.database, app.ownerId, { freshForMs: 60_000 });
		expect((await open(image.id, { secret: owner })).status).toBe(403);
		expect((await open(image.id, { secret: app.key })).status).toBe(403);
		expect((await service.api(`/v1/moderation/images/${image.id}/preview`, { headers: {} })).status).toBe(401);
		for (const id of [newId("img"), "x", "%2e%2e"]) expect((await open(id)).status).toBe(404);
	});
});

describe("the preview in small", () => {
	const draw = (id: string, query: string) =>
		send(service, "GET", `/v1/moderation/images/${id}/preview?${query}`, undefined, as(operator));

	test("is a PNG of at most so many pixels, of a blocked picture too", async () => {
		const image = await uploaded(service, await plain(60, 40, "jpeg"), "a.jpg", {}, { key: app.key });
		await acted(service, operator, image.id, "block", { reason: "spam" });
		for (const [query, size] of [
			["w=30&h=30", [30, 20]],
			["h=10", [15, 10]],
			["w=2048", [60, 40]],
		] as const) {
			const answer = await draw(image.id, query);
			expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
				"image/png",
				"no-store",
			]);
			const { width, height } = await sharp(await answer.arrayBuffer()).metadata();
			expect([width, height]).toEqual([...size]);
		}
	});

	test("422 for another size and for what cannot be decoded, 503 for what is damaged", async () => {
		const image = await create();
		for (const [query, field] of [
			["w=0", "w"],
			["h=2049", "h"],
			["w=1&w=2", "w"],
			["w=x", "w"],
		] as const) {
			expect(await errorOf(await draw(image.id, query))).toMatchObject({ status: 422, fields: [field] });
		}
		const found = await service.rooms.moderation.store.find(image.id, service.clock.now());
		const { path = "" } = (await service.rooms.images.blobs.find(found?.image.blobKey ?? "")) ?? {};
		await Bun.write(path, "no picture");
		expect(await errorOf(await draw(image.id, "w=10"))).toMatchObject({ status: 503, code: "server_error" });
		// Damage is no fault of the picture; what was stored like this is.
		const sha256 = new Bun.CryptoHasher("sha256").update("no picture").digest();
		await service.database.write([
			{ run: sql`UPDATE images SET bytes = 10, sha256 = ${sha256} WHERE id = ${image.id}` },
		]);
		// Its sizes may just be made in the background, by what the row said before.
		let drawn = await draw(image.id, "w=10");
		for (let tries = 1; drawn.status === 503 && tries < 100; tries++) {
			await utimes(path, tries, tries);
			drawn = await draw(image.id, "w=10");
		}
		expect(await errorOf(drawn)).toMatchObject({ status: 422, code: "media_failed" });
	});
});

describe("who may moderate", () => {
	test("nobody but operators: not the App's own team, no key, nobody unnamed; a token needs the scope", async () => {
		const image = await create();
		const admin = await addPerson(service.database);
		await addMember(service.database, app, admin, "admin");
		const owner = { secret: await addSession(service.database, app.ownerId, { freshForMs: 60_000 }) };
		const unscoped = {
			secret: await addSession(service.database, operator.id, { scopes: ["operator:write", "images:write"] }),
		};
		const reader = { secret: await addSession(service.database, operator.id, { scopes: ["moderation:read"] }) };
		const key = { secret: await addKey(service.database, app, { permissions: ["read", "write"] }) };
		const path = `/v1/moderation/images/${image.id}`;
		const calls: readonly [string, string, unknown?][] = [
			["GET", "/v1/moderation/images"],
			["GET", path],
			["POST", `${path}/lock`, {}],
			["POST", `${path}/unlock`, {}],
			["POST", `${path}/block`, { reason: "spam" }],
			["POST", `${path}/unblock`, {}],
			["PATCH", path, { nsfw: true }],
			["DELETE", path],
			["POST", "/v1/moderation/batch", { ids: [image.id], action: "lock" }],
			["GET", "/v1/moderation/reports"],
		];
		const before = await state(image.id);
		for (const [method, url, body] of calls) {
			for (const caller of [admin, owner, unscoped, key]) {
				expect([method, url, (await send(service, method, url, body, as(caller))).status]).toEqual([method, url, 403]);
			}
			expect((await service.api(url, { method, headers: {} })).status).toBe(401);
			const read = await send(service, method, url, body, as(reader));
			expect(read.status).toBe(method === "GET" ? 200 : 403);
		}
		expect(await state(image.id)).toEqual(before);
	});

	test("an operator who is no member reads the App's own history like anybody else: not at all", async () => {
		const url = `/v1/apps/${app.id}/moderation`;
		expect((await byOperator("GET", url)).status).toBe(404);
		const viewer = await addPerson(service.database);
		await addMember(service.database, app, viewer, "viewer");
		expect((await send(service, "GET", url, undefined, as(viewer))).status).toBe(200);
		const other = await addApp(service.database);
		const stranger = await addSession(service.database, other.ownerId);
		expect((await send(service, "GET", url, undefined, as({ secret: stranger }))).status).toBe(404);
	});

	test("images of connected users are moderated like others, and say where they lie", async () => {
		const user = await connectUser(service.database, app);
		const image = await uploaded(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": user.id } });
		expect(await acted(service, operator, image.id, "block", { reason: "terms" })).toMatchObject({
			image: { app_id: app.id, storage: "user", status: "blocked" },
		});
	});
});
