import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, countOf, type TestApp } from "../../support/apps.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, statuses, type Team } from "../../support/teams.ts";

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const file = await plain(8, 6);

const operate = (method: string, path: string, body?: unknown, who: { secret: string } = operator) =>
	ask(service, who, method, `/v1/operator/apps${path}`, body);
const block = (id: string, body: object = { reason: "spam" }) => operate("POST", `/${id}/block`, body);
const unblock = (id: string) => operate("POST", `/${id}/unblock`, {});

describe("states", () => {
	test("active, paused by Owner and Admin, blocked by an operator and by nobody of the team [app.states]", async () => {
		const team = await makeTeam(service);
		const shown = async () => (await ask(service, team.viewer, "GET", team.path)).body.state;
		expect(await shown()).toBe("active");
		for (const person of [team.owner, team.admin]) {
			expect((await ask(service, person, "POST", `${team.path}/pause`)).status).toBe(200);
			expect([await shown(), (await operate("GET", `/${team.appId}`)).body.state]).toEqual(["paused", "paused"]);
			expect((await ask(service, person, "POST", `${team.path}/resume`)).status).toBe(200);
			expect(await shown()).toBe("active");
		}
		const tried = await statuses((role) => operate("POST", `/${team.appId}/block`, { reason: "spam" }, team[role]));
		expect([tried, await shown()]).toEqual([[403, 403, 403, 403], "active"]);
		expect((await block(team.appId)).body).toMatchObject({ id: team.appId, object: "app", state: "blocked" });
		expect(await shown()).toBe("blocked");
		expect((await ask(service, team.owner, "POST", `${team.path}/resume`)).status).toBe(200);
		expect(await shown()).toBe("blocked");
		expect((await unblock(team.appId)).body).toMatchObject({ state: "active", blocked_at: null, block_reason: null });
	});

	test("a pause outlives a block that came and went", async () => {
		const team = await makeTeam(service);
		await ask(service, team.owner, "POST", `${team.path}/pause`);
		expect((await block(team.appId)).body.state).toBe("blocked");
		expect((await unblock(team.appId)).body.state).toBe("paused");
	});

	test("[C] a block stops App-wide keys and an App-storage key's writes, leaves users' own keys alone, and ends [app.blocked.app-wide-key, app.blocked.storage-key-write, app.blocked.storage-key-read, app.user-key-unaffected, app.resume-restores, errors.code.app_blocked, errors.code.app_suspended]", async () => {
		const { database } = service;
		const app = await addApp(database);
		const user = await connectUser(database, app);
		const bucket = await addKey(database, app, { reach: "bucket" });
		const own = await addUserKey(database, app, user);
		const image = await uploaded(service, file, "a.png", {}, { key: app.key });
		const mine = await uploaded(service, file, "a.png", {}, { key: own });
		const calls = async (key: string, id: string) => {
			const codes: string[] = [];
			for (const [method, path, body] of [
				["GET", "/v1/images", undefined],
				["GET", `/v1/images/${id}`, undefined],
				["GET", "/v1/usage", undefined],
				["POST", "/v1/images", { url: "x" }],
				["PATCH", `/v1/images/${id}`, { caption: "c" }],
				["PATCH", "/v1/images/batch", { ids: [newId("img")], caption: "c" }],
				["DELETE", "/v1/images/batch", { ids: [newId("img")] }],
				["DELETE", `/v1/images/${newId("img")}`, undefined],
			] as const) {
				const answer = await send(service, method, path, body, { key });
				codes.push(answer.status < 300 ? "ok" : (await errorOf(answer)).code);
			}
			return codes;
		};
		const usual = ["ok", "ok", "ok", "validation_error", "ok", "ok", "ok", "not_found"];
		const asBefore = async () => [
			await calls(app.key, image.id),
			await calls(bucket, image.id),
			await calls(own, mine.id),
		];
		expect(await asBefore()).toEqual([usual, usual, usual]);
		await block(app.id);
		expect(await calls(app.key, image.id)).toEqual(Array(8).fill("app_suspended"));
		for (const [method, path] of [
			["POST", "/v1/auth/exchange"],
			["GET", "/v1/billing/plans"],
			["GET", "/v1/key"],
		] as const) {
			const answer = await send(service, method, path, method === "POST" ? { code: "x" } : undefined, { key: app.key });
			expect(await errorOf(answer)).toMatchObject({ status: 403, type: "permission_error", code: "app_suspended" });
		}
		expect(await calls(bucket, image.id)).toEqual(["ok", "ok", "ok", ...Array<string>(5).fill("app_blocked")]);
		expect((await errorOf(await upload(service, file, "b.png", {}, { key: bucket }))).status).toBe(403);
		expect(await calls(own, mine.id)).toEqual(usual);
		expect((await upload(service, file, "b.png", {}, { key: own })).status).toBe(201);
		expect((await service.open(image.url)).status).toBe(200);
		await unblock(app.id);
		expect(await asBefore()).toEqual([usual, usual, usual]);
		const owner = { secret: await addSession(database, app.ownerId) };
		await ask(service, owner, "POST", `/v1/apps/${app.id}/pause`);
		expect(await calls(app.key, image.id)).toEqual(Array(8).fill("app_suspended"));
		expect([await calls(bucket, image.id), await calls(own, mine.id)]).toEqual([usual, usual]);
		await ask(service, owner, "POST", `/v1/apps/${app.id}/resume`);
		expect(await asBefore()).toEqual([usual, usual, usual]);
	});
});

