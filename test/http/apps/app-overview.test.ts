import { describe, expect, test } from "bun:test";
import type { App } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { connectUser } from "../../support/apps.ts";
import { addPerson, addSession } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam, statuses, type Team } from "../../support/teams.ts";

/* What an App's team sees of it: audit, use, labels. */

const service = serviceFor();

interface Listed<Row> {
	readonly data: readonly Row[];
	readonly pagination: { readonly next_cursor: string | null; readonly next_url: string | null };
}

async function list<Row>(team: Team, path: string): Promise<Listed<Row>> {
	const reply = await ask(service, team.admin, "GET", `${team.path}/${path}`);
	if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
	return reply.body as unknown as Listed<Row>;
}

describe("the audit", () => {
	interface Entry {
		readonly id: string;
		readonly actor: string;
		readonly event: string;
		readonly target: string;
		readonly created_at: string;
	}

	test("tells Admins and the Owner who did what to what, newest first", async () => {
		const team = await makeTeam(service);
		const key = await makeKey(service, team.admin, team.path, { name: "Told of" });
		const entries = (await list<Entry>(team, "audit")).data;
		expect(entries).toEqual([
			{
				id: expect.stringMatching(/^aud_[0-9A-Za-z]{22}$/),
				object: "audit_entry",
				actor: team.admin.id,
				event: "key.created",
				target: key.id,
				changes: { name: "Told of", reach: "app", permissions: ["read", "write"], expires_at: null },
				request_id: expect.stringMatching(/^req_/),
				created_at: expect.stringMatching(/Z$/),
			},
			expect.objectContaining({
				actor: team.owner.id,
				event: "app.created",
				target: team.appId,
				changes: { name: "Pictures" },
			}),
		] as unknown as Entry[]);
		expect((await list<Entry>(team, "audit")).data).toEqual(entries);
		expect(await statuses((role) => ask(service, team[role], "GET", `${team.path}/audit`))).toEqual([
			403, 403, 200, 200,
		]);
		const outsider = await addPerson(service.database);
		expect((await ask(service, outsider, "GET", `${team.path}/audit`)).status).toBe(404);
		const token = { secret: await addSession(service.database, team.owner.id, { scopes: ["apps:write"] }) };
		expect((await ask(service, token, "GET", `${team.path}/audit`)).status).toBe(403);
	});

	test("is filtered by actor, event and since, in pages", async () => {
		const team = await makeTeam(service);
		for (const name of ["One", "Two", "Three"]) await ask(service, team.admin, "PATCH", team.path, { name });
		service.clock.advance(60_000);
		const since = encodeURIComponent(new Date(service.clock.now()).toISOString());
		await ask(service, team.owner, "PATCH", team.path, { name: "Four" });
		const events = async (query: string) => (await list<Entry>(team, `audit?${query}`)).data.map(({ event }) => event);
		expect(await events(`actor=${team.owner.id}`)).toEqual(["app.renamed", "app.created"]);
		expect(await events(`event=app.renamed&actor=${team.admin.id}`)).toHaveLength(3);
		expect(await events(`since=${since}`)).toEqual(["app.renamed"]);
		expect(await events("event=nothing")).toEqual([]);
		const first = await list<Entry>(team, "audit?event=app.renamed&limit=3");
		const cursor = first.pagination.next_cursor;
		const rest = await list<Entry>(team, `audit?event=app.renamed&limit=3&cursor=${cursor}`);
		expect([first.data.length, rest.data.length, rest.pagination.next_cursor]).toEqual([3, 1, null]);
		expect(new Set([...first.data, ...rest.data].map(({ id }) => id)).size).toBe(4);
		for (const query of ["since=soon", "since=", "actors=x", `event=app.created&cursor=${cursor}`, "limit=0"]) {
			expect((await ask(service, team.admin, "GET", `${team.path}/audit?${query}`)).status).toBe(422);
		}
	});

	test("holds nothing of another App", async () => {
		const [team, other] = [await makeTeam(service), await makeTeam(service)];
		await makeKey(service, other.admin, other.path);
		expect((await list<Entry>(team, "audit")).data.map(({ event }) => event)).toEqual(["app.created"]);
	});
});

