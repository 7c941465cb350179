import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, addKey, countOf } from "../../support/apps.ts";
import { codeFor, SIGN_IN_UNLIMITED, wrong } from "../../support/connect.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import {
	askCode,
	bodyOf,
	eventsOf,
	type SentLogin,
	signIn,
	startLogin,
	verify,
	verifyLatest,
} from "../../support/sign-in.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";
import { addUser } from "../../support/users.ts";

const service = serviceFor(SIGN_IN_UNLIMITED);

const me = (secret: string) => send(service, "GET", "/v1/me", undefined, as({ secret }));
const patch = (secret: string, body: object) => send(service, "PATCH", "/v1/me", body, as({ secret }));
const remove = (secret: string) => send(service, "DELETE", "/v1/me", undefined, as({ secret }));
const emailOf = async (secret: string) => ((await (await me(secret)).json()) as { email: string }).email;
const startChange = async ({ secret }: { secret: string }, email: string): Promise<SentLogin> =>
	await bodyOf(await patch(secret, { email }), 202);
const mailsTo = (email: string, template: string) =>
	countOf(service.database, sql`SELECT count(*) FROM emails WHERE recipient = ${email} AND template = ${template}`);

describe("one's own account", () => {
	test("is shown to sessions and to tokens; an App's key is nobody", async () => {
		const person = await addPerson(service.database, { operator: true });
		const expected = { id: person.id, object: "account", email: person.email, operator: true, status: "active" };
		expect(await (await me(person.secret)).json()).toMatchObject(expected);
		expect(
			await (await me(await addSession(service.database, person.id, { scopes: ["apps:read"] }))).json(),
		).toMatchObject(expected);
		expect((await errorOf(await me(service.apiKey))).code).toBe("forbidden");
	});

	test("403 for a token that would change or delete it", async () => {
		const { id } = await addPerson(service.database);
		const token = await addSession(service.database, id, { scopes: ["operator:write", "apps:write"] });
		expect((await errorOf(await patch(token, { email: "new@example.com" }))).code).toBe("forbidden");
		expect((await errorOf(await remove(token))).code).toBe("forbidden");
		expect((await me(token)).status).toBe(200);
	});
});

describe("a new address", () => {
	let person: TestPerson;
	beforeAll(async () => {
		person = await addPerson(service.database);
	});

	test("takes effect when its code is verified, makes no session, and the old address is told", async () => {
		const email = "Ada.New@example.com";
		const login = await startChange(person, email);
		expect(await emailOf(person.secret)).toBe(person.email);
		const answer = await bodyOf<Record<string, unknown>>(await verifyLatest(service, login, email), 200);
		expect(answer).toMatchObject({ object: "session", account: { id: person.id, email, verified: true } });
		expect(answer.secret).toBeUndefined();
		expect(await emailOf(person.secret)).toBe(email);
		expect(await mailsTo(person.email, "email_changed")).toBe(1);
		expect(await eventsOf(service.database, person.id)).toEqual(["account.email_changed"]);
		expect((await signIn(service, email)).account.id).toBe(person.id);
	});

	test("PATCH without a field changes nothing; what is no new address is 422", async () => {
		const { secret, email } = await addPerson(service.database);
		expect(await bodyOf(await patch(secret, {}), 200)).toMatchObject({ email });
		for (const wrongOne of ["", "nonsense", email, 5, null]) {
			expect((await errorOf(await patch(secret, { email: wrongOne }))).fields).toEqual(["email"]);
		}
		expect((await errorOf(await patch(secret, { operator: true }))).fields).toEqual(["operator"]);
	});

	test("that is another account's is told only after its code was right, and then the code is spent", async () => {
		const [ada, bob] = [await addPerson(service.database), await addPerson(service.database)];
		const login = await startChange(ada, bob.email.toUpperCase());
		const code = await codeFor(service.database, bob.email.toUpperCase());
		expect((await errorOf(await verify(service, login, wrong(code)))).code).toBe("invalid_code");
		expect(await errorOf(await verify(service, login, code))).toMatchObject({
			status: 422,
			code: "validation_error",
			fields: ["email"],
		});
		expect((await errorOf(await verify(service, login, code))).code).toBe("invalid_code");
		expect([await emailOf(ada.secret), await emailOf(bob.secret)]).toEqual([ada.email, bob.email]);
	});

	test("of twenty people who prove one address at once, one gets it", async () => {
		const email = "wanted@example.com";
		const racers = [];
		for (let count = 0; count < 9; count++) {
			const login = await startChange(await addPerson(service.database), email);
			racers.push({ login, code: await codeFor(service.database, email) });
		}
		const answers = await Promise.all(racers.map(({ login, code }) => verify(service, login, code)));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
		expect(await countOf(service.database, sql`SELECT count(*) FROM accounts WHERE email_norm = ${email}`)).toBe(1);
	});

	test("is not given once the session that asked has ended", async () => {
		const ada = await addPerson(service.database);
		const rescue = await addSession(service.database, ada.id);
		const login = await startChange(ada, "thief@example.com");
		await send(service, "DELETE", "/v1/sessions/current", undefined, as(ada));
		expect((await errorOf(await verifyLatest(service, login, "thief@example.com"))).code).toBe("invalid_code");
		expect(await emailOf(rescue)).toBe(ada.email);
	});

	test("of a stranger is guessed at most ten times a day, by all accounts together, which keeps nobody from signing in", async () => {
		const victim = "victim@example.com";
		const codes: string[] = [];
		const logins = [];
		for (let count = 0; count < 4; count++) {
			logins.push({
				login: await startChange(await addPerson(service.database), victim),
				guess: wrong(await codeFor(service.database, victim)),
			});
		}
		for (const { login, guess } of logins) {
			for (let tries = 0; tries < 5; tries++) codes.push((await errorOf(await verify(service, login, guess))).code);
		}
		expect(codes.filter((code) => code === "invalid_code")).toHaveLength(10);
		expect(codes.filter((code) => code === "rate_limited")).toHaveLength(10);
		expect((await signIn(service, victim)).account.email).toBe(victim);
	});
});

