import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/base/ids";
import { type SQL, sql } from "drizzle-orm";
import { addApp, countOf } from "../../support/apps.ts";
import { addHolder, type MadeOwnKey, makeOwnKey, postOwnKey } from "../../support/own-storages.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { addUser } from "../../support/users.ts";

/* Keys that people make for a storage of their own, outside of every App. */

const PATH = "/v1/me/keys";
const DAY_MS = 86_400_000;

const service = serviceFor({ SVC_VARIANT: "legacy" });

interface KeyList {
	readonly data: readonly MadeOwnKey[];
	readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}

const list = (who: { secret: string }, query = "") => send(service, "GET", `${PATH}${query}`, undefined, as(who));
const listed = async (who: { secret: string }, query = "") => (await (await list(who, query)).json()) as KeyList;
const revoke = (who: { secret: string }, id: string) => send(service, "DELETE", `${PATH}/${id}`, undefined, as(who));
const read = (key: string) => send(service, "GET", "/v1/images", undefined, { key });
const count = (query: SQL) => countOf(service.database, query);
const accountPk = (who: TestPerson) => sql`(SELECT pk FROM accounts WHERE id = ${who.id})`;

describe("a key to one's own storage", () => {
	test("starts with svc_live_ in a live service and in a test one [auth.prefix.user-live]", async () => {
		const live = await openService({ SVC_VARIANT: "legacy", SVC_MODE: "live" });
		const { secret } = await makeOwnKey(live, await addPerson(live.database));
		expect(secret).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
		expect((await send(live, "GET", "/v1/images", undefined, { key: secret })).status).toBe(200);
		await live.close();
		expect((await makeOwnKey(service, await addPerson(service.database))).secret).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
	});

	test("is made by a first call, reads and writes unless less is asked for, and shows its secret once", async () => {
		const person = await addPerson(service.database);
		const key = await makeOwnKey(service, person, { name: " My laptop " });
		expect(key).toEqual({
			id: expect.stringMatching(/^key_/),
			object: "key",
			name: "My laptop",
			reach: "user",
			permissions: ["read", "write"],
			prefix: "svc_live_",
			last4: key.secret.slice(-4),
			created_by: person.id,
			created_at: expect.any(String),
			last_used_at: null,
			expires_at: null,
			revoked_at: null,
			revoke_reason: null,
			replaced_by: null,
			secret: expect.any(String),
		} as never);
		for (const permissions of [["read"], ["write"]]) {
			expect(await makeOwnKey(service, person, { permissions })).toMatchObject({ permissions });
		}
		expect(await makeOwnKey(service, person, { permissions: ["write", "read"] })).toMatchObject({
			permissions: ["read", "write"],
		});
		expect(JSON.stringify([await listed(person), service.log.lines])).not.toContain(key.secret);
	});

	test("is listed newest first, page by page", async () => {
		const person = await addPerson(service.database);
		expect(await listed(person)).toMatchObject({ data: [], pagination: { has_more: false, next_cursor: null } });
		const made: string[] = [];
		for (const name of ["a", "b", "c"]) made.unshift((await makeOwnKey(service, person, { name })).id);
		const first = await listed(person, "?limit=2");
		const second = await listed(person, `?limit=2&cursor=${first.pagination.next_cursor}`);
		expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made);
		expect([first.pagination.has_more, second.pagination.has_more]).toEqual([true, false]);
		const other = await addPerson(service.database);
		const foreign = await errorOf(await list(other, `?limit=2&cursor=${first.pagination.next_cursor}`));
		expect([foreign.status, foreign.fields]).toEqual([422, ["cursor"]]);
	});

	test("is revoked for good, and stays in the list as revoked", async () => {
		const person = await addPerson(service.database);
		const [key, kept] = [await makeOwnKey(service, person), await makeOwnKey(service, person)];
		expect(await (await revoke(person, key.id)).json()).toEqual({ id: key.id, object: "key", deleted: true });
		expect([(await read(key.secret)).status, (await read(kept.secret)).status]).toEqual([401, 200]);
		expect((await revoke(person, key.id)).status).toBe(404);
		expect((await listed(person)).data[1]).toMatchObject({ id: key.id, revoked_at: expect.any(String) as never });
	});

	test("ends by itself where that was asked for", async () => {
		const person = await addPerson(service.database);
		const at = (milliseconds: number) => new Date(service.clock.now() + milliseconds).toISOString();
		const key = await makeOwnKey(service, person, { expires_at: at(DAY_MS) });
		for (const expires_at of [at(-1_000), at(366 * DAY_MS), "tomorrow"]) {
			const refused = await errorOf(await postOwnKey(service, person, { name: "x", expires_at }));
			expect([refused.status, refused.fields]).toEqual([422, ["expires_at"]]);
		}
		expect((await read(key.secret)).status).toBe(200);
		service.clock.advance(DAY_MS + 1_000);
		expect((await read(key.secret)).status).toBe(401);
		service.clock.advance(-DAY_MS - 1_000);
	});

	test("is nobody else's to see or revoke, an operator's neither", async () => {
		const holder = await addHolder(service);
		const other = await addHolder(service);
		const stranger = await addPerson(service.database, { operator: true });
		for (const who of [other, stranger]) {
			expect((await revoke(who, holder.keyId)).status).toBe(404);
			expect((await listed(who)).data.map(({ id }) => id)).not.toContain(holder.keyId);
		}
		for (const id of [newId("key"), "x", "__proto__"]) expect((await revoke(holder, id)).status).toBe(404);
		expect((await read(holder.key)).status).toBe(200);
	});

	test("is another thing than a key to one's storage in an App: neither list nor revocation of the one reaches the other", async () => {
		const app = await addApp(service.database);
		const user = await addUser(service.database, app);
		const inApp = `/v1/me/connections/${app.id}/keys`;
		const made = await send(service, "POST", inApp, { name: "Mine" }, as(user));
		const appKey = (await made.json()) as MadeOwnKey;
		const own = await makeOwnKey(service, user);
		expect((await listed(user)).data.map(({ id }) => id)).toEqual([own.id]);
		const others = (await (await send(service, "GET", inApp, undefined, as(user))).json()) as KeyList;
		expect(others.data.map(({ id }) => id)).toEqual([appKey.id]);
		expect((await revoke(user, appKey.id)).status).toBe(404);
		expect((await send(service, "DELETE", `${inApp}/${own.id}`, undefined, as(user))).status).toBe(404);
		expect([(await read(own.secret)).status, (await read(appKey.secret)).status]).toEqual([200, 200]);
		// Of an App, and in an App, everything stays as it is: these keys read, and refuse the header.
		expect(appKey).toMatchObject({ permissions: ["read"] });
		expect((await send(service, "POST", inApp, { name: "x", permissions: ["write"] }, as(user))).status).toBe(422);
	});

	test("is told of in the audit, by whose it is and without its secret", async () => {
		const person = await addPerson(service.database);
		const key = await makeOwnKey(service, person, { permissions: ["read"] });
		await revoke(person, key.id);
		const events = await service.database.read(() =>
			service.database.queries.values<[string, string, string | null]>(
				sql`SELECT event, target, changes FROM audit WHERE actor = ${person.id} ORDER BY pk`,
			),
		);
		expect(events.map(([event, target, changes]) => [event, target, JSON.parse(changes ?? "null")])).toEqual([
			["storage.created", expect.stringMatching(/^sto_/), null],
			["key.created", key.id, { name: "Laptop", reach: "user", permissions: ["read"] }],
			["key.revoked", key.id, {}],
		] as never);
	});
});

