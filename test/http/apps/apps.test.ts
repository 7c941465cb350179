import { describe, expect, test } from "bun:test";
import { apiApp } from "@svc/api/app";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { connectUser, countOf, firstApp } from "../../support/apps.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, upload } from "../../support/requests.ts";
import { changedRoom, madeBefore, openService, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, statuses, statusOfKey } from "../../support/teams.ts";

const service = serviceFor();
const team = madeBefore(() => makeTeam(service));
const outsider = madeBefore(() => addPerson(service.database));

const rename = (person: TestPerson, name: string, path = team.path) => ask(service, person, "PATCH", path, { name });

describe("making an App", () => {
	test("[C] 201 with the maker as Owner; its storage takes pictures at once, and its counters count them", async () => {
		const person = await addPerson(service.database);
		const { status, body } = await ask(service, person, "POST", "/v1/apps", { name: "  Photos " });
		expect(status).toBe(201);
		expect(body).toEqual({
			id: expect.stringMatching(/^app_\w{22}$/),
			object: "app",
			name: "Photos",
			state: "active",
			paused_at: null,
			blocked_at: null,
			sign_in_enabled: false,
			selling_enabled: false,
			tax: { mode: "none", behavior: "exclusive" },
			promotion_codes: false,
			delivery: "open",
			delivery_referrers: [],
			delivery_limits: { bytes: null, renditions: null },
			image_host: null,
			profile: {
				developer: null,
				homepage_url: null,
				privacy_url: null,
				terms_url: null,
				support_email: null,
				logo_image_id: null,
				accent_color: null,
			},
			plan: "free",
			limits: { images: 5_000, users: 50 },
			free_limits: { images: null, bytes: null },
			role: "owner",
			created_at: expect.stringMatching(/Z$/),
		});
		const appId = String(body.id);
		expect((await upload(service, await plain(4, 4), "a.png", {}, as(person, appId))).status).toBe(201);
		expect((await ask(service, person, "GET", `/v1/apps/${appId}/usage`)).body).toMatchObject({
			object: "usage",
			limits: { images: { used: 1, limit: 5_000 }, users: { used: 0, limit: 50 } },
		});
	});

	test("422 for a name that holds the service's own, at creation and on rename; 201 for any other [naming.app]", async () => {
		const { owner } = team;
		for (const name of ["Svc Photos", "S.v.c", "S V C", "Ѕvc"]) {
			expect(await ask(service, owner, "POST", "/v1/apps", { name })).toMatchObject({
				status: 422,
				details: { name: [expect.stringContaining("Svc")] },
			});
			expect((await rename(owner, name)).status).toBe(422);
		}
		for (const name of ["Pics VC", "Photos"]) {
			expect((await ask(service, owner, "POST", "/v1/apps", { name })).status).toBe(201);
		}
		expect((await ask(service, owner, "GET", team.path)).body.name).toBe("Pictures");
	});

	test("the service's name is the configured one [naming.app]", async () => {
		const other = await openService({ SVC_NAME: "Pixel Box" });
		const person = await addPerson(other.database);
		const make = async (name: string) => (await ask(other, person, "POST", "/v1/apps", { name })).status;
		expect([await make("My PixelBox"), await make("P I X E L B O X"), await make("Svc Photos")]).toEqual([
			422, 422, 201,
		]);
		await other.close();
	});

	test("422 names what is wrong with a hostile body; nothing is made", async () => {
		const before = await countOf(service.database, sql`SELECT count(*) FROM apps`);
		for (const name of [undefined, null, 7, {}, [], "", "  ", "x".repeat(101), "a\u0000b", "a\u202eb", "\ud800"]) {
			expect(await ask(service, outsider, "POST", "/v1/apps", { name })).toMatchObject({
				status: 422,
				details: { name: [expect.any(String)] },
			});
		}
		const body = JSON.parse('{"name":"x","__proto__":1,"plan":"unlimited"}') as object;
		const refused = await ask(service, outsider, "POST", "/v1/apps", body);
		expect(Object.getOwnPropertyNames(refused.details).sort()).toEqual(["__proto__", "plan"]);
		expect(await countOf(service.database, sql`SELECT count(*) FROM apps`)).toBe(before);
	});

	test("422 past 100 Apps of one Owner, also when they are made at once or handed over", async () => {
		const person = await addPerson(service.database);
		const made = await Promise.all(
			Array.from({ length: 104 }, (_, place) => ask(service, person, "POST", "/v1/apps", { name: `No ${place}` })),
		);
		expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
		expect(made.filter(({ status, details }) => status === 422 && details.name)).toHaveLength(4);
		const { owner, path } = await makeTeam(service);
		await service.database.write([
			{
				run: sql`INSERT INTO members (app_pk, account_pk, role, created_ms)
					SELECT apps.pk, accounts.pk, 'viewer', 0 FROM apps, accounts
					WHERE apps.id = ${path.split("/").at(-1)} AND accounts.id = ${person.id}`,
			},
		]);
		const transferred = await ask(service, owner, "POST", `${path}/transfer`, { member: person.id });
		expect([transferred.status, Object.keys(transferred.details)]).toEqual([422, ["member"]]);
		expect((await ask(service, owner, "GET", path)).body.role).toBe("owner");
	});

	test("a token makes Apps with the scope for it, and none when it is bound to one", async () => {
		const make = async (options: Parameters<typeof addSession>[2]) =>
			(
				await ask(service, { secret: await addSession(service.database, team.owner.id, options) }, "POST", "/v1/apps", {
					name: "By token",
				})
			).status;
		expect(await make({ scopes: ["apps:read", "keys:write"] })).toBe(403);
		expect(await make({ scopes: ["apps:write"], appId: team.appId })).toBe(403);
		expect(await make({ scopes: ["apps:write"] })).toBe(201);
	});
});