describe("the use of an App", () => {
	test("[C] is told as a whole, by user and by month, to every role", async () => {
		const team = await makeTeam(service);
		const key = (await makeKey(service, team.admin, team.path)).secret;
		const user = await connectUser(service.database, { id: team.appId });
		const picture = await plain(6, 4);
		await uploaded(service, picture, "a.png", {}, { key });
		for (const name of ["b.png", "c.png"]) {
			await uploaded(service, picture, name, {}, { key, headers: { "X-Svc-User": user.id } });
		}
		const path = `${team.path}/usage`;
		expect(await statuses((role) => ask(service, team[role], "GET", path))).toEqual([200, 200, 200, 200]);
		const bytes = picture.length;
		expect((await ask(service, team.viewer, "GET", `${path}?by=total`)).body).toMatchObject({
			object: "usage",
			monthly: { uploads: 3 },
			totals: { images_stored: 3, storage_used_bytes: 3 * bytes },
			limits: { images: { used: 3, limit: 5_000 }, users: { used: 1, limit: 50 } },
		});
		expect((await list(team, "usage?by=user")).data).toEqual([
			{ object: "user_usage", user_id: user.id, images: 2, bytes: 2 * bytes, uploads_this_month: 2 },
			{ object: "user_usage", user_id: null, images: 1, bytes, uploads_this_month: 1 },
		]);
		const storage = sql`(SELECT pk FROM storages WHERE app_pk = (SELECT pk FROM apps WHERE id = ${team.appId}) AND kind = 'app')`;
		for (const month of ["2025-12", "2026-01"]) {
			await service.database.write([
				{ run: sql`INSERT INTO monthly_usage (storage_pk, month, uploads) VALUES (${storage}, ${month}, 7)` },
			]);
		}
		const month = new Date(service.clock.now()).toISOString().slice(0, 7);
		const months: unknown[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page: Listed<{ month: string; uploads: number }> = await list(
				team,
				`usage?by=month&limit=1${cursor && `&cursor=${cursor}`}`,
			);
			months.push(...page.data.map((row) => [row.month, row.uploads]));
			cursor = page.pagination.next_cursor;
		}
		expect(months).toEqual([
			[month, 3],
			["2026-01", 7],
			["2025-12", 7],
		]);
		expect(Object.keys((await ask(service, team.viewer, "GET", `${path}?by=week`)).details)).toEqual(["by"]);
	});
});

describe("[C] an App tells besides, where it is asked", () => {
	test("a list what each holds, of all storages together; nothing where that was not asked for", async () => {
		const team = await makeTeam(service);
		const key = (await makeKey(service, team.admin, team.path)).secret;
		await uploaded(service, await plain(4, 4), "a.png", {}, { key });
		const { id } = await connectUser(service.database, { id: team.appId });
		const headers = { Authorization: `Bearer ${key}`, "X-Svc-User": id };
		await uploaded(service, await plain(4, 4), "b.png", {}, { key, headers });
		const list = async (query: string) =>
			(await ask(service, team.viewer, "GET", `/v1/apps${query}`)).body as unknown as { data: App[] };
		const [app] = (await list("?include=usage")).data;
		expect(app?.usage).toMatchObject({ images: 2, users: 1 });
		expect((await list("")).data[0]).not.toHaveProperty("usage");
		expect((await ask(service, team.viewer, "GET", "/v1/apps?include=needs")).status).toBe(422);
	});

	test("one what needs somebody: keys that end soon, the newest that works, endpoints that the service has switched off", async () => {
		const team = await makeTeam(service);
		const needs = async () =>
			((await ask(service, team.viewer, "GET", `${team.path}?include=needs`)).body as unknown as App).needs;
		expect(await needs()).toEqual({ newest_key: null, ending_keys: [], stopped_endpoints: [] });
		const inDays = (days: number) => new Date(service.clock.now() + days * 86_400_000).toISOString();
		const soon = await makeKey(service, team.admin, team.path, { name: "soon", expires_at: inDays(3) });
		await makeKey(service, team.admin, team.path, { name: "later", expires_at: inDays(30) });
		const gone = await makeKey(service, team.admin, team.path, { name: "gone" });
		await ask(service, team.admin, "DELETE", `${team.path}/keys/${gone.id}`);
		const urls = ["https://hooks.example.com/failing", "https://hooks.example.com/off", "https://hooks.example.com/on"];
		const made: string[] = [];
		for (const url of urls)
			made.push(String((await ask(service, team.admin, "POST", `${team.path}/webhook_endpoints`, { url })).body.id));
		await ask(service, team.admin, "PATCH", `${team.path}/webhook_endpoints/${made[1]}`, { state: "disabled" });
		await service.database.write([
			{
				run: sql`UPDATE webhook_endpoints SET state = 'disabled', disabled_reason = 'failing', disabled_ms = 1 WHERE id = ${made[0]}`,
			},
		]);
		expect(await needs()).toMatchObject({
			newest_key: { name: "later" },
			ending_keys: [{ id: soon.id, name: "soon" }],
			stopped_endpoints: [{ id: made[0], disabled_reason: "failing" }],
		});
		expect((await needs())?.stopped_endpoints).toHaveLength(1);
		expect((await ask(service, team.viewer, "GET", `${team.path}?include=usage`)).status).toBe(422);
		expect((await ask(service, team.viewer, "GET", team.path)).body).not.toHaveProperty("needs");
	});

	test("403 for a token that may read the App, and not its keys", async () => {
		const team = await makeTeam(service);
		const token = await ask(service, team.owner, "POST", "/v1/tokens", {
			...{ name: "t", scopes: ["apps:read", "events:read"], expires_in: 3_600 },
		});
		const read = async (query: string) =>
			(await service.api(team.path + query, { headers: { Authorization: `Bearer ${token.body.secret}` } })).status;
		expect([await read(""), await read("?include=needs")]).toEqual([200, 403]);
	});
});