describe("a block", () => {
	const mails = (appName: string) =>
		countOf(service.database, sql`SELECT count(*) FROM emails WHERE facts LIKE ${`%${appName}%`}`);

	test("is mailed once to the Owner and the Admins, in the words of its reason; blocking again changes nothing", async () => {
		const team = await makeTeam(service, "Mailed Pictures");
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => block(team.appId, { reason: "dmca", note: "ticket 7" })),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		const rows = await service.database.read(() =>
			service.database.queries.values(sql`SELECT recipient, template, json_extract(facts, '$.reason') FROM emails
				WHERE json_extract(facts, '$.app') = 'Mailed Pictures' ORDER BY recipient`),
		);
		const expected = [team.admin, team.owner].map(({ email }) => [email, "app_blocked", "dmca"]);
		expect(rows as unknown[]).toEqual(expected.toSorted());
		expect((await block(team.appId, { reason: "spam" })).body.block_reason).toBe("dmca");
		expect(await mails("Mailed Pictures")).toBe(2);
		const events = async () =>
			await countOf(
				service.database,
				sql`SELECT count(*) FROM audit WHERE target = ${team.appId}
				AND event IN ('operator.app_blocked', 'operator.app_unblocked')`,
			);
		expect(await events()).toBe(1);
		await Promise.all(Array.from({ length: 5 }, () => unblock(team.appId)));
		expect(await events()).toBe(2);
	});

	test("is in the App's audit without the operator's name and note, whoever asks for it by name", async () => {
		const team = await makeTeam(service);
		await block(team.appId, { reason: "dmca", note: "ticket 7" });
		const { body } = await ask(service, team.admin, "GET", `${team.path}/audit?event=operator.app_blocked`);
		expect(body.data).toMatchObject([{ actor: "operator", target: team.appId, changes: { reason: "dmca" } }]);
		expect(JSON.stringify(body)).not.toContain("ticket 7");
		const named = await ask(service, team.admin, "GET", `${team.path}/audit?actor=${operator.id}`);
		expect(named.body.data).toEqual([]);
		const all = await ask(service, operator, "GET", `/v1/operator/audit?app=${team.appId}&actor=${operator.id}`);
		expect(all.body.data).toMatchObject([{ actor: operator.id, changes: { reason: "dmca", note: "ticket 7" } }]);
	});

	test("needs a reason and a fresh session", async () => {
		const { id } = await addApp(service.database);
		for (const body of [{}, { reason: "mood" }, { reason: null }]) {
			const answer = await block(id, body);
			expect([answer.status, Object.keys(answer.details)]).toEqual([422, ["reason"]]);
		}
		const stale = await addSession(service.database, operator.id, { freshForMs: 0 });
		expect((await operate("POST", `/${id}/block`, { reason: "spam" }, { secret: stale })).code).toBe("forbidden");
		const token = await addSession(service.database, operator.id, { scopes: ["operator:write"] });
		expect((await operate("POST", `/${id}/block`, { reason: "spam" }, { secret: token })).status).toBe(200);
	});
});