describe("seeing Apps", () => {
	test("each member sees the App with a role of their own; to others it does not exist", async () => {
		const roles: unknown[] = [];
		expect(
			await statuses(async (role) => {
				const reply = await ask(service, team[role], "GET", team.path);
				roles.push(reply.body.role);
				return reply;
			}),
		).toEqual([200, 200, 200, 200]);
		expect(roles).toEqual(["viewer", "editor", "admin", "owner"]);
		const foreign = await ask(service, outsider, "GET", team.path);
		const missing = await ask(service, outsider, "GET", `/v1/apps/${newId("app")}`);
		expect([foreign.status, foreign.code]).toEqual([404, "not_found"]);
		expect(foreign.body).toEqual(missing.body);
		const { key } = { key: service.apiKey };
		expect((await ask(service, { secret: key }, "GET", team.path)).status).toBe(403);
	});

	test("the list holds the Apps that one is in, newest first and in pages; a bound token sees its App alone", async () => {
		const person = await addPerson(service.database);
		const ids: string[] = [];
		for (const name of ["One", "Two", "Three"]) {
			ids.unshift(String((await ask(service, person, "POST", "/v1/apps", { name })).body.id));
		}
		const page = (await ask(service, person, "GET", "/v1/apps?limit=2")).body as {
			data: { id: string; role: string }[];
			pagination: { next_cursor: string };
		};
		expect(page.data.map(({ id, role }) => [id, role])).toEqual(ids.slice(0, 2).map((id) => [id, "owner"]));
		const cursor = page.pagination.next_cursor;
		const rest = (await ask(service, person, "GET", `/v1/apps?limit=2&cursor=${cursor}`)).body as typeof page;
		expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(2));
		expect((await ask(service, outsider, "GET", `/v1/apps?limit=2&cursor=${cursor}`)).status).toBe(422);
		const bound = {
			secret: await addSession(service.database, person.id, { scopes: ["apps:read"], appId: ids[1] ?? "" }),
		};
		const seen = (await ask(service, bound, "GET", "/v1/apps")).body as typeof page;
		expect(seen.data.map(({ id }) => id)).toEqual([ids[1] ?? ""]);
	});
});

