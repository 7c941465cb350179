import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, addUserKey, countOf, setAppState } from "../../support/apps.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";
import { addUser } from "../../support/users.ts";

/* Keys that connected users make for their own storage. */

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const file = Uint8Array.from(await plain(6, 6));
const user = madeBefore(() => addUser(service.database, app));

interface MadeKey {
	readonly id: string;
	readonly secret: string;
}

const path = (appId = app.id) => `/v1/me/connections/${appId}/keys`;
const create = (body: unknown, who: { secret: string } = user, appId = app.id) =>
	send(service, "POST", path(appId), body, as(who));

async function made(who: { secret: string } = user): Promise<MadeKey> {
	const answer = await create({ name: "My laptop" }, who);
	expect(answer.status).toBe(201);
	return (await answer.json()) as MadeKey;
}

const listed = async (who: { secret: string } = user) =>
	((await (await send(service, "GET", path(), undefined, as(who))).json()) as { data: Record<string, unknown>[] }).data;

/** In 4.2.0 the keys of people carry `live` whatever the mode. */
const PREFIX = process.env.SVC_TEST_VARIANT === "legacy" ? "svc_live_" : "svc_test_";

describe("a user's own key", () => {
	test("is made read-only: it reads and cannot write, and a write key is not to be had [auth.key.user-create-readonly]", async () => {
		const key = await made();
		expect(key).toEqual({
			id: expect.stringMatching(/^key_/),
			object: "key",
			name: "My laptop",
			reach: "user",
			permissions: ["read"],
			prefix: PREFIX,
			last4: key.secret.slice(-4),
			created_by: user.accountId,
			created_at: expect.any(String),
			last_used_at: null,
			expires_at: null,
			revoked_at: null,
			revoke_reason: null,
			replaced_by: null,
			secret: expect.stringMatching(new RegExp(`^${PREFIX}[0-9A-Za-z]{38}$`)),
		} as never);
		expect((await send(service, "GET", "/v1/images", undefined, { key: key.secret })).status).toBe(200);
		const refused = await errorOf(await upload(service, file, "a.png", {}, { key: key.secret }));
		expect(refused).toMatchObject({ status: 403, code: "forbidden" });
		for (const permissions of [["write"], ["read", "write"], ["write", "read"], [], "read", ["read", "read"], null]) {
			const answer = await errorOf(await create({ name: "x", permissions }));
			expect([answer.status, answer.fields]).toEqual([422, ["permissions"]]);
		}
		expect((await create({ name: "x", permissions: ["read"] })).status).toBe(201);
	});

	test("lists the user's images only; the App's and other users' are 404 [auth.key.user-own]", async () => {
		const { secret } = await made();
		const other = await addUser(service.database, app);
		const mine = await uploaded(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": user.id } });
		const apps = await uploaded(service, file, "a.png", {}, { key: app.key });
		const theirs = await uploaded(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": other.id } });
		const list = (await (await send(service, "GET", "/v1/images", undefined, { key: secret })).json()) as {
			data: { id: string }[];
		};
		expect(list.data.map(({ id }) => id)).toEqual([mine.id]);
		const statuses = await Promise.all(
			[mine, apps, theirs].map(
				async ({ id }) => (await send(service, "GET", `/v1/images/${id}`, undefined, { key: secret })).status,
			),
		);
		expect(statuses).toEqual([200, 404, 404]);
	});

	test("a write key that the user held before keeps writing, and shows as such [auth.key.user-held-write]", async () => {
		const holder = await addUser(service.database, app);
		const key = await addUserKey(service.database, app, holder);
		expect((await upload(service, file, "a.png", {}, { key })).status).toBe(201);
		expect(await listed(holder)).toMatchObject([{ permissions: ["read", "write"] }]);
	});

	test("works while the App is paused or blocked", async () => {
		const { secret } = await made();
		for (const state of ["paused", "blocked"] as const) {
			await setAppState(service.database, app.id, state);
			expect((await send(service, "GET", "/v1/images", undefined, { key: secret })).status).toBe(200);
		}
		await setAppState(service.database, app.id, "active");
	});

	test("carries the live prefix in a live service", async () => {
		const live = await openService({ SVC_MODE: "live" });
		const theirs = await addApp(live.database);
		const person = await addUser(live.database, theirs);
		const answer = await send(live, "POST", path(theirs.id), { name: "x" }, as(person));
		expect(((await answer.json()) as MadeKey).secret).toStartWith("svc_live_");
		await live.close();
	});

	test("is revoked for good, and stays in the list as revoked", async () => {
		const holder = await addUser(service.database, app);
		const key = await made(holder);
		const revoke = () => send(service, "DELETE", `${path()}/${key.id}`, undefined, as(holder));
		expect(await (await revoke()).json()).toEqual({ id: key.id, object: "key", deleted: true });
		expect((await send(service, "GET", "/v1/images", undefined, { key: key.secret })).status).toBe(401);
		expect((await revoke()).status).toBe(404);
		expect(await listed(holder)).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }]);
	});

	test("is nobody else's to see or revoke, neither another user's nor the App's owner's", async () => {
		const key = await made();
		const other = await addUser(service.database, app);
		const owner = { secret: await addSession(service.database, app.ownerId) };
		const stranger = await addPerson(service.database, { operator: true });
		for (const who of [other, owner, stranger]) {
			expect((await send(service, "DELETE", `${path()}/${key.id}`, undefined, as(who))).status).toBe(404);
			const theirs = await send(service, "GET", path(), undefined, as(who));
			expect(theirs.status).toBe(who === other ? 200 : 404);
			expect(await theirs.text()).not.toContain(key.id);
		}
		expect((await send(service, "GET", "/v1/images", undefined, { key: key.secret })).status).toBe(200);
	});

	test("an App's key is no user's: it cannot be revoked here, though its creator is connected", async () => {
		const id = await countedId(app.key);
		expect((await send(service, "DELETE", `${path()}/${id}`, undefined, as(user))).status).toBe(404);
	});
});