describe("deleting one's account", () => {
	test("202 with a job; from then on nothing of it can be used, in any App", async () => {
		const app = await addApp(service.database);
		const other = await addApp(service.database);
		const user = await addUser(service.database, app);
		await addMember(service.database, other, { id: user.accountId }, "admin");
		const key = await addKey(service.database, other, { creatorId: user.accountId });
		const token = await addSession(service.database, user.accountId, { scopes: ["apps:read"] });
		const login = await startLogin(service, user.email);
		const code = await codeFor(service.database, user.email);
		const headers = { "X-Svc-User": user.id };
		const asUser = () => send(service, "GET", "/v1/images", undefined, { key: app.key, headers });
		expect((await asUser()).status).toBe(200);

		const job = await bodyOf<Record<string, unknown>>(await remove(user.secret), 202);
		expect(job).toMatchObject({ object: "job", kind: "account.delete" });
		expect((await errorOf(await asUser())).code).toBe("user_forbidden");
		expect([(await me(user.secret)).status, (await me(token)).status]).toEqual([401, 401]);
		expect((await send(service, "GET", "/v1/key", undefined, { key })).status).toBe(401);
		expect((await verify(service, login, code)).status).toBe(403);
		const users = sql`SELECT users FROM app_usage WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`;
		expect(await countOf(service.database, users)).toBe(0);
		expect(await eventsOf(service.database, user.id)).toEqual(["user.disconnected"]);
		expect((await eventsOf(service.database, user.accountId)).slice(0, 1)).toEqual(["account.deletion_started"]);
	});

	test("an App's audit tells of the keys and invites that end with a member, and of the member's leaving, once each", async () => {
		const team = await makeTeam(service, "Left behind");
		const { id } = await makeKey(service, team.admin, team.path);
		const invite = await ask(service, team.admin, "POST", `${team.path}/invites`, {
			email: "b@example.com",
			role: "admin",
		});
		await service.database.write([
			{
				run: sql`INSERT INTO operators (account_pk, created_ms) SELECT pk, 0 FROM accounts WHERE id = ${team.admin.id}`,
			},
		]);
		expect((await remove(team.admin.secret)).status).toBe(202);
		await service.runJobs();
		await service.runJobs();
		expect(await eventsOf(service.database, id)).toEqual(["key.created", "key.revoked"]);
		expect(await eventsOf(service.database, String(invite.body.id))).toEqual(["invite.created", "invite.deleted"]);
		const ofAccount = ["operator.removed", "account.deletion_started", "account.deleted", "member.left"];
		expect(await eventsOf(service.database, team.admin.id)).toEqual(ofAccount);
		const { body } = await ask(service, team.owner, "GET", `${team.path}/audit?limit=4`);
		const told = (body.data as { event: string; target: string }[]).map(({ event, target }) => [event, target]);
		expect(told.slice(0, 3)).toEqual([
			["member.left", team.admin.id],
			["invite.deleted", String(invite.body.id)],
			["key.revoked", id],
		]);
		expect((await ask(service, team.owner, "GET", `${team.path}/invites`)).body.data).toEqual([]);
	});

	test("409 while one owns Apps, naming them, and nothing has happened", async () => {
		const app = await addApp(service.database, "Ferris & Co");
		const secret = await addSession(service.database, app.ownerId);
		const answer = await errorOf(await remove(secret));
		expect([answer.status, answer.code]).toEqual([409, "state_conflict"]);
		expect(answer.message).toContain("Ferris & Co");
		expect((await me(secret)).status).toBe(200);
		expect((await send(service, "GET", "/v1/key", undefined, { key: app.key })).status).toBe(200);
	});

	test("once only, of twenty at once too", async () => {
		const person = await addPerson(service.database);
		const answers = await Promise.all(Array.from({ length: 20 }, () => remove(person.secret)));
		expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
		const jobs = sql`SELECT count(*) FROM jobs WHERE kind = 'account.delete' AND started_by = ${person.id}`;
		expect(await countOf(service.database, jobs)).toBe(1);
	});

	test("409 for the last operator; of two at once, one stays", async () => {
		const lone = await openService(SIGN_IN_UNLIMITED);
		try {
			await lone.database.write([{ run: sql`DELETE FROM operators` }]);
			const operators = [
				await addPerson(lone.database, { operator: true }),
				await addPerson(lone.database, { operator: true }),
			];
			const answers = await Promise.all(
				operators.map((operator) => send(lone, "DELETE", "/v1/me", undefined, as(operator))),
			);
			expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
			const refused = answers.find(({ status }) => status === 409);
			expect(refused && (await errorOf(refused)).code).toBe("state_conflict");
			expect(await countOf(lone.database, sql`SELECT count(*) FROM operators`)).toBe(1);
		} finally {
			await lone.close();
		}
	});

	test("an address whose account is being deleted still gets the same answer to a login", async () => {
		const person = await addPerson(service.database);
		await remove(person.secret);
		expect((await askCode(service, { email: person.email })).status).toBe(202);
	});
});