describe("changing an App", () => {
	test("Admin and Owner rename it; Editor and Viewer are refused [roles.admin.rename]", async () => {
		expect(await statuses((role) => rename(team[role], `By ${role}`))).toEqual([403, 403, 200, 200]);
		expect((await ask(service, team.viewer, "GET", team.path)).body.name).toBe("By owner");
		expect((await rename(outsider, "Mine")).status).toBe(404);
	});

	test("Admin and Owner turn sign-in on and off; Editor and Viewer are refused [roles.admin.sign-in-setup]", async () => {
		const turn = (on: boolean) =>
			statuses((role) => ask(service, team[role], "PATCH", team.path, { sign_in_enabled: on }));
		expect(await turn(true)).toEqual([403, 403, 200, 200]);
		expect((await ask(service, team.viewer, "GET", team.path)).body.sign_in_enabled).toBe(true);
		expect(await turn(false)).toEqual([403, 403, 200, 200]);
	});

	test("what is so already changes nothing and is not told of", async () => {
		const own = await makeTeam(service);
		await rename(own.admin, "Pictures", own.path);
		await ask(service, own.admin, "PATCH", own.path, { sign_in_enabled: false });
		await ask(service, own.admin, "PATCH", own.path, {});
		await ask(service, own.admin, "POST", `${own.path}/resume`);
		expect(await eventsOf(service, own)).toEqual(["app.created"]);
		await rename(own.admin, "Paintings", own.path);
		await ask(service, own.admin, "PATCH", own.path, { sign_in_enabled: true });
		expect(await eventsOf(service, own)).toEqual(["app.created", "app.renamed", "app.sign_in_enabled"]);
	});

	test("of 50 renames at once each is whole, and the last entry of the audit names the App as it is", async () => {
		const own = await makeTeam(service);
		const replies = await Promise.all(
			Array.from({ length: 50 }, (_, place) => rename(own.admin, `No ${place}`, own.path)),
		);
		expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
		const audit = await ask(service, own.admin, "GET", `${own.path}/audit?limit=1`);
		const [entry] = audit.body.data as { changes: { name: string } }[];
		expect((await ask(service, own.admin, "GET", own.path)).body.name).toBe(entry?.changes.name ?? "");
	});
});

