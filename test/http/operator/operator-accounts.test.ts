import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser } from "../../support/apps.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";
import { startLogin, verifyLatest } from "../../support/sign-in.ts";
import { ask } from "../../support/teams.ts";

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

const operate = (method: string, path: string, body?: unknown, who: { secret: string } = operator) =>
	ask(service, who, method, `/v1/operator${path}`, body);
const disable = (id: string, who?: { secret: string }) => operate("POST", `/accounts/${id}/disable`, undefined, who);
const enable = (id: string) => operate("POST", `/accounts/${id}/enable`);
const signedIn = async (secret: string) => (await send(service, "GET", "/v1/me", undefined, as({ secret }))).status;

describe("a disabled account", () => {
	test("its sessions, tokens and keys are 401 and Apps naming it get what they get for anybody gone; enabled again, all of it works, pictures included [conn.ended-user-forbidden, conn.cause-not-told, errors.code.user_forbidden]", async () => {
		const { database } = service;
		const app = await addApp(database);
		const user = await connectUser(database, app);
		const headers = { "X-Svc-User": user.id };
		const image = await uploaded(service, await plain(5, 5), "a.png", {}, { key: app.key, headers });
		const own = await addUserKey(database, app, user);
		const session = await addSession(database, user.accountId);
		const token = await addSession(database, user.accountId, { scopes: ["images:read"] });
		const named = (userId: string) =>
			send(service, "GET", `/v1/images/${image.id}`, undefined, { key: app.key, headers: { "X-Svc-User": userId } });
		const works = async () => [
			await signedIn(session),
			await signedIn(token),
			(await send(service, "GET", "/v1/images", undefined, { key: own })).status,
			(await named(user.id)).status,
		];
		expect(await works()).toEqual([200, 200, 200, 200]);
		expect((await disable(user.accountId)).body).toMatchObject({ id: user.accountId, status: "disabled" });
		expect(await works()).toEqual([401, 401, 401, 403]);
		const [refused, never] = [await named(user.id), await named(newId("usr"))];
		const answers = [await refused.json(), await never.json()];
		expect(answers[0]).toMatchObject({ error: { type: "permission_error", code: "user_forbidden" } });
		expect(answers[0]).toEqual(answers[1]);
		expect((await service.open(image.url)).status).toBe(200);
		expect((await disable(user.accountId)).status).toBe(200);
		expect((await enable(user.accountId)).body).toMatchObject({ id: user.accountId, status: "active" });
		expect(await works()).toEqual([200, 200, 200, 200]);
	});

	test("cannot sign in, and is not told apart when it asks for a code", async () => {
		const person = await addPerson(service.database);
		const before = await startLogin(service, person.email);
		await disable(person.id);
		expect((await verifyLatest(service, before, person.email)).status).toBeGreaterThanOrEqual(400);
		service.clock.advance(3_600_000);
		const after = await startLogin(service, person.email);
		expect(Object.keys(after)).toEqual(Object.keys(before));
		const rows = await service.database.read(() =>
			service.database.queries.values(sql`SELECT count(*) FROM sessions JOIN accounts ON accounts.pk = account_pk
				WHERE accounts.id = ${person.id} AND kind <> 'console'`),
		);
		expect(Number(rows[0]?.[0])).toBe(0);
		await enable(person.id);
	});

	test("holds no key of its Apps meanwhile", async () => {
		const app = await addApp(service.database);
		const bucket = await addKey(service.database, app, { reach: "bucket" });
		const works = async () => [
			(await send(service, "GET", "/v1/images", undefined, { key: app.key })).status,
			(await send(service, "GET", "/v1/images", undefined, { key: bucket })).status,
		];
		await disable(app.ownerId);
		expect(await works()).toEqual([401, 401]);
		await enable(app.ownerId);
		expect(await works()).toEqual([200, 200]);
	});

	test("409 for oneself and for an account that is being deleted; 404 for none", async () => {
		expect((await disable(operator.id)).code).toBe("state_conflict");
		expect(await signedIn(operator.secret)).toBe(200);
		const leaving = await addPerson(service.database);
		await service.database.write([{ run: sql`UPDATE accounts SET status = 'deleting' WHERE id = ${leaving.id}` }]);
		expect([(await disable(leaving.id)).code, (await enable(leaving.id)).code]).toEqual([
			"state_conflict",
			"state_conflict",
		]);
		for (const id of [newId("acc"), "x"]) {
			expect([(await disable(id)).status, (await enable(id)).status]).toEqual([404, 404]);
		}
	});
});

