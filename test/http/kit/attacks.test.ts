import { describe, expect, test } from "bun:test";
import { createApp } from "@svc/apps/apps";
import { newId } from "@svc/base/ids";
import { identifyPerson } from "@svc/people/visitors";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { addMember, addPerson, as, type TestPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";

const service = serviceFor();

describe("the address of an invitation", () => {
	const arrive = (id: string) => {
		const headers = { Accept: "text/html" };
		return service.open(`http://localhost:3000/invites/${id}?token=${"a".repeat(32)}`, { headers });
	};

	test.each([
		"x%0d%0aSet-Cookie:session=evil",
		"x%3b%20Domain=example.com",
		"x%3d1",
		"%e2%82%ac",
		"%00",
		"%2f%2fevil.example",
		"inv_0",
	])("that names none writes no cookie and leads nowhere: %s", async (id) => {
		const answer = await arrive(id);
		expect(answer.status).toBe(404);
		expect(answer.headers.getSetCookie()).toEqual([]);
		expect(answer.headers.get("Location")).toBeNull();
		expect(answer.headers.get("Content-Type")).toStartWith("text/html");
		expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
	});

	test("of an invite that there may be is kept out of sight", async () => {
		const id = newId("inv");
		const answer = await arrive(id);
		expect([answer.status, answer.headers.get("Location")]).toEqual([303, `/invites/${id}`]);
	});
});

test.each(["/invites/%ff", "/invites/%zz?token=x", "/report/%zz", "/assets/%ff", "/checkout/%zz"])(
	"%s cannot be read: that is a mistake of whoever made it, and none of ours",
	async (path) => {
		for (const method of ["GET", "HEAD", "POST"]) {
			const headers = { Accept: "text/html" };
			const { status } = await service.open(`http://localhost:3000${path}`, { method, headers });
			expect(status, method).toBeLessThan(500);
		}
		expect(service.log.lines.filter(({ level }) => level === "error")).toEqual([]);
	},
);

test("what cannot be read is nowhere in the API either, whoever asks for it", async () => {
	const paths = Object.entries(
		((await (await service.api("/openapi.json")).json()) as { paths: Record<string, object> }).paths,
	).filter(([path]) => path.includes("{"));
	expect(paths.length).toBeGreaterThan(40);
	const { path: own, owner } = await makeTeam(service);
	for (const [path, methods] of paths) {
		const garbled = path
			.replace(/\{\w+\}(?!.*\{)/, "%ff")
			.replace("/v1/apps/{id}", own)
			.replace(/\{\w+\}/g, "x");
		for (const method of Object.keys(methods)) {
			for (const key of [service.apiKey, service.token, owner.secret]) {
				const headers = { Authorization: `Bearer ${key}` };
				const { status } = await service.api(garbled, { method: method.toUpperCase(), headers });
				expect(status, `${method} ${garbled}`).toBeLessThan(500);
			}
		}
	}
});

describe("an App's Owner", () => {
	const ownersOf = ({ appId }: Team) =>
		countOf(
			service.database,
			sql`SELECT count(*) FROM members JOIN accounts ON accounts.pk = account_pk
				WHERE app_pk = (SELECT pk FROM apps WHERE id = ${appId}) AND role = 'owner' AND status = 'active'`,
		);
	const setStatus = ({ id }: TestPerson, status: string) =>
		service.database.write([{ run: sql`UPDATE accounts SET status = ${status} WHERE id = ${id}` }]);
	const leave = (person: TestPerson) => send(service, "DELETE", "/v1/me", undefined, as(person));

	test.each(["disabled", "deleting"])("is never a member whose account is %s", async (status) => {
		const team = await makeTeam(service);
		await setStatus(team.admin, status);
		const answer = await send(service, "POST", `${team.path}/transfer`, { member: team.admin.id }, as(team.owner));
		expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["member"] });
		expect(await ownersOf(team)).toBe(1);
	});

	test("stays somebody, whether a member is made Owner or deletes their account first", async () => {
		for (let round = 0; round < 10; round++) {
			const team = await makeTeam(service);
			const transfer = () => ask(service, team.owner, "POST", `${team.path}/transfer`, { member: team.admin.id });
			const acts = [() => leave(team.admin), transfer];
			await Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act()));
			expect(await ownersOf(team)).toBe(1);
		}
	});

	test("is nobody whose account was disabled or deleted while they made the App", async () => {
		const holder = await addPerson(service.database);
		const person = await identifyPerson(service.rooms.people, holder.secret);
		const by = { actor: holder.id, requestId: null, nowMs: service.clock.now() };
		for (const status of ["disabled", "deleting"]) {
			await setStatus(holder, status);
			const made = createApp(service.rooms.apps, person, "Left Behind", by);
			await expect(made).rejects.toMatchObject({ code: "unauthorized" });
		}
		expect(await countOf(service.database, sql`SELECT count(*) FROM apps WHERE name = 'Left Behind'`)).toBe(0);
	});
});

