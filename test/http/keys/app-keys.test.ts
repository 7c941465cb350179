import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { addUserKey, connectUser } from "../../support/apps.ts";
import { addPerson, addSession, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, upload } from "../../support/requests.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, statuses, statusOfKey } from "../../support/teams.ts";

const DAY_MS = 86_400_000;

const service = serviceFor();
const team = madeBefore(() => makeTeam(service));
const outsider = madeBefore(() => addPerson(service.database));

const NEW = { name: "Server", reach: "app", permissions: ["read", "write"] };
const create = (person: { readonly secret: string }, more: object = {}, path = team.path) =>
	ask(service, person, "POST", `${path}/keys`, { ...NEW, ...more });
const get = (person: TestPerson, id: string, path = team.path) => ask(service, person, "GET", `${path}/keys/${id}`);
const change = (person: TestPerson, id: string, changes: object, path = team.path) =>
	ask(service, person, "PATCH", `${path}/keys/${id}`, changes);
const rotate = (person: TestPerson, id: string, body: object = {}, path = team.path) =>
	ask(service, person, "POST", `${path}/keys/${id}/rotate`, body);
const revoke = (person: TestPerson, id: string, path = team.path) =>
	ask(service, person, "DELETE", `${path}/keys/${id}`);
const fromNow = (milliseconds: number) => new Date(service.clock.now() + milliseconds).toISOString();