describe("pausing an App", () => {
	test("Admin and Owner pause and resume it, as often as they like; Editor and Viewer are refused [app.states, roles.admin.pause]", async () => {
		const own = await makeTeam(service);
		const post = (verb: string) => statuses((role) => ask(service, own[role], "POST", `${own.path}/${verb}`));
		expect(await post("pause")).toEqual([403, 403, 200, 200]);
		const paused = await ask(service, own.admin, "POST", `${own.path}/pause`);
		const pausedAt = String(paused.body.paused_at);
		expect(paused.body).toMatchObject({ state: "paused", blocked_at: null });
		expect((await ask(service, own.owner, "GET", own.path)).body.paused_at).toBe(pausedAt);
		expect(await post("resume")).toEqual([403, 403, 200, 200]);
		expect((await ask(service, own.viewer, "GET", own.path)).body).toMatchObject({ state: "active", paused_at: null });
		expect(await eventsOf(service, own)).toEqual(["app.created", "app.paused", "app.resumed"]);
	});

	test("only an operator blocks it; a block stands above a pause, and outlives it [app.states]", async () => {
		const own = await makeTeam(service);
		const operator = await addPerson(service.database, { operator: true });
		const block = (person: TestPerson) =>
			ask(service, person, "POST", `/v1/operator/apps/${own.appId}/block`, { reason: "spam" });
		expect(await statuses((role) => block(own[role]))).toEqual([403, 403, 403, 403]);
		expect((await block(operator)).status).toBe(200);
		expect((await ask(service, own.owner, "POST", `${own.path}/pause`)).body.state).toBe("blocked");
		expect((await ask(service, own.owner, "POST", `${own.path}/resume`)).body.state).toBe("blocked");
	});

	test("[C] its App-wide keys are 403 app_suspended on every request until it is resumed; others work on [app.paused.app-wide-key, app.resume-restores]", async () => {
		const own = await makeTeam(service);
		const wide = await makeKey(service, own.admin, own.path);
		const bucket = await makeKey(service, own.admin, own.path, { reach: "bucket" });
		const user = await connectUser(service.database, { id: own.appId });
		await ask(service, own.admin, "POST", `${own.path}/pause`);
		const calls = [
			["GET", "/v1/images"],
			["POST", "/v1/images"],
			["GET", "/v1/usage"],
			["GET", "/v1/key"],
			["POST", "/v1/auth/exchange"],
			["GET", "/v1/billing/plans"],
			["GET", "/v1/images", user.id],
		] as const;
		for (const [method, path, selected] of calls) {
			const headers = selected === undefined ? {} : { "X-Svc-User": selected };
			const refused = await send(service, method, path, method === "POST" ? { url: "x", code: "x" } : undefined, {
				key: wide.secret,
				headers,
			});
			expect([path, refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
				path,
				403,
				"app_suspended",
			]);
		}
		expect(await statusOfKey(service, bucket)).toBe(200);
		await ask(service, own.admin, "POST", `${own.path}/resume`);
		expect(await statusOfKey(service, wide)).toBe(200);
	});

	test("once a blocked App is unblocked, the same keys answer again [app.resume-restores]", async () => {
		const own = await makeTeam(service);
		const operator = await addPerson(service.database, { operator: true });
		const keys = [
			await makeKey(service, own.admin, own.path),
			await makeKey(service, own.admin, own.path, { reach: "bucket" }),
		];
		const answers = () => Promise.all(keys.map((key) => statusOfKey(service, key)));
		const path = `/v1/operator/apps/${own.appId}`;
		await ask(service, operator, "POST", `${path}/block`, { reason: "spam" });
		expect(await answers()).toEqual([403, 200]);
		await ask(service, operator, "POST", `${path}/unblock`, {});
		expect(await answers()).toEqual([200, 200]);
	});
});

describe("handing an App over", () => {
	test("by account id or e-mail; the old Owner becomes Admin, and only the Owner can", async () => {
		const own = await makeTeam(service);
		const transfer = (person: TestPerson, member: string) =>
			ask(service, person, "POST", `${own.path}/transfer`, { member });
		expect(await statuses((role) => transfer(own[role], own.owner.id))).toEqual([403, 403, 403, 422]);
		const handed = await transfer(own.owner, own.viewer.email.toUpperCase());
		expect([handed.status, handed.body.role]).toEqual([200, "admin"]);
		expect((await ask(service, own.viewer, "GET", own.path)).body.role).toBe("owner");
		expect((await transfer(own.viewer, own.owner.id)).body.role).toBe("admin");
		for (const nobody of [outsider.id, outsider.email, newId("acc"), "", "__proto__", "x".repeat(10_000)]) {
			expect((await transfer(own.owner, nobody)).details).toMatchObject({ member: [expect.any(String)] });
		}
		expect((await eventsOf(service, own)).slice(1)).toEqual(["app.transferred", "app.transferred"]);
	});

	test("of 50 transfers at once to two members one happens, and there is one Owner", async () => {
		const own = await makeTeam(service);
		const replies = await Promise.all(
			Array.from({ length: 50 }, (_, place) =>
				ask(service, own.owner, "POST", `${own.path}/transfer`, { member: [own.admin.id, own.editor.id][place % 2] }),
			),
		);
		expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
		expect(replies.filter(({ status }) => status === 403)).toHaveLength(49);
		const { data } = (await ask(service, own.viewer, "GET", `${own.path}/members`)).body as {
			data: { role: string }[];
		};
		expect(data.map(({ role }) => role).filter((role) => role === "owner")).toHaveLength(1);
	});
});