test("a member whose account is being deleted changes nothing in the App any more", async () => {
	for (let round = 0; round < 10; round++) {
		const team = await makeTeam(service);
		const leaving = await addPerson(service.database);
		await addMember(service.database, { id: team.appId }, leaving, "admin");
		const makeKey = () =>
			ask(service, leaving, "POST", `${team.path}/keys`, { name: "late", reach: "app", permissions: ["read"] });
		await Promise.all([
			makeKey(),
			send(service, "DELETE", "/v1/me", undefined, as(leaving)),
			...Array.from({ length: 5 }, makeKey),
		]);
		const alive = sql`SELECT count(*) FROM keys JOIN accounts ON accounts.pk = creator_pk
			WHERE accounts.id = ${leaving.id} AND status <> 'active' AND revoked_ms IS NULL`;
		expect(await countOf(service.database, alive)).toBe(0);
	}
});

describe("texts that a terminal shows", () => {
	test.each(["line\u2028separator", "para\u2029graph", "nul\0", "turned\u202eback", "escape\u001b[2J"])(
		"422 for %j as a token's name and as a client's",
		async (text) => {
			const person = await addPerson(service.database);
			const token = { name: text, scopes: ["apps:read"], expires_in: 60 };
			expect((await errorOf(await send(service, "POST", "/v1/tokens", token, as(person)))).fields).toEqual(["name"]);
			const login = { email: "ada@example.com", client: text };
			expect((await errorOf(await send(service, "POST", "/v1/sessions/login", login))).fields).toEqual(["client"]);
		},
	);
});

describe("an invite of an Admin who may not sign in any more", () => {
	const inviteBy = async (team: Team, friend: TestPerson) => {
		const invite = { email: friend.email, role: "admin" };
		const { body } = await ask(service, team.admin, "POST", `${team.path}/invites`, invite);
		return {
			path: `/v1/invites/${body.id}/accept`,
			page: `/invites/${body.id}?token=${body.token}`,
			token: body.token,
		};
	};

	test("lets nobody in: neither once their account is disabled, nor once they delete it", async () => {
		const disable = (team: Team) =>
			send(service, "POST", `/v1/operator/accounts/${team.admin.id}/disable`, {}, { key: service.token });
		const leave = (team: Team) => send(service, "DELETE", "/v1/me", undefined, as(team.admin));
		for (const end of [disable, leave]) {
			const [team, friend] = [await makeTeam(service), await addPerson(service.database)];
			const { path, page, token } = await inviteBy(team, friend);
			expect((await end(team)).status).toBeLessThan(300);
			const answer = await send(service, "POST", path, { token }, as(friend));
			expect((await errorOf(answer)).code).toBe("not_found");
			const browser = new Browser(service);
			expect((await browser.follow(await browser.open(page))).status).toBe(404);
			expect((await ask(service, friend, "GET", team.path)).status).toBe(404);
		}
	});

	test("works again once their account is enabled", async () => {
		const [team, friend] = [await makeTeam(service), await addPerson(service.database)];
		const { path, token } = await inviteBy(team, friend);
		for (const act of ["disable", "enable"]) {
			await send(service, "POST", `/v1/operator/accounts/${team.admin.id}/${act}`, {}, { key: service.token });
		}
		expect((await send(service, "POST", path, { token }, as(friend))).status).toBe(200);
	});
});