describe("the labels of an App's pictures", () => {
	const labelsOf = async (team: Team, query = "") =>
		(await ask(service, team.viewer, "GET", `${team.path}/labels${query}`)).body as {
			data: { key: string; value: string; count: number; more?: true }[];
			truncated: boolean;
		};

	test("are listed with how many pictures have each, in the order of keys and values; a prefix selects", async () => {
		const team = await makeTeam(service);
		const key = (await makeKey(service, team.admin, team.path)).secret;
		const picture = await plain(4, 4);
		const add = (labels: object, ttl?: string) =>
			uploaded(service, picture, "a.png", { labels: JSON.stringify(labels), ...(ttl && { ttl }) }, { key });
		await add({ city: "rome", kind: "é" });
		await add({ city: "rome", "city.part": "old" });
		await add({ city: "bonn" });
		await add({ city: "gone", kind: "é" }, "300");
		service.clock.advance(301_000);
		expect(await labelsOf(team)).toEqual({
			object: "labels",
			data: [
				{ key: "city", value: "bonn", count: 1 },
				{ key: "city", value: "rome", count: 2 },
				{ key: "city.part", value: "old", count: 1 },
				{ key: "kind", value: "é", count: 1 },
			],
			truncated: false,
		} as unknown as Awaited<ReturnType<typeof labelsOf>>);
		expect((await labelsOf(team, "?prefix=city")).data.map(({ key }) => key)).toEqual(["city", "city", "city.part"]);
		expect((await labelsOf(team, "?prefix=city.")).data.map(({ key }) => key)).toEqual(["city.part"]);
		expect((await labelsOf(team, "?prefix=x")).data).toEqual([]);
		for (const prefix of ["A", "%25", "é", "x".repeat(65)]) {
			expect((await ask(service, team.viewer, "GET", `${team.path}/labels?prefix=${prefix}`)).status).toBe(422);
		}
		expect((await labelsOf(await makeTeam(service))).data).toEqual([]);
	});

	test("are at most 1,000, and so is what is counted of each: it says where counting stopped", async () => {
		const team = await makeTeam(service);
		const app = sql`(SELECT pk FROM apps WHERE id = ${team.appId})`;
		const storage = sql`(SELECT pk FROM storages WHERE app_pk = ${app} AND kind = 'app')`;
		const numbers = (count: number) =>
			sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
		const image = (sequence: string) => sql`
			INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key, published_ms, created_ms)
			SELECT ${sequence} || n, ${app}, ${storage}, 'ready', 'a', 'png', 1, 1, 0, zeroblob(32), ${sequence} || n, n, n FROM numbers`;
		const label = (sequence: string, value: ReturnType<typeof sql>) => sql`
			INSERT INTO image_labels (storage_pk, key, value, published_ms, image_pk)
			SELECT ${storage}, ${sequence}, ${value}, n, (SELECT pk FROM images WHERE id = ${sequence} || n) FROM numbers`;
		await service.database.write([
			{ run: sql`${numbers(1_200)} ${image("a")}` },
			{ run: sql`${numbers(1_200)} ${label("a", sql`'same'`)}` },
			{ run: sql`${numbers(1_000)} ${image("aa")}` },
			{ run: sql`${numbers(1_000)} ${label("aa", sql`'whole'`)}` },
			{ run: sql`${numbers(1_100)} ${image("b")}` },
			{ run: sql`${numbers(1_100)} ${label("b", sql`printf('%04d', n)`)}` },
		]);
		const { data, truncated } = await labelsOf(team);
		expect([data.length, truncated]).toEqual([1_000, true]);
		expect([data[0], data[1], data[999]]).toEqual([
			{ key: "a", value: "same", count: 1_000, more: true },
			{ key: "aa", value: "whole", count: 1_000 },
			{ key: "b", value: "0998", count: 1 },
		]);
	});
});