describe("making a key", () => {
	test("Admin and Owner make keys; Editor and Viewer are refused [roles.admin.create-key, roles.editor.cannot-create-key]", async () => {
		expect(await statuses((role) => create(team[role]))).toEqual([403, 403, 201, 201]);
		expect((await create(outsider)).status).toBe(404);
	});

	test("201 with the secret, which no later answer shows; the list shows the name [auth.secret-once, auth.key.named]", async () => {
		const { body } = await create(team.admin, { name: "  Backend  ", permissions: ["write", "read"] });
		const { id, secret, ...rest } = body;
		expect(rest).toEqual({
			object: "key",
			name: "Backend",
			reach: "app",
			permissions: ["read", "write"],
			prefix: "svc_sk_test_",
			last4: String(secret).slice(-4),
			created_by: team.admin.id,
			created_at: expect.any(String),
			last_used_at: null,
			expires_at: null,
			revoked_at: null,
			revoke_reason: null,
			replaced_by: null,
		});
		const shown = await get(team.viewer, String(id));
		const list = await ask(service, team.viewer, "GET", `${team.path}/keys`);
		const audit = await ask(service, team.owner, "GET", `${team.path}/audit?limit=100`);
		for (const reply of [shown, list, audit]) expect(JSON.stringify(reply.body)).not.toContain(String(secret));
		expect(Object.keys(shown.body)).not.toContain("secret");
		expect((list.body.data as { name: string }[])[0]?.name).toBe("Backend");
	});

	test("a test deployment's secrets start with svc_sk_test_ [auth.prefix.sk, auth.prefix.sk-test]", async () => {
		const key = await makeKey(service, team.admin, team.path);
		expect(key.secret).toMatch(/^svc_sk_test_[0-9A-Za-z]{38}$/);
		expect(await statusOfKey(service, key)).toBe(200);
	});

	test("a live deployment's secrets start with svc_sk_live_ [auth.prefix.sk, auth.prefix.sk-live]", async () => {
		const live = await openService({ SVC_MODE: "live" });
		const own = await makeTeam(live);
		const key = await makeKey(live, own.owner, own.path);
		expect(key.secret).toMatch(/^svc_sk_live_[0-9A-Za-z]{38}$/);
		expect(await statusOfKey(live, key)).toBe(200);
		await live.close();
	});

	test('a key for the App storage alone says reach "bucket", and finds no user\'s image [auth.key.storage-only]', async () => {
		const own = await makeTeam(service);
		const key = await makeKey(service, own.admin, own.path, { reach: "bucket" });
		const wide = await makeKey(service, own.admin, own.path);
		expect((await get(own.viewer, key.id, own.path)).body.reach).toBe("bucket");
		expect((await ask(service, key, "GET", "/v1/key")).body.reach).toBe("bucket");
		const user = await connectUser(service.database, { id: own.appId });
		const picture = await plain(4, 4);
		const theirs = { key: wide.secret, headers: { "X-Svc-User": user.id } };
		const image = (await (await upload(service, picture, "a.png", {}, theirs)).json()) as { id: string };
		expect((await ask(service, key, "GET", `/v1/images/${image.id}`)).status).toBe(404);
		await upload(service, picture, "b.png", {}, { key: key.secret });
		const list = (await ask(service, key, "GET", "/v1/images")).body as { data: { filename: string }[] };
		expect(list.data.map(({ filename }) => filename)).toEqual(["b.png"]);
		const selected = await send(service, "GET", "/v1/images", undefined, { ...theirs, key: key.secret });
		expect(selected.status).toBe(422);
	});

	test("its permissions are those that were asked for", async () => {
		const reader = await makeKey(service, team.admin, team.path, { permissions: ["read"] });
		const writer = await makeKey(service, team.admin, team.path, { permissions: ["write"] });
		expect([await statusOfKey(service, reader), await statusOfKey(service, writer)]).toEqual([200, 403]);
		expect((await ask(service, reader, "POST", "/v1/images", { url: "x" })).status).toBe(403);
	});

	test("it ends at expires_at, which lies at most 365 days ahead", async () => {
		const { body } = await create(team.admin, { expires_at: fromNow(60_000) });
		const key = { id: String(body.id), secret: String(body.secret) };
		expect(await statusOfKey(service, key)).toBe(200);
		for (const expires_at of [fromNow(-1), fromNow(366 * DAY_MS), "soon", "", 7, {}]) {
			expect(Object.keys((await create(team.admin, { expires_at })).details)).toEqual(["expires_at"]);
		}
		expect((await create(team.admin, { expires_at: null })).body.expires_at).toBeNull();
		service.clock.advance(61_000);
		expect(await statusOfKey(service, key)).toBe(401);
		expect((await change(team.admin, key.id, { expires_at: null })).status).toBe(409);
		expect((await rotate(team.admin, key.id)).status).toBe(409);
	});

	test("422 names every field that is wrong", async () => {
		const wrong: readonly (readonly [object, readonly string[]])[] = [
			[{ name: "" }, ["name"]],
			[{ name: "x".repeat(101) }, ["name"]],
			[{ name: "a\u0000" }, ["name"]],
			[{ reach: "user" }, ["reach"]],
			[{ reach: undefined }, ["reach"]],
			[{ permissions: [] }, ["permissions"]],
			[{ permissions: ["read", "admin"] }, ["permissions"]],
			[{ permissions: "read" }, ["permissions"]],
			[{ secret: "svc_sk_test_x", hash: 1 }, ["secret", "hash"]],
			[{ name: 1, reach: "all", permissions: {} }, ["name", "reach", "permissions"]],
		];
		for (const [sent, fields] of wrong) {
			const reply = await create(team.admin, sent);
			expect([reply.status, Object.keys(reply.details).sort()]).toEqual([422, [...fields].sort()]);
		}
	});

	test("422 past 100 keys that work, however many are made at once; a revoked one makes room", async () => {
		const own = await makeTeam(service);
		const made = await Promise.all(Array.from({ length: 110 }, () => create(own.admin, {}, own.path)));
		expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
		expect(made.filter(({ status }) => status === 422)).toHaveLength(10);
		const first = String(made.find(({ status }) => status === 201)?.body.id);
		expect((await rotate(own.admin, first, { old_expires_in: 0 }, own.path)).status).toBe(201);
		expect((await create(own.admin, {}, own.path)).status).toBe(422);
		const second = String(made.filter(({ status }) => status === 201)[1]?.body.id);
		await revoke(own.admin, second, own.path);
		expect((await create(own.admin, {}, own.path)).status).toBe(201);
	});

	test("201 twice for one key under one Idempotency-Key; its secret is shown once, and null in the replay", async () => {
		const headers = { "Idempotency-Key": "once" };
		const post = () => send(service, "POST", `${team.path}/keys`, NEW, { key: team.admin.secret, headers });
		const [one, two] = [await post(), await post()];
		expect([one.status, two.status]).toEqual([201, 201]);
		const first = (await one.json()) as { readonly secret: string };
		expect(first.secret).toStartWith("svc_sk_test_");
		expect(await two.json()).toEqual({ ...first, secret: null });
	});

	test("a token needs the scope keys:write, and keys:read to list", async () => {
		const token = async (scopes: Parameters<typeof addSession>[2]) => ({
			secret: await addSession(service.database, team.owner.id, scopes),
		});
		const reader = await token({ scopes: ["keys:read", "apps:write"] });
		expect((await create(reader)).status).toBe(403);
		expect((await ask(service, reader, "GET", `${team.path}/keys`)).status).toBe(200);
		expect((await create(await token({ scopes: ["keys:write"], appId: team.appId }))).status).toBe(201);
		const other = await makeTeam(service);
		expect((await create(await token({ scopes: ["keys:write"], appId: other.appId }))).status).toBe(404);
	});
});

