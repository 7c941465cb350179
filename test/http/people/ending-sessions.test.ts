import { describe, expect, test } from "bun:test";
import { mintSecret } from "@svc/base/crypto/secrets";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { SIGN_IN_UNLIMITED } from "../../support/connect.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { bodyOf, eventsOf, signIn } from "../../support/sign-in.ts";

const DAY_MS = 86_400_000;

const service = serviceFor(SIGN_IN_UNLIMITED);

interface Listed {
	readonly id: string;
	readonly current: boolean;
	readonly network: string | null;
	readonly last_used_at: string;
	readonly expires_at: string;
}

const me = async (secret: string) => (await send(service, "GET", "/v1/me", undefined, as({ secret }))).status;
const listed = async (secret: string) =>
	(
		await bodyOf<{ data: Listed[] }>(
			await send(service, "GET", "/v1/sessions?limit=100", undefined, as({ secret })),
			200,
		)
	).data;
const endOthers = (secret: string, body?: object) =>
	send(service, "POST", "/v1/sessions/end-others", body, as({ secret }));

async function sessionsOf(accountId: string, count: number): Promise<readonly string[]> {
	return await Promise.all(Array.from({ length: count }, () => addSession(service.database, accountId)));
}

describe("ending all others", () => {
	test("ends every other session and every token, whatever their number, and none of anybody else", async () => {
		const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
		const sessions = await sessionsOf(person.id, 150);
		const tokens = [];
		for (let count = 0; count < 3; count++) {
			tokens.push(await addSession(service.database, person.id, { scopes: ["apps:write"] }));
		}
		const answer = await endOthers(person.secret);
		expect(await bodyOf<object>(answer, 200)).toEqual({ object: "ended", sessions: 150, tokens: 3 });
		expect(new Set(await Promise.all([...sessions, ...tokens].map(me)))).toEqual(new Set([401]));
		expect([await me(person.secret), await me(other.secret)]).toEqual([200, 200]);
		expect(await eventsOf(service.database, person.id)).toEqual(["session.others_ended"]);
		expect(await bodyOf<object>(await endOthers(person.secret), 200)).toMatchObject({ sessions: 0, tokens: 0 });
	});

	test("keeps tokens where that is asked for", async () => {
		const person = await addPerson(service.database);
		const [other = ""] = await sessionsOf(person.id, 1);
		const token = await addSession(service.database, person.id, { scopes: ["apps:read"] });
		const answer = await endOthers(person.secret, { keep_tokens: true });
		expect(await bodyOf<object>(answer, 200)).toEqual({ object: "ended", sessions: 1, tokens: 0 });
		expect([await me(other), await me(token)]).toEqual([401, 200]);
	});

	test("is refused to a token, and with anything but true or false", async () => {
		const person = await addPerson(service.database);
		const token = await addSession(service.database, person.id, { scopes: ["operator:write"] });
		expect(await errorOf(await endOthers(token))).toMatchObject({ code: "forbidden", fields: ["session"] });
		expect((await errorOf(await endOthers(person.secret, { keep_tokens: 1 }))).fields).toEqual(["keep_tokens"]);
		expect(await me(token)).toBe(200);
	});
});

describe("a session", () => {
	test("says whether it is the one in use, in what network it was begun, and when it was used last", async () => {
		const email = "listed@example.com";
		const first = await signIn(service, email, { client: "first" });
		const second = await signIn(service, email, { client: "second" });
		const [newest, oldest] = await listed(second.secret);
		expect(newest).toMatchObject({ id: second.id, current: true, network: "203.0.113.0/24" });
		expect(oldest).toMatchObject({ id: first.id, current: false });
		expect(Date.parse(oldest?.last_used_at ?? "")).toBeGreaterThan(0);
		service.clock.advance(2 * DAY_MS);
		expect(await me(first.secret)).toBe(200);
		await service.rooms.people.store.flush();
		const used = (await listed(second.secret)).find(({ id }) => id === first.id);
		expect(Math.abs(Date.parse(used?.last_used_at ?? "") - service.clock.now())).toBeLessThan(300_000);
	});

	test("of more than a hundred of an account, those used the longest ago end", async () => {
		const { account, secret } = await signIn(service, "many@example.com");
		const sessions = await sessionsOf(account.id, 99);
		const leastUsed = sessions[50] ?? "";
		await service.database.write([
			{
				run: sql`UPDATE sessions SET last_used_ms = created_ms + 1000 WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${account.id})`,
			},
			{ run: sql`UPDATE sessions SET last_used_ms = NULL WHERE hash = ${await hashOf(leastUsed)}` },
		]);
		const newest = await signIn(service, "many@example.com");
		expect([await me(leastUsed), await me(newest.secret), await me(secret)]).toEqual([401, 200, 200]);
		const live = sql`SELECT count(*) FROM sessions WHERE revoked_ms IS NULL
			AND account_pk = (SELECT pk FROM accounts WHERE id = ${account.id})`;
		expect(await countOf(service.database, live)).toBe(100);
	});

	test("of a browser is no bearer: its secret is answered like an unknown one, and pages take no console's", async () => {
		const person = await addPerson(service.database);
		const web = await addSession(service.database, person.id, { kind: "web" });
		const refusals = [];
		for (const secret of [web, (await mintSecret("svc_ses_")).secret]) {
			const { message, code, status } = await errorOf(await send(service, "GET", "/v1/me", undefined, as({ secret })));
			refusals.push({ message, code, status });
		}
		expect(refusals[0]).toEqual(refusals[1] as (typeof refusals)[0]);
		expect(refusals[0]).toMatchObject({ status: 401, code: "unauthorized" });
		const selecting = { key: web, headers: { "X-Svc-App": "app_1" } };
		expect((await send(service, "GET", "/v1/images", undefined, selecting)).status).toBe(401);
		const page = await service.open("http://localhost:3000/account", {
			headers: { Cookie: `session=${person.secret}` },
		});
		expect(await page.text()).toContain("Sign in to your account");
	});

	test("ends after 30 days without use, and after 90 in any case", async () => {
		const [used, left] = [await signIn(service, "used@example.com"), await signIn(service, "left@example.com")];
		for (let days = 0; days < 75; days += 25) {
			service.clock.advance(25 * DAY_MS);
			expect(await me(used.secret)).toBe(200);
			await service.rooms.people.store.flush();
			expect(await me(left.secret)).toBe(days === 0 ? 200 : 401);
			if (days > 0) continue;
			// What was only looked at before its time goes on counting from its last use.
			await service.database.write([{ run: sql`UPDATE sessions SET last_used_ms = NULL WHERE id = ${left.id}` }]);
		}
		const [session] = await listed(used.secret);
		expect(Date.parse(session?.expires_at ?? "") - service.clock.now()).toBeLessThanOrEqual(15 * DAY_MS);
		service.clock.advance(15 * DAY_MS);
		expect(await me(used.secret)).toBe(401);
	});
});

async function hashOf(secret: string): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret)));
}