describe("making one", () => {
	test("names what is wrong with the body, and then makes nothing", async () => {
		const person = await addPerson(service.database);
		for (const [body, fields] of [
			[{}, ["name"]],
			[{ name: "   " }, ["name"]],
			[{ name: "x".repeat(101) }, ["name"]],
			[{ name: 5 }, ["name"]],
			[{ name: "x", permissions: [] }, ["permissions"]],
			[{ name: "x", permissions: "read" }, ["permissions"]],
			[{ name: "x", permissions: null }, ["permissions"]],
			[{ name: "x", permissions: ["admin"] }, ["permissions"]],
			[{ name: "x", permissions: ["read", "write", "read"] }, ["permissions"]],
			[{ name: "x", expires_at: {} }, ["expires_at"]],
			[{ name: "x", reach: "app" }, ["reach"]],
			[{ name: "x", storage: "sto_x" }, ["storage"]],
		] as const) {
			const answer = await errorOf(await postOwnKey(service, person, body));
			expect([answer.status, answer.code, answer.fields]).toEqual([422, "validation_error", [...fields]]);
		}
		expect(await count(sql`SELECT count(*) FROM storages WHERE account_pk = ${accountPk(person)}`)).toBe(0);
	});

	test("takes a session: a token and a key get none, and nobody signed in is told so first", async () => {
		const person = await addPerson(service.database);
		const token = await addSession(service.database, person.id, { scopes: ["keys:write", "keys:read"] });
		const holder = await addHolder(service);
		for (const [secret, status] of [
			[token, 403],
			[holder.key, 403],
			[service.apiKey, 403],
			["", 401],
			["svc_ses_nonsense", 401],
		] as const) {
			expect((await list({ secret })).status).toBe(status);
			expect((await postOwnKey(service, { secret }, "{")).status).toBe(status);
			expect((await revoke({ secret }, holder.keyId)).status).toBe(status);
		}
	});

	test("ten first keys at once share one storage, and their owner counts once", async () => {
		const person = await addPerson(service.database);
		const users = sql`SELECT users FROM app_usage WHERE app_pk = (SELECT app_pk FROM storages WHERE kind = 'anonymous')`;
		const before = await count(users);
		const made = await Promise.all(Array.from({ length: 10 }, () => makeOwnKey(service, person)));
		expect(new Set(made.map(({ secret }) => secret)).size).toBe(10);
		const theirs = sql`WHERE account_pk = ${accountPk(person)}`;
		expect(await count(sql`SELECT count(*) FROM storages ${theirs}`)).toBe(1);
		expect(await count(sql`SELECT count(*) FROM connections ${theirs}`)).toBe(1);
		expect(await count(sql`SELECT count(DISTINCT storage_pk) FROM keys WHERE creator_pk = ${accountPk(person)}`)).toBe(
			1,
		);
		expect((await count(users)) - before).toBe(1);
		const made1 = sql`SELECT count(*) FROM storages ${theirs} AND kind = 'personal' AND state = 'active' AND tier = 'free'
			AND public_by_default = 1 AND app_pk = (SELECT app_pk FROM storages WHERE kind = 'anonymous')`;
		expect(await count(made1)).toBe(1);
		expect(await service.recount()).toEqual([]);
	});

	test("fifty at once end at twenty keys that work; one that is revoked or has expired makes room", async () => {
		const person = await addPerson(service.database);
		const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
		await makeOwnKey(service, person, { expires_at });
		const answers = await Promise.all(Array.from({ length: 50 }, () => postOwnKey(service, person, { name: "x" })));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 201)).toHaveLength(19);
		const refused = answers.filter(({ status }) => status !== 201);
		for (const answer of refused) {
			const { status, fields } = await errorOf(answer);
			expect([status, fields]).toEqual([422, ["name"]]);
		}
		const [newest] = (await listed(person)).data;
		await revoke(person, newest?.id ?? "");
		expect((await postOwnKey(service, person, { name: "x" })).status).toBe(201);
		expect((await postOwnKey(service, person, { name: "x" })).status).toBe(422);
		service.clock.advance(DAY_MS + 1_000);
		expect((await postOwnKey(service, person, { name: "x" })).status).toBe(201);
		service.clock.advance(-DAY_MS - 1_000);
	});

	test("a refused key makes no storage either", async () => {
		const person = await addPerson(service.database);
		await service.database.write([{ run: sql`UPDATE accounts SET status = 'deleting' WHERE id = ${person.id}` }]);
		expect((await postOwnKey(service, person, { name: "x" })).status).toBe(401);
		expect(await count(sql`SELECT count(*) FROM storages WHERE account_pk = ${accountPk(person)}`)).toBe(0);
	});
});