describe("several keys", () => {
	test("work side by side; revoking one touches no other [auth.key.coexist, auth.key.create-keeps-others, auth.key.revoked]", async () => {
		const first = await makeKey(service, team.admin, team.path);
		const second = await makeKey(service, team.owner, team.path);
		const work = async () => [await statusOfKey(service, first), await statusOfKey(service, second)];
		expect(await work()).toEqual([200, 200]);
		expect((await revoke(team.admin, first.id)).body).toEqual({ id: first.id, object: "key", deleted: true });
		expect(await work()).toEqual([401, 200]);
	});
});

describe("changing a key", () => {
	test("only its creator does, be it the Owner who asks [roles.key-creator-changes]", async () => {
		const key = await makeKey(service, team.admin, team.path);
		expect(await statuses((role) => change(team[role], key.id, { name: `By ${role}` }))).toEqual([403, 403, 200, 403]);
		expect(await statuses((role) => rotate(team[role], key.id))).toEqual([403, 403, 201, 403]);
		expect((await get(team.viewer, key.id)).body.name).toBe("By admin");
		expect((await change(outsider, key.id, { name: "x" })).status).toBe(404);
	});

	test("its name and its end; what it may do never changes", async () => {
		const key = await makeKey(service, team.admin, team.path);
		const end = fromNow(DAY_MS);
		expect((await change(team.admin, key.id, { expires_at: end })).body.expires_at).toBe(end);
		expect((await change(team.admin, key.id, { expires_at: null })).body.expires_at).toBeNull();
		const refused = await change(team.admin, key.id, { permissions: ["read"], reach: "bucket" });
		expect([refused.status, Object.keys(refused.details).sort()]).toEqual([422, ["permissions", "reach"]]);
	});

	test("what is so already is not told of", async () => {
		const own = await makeTeam(service);
		const key = await makeKey(service, own.admin, own.path, { name: "Same" });
		await change(own.admin, key.id, { name: "Same", expires_at: null }, own.path);
		await change(own.admin, key.id, {}, own.path);
		expect(await eventsOf(service, own)).toEqual(["app.created", "key.created"]);
	});

	test("409 once it is revoked", async () => {
		const key = await makeKey(service, team.admin, team.path);
		await revoke(team.admin, key.id);
		expect(await change(team.admin, key.id, { name: "x" })).toMatchObject({ status: 409, code: "state_conflict" });
		expect(await rotate(team.admin, key.id)).toMatchObject({ status: 409, code: "state_conflict" });
	});
});