describe("operators", () => {
	const list = async () => ((await operate("GET", "/operators")).body.data as { id: string }[]).map(({ id }) => id);

	test("are made by e-mail address, with an account or without one yet, and are ordinary people again when removed", async () => {
		const person = await addPerson(service.database);
		expect((await operate("GET", "/usage", undefined, person)).status).toBe(403);
		const made = await operate("POST", "/operators", { email: ` ${person.email.toUpperCase()} ` });
		expect([made.status, made.body]).toMatchObject([201, { id: person.id, object: "account", operator: true }]);
		expect((await operate("GET", "/usage", undefined, person)).status).toBe(200);
		const fresh = await operate("POST", "/operators", { email: "new.operator@example.com" });
		expect(fresh.body).toMatchObject({ email: "new.operator@example.com", verified: false, operator: true });
		expect(await list()).toEqual(expect.arrayContaining([person.id, fresh.body.id as string, operator.id]));
		const again = await operate("POST", "/operators", { email: person.email });
		expect([again.status, again.code]).toEqual([409, "state_conflict"]);
		expect((await operate("DELETE", `/operators/${person.id}`)).body).toEqual({
			id: person.id,
			object: "operator",
			deleted: true,
		});
		expect((await operate("GET", "/usage", undefined, person)).status).toBe(403);
		expect(await signedIn(person.secret)).toBe(200);
		expect((await operate("DELETE", `/operators/${person.id}`)).status).toBe(404);
	});

	test("who is disabled cannot become one, and no new account is left behind", async () => {
		const person = await addPerson(service.database);
		await disable(person.id);
		expect((await operate("POST", "/operators", { email: person.email })).code).toBe("state_conflict");
		await enable(person.id);
		expect((await operate("GET", "/usage", undefined, person)).status).toBe(403);
	});

	test("422 for what is no address", async () => {
		for (const email of ["", "x", "a@b@c", "a b@example.com", `${"a".repeat(300)}@example.com`, 1, null, undefined]) {
			const answer = await operate("POST", "/operators", { email });
			expect([answer.status, Object.keys(answer.details)]).toEqual([422, ["email"]]);
		}
	});

	test("need a fresh session to make and remove others, and to disable", async () => {
		const stale = { secret: await addSession(service.database, operator.id, { freshForMs: 0 }) };
		const other = await addPerson(service.database, { operator: true });
		expect((await operate("POST", "/operators", { email: "x@example.com" }, stale)).code).toBe("forbidden");
		expect((await operate("DELETE", `/operators/${other.id}`, undefined, stale)).code).toBe("forbidden");
		expect((await disable(other.id, stale)).code).toBe("forbidden");
		expect(await list()).toContain(other.id);
	});

	test("409 for the last one; of ten who remove and disable each other at once, one can still sign in", async () => {
		const alone = await openService();
		const { database } = alone;
		const people = await Promise.all(Array.from({ length: 10 }, () => addPerson(database, { operator: true })));
		// The one of the first start signs in no more.
		await database.write([{ run: sql`UPDATE accounts SET status = 'disabled' WHERE email = 'operator@localhost'` }]);
		const tries = people.flatMap((person) =>
			people
				.filter(({ id }) => id !== person.id)
				.map(({ id }, place) =>
					place % 2 === 0
						? ask(alone, person, "DELETE", `/v1/operator/operators/${id}`)
						: ask(alone, person, "POST", `/v1/operator/accounts/${id}/disable`),
				),
		);
		await Promise.all(tries);
		const left: TestPerson[] = [];
		for (const person of people) {
			if ((await ask(alone, person, "GET", "/v1/operator/usage")).status === 200) left.push(person);
		}
		expect(left).toHaveLength(1);
		const [last] = left as [TestPerson];
		const removed = await ask(alone, last, "DELETE", `/v1/operator/operators/${last.id}`);
		expect([removed.status, removed.code]).toEqual([409, "state_conflict"]);
		await alone.close();
	});
});

describe("the list of accounts", () => {
	test("is searched by how an address begins and filtered by status; what is typed is no pattern", async () => {
		const person = await addPerson(service.database);
		const found = async (query: string) => {
			const { body } = await operate("GET", `/accounts?limit=100&${query}`);
			return (body.data as { id: string }[]).map(({ id }) => id);
		};
		const start = encodeURIComponent(person.email.slice(0, 20).toUpperCase());
		expect(await found(`q=${start}`)).toEqual([person.id]);
		expect(await found(`q=${start}&status=disabled`)).toEqual([]);
		expect(await found("q=%25")).toEqual([]);
		expect(await found("q=example.com")).toEqual([]);
		expect((await found("")).at(0)).toBe(person.id);
		await disable(person.id);
		expect(await found("status=disabled")).toEqual([person.id]);
		expect(await found("status=active")).not.toContain(person.id);
		await enable(person.id);
		expect((await operate("GET", "/accounts?status=odd")).details).toHaveProperty("status");
	});
});

test("nobody but operators, and those with the scope", async () => {
	const person = await addPerson(service.database);
	const app = await addApp(service.database);
	const reader = { secret: await addSession(service.database, operator.id, { scopes: ["operator:read"] }) };
	const moderator = { secret: await addSession(service.database, operator.id, { scopes: ["moderation:write"] }) };
	for (const [method, path, body] of [
		["GET", "/operators"],
		["POST", "/operators", { email: person.email }],
		["DELETE", `/operators/${operator.id}`],
		["GET", "/accounts"],
		["POST", `/accounts/${person.id}/disable`],
		["POST", `/accounts/${person.id}/enable`],
	] as const) {
		for (const who of [person, moderator, { secret: app.key }]) {
			expect([path, (await operate(method, path, body, who)).status]).toEqual([path, 403]);
		}
		expect((await operate(method, path, body, reader)).status).toBe(method === "GET" ? 200 : 403);
		expect((await service.api(`/v1/operator${path}`, { method, headers: {} })).status).toBe(401);
	}
	expect(await signedIn(person.secret)).toBe(200);
	expect(await errorOf(await send(service, "GET", "/v1/operator/usage", undefined, as(person)))).toMatchObject({
		status: 403,
		code: "forbidden",
	});
});