describe.each(["current", "transition"])("moved on to %s", (variant) => {
	test("a key that somebody holds works on, is listed and is revoked; another one cannot be made [auth.key.user-held-write]", async () => {
		const folder = await mkdtemp(join(tmpdir(), "svc-own-keys-"));
		const before = await openService({ SVC_VARIANT: "legacy", SVC_DATA_DIR: folder });
		const holder = await addHolder(before);
		await before.close();
		const after = await openService({ SVC_VARIANT: variant, SVC_DATA_DIR: folder });
		const asked = (method: string, path: string, who: { secret: string } = holder, body?: unknown) =>
			send(after, method, path, body, as(who));
		const stranger = await addPerson(after.database);
		expect((await send(after, "GET", "/v1/images", undefined, { key: holder.key })).status).toBe(200);
		const list = (await (await asked("GET", PATH)).json()) as KeyList;
		expect(list.data).toEqual([expect.objectContaining({ id: holder.keyId, revoked_at: null })] as never);
		expect(await (await asked("GET", PATH, stranger)).json()).toMatchObject({ data: [] });
		const usage = await send(after, "GET", "/v1/usage", undefined, { key: holder.key });
		expect(await usage.json()).toMatchObject({ plan: "free", totals: { storage_limit_bytes: 100_000_000_000 } });
		const refused = await asked("POST", PATH, holder, { name: "x" });
		expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET"]);
		expect((await asked("DELETE", `${PATH}/${holder.keyId}`, stranger)).status).toBe(404);
		expect((await asked("DELETE", `${PATH}/${holder.keyId}`)).status).toBe(200);
		expect((await send(after, "GET", "/v1/images", undefined, { key: holder.key })).status).toBe(401);
		await after.close();
		await rm(folder, { recursive: true });
	});
});

test("moved on to current, one's own storage has the free plan's images limit for itself [limits.images-limit-serving]", async () => {
	const folder = await mkdtemp(join(tmpdir(), "svc-own-keys-"));
	const before = await openService({ SVC_VARIANT: "legacy", SVC_DATA_DIR: folder });
	const [full, other] = [await addHolder(before), await addHolder(before)];
	await before.close();
	const after = await openService({ SVC_VARIANT: "current", SVC_DATA_DIR: folder });
	const file = await plain(4, 4);
	await after.database.write([
		{
			run: sql`UPDATE storages SET images = 4999
				WHERE pk = (SELECT storage_pk FROM connections JOIN accounts ON accounts.pk = account_pk WHERE accounts.id = ${full.id})`,
		},
	]);
	const statuses: unknown[] = [];
	for (const key of [full.key, full.key, other.key]) {
		const answer = await upload(after, file, "a.png", {}, { key });
		statuses.push([answer.status, answer.headers.get("x-limits-enforced")]);
	}
	expect(statuses).toEqual([
		[201, "true"],
		[403, "true"],
		[201, "true"],
	]);
	await after.close();
	await rm(folder, { recursive: true });
});