describe("deleting an App", () => {
	test("only the Owner does, with the App's name; at once nobody reaches it and no key works [roles.owner.delete-app]", async () => {
		const own = await makeTeam(service, "Café 1");
		const key = await makeKey(service, own.admin, own.path);
		const confirmed = `${own.path}?confirm_name=${encodeURIComponent("Cafe\u0301 1")}`;
		for (const wrong of [own.path, `${own.path}?confirm_name=`, `${own.path}?confirm_name=caf%C3%A9+1`]) {
			const refused = await ask(service, own.owner, "DELETE", wrong);
			expect([refused.status, Object.keys(refused.details)]).toEqual([422, ["confirm_name"]]);
		}
		expect((await ask(service, own.owner, "DELETE", own.path, { confirm_name: "Café" })).status).toBe(422);
		const replies = await statuses((role) => ask(service, own[role], "DELETE", confirmed));
		expect(replies).toEqual([403, 403, 403, 202]);
		expect(await statuses((role) => ask(service, own[role], "GET", own.path))).toEqual([404, 404, 404, 404]);
		expect(await statusOfKey(service, key)).toBe(401);
		const app = sql`(SELECT pk FROM apps WHERE id = ${own.appId})`;
		const count = (query: ReturnType<typeof sql>) => countOf(service.database, query);
		expect(await count(sql`SELECT count(*) FROM storages WHERE app_pk = ${app} AND state <> 'deleting'`)).toBe(0);
		expect(await count(sql`SELECT count(*) FROM jobs WHERE kind = 'app.delete' AND app_pk = ${app}`)).toBe(1);
	});

	test("202 with the job, which the Owner may watch; the name may come in the body", async () => {
		const own = await makeTeam(service);
		const { status, body } = await ask(service, own.owner, "DELETE", own.path, { confirm_name: "Pictures" });
		expect([status, body]).toMatchObject([202, { object: "job", kind: "app.delete", state: "queued", failure: null }]);
		expect((await ask(service, own.owner, "GET", `/v1/jobs/${body.id}`)).status).toBe(200);
		expect((await ask(service, own.admin, "GET", `/v1/jobs/${body.id}`)).status).toBe(404);
	});

	test("422 where the App was renamed between the confirmation and the commit; nothing is deleted", async () => {
		const own = await makeTeam(service);
		const apps = service.rooms.apps.store;
		const rename: typeof apps.delete = async (authority, app, endSubscriptions, job) => {
			await apps.change({ ...authority, needs: "admin" }, app.id, { name: { shown: "Renamed", folded: "renamed" } });
			return await apps.delete(authority, app, endSubscriptions, job);
		};
		const api = apiApp(changedRoom(service.rooms, "apps", { store: { ...apps, delete: rename } }), service.version.api);
		const address = `http://localhost:3000${own.path}?confirm_name=Pictures`;
		const headers = { Authorization: `Bearer ${own.owner.secret}` };
		expect((await api.handle(new Request(address, { method: "DELETE", headers }))).status).toBe(422);
		expect((await ask(service, own.owner, "GET", own.path)).body).toMatchObject({ name: "Renamed", state: "active" });
	});

	test("of 20 deletions at once one starts a job", async () => {
		const own = await makeTeam(service);
		const replies = await Promise.all(
			Array.from({ length: 20 }, () => ask(service, own.owner, "DELETE", `${own.path}?confirm_name=Pictures`)),
		);
		expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
		expect(replies.filter(({ status }) => status === 404)).toHaveLength(19);
	});

	test("the App of the first start is like any other", async () => {
		const { id, ownerId } = await firstApp(service.database);
		const owner = { secret: await addSession(service.database, ownerId) };
		expect((await ask(service, owner, "GET", `/v1/apps/${id}`)).body).toMatchObject({ role: "owner", state: "active" });
	});
});