describe("making one", () => {
	test("needs a session and a connection; a token, a key and a stranger get none", async () => {
		const token = await addSession(service.database, user.accountId, { scopes: ["keys:write", "users:write"] });
		expect((await create({ name: "x" }, { secret: token })).status).toBe(403);
		expect((await create({ name: "x" }, { secret: app.key })).status).toBe(403);
		const stranger = await addPerson(service.database);
		expect((await create({ name: "x" }, stranger)).status).toBe(404);
		const other = await addApp(service.database);
		for (const appId of [other.id, `app_${"0".repeat(22)}`, "x"]) {
			expect((await create({ name: "x" }, user, appId)).status).toBe(404);
		}
	});

	test("is refused from the moment of the disconnect on", async () => {
		const leaving = await addUser(service.database, app);
		await send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(leaving));
		expect((await create({ name: "x" }, leaving)).status).toBe(404);
		await service.runJobs();
		expect((await create({ name: "x" }, leaving)).status).toBe(404);
		expect((await send(service, "GET", path(), undefined, as(leaving))).status).toBe(404);
	});

	test("names what is wrong with the body", async () => {
		for (const [body, fields] of [
			[{}, ["name"]],
			[{ name: "" }, ["name"]],
			[{ name: "   " }, ["name"]],
			[{ name: "x".repeat(101) }, ["name"]],
			[{ name: 5 }, ["name"]],
			[{ name: "turned \u202E round" }, ["name"]],
			[{ name: "x", reach: "app" }, ["reach"]],
			[{ name: "x", expires_at: null }, ["expires_at"]],
		] as const) {
			const answer = await errorOf(await create(body));
			expect([answer.status, answer.fields]).toEqual([422, [...fields]]);
		}
		const proto = await send(service, "POST", path(), undefined, as(user));
		expect(proto.status).toBe(422);
		const unicode = (await (await create({ name: " \u{1F4BB} ärger " })).json()) as { name: string };
		expect(unicode.name).toBe("\u{1F4BB} ärger");
	});

	test("fifty at once end at twenty keys that work, and one that is revoked makes room", async () => {
		const holder = await addUser(service.database, app);
		const answers = await Promise.all(Array.from({ length: 50 }, () => create({ name: "x" }, holder)));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 201)).toHaveLength(20);
		expect(statuses.filter((status) => status === 422)).toHaveLength(30);
		const keys = await listed(holder);
		expect(keys).toHaveLength(20);
		await send(service, "DELETE", `${path()}/${keys[0]?.id}`, undefined, as(holder));
		expect((await create({ name: "x" }, holder)).status).toBe(201);
	});

	test("leaves the secret nowhere but in the answer", async () => {
		const key = await made();
		const text = JSON.stringify([await listed(), service.log.lines]);
		expect(text).not.toContain(key.secret);
		const told = sql`SELECT count(*) FROM audit WHERE instr(coalesce(changes, ''), ${key.secret}) > 0`;
		expect(await countOf(service.database, told)).toBe(0);
		const audit = sql`SELECT count(*) FROM audit WHERE event = 'key.created' AND target = ${key.id} AND actor = ${user.id}`;
		expect(await countOf(service.database, audit)).toBe(1);
	});
});

async function countedId(secret: string): Promise<string> {
	return ((await (await send(service, "GET", "/v1/key", undefined, { key: secret })).json()) as { id: string }).id;
}
