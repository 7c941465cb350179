import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { newJob } from "@svc/jobs/jobs";
import type { Image } from "@svc/sdk/shapes";
import { type SQL, sql } from "drizzle-orm";
import { addApp, countOf, setAppState } from "../../support/apps.ts";
import { dataDirectory } from "../../support/data-directory.ts";
import { addHolder, makeOwnKey, type OwnStorageHolder } from "../../support/own-storages.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addUser, setAccountStatus } from "../../support/users.ts";

/* What people keep outside of every App, and what becomes of it. */

const service = serviceFor({ SVC_VARIANT: "legacy" });
const app = madeBefore(() => addApp(service.database));
const file = Uint8Array.from(await plain(6, 6));

interface Listed {
	readonly data: readonly { readonly id: string }[];
}

const call = (key: string, method: string, path: string, body?: unknown, headers: Caller["headers"] = {}) =>
	send(service, method, path, body, { key, headers });
const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;
const idsOf = async (key: string) =>
	((await json(call(key, "GET", "/v1/images"))) as unknown as Listed).data.map(({ id }) => id);
const count = (query: SQL) => countOf(service.database, query);
const accountPk = ({ id }: { id: string }) => sql`(SELECT pk FROM accounts WHERE id = ${id})`;
const COMMONS = sql`(SELECT app_pk FROM storages WHERE kind = 'anonymous')`;