describe("rotating a key", () => {
	test("makes a twin; the old key works on, and names its successor", async () => {
		const old = await makeKey(service, team.admin, team.path, { name: "Twin", reach: "bucket", permissions: ["read"] });
		const { status, body } = await rotate(team.admin, old.id);
		expect([status, body]).toMatchObject([
			201,
			{ name: "Twin", reach: "bucket", permissions: ["read"], expires_at: null },
		]);
		const twin = { id: String(body.id), secret: String(body.secret) };
		expect([await statusOfKey(service, old), await statusOfKey(service, twin)]).toEqual([200, 200]);
		expect((await get(team.viewer, old.id)).body).toMatchObject({ replaced_by: twin.id, revoked_at: null });
	});

	test("ends the old key after old_expires_in, never later than it would have ended, and at once for 0", async () => {
		const [soon, now, short] = [
			await makeKey(service, team.admin, team.path),
			await makeKey(service, team.admin, team.path),
			await makeKey(service, team.admin, team.path, { expires_at: fromNow(60_000) }),
		];
		await rotate(team.admin, soon.id, { old_expires_in: "2h" });
		await rotate(team.admin, now.id, { old_expires_in: 0 });
		const twin = await rotate(team.admin, short.id, { old_expires_in: "365d" });
		const life = Date.parse(String(twin.body.expires_at)) - service.clock.now();
		expect(Math.abs(life - 60_000)).toBeLessThan(5_000);
		expect((await get(team.viewer, now.id)).body).toMatchObject({ revoke_reason: "rotated" });
		expect([await statusOfKey(service, soon), await statusOfKey(service, now)]).toEqual([200, 401]);
		service.clock.advance(61_000);
		expect([await statusOfKey(service, soon), await statusOfKey(service, short)]).toEqual([200, 401]);
		service.clock.advance(2 * 3_600_000);
		expect(await statusOfKey(service, soon)).toBe(401);
		for (const old_expires_in of [-1, "366d", "2w", "", null, {}, 1.5]) {
			expect(Object.keys((await rotate(team.admin, soon.id, { old_expires_in })).details)).toEqual(["old_expires_in"]);
		}
	});

	test("of 20 rotations at once one happens; once the successor is revoked the key can be rotated again", async () => {
		const old = await makeKey(service, team.admin, team.path);
		const replies = await Promise.all(Array.from({ length: 20 }, () => rotate(team.admin, old.id)));
		const made = replies.filter(({ status }) => status === 201);
		expect([made.length, replies.filter(({ status }) => status === 409).length]).toEqual([1, 19]);
		await revoke(team.admin, String(made[0]?.body.id));
		expect((await rotate(team.admin, old.id)).status).toBe(201);
	});
});

describe("revoking a key", () => {
	test("Admin and Owner revoke any; Editor and Viewer are refused [roles.admin.revoke-key, roles.any-admin-revokes]", async () => {
		for (const maker of ["admin", "owner"] as const) {
			for (const revoker of ["admin", "owner"] as const) {
				const key = await makeKey(service, team[maker], team.path);
				expect((await revoke(team.viewer, key.id)).status).toBe(403);
				expect((await revoke(team.editor, key.id)).status).toBe(403);
				expect((await revoke(team[revoker], key.id)).status).toBe(200);
				expect(await statusOfKey(service, key)).toBe(401);
			}
		}
	});

	test("the list keeps it, with when and why; revoking it again changes nothing", async () => {
		const own = await makeTeam(service);
		const key = await makeKey(service, own.admin, own.path);
		await revoke(own.owner, key.id, own.path);
		const first = (await get(own.viewer, key.id, own.path)).body;
		expect(first).toMatchObject({ revoke_reason: "revoked", object: "key" });
		service.clock.advance(1_000);
		expect((await revoke(own.owner, key.id, own.path)).status).toBe(200);
		const list = (await ask(service, own.viewer, "GET", `${own.path}/keys`)).body as { data: object[] };
		expect(list.data).toEqual([first]);
		expect(await eventsOf(service, own)).toEqual(["app.created", "key.created", "key.revoked"]);
	});

	test("404 for a key of another App, for one that a user issued, and for what is no id", async () => {
		const other = await makeTeam(service);
		const foreign = await makeKey(service, other.admin, other.path);
		const user = await connectUser(service.database, { id: team.appId });
		const app = { id: team.appId, ownerId: team.owner.id, storageId: "" };
		const users = await ask(service, { secret: await addUserKey(service.database, app, user) }, "GET", "/v1/key");
		for (const id of [foreign.id, String(users.body.id), newId("key"), "x", "__proto__", "%00"]) {
			for (const reply of [
				get(team.owner, id),
				change(team.owner, id, {}),
				rotate(team.owner, id),
				revoke(team.owner, id),
			]) {
				expect([id, (await reply).status]).toEqual([id, 404]);
			}
		}
		expect(await statusOfKey(service, foreign)).toBe(200);
		const { data } = (await ask(service, team.owner, "GET", `${team.path}/keys?limit=100`)).body as {
			data: { id: string }[];
		};
		expect(data.map(({ id }) => id)).not.toContain(String(users.body.id));
	});
});

test("a key manages no keys: that takes a person", async () => {
	const key = await makeKey(service, team.owner, team.path);
	expect(await create(key)).toMatchObject({ status: 403, code: "forbidden" });
	expect((await ask(service, key, "GET", `${team.path}/keys`)).status).toBe(403);
});