describe("what an operator changes", () => {
	test("[C] a create refused at the images limit is taken after a move to a higher plan [limits.quota-freed-upgrade]", async () => {
		const app = await addApp(service.database);
		const create = () => upload(service, file, "a.png", {}, { key: app.key });
		await service.database.write([
			{ run: sql`UPDATE app_usage SET images = 5000 WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
		]);
		expect((await errorOf(await create())).code).toBe("quota_exceeded");
		const { body } = await operate("PATCH", `/${app.id}`, { plan: "pro" });
		expect(body).toMatchObject({ plan: "pro", limits: { images: 50_000, users: 500 } });
		expect((await create()).status).toBe(201);
	});

	test("[C] limits of its own hold instead of the plan's, until they are null again", async () => {
		const app = await addApp(service.database);
		const create = async () => (await upload(service, file, "a.png", {}, { key: app.key })).status;
		const change = (limits: object) => operate("PATCH", `/${app.id}`, { limits });
		expect((await change({ images: 1 })).body).toMatchObject({
			limits: { images: 1, users: 50 },
			own_limits: { images: 1, users: null },
		});
		expect([await create(), await create()]).toEqual([201, 403]);
		expect((await change({ images: null, users: 0 })).body).toMatchObject({
			limits: { images: 5_000, users: 0 },
			own_limits: { images: null, users: 0 },
			images: 1,
		});
		expect(await create()).toBe(201);
	});

	test("is told of once; what changes nothing is not told of", async () => {
		const team = await makeTeam(service);
		const change = { plan: "pro", selling_enabled: true, limits: { images: 5 } };
		for (const sent of [change, change, { plan: "pro" }, { limits: { images: 5 } }]) {
			expect((await operate("PATCH", `/${team.appId}`, sent)).status).toBe(200);
		}
		expect((await eventsOf(service, team)).filter((event) => event === "operator.app_changed")).toHaveLength(1);
		expect((await operate("PATCH", `/${team.appId}`, { limits: { images: null } })).status).toBe(200);
		expect((await eventsOf(service, team)).filter((event) => event === "operator.app_changed")).toHaveLength(2);
	});

	test("[C] plans cannot be made and nothing can be bought until an operator says so [selling.on-request]", async () => {
		const team: Team = await makeTeam(service);
		const { secret: key } = await makeKey(service, team.owner, team.path);
		const plan = { key: "gold", name: "Gold" };
		const make = () => ask(service, team.owner, "POST", `${team.path}/plans`, plan);
		const buyable = async () => {
			const answer = await send(service, "GET", "/v1/billing/plans", undefined, { key });
			return ((await answer.json()) as { purchasing_enabled?: boolean }).purchasing_enabled;
		};
		expect([(await make()).code, await buyable()]).toEqual(["forbidden", false]);
		const own = await ask(service, team.owner, "PATCH", team.path, { selling_enabled: true });
		expect([own.status, Object.keys(own.details)]).toEqual([422, ["selling_enabled"]]);
		expect((await operate("PATCH", `/${team.appId}`, { selling_enabled: true }, team.owner)).status).toBe(403);
		expect((await operate("PATCH", `/${team.appId}`, { selling_enabled: true })).body.selling_enabled).toBe(true);
		expect([(await make()).status, await buyable()]).toEqual([201, true]);
		expect((await operate("PATCH", `/${team.appId}`, { selling_enabled: false })).body.selling_enabled).toBe(false);
		expect(await buyable()).toBe(false);
	});

	test("422 names what is wrong, and nothing is changed; an empty change is none", async () => {
		const app = await addApp(service.database);
		const before = (await operate("GET", `/${app.id}`)).body;
		for (const [body, field] of [
			[{ plan: "gold" }, "plan"],
			[{ selling_enabled: "yes" }, "selling_enabled"],
			[{ limits: 5 }, "limits"],
			[{ limits: [] }, "limits"],
			[{ limits: { images: -1 } }, "limits"],
			[{ limits: { images: 1.5 } }, "limits"],
			[{ limits: { images: "9" } }, "limits"],
			[{ limits: { users: 2 ** 60 } }, "limits"],
			[{ limits: { pictures: 1 } }, "limits"],
			[{ name: "New" }, "name"],
			[JSON.parse('{"plan":"pro","__proto__":{}}'), "__proto__"],
		] as const) {
			const answer = await operate("PATCH", `/${app.id}`, body);
			expect([answer.status, Object.keys(answer.details)]).toEqual([422, [field]]);
		}
		expect((await operate("PATCH", `/${app.id}`, {})).body).toEqual(before);
		expect((await operate("PATCH", `/${app.id}`, { limits: {} })).body).toEqual(before);
	});
});

describe("the list", () => {
	const found = async (query: string) => {
		const { body } = await operate("GET", `?limit=100&${query}`);
		return (body.data as { id: string }[]).map(({ id }) => id);
	};

	test("is searched by id, and by how a name or the Owner's address begins; what is typed is no pattern", async () => {
		const first = await makeTeam(service, "Zebra Prints");
		const second = await makeTeam(service, "100% Zeal_ous");
		expect(await found(`q=${first.appId}`)).toEqual([first.appId]);
		for (const q of ["zebra", "ZEBRA p", "Zebra Prints", " zebra "]) {
			expect([q, await found(`q=${encodeURIComponent(q)}`)]).toEqual([q, [first.appId]]);
		}
		expect(await found(`q=${encodeURIComponent("100% zeal_")}`)).toEqual([second.appId]);
		expect(await found(`q=${encodeURIComponent("1%")}`)).toEqual([]);
		expect(await found("q=rints")).toEqual([]);
		expect(await found(`q=${encodeURIComponent(first.owner.email.slice(0, 20).toUpperCase())}`)).toEqual([first.appId]);
		expect(await found(`q=${encodeURIComponent("' OR 1=1 --")}`)).toEqual([]);
	});

	test("is filtered by state, newest first, page by page", async () => {
		const [paused, blocked] = [await makeTeam(service), await makeTeam(service)];
		await ask(service, paused.owner, "POST", `${paused.path}/pause`);
		await ask(service, blocked.owner, "POST", `${blocked.path}/pause`);
		await block(blocked.appId);
		expect((await found("state=paused")).at(0)).toBe(paused.appId);
		expect((await found("state=blocked")).at(0)).toBe(blocked.appId);
		expect(await found("state=paused")).not.toContain(blocked.appId);
		expect(await found("state=active")).not.toContain(paused.appId);
		expect((await operate("GET", "?state=odd")).details).toHaveProperty("state");
		const { body } = await operate("GET", "?limit=2");
		const { next_url } = body.pagination as { next_url: string };
		const next = await ask(service, operator, "GET", next_url.replace(service.rooms.addresses.base, ""));
		const ids = [...(body.data as { id: string }[]), ...(next.body.data as { id: string }[])].map(({ id }) => id);
		expect(ids).toEqual((await found("")).slice(0, 4));
		expect(ids.slice(0, 2)).toEqual([blocked.appId, paused.appId]);
	});
});

test("404 for an App that is not there; nobody but operators, and those with the scope", async () => {
	const app: TestApp = await addApp(service.database);
	for (const id of [newId("app"), "x"]) {
		expect((await operate("GET", `/${id}`)).status).toBe(404);
		expect((await operate("PATCH", `/${id}`, { plan: "pro" })).status).toBe(404);
		expect((await block(id)).status).toBe(404);
		expect((await unblock(id)).status).toBe(404);
	}
	const owner = { secret: await addSession(service.database, app.ownerId, { freshForMs: 60_000 }) };
	const moderator = {
		secret: await addSession(service.database, operator.id, { scopes: ["moderation:write", "apps:write"] }),
	};
	const bound = {
		secret: await addSession(service.database, operator.id, { scopes: ["operator:write"], appId: app.id }),
	};
	const reader = { secret: await addSession(service.database, operator.id, { scopes: ["operator:read"] }) };
	for (const [method, path, body] of [
		["GET", ""],
		["GET", `/${app.id}`],
		["PATCH", `/${app.id}`, { plan: "unlimited" }],
		["POST", `/${app.id}/block`, { reason: "spam" }],
		["POST", `/${app.id}/unblock`, {}],
	] as const) {
		for (const who of [owner, moderator, bound, { secret: app.key }]) {
			expect((await operate(method, path, body, who)).status).toBe(403);
		}
		expect((await operate(method, path, body, reader)).status).toBe(method === "GET" ? 200 : 403);
		expect((await service.api(`/v1/operator/apps${path}`, { method, headers: {} })).status).toBe(401);
	}
	expect((await operate("GET", `/${app.id}`)).body).toMatchObject({ plan: "free", state: "active" });
	expect((await send(service, "GET", `/v1/apps/${app.id}`, undefined, as(operator))).status).toBe(404);
});