async function idOfCommons(): Promise<string> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT id FROM apps WHERE pk = ${COMMONS}`),
	);
	return rows[0]?.[0] ?? "";
}

async function stored(holder: OwnStorageHolder): Promise<Image> {
	return await uploaded(service, file, "a.png", {}, { key: holder.key });
}

describe("a person's own key", () => {
	test("stores, lists, reads, changes and deletes, one by one and many at once, and says what is used", async () => {
		const { key } = await addHolder(service);
		const images = [];
		for (let made = 0; made < 3; made++) images.push(await uploaded(service, file, "a.png", {}, { key }));
		const [first, second, third] = images.map(({ id }) => id) as [string, string, string];
		expect((await idsOf(key)).toSorted()).toEqual([first, second, third].toSorted());
		expect(await json(call(key, "GET", `/v1/images/${first}`))).toMatchObject({ id: first, object: "image" });
		expect(await json(call(key, "PATCH", `/v1/images/${first}`, { caption: "A" }))).toMatchObject({ caption: "A" });
		const both = { ids: [first, second], caption: "B" };
		expect(await json(call(key, "PATCH", "/v1/images/batch", both))).toMatchObject({
			data: [{ caption: "B" }, { caption: "B" }],
			errors: [],
		});
		expect((await call(key, "DELETE", `/v1/images/${first}`)).status).toBe(200);
		expect((await call(key, "DELETE", "/v1/images/batch", { ids: [second] })).status).toBe(200);
		expect(await idsOf(key)).toEqual([third]);
		const usage = await call(key, "GET", "/v1/usage");
		expect([usage.headers.get("X-Monthly-Uploads-Limit"), usage.headers.get("X-Storage-Limit")]).toEqual([
			"1000",
			"10000000000",
		]);
		expect(await usage.json()).toMatchObject({
			plan: "free",
			monthly: { uploads: 3, uploads_limit: 1_000 },
			totals: { images_stored: 1, storage_limit_bytes: 10_000_000_000 },
		});
		expect(await json(call(key, "GET", "/v1/key"))).toMatchObject({ reach: "user", permissions: ["read", "write"] });
	});

	test("does what its permissions say, and no more", async () => {
		const person = await addPerson(service.database);
		const reads = (await makeOwnKey(service, person, { permissions: ["read"] })).secret;
		const writes = (await makeOwnKey(service, person, { permissions: ["write"] })).secret;
		expect(await errorOf(await upload(service, file, "a.png", {}, { key: reads }))).toMatchObject({
			status: 403,
			code: "forbidden",
		});
		const { id } = await uploaded(service, file, "a.png", {}, { key: writes });
		expect(await idsOf(reads)).toEqual([id]);
		expect((await call(writes, "GET", "/v1/images")).status).toBe(403);
		expect((await call(reads, "DELETE", `/v1/images/${id}`)).status).toBe(403);
		expect((await call(writes, "DELETE", `/v1/images/${id}`)).status).toBe(200);
	});

	test("answers the same with any X-Svc-User as without one, a malformed one too [auth.user-header.legacy-ignored]", async () => {
		const holder = await addHolder(service);
		const { key } = holder;
		const { id } = await uploaded(service, file, "a.png", { caption: "A" }, { key });
		const user = await addUser(service.database, app);
		const own = sql`SELECT user_id FROM connections WHERE account_pk = ${accountPk(holder)}`;
		const [[ownUserId] = [""]] = await service.database.read(() => service.database.queries.values<[string]>(own));
		const values = ["", " ", "!!!", "usr_", user.id, newId("usr"), ownUserId, "a, b", "x".repeat(5_000), "Ã¤"];
		const calls: readonly [string, unknown?][] = [
			["GET /v1/images"],
			[`GET /v1/images/${id}`],
			["GET /v1/images/missing"],
			["GET /v1/usage"],
			["GET /v1/images?limit=0"],
			[`PATCH /v1/images/${id}`, { caption: "A" }],
			["PATCH /v1/images/batch", { ids: [id], caption: "A" }],
			["DELETE /v1/images/batch", { ids: [newId("key")] }],
			["POST /v1/auth/exchange", { code: "none" }],
		];
		const all = async (headers: Caller["headers"]) =>
			await Promise.all(
				calls.map(async ([route, body]) => {
					const [method = "", path = ""] = route.split(" ");
					const answer = await call(key, method, path, body, headers);
					return [answer.status, await answer.json()];
				}),
			);
		const plainly = await all({});
		expect(plainly.map(([status]) => status)).toEqual([200, 200, 404, 200, 422, 200, 200, 200, 403]);
		for (const value of values) expect(await all({ "X-Svc-User": value })).toEqual(plainly);
		for (const value of values) {
			const headers = { "X-Svc-User": value, "X-Svc-App": app.id };
			const made = await uploaded(service, file, "a.png", {}, { key, headers });
			expect(await idsOf(key)).toContain(made.id);
			expect((await call(key, "DELETE", `/v1/images/${made.id}`, undefined, headers)).status).toBe(200);
		}
		expect(await idsOf(key)).toEqual([id]);
	});

	test("a key to one's storage in an App ignores X-Svc-User alike, and begins alike [auth.user-header.legacy-ignored, auth.prefix.user-live]", async () => {
		const user = await addUser(service.database, app);
		const made = await send(service, "POST", `/v1/me/connections/${app.id}/keys`, { name: "Mine" }, as(user));
		const { secret } = (await made.json()) as { secret: string };
		expect(secret).toStartWith("svc_live_");
		const plainly = await (await call(secret, "GET", "/v1/images")).json();
		for (const value of [user.id, "usr_unknown", "", " ", "nonsense"]) {
			const answer = await call(secret, "GET", "/v1/images", undefined, { "X-Svc-User": value });
			expect([answer.status, await answer.json()]).toEqual([200, plainly]);
		}
	});

	test("reaches nobody else's images, and nobody else reaches its own", async () => {
		const [holder, other] = [await addHolder(service), await addHolder(service)];
		const user = await addUser(service.database, app);
		const mine = await stored(holder);
		const foreign = [
			await stored(other),
			await uploaded(service, file, "a.png", {}, { key: app.key }),
			await uploaded(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": user.id } }),
		];
		expect(await idsOf(holder.key)).toEqual([mine.id]);
		for (const { id } of foreign) {
			expect((await call(holder.key, "PATCH", `/v1/images/${id}`, { caption: "x" })).status).toBe(404);
			expect((await call(holder.key, "DELETE", `/v1/images/${id}`)).status).toBe(404);
		}
		for (const key of [other.key, app.key]) {
			expect((await call(key, "PATCH", `/v1/images/${mine.id}`, { caption: "x" })).status).toBe(404);
			expect((await call(key, "DELETE", `/v1/images/${mine.id}`)).status).toBe(404);
		}
		expect(await idsOf(holder.key)).toEqual([mine.id]);
	});
});

describe.each(["transition", "legacy"])("in %s", (variant) => {
	test("an image of an ordinary workspace is public unless it says otherwise [public.default-ordinary]", async () => {
		await using data = await dataDirectory();
		const { key } = await addHolder(await data.serve({ SVC_VARIANT: "legacy" }));
		const other = await data.serve({ SVC_VARIANT: variant });
		const create = async (body: Readonly<Record<string, string>>) =>
			(await uploaded(other, file, "a.png", body, { key })) as Image & { readonly public: boolean };
		expect((await create({})).public).toBe(true);
		expect((await create({ public: "false" })).public).toBe(false);
		expect((await create({ public: "true" })).public).toBe(true);
	});
});

describe("to the rest of the service", () => {
	test("the own storage is no App that one is connected to, disconnects, or makes App keys for", async () => {
		const holder = await addHolder(service);
		const { app: ownApp } = (await json(call(holder.key, "GET", "/v1/key"))) as { app: { id: string } };
		expect(ownApp.id).toBe(await idOfCommons());
		const { id } = await stored(holder);
		const mine = (method: string, path: string, body?: unknown) => send(service, method, path, body, as(holder));
		expect(await json(mine("GET", "/v1/me/connections"))).toMatchObject({ data: [] });
		const connection = `/v1/me/connections/${ownApp.id}`;
		expect((await mine("DELETE", connection)).status).toBe(404);
		expect(await json(mine("GET", `${connection}/keys`))).toMatchObject({ data: [] });
		expect((await mine("POST", `${connection}/keys`, { name: "x" })).status).toBe(404);
		expect((await mine("DELETE", `${connection}/keys/${holder.keyId}`)).status).toBe(404);
		for (const [method, path, body] of [
			["GET", "", undefined],
			["PATCH", "", { name: "Mine", sign_in_enabled: true }],
			["DELETE", "?confirm_name=Svc", undefined],
			["POST", "/pause", undefined],
			["POST", "/transfer", { member: holder.id }],
			["GET", "/users", undefined],
			["GET", "/keys", undefined],
			["POST", "/redirect_uris", { uri: "https://app.example/callback" }],
		] as const) {
			expect((await mine(method, `/v1/apps/${ownApp.id}${path}`, body)).status).toBe(404);
		}
		const selected = await send(service, "GET", "/v1/images", undefined, as(holder, ownApp.id));
		expect(selected.status).toBe(404);
		expect(await idsOf(holder.key)).toEqual([id]);
	});

	test("nobody signs in to it, pays it, or is led anywhere by its name", async () => {
		await addHolder(service);
		const id = await idOfCommons();
		const { web } = service.rooms.addresses;
		for (const [path, fault] of [
			[`/connect?app=${id}`, "missing_redirect_uri"],
			[`/connect?app=${id}&redirect_uri=https%3A%2F%2Fevil.example%2F`, "redirect_uri_not_registered"],
			[`/connect?app=${id}&redirect_uri=https%3A%2F%2Fevil.example%2F&prompt=none`, "redirect_uri_not_registered"],
			[`/billing?app=${id}`, "missing_redirect_uri"],
			[`/billing?app=${id}&redirect_uri=https%3A%2F%2Fevil.example%2F`, "redirect_uri_not_registered"],
		] as const) {
			const page = await service.open(`${web}${path}`);
			expect([page.status, page.headers.get("location")]).toEqual([400, null]);
			expect(await page.text()).toContain(`data-fault-code="${fault}"`);
		}
		expect(await count(sql`SELECT sign_in + selling FROM apps WHERE pk = ${COMMONS}`)).toBe(0);
	});

	test("an operator who pauses or blocks the service's own App stops nobody's own keys, and cannot delete it", async () => {
		const holder = await addHolder(service);
		const operator = await addPerson(service.database, { operator: true });
		const id = await idOfCommons();
		const path = `/v1/operator/apps/${id}`;
		expect((await send(service, "DELETE", path, undefined, as(operator))).status).toBe(405);
		expect((await send(service, "DELETE", `/v1/apps/${id}?confirm_name=Svc`, undefined, as(operator))).status).toBe(
			404,
		);
		expect((await send(service, "POST", `${path}/block`, { reason: "spam" }, as(operator))).status).toBe(200);
		await stored(holder);
		await makeOwnKey(service, holder);
		await setAppState(service.database, id, "paused");
		await stored(holder);
		await setAppState(service.database, id, "active");
	});

	test("a disabled account's keys stop, and work again once it is enabled; nothing is lost meanwhile", async () => {
		const holder = await addHolder(service);
		const { id } = await stored(holder);
		await setAccountStatus(service.database, holder.id, "disabled");
		expect((await call(holder.key, "GET", "/v1/images")).status).toBe(401);
		await setAccountStatus(service.database, holder.id, "active");
		expect(await idsOf(holder.key)).toEqual([id]);
	});

	test("deleting the account empties and removes it, with its keys", async () => {
		const holder = await addHolder(service);
		const images = [await stored(holder), await stored(holder)];
		for (const { url } of images) expect((await service.open(url)).status).toBe(200);
		expect((await send(service, "DELETE", "/v1/me", undefined, as(holder))).status).toBe(202);
		const refused = await errorOf(await upload(service, file, "a.png", {}, { key: holder.key }));
		expect([refused.status, refused.code]).toEqual([409, "workspace_unavailable"]);
		expect((await send(service, "POST", "/v1/me/keys", { name: "x" }, as(holder))).status).toBe(401);
		await service.runJobs();
		expect((await call(holder.key, "GET", "/v1/images")).status).toBe(401);
		for (const { url } of images) expect((await service.open(url)).status).toBe(404);
		const pk = accountPk(holder);
		expect(await count(sql`SELECT count(*) FROM storages WHERE account_pk = ${pk}`)).toBe(0);
		expect(await count(sql`SELECT count(*) FROM keys WHERE creator_pk = ${pk}`)).toBe(0);
		expect(await count(sql`SELECT count(*) FROM connections WHERE account_pk = ${pk} AND state <> 'gone'`)).toBe(0);
		expect(await count(sql`SELECT count(*) FROM accounts WHERE id = ${holder.id} AND deleted_ms IS NOT NULL`)).toBe(1);
		expect(await service.recount()).toEqual([]);
	});

	test("whoever had one before gets a fresh and empty one, while the old one is emptied and afterwards", async () => {
		const holder = await addHolder(service);
		await stored(holder);
		for (const emptied of [false, true]) {
			await endOwnStorage(holder);
			if (emptied) await service.runJobs();
			const made = await Promise.all(Array.from({ length: 5 }, () => makeOwnKey(service, holder)));
			const [key] = made.map(({ secret }) => secret) as [string];
			expect(await idsOf(key)).toEqual([]);
			await uploaded(service, file, "a.png", {}, { key });
			for (const { secret } of made) expect(await idsOf(secret)).toHaveLength(1);
			const theirs = sql`account_pk = ${accountPk(holder)}`;
			const active = sql`SELECT count(*) FROM storages WHERE ${theirs} AND kind = 'personal' AND state = 'active'`;
			expect(await count(active)).toBe(1);
			expect(await count(sql`SELECT count(*) FROM connections WHERE ${theirs} AND state = 'connected'`)).toBe(1);
			await service.runJobs();
			expect(await idsOf(key)).toHaveLength(1);
			expect(await service.recount()).toEqual([]);
		}
	});
});

/** As a disconnect would: nothing in the product does it to one's own storage alone. */
async function endOwnStorage(holder: OwnStorageHolder): Promise<void> {
	const { users } = service.rooms.connect;
	const jobs = service.rooms.jobs.store;
	const [row] = await service.database.read(() =>
		service.database.queries.values<[number, string, number, number, string]>(
			sql`SELECT connections.pk, user_id, connections.app_pk, storages.pk, storages.id FROM connections
				JOIN storages ON storages.pk = storage_pk WHERE connections.account_pk = ${accountPk(holder)}`,
		),
	);
	if (!row) throw new Error("no storage");
	const [pk, userId, appPk, storagePk, storageId] = row;
	const job = newJob("storage.empty", { storageId }, { dedupe: storageId });
	const connection = { pk, userId, appPk, state: "connected", storage: { pk: storagePk, id: storageId } } as const;
	const by = { actor: holder.id, requestId: null, nowMs: service.clock.now() };
	expect(await users.disconnect(connection, job, by, [])).toBeUndefined();
	expect(await jobs.find(job.id)).toBeDefined();
}
