import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { codeFor, SIGN_IN_UNLIMITED, wrong } from "../../support/connect.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import {
	askCode,
	bodyOf,
	eventsOf,
	from,
	type SentLogin,
	type SignedIn,
	signIn,
	startLogin,
	verify,
	verifyLatest,
} from "../../support/sign-in.ts";
import { setAccountStatus } from "../../support/users.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const service = serviceFor(SIGN_IN_UNLIMITED);

const me = (secret: string) => send(service, "GET", "/v1/me", undefined, as({ secret }));
const accountsWith = (email: string) =>
	countOf(service.database, sql`SELECT count(*) FROM accounts WHERE email_norm = ${email}`);
const failuresOf = async (answers: readonly Response[]) =>
	(await Promise.all(answers.map(errorOf))).map(({ code }) => code);

describe("signing in", () => {
	test("202 with a login that says the same for a known and an unknown address, 201 with a session of 30 days", async () => {
		const known = await addPerson(service.database);
		const logins = [await startLogin(service, known.email), await startLogin(service, "nobody-yet@example.com")];
		expect(logins.map((login) => Object.keys(login))).toEqual(
			Array(2).fill(["id", "object", "secret", "expires_at", "resend_after"]),
		);
		const [login] = logins;
		if (!login) throw new Error("no login");
		const signedIn = await bodyOf<SignedIn>(await verifyLatest(service, login, known.email), 201);
		expect(signedIn).toMatchObject({ object: "session", kind: "console", account: { id: known.id, verified: true } });
		const now = service.clock.now();
		expect(Math.round((Date.parse(signedIn.expires_at) - now) / DAY_MS)).toBe(30);
		expect(Math.round((Date.parse(signedIn.fresh_until) - now) / MINUTE_MS)).toBe(15);
		expect(await (await me(signedIn.secret)).json()).toMatchObject({ object: "account", id: known.id });
		expect(await eventsOf(service.database, signedIn.id)).toEqual(["session.created"]);
	});

	test("an account exists only once its code was verified, and is one however the address is typed", async () => {
		const login = await startLogin(service, "  Ada.Lovelace@Example.com ");
		expect(await accountsWith("ada.lovelace@example.com")).toBe(0);
		const first = await bodyOf<SignedIn>(await verifyLatest(service, login, "Ada.Lovelace@Example.com"), 201);
		expect(first.account.email).toBe("Ada.Lovelace@Example.com");
		// Full-width letters, another case: the code goes to the address that has been proven.
		const again = await startLogin(service, "ADA.lovelace@ｅｘａｍｐｌｅ.com");
		const second = await bodyOf<SignedIn>(await verifyLatest(service, again, "Ada.Lovelace@Example.com"), 201);
		expect(second.account.id).toBe(first.account.id);
		expect(second.secret).not.toBe(first.secret);
		expect(await accountsWith("ada.lovelace@example.com")).toBe(1);
	});

	test("the address of the first start can sign in, although it has no dot", async () => {
		const { account } = await signIn(service, "operator@localhost");
		expect(account).toMatchObject({ email: "operator@localhost", verified: true, operator: true });
	});

	test("ten first sign-ins at once make one account", async () => {
		const email = "crowd@example.com";
		const logins = [];
		for (let count = 0; count < 10; count++) {
			logins.push({ login: await startLogin(service, email), code: await codeFor(service.database, email) });
		}
		const answers = await Promise.all(logins.map(({ login, code }) => verify(service, login, code)));
		expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
		const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as SignedIn[];
		expect(new Set(bodies.map(({ account }) => account.id)).size).toBe(1);
		expect(new Set(bodies.map(({ secret }) => secret)).size).toBe(10);
		expect(await accountsWith(email)).toBe(1);
	});

	test("of twenty tries of one right code at once, one makes a session", async () => {
		const email = "once@example.com";
		const login = await startLogin(service, email);
		const code = await codeFor(service.database, email);
		const answers = await Promise.all(Array.from({ length: 20 }, () => verify(service, login, code)));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
		expect(await failuresOf(answers.filter(({ status }) => status !== 201))).toEqual(Array(19).fill("invalid_code"));
	});

	test("a disabled account is told so only once the code was right, and keeps no session", async () => {
		const person = await addPerson(service.database);
		await setAccountStatus(service.database, person.id, "disabled");
		const login = await startLogin(service, person.email);
		const code = await codeFor(service.database, person.email);
		expect((await errorOf(await verify(service, login, wrong(code)))).code).toBe("invalid_code");
		expect((await errorOf(await verify(service, login, code))).code).toBe("forbidden");
		expect((await errorOf(await verify(service, login, code))).code).toBe("invalid_code");
		expect((await me(person.secret)).status).toBe(401);
		const kept = sql`SELECT count(*) FROM sessions WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${person.id})`;
		expect(await countOf(service.database, kept)).toBe(1);
	});
});

describe("what is refused", () => {
	test("422 names what is wrong with an address, a client, a field that is not there or not known", async () => {
		for (const email of [
			"",
			"no-at",
			"two@at@example.com",
			"a b@example.com",
			`${"x".repeat(65)}@example.com`,
			"a@b\u200bc.d",
		]) {
			expect((await errorOf(await askCode(service, { email }))).fields).toEqual(["email"]);
		}
		const hostile = { email: "a@example.com\r\nBcc: b@example.com", client: "x" };
		expect((await errorOf(await askCode(service, hostile))).fields).toEqual(["email"]);
		for (const client of ["x".repeat(101), "bell\u0007", 1, null]) {
			expect((await errorOf(await askCode(service, { email: "a@example.com", client }))).fields).toEqual(["client"]);
		}
		expect((await errorOf(await askCode(service, {}))).fields).toEqual(["email"]);
		const unknown = JSON.parse('{"email":"a@example.com","__proto__":{"x":1}}') as object;
		expect((await errorOf(await askCode(service, unknown))).status).toBe(422);
		expect((await askCode(service, { email: "a@example.com", client: "é".repeat(100) })).status).toBe(202);
	});

	test("a wrong code, login, secret or state of a login are one and the same answer", async () => {
		const email = "same@example.com";
		const login = await startLogin(service, email);
		const code = await codeFor(service.database, email);
		const other = await startLogin(service, email);
		const stale = await startLogin(service, "stale@example.com");
		const tries: [Pick<SentLogin, "id" | "secret">, string][] = [
			[login, wrong(code)],
			[login, "not a code"],
			[{ ...login, secret: other.secret }, code],
			[{ ...login, secret: "" }, code],
			[{ ...login, id: `log_${"0".repeat(22)}` }, code],
			[{ ...login, id: "x" }, code],
			[other, code],
		];
		const answers = await Promise.all(tries.map(([which, typed]) => verify(service, which, typed)));
		await verify(service, login, code);
		answers.push(await verify(service, login, code));
		service.clock.advance(10 * MINUTE_MS);
		answers.push(await verify(service, stale, await codeFor(service.database, "stale@example.com")));
		expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(422));
		expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
	});

	test("a code works just before its ten minutes are over, with spaces in it, and not after", async () => {
		const [early, late] = [
			await startLogin(service, "early@example.com"),
			await startLogin(service, "late@example.com"),
		];
		const [one, two] = [
			await codeFor(service.database, "early@example.com"),
			await codeFor(service.database, "late@example.com"),
		];
		service.clock.advance(9.5 * MINUTE_MS);
		expect((await verify(service, early, `${one.slice(0, 3)} ${one.slice(3)}`)).status).toBe(201);
		service.clock.advance(MINUTE_MS);
		expect((await verify(service, late, two)).status).toBe(422);
	});

	test("nothing of a code or secret is kept as it was sent", async () => {
		const email = "kept@example.com";
		const login = await startLogin(service, email);
		const signedIn = await bodyOf<SignedIn>(await verifyLatest(service, login, email), 201);
		const kept = [
			sql`SELECT * FROM logins WHERE id = ${login.id}`,
			sql`SELECT * FROM sessions WHERE id = ${signedIn.id}`,
		].map((rows) => service.database.read(() => service.database.queries.values(rows)));
		const rows = await Promise.all(kept);
		const text = JSON.stringify(rows);
		expect(text).toContain(login.id);
		expect(text).not.toContain(login.secret);
		expect(text).not.toContain(signedIn.secret);
		expect(JSON.stringify(service.log.lines)).not.toContain(signedIn.secret);
	});
});

describe("guessing", () => {
	test("of fifty guesses at once five are looked at: the right code among the rest opens nothing", async () => {
		const email = "guess@example.com";
		const login = await startLogin(service, email);
		const code = await codeFor(service.database, email);
		const guesses = Array.from({ length: 50 }, (_, place) => (place < 5 ? wrong(code) : code));
		const answers = [];
		for (const guess of guesses.slice(0, 5)) answers.push(await verify(service, login, guess));
		answers.push(...(await Promise.all(guesses.slice(5).map((guess) => verify(service, login, guess)))));
		expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(422));
		const parallel = await startLogin(service, "guess2@example.com");
		const other = wrong(await codeFor(service.database, "guess2@example.com"));
		await Promise.all(Array.from({ length: 50 }, () => verify(service, parallel, other)));
		const looked = sql`SELECT attempts FROM logins WHERE id = ${parallel.id}`;
		expect(await countOf(service.database, looked)).toBe(5);
	});

	test("ten wrong codes for one address, over however many logins, networks and codes, keep new devices out for 15 minutes, and a known one not at all [errors.code.rate_limited, errors.code.rate_limited-retry]", async () => {
		const email = "besieged@example.com";
		const { device_token } = await signIn(service, email);
		const logins: { login: SentLogin; guess: string }[] = [];
		for (let count = 0; count < 10; count++) {
			const login = await startLogin(service, email);
			logins.push({ login, guess: wrong(await codeFor(service.database, email)) });
		}
		const tries = Array.from({ length: 5 }, () => logins).flat();
		const codes = await failuresOf(await Promise.all(tries.map(({ login, guess }) => verify(service, login, guess))));
		expect(codes.filter((code) => code === "invalid_code")).toHaveLength(10);
		expect(codes.filter((code) => code === "rate_limited")).toHaveLength(40);
		const refused = await askCode(service, { email }, from("198.51.100.7"));
		const waits = Number(refused.headers.get("Retry-After"));
		expect(waits).toBeGreaterThan(14 * 60);
		expect(waits).toBeLessThanOrEqual(15 * 60);
		expect(await errorOf(refused)).toMatchObject({
			status: 429,
			code: "rate_limited",
			type: "rate_limit_error",
			action: { type: "wait", retry_after: waits },
		});
		// Neither a made-up token nor one of another address is a known device.
		const stranger = await signIn(service, "stranger@example.com");
		for (const made of ["x", `${"0".repeat(22)}.${"0".repeat(43)}`, stranger.device_token, `${device_token}x`]) {
			expect((await askCode(service, { email, device_token: made })).status).toBe(429);
		}
		expect(await signIn(service, email, { device_token })).toMatchObject({ device_token });
		service.clock.advance(15 * MINUTE_MS);
		expect((await signIn(service, email)).account.email).toBe(email);
	});

	test("each ten more keep them out for twice as long, a day at most; two days without any are a new beginning", async () => {
		const email = "long-besieged@example.com";
		const besiege = async (): Promise<number> => {
			for (let asked = 0; asked < 2; asked++) {
				const login = await startLogin(service, email);
				const guess = wrong(await codeFor(service.database, email));
				for (let tries = 0; tries < 5; tries++) await verify(service, login, guess);
			}
			const refused = await askCode(service, { email }, from("198.51.100.8"));
			expect(refused.status).toBe(429);
			return Math.round(Number(refused.headers.get("Retry-After")) / 60);
		};
		const minutes: number[] = [];
		for (let times = 0; times < 9; times++) {
			minutes.push(await besiege());
			service.clock.advance((minutes.at(-1) ?? 0) * MINUTE_MS + MINUTE_MS);
		}
		expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
		service.clock.advance(2 * DAY_MS);
		expect(await besiege()).toBe(15);
	});

	test("right codes are no failures: one signs in more than ten times a day", async () => {
		for (let count = 0; count < 12; count++) await signIn(service, "busy@example.com");
	});

	test("a known device has ten wrong codes of its own", async () => {
		const email = "clumsy@example.com";
		const { device_token } = await signIn(service, email);
		for (let count = 0; count < 2; count++) {
			const login = await startLogin(service, email, { device_token });
			const guess = wrong(await codeFor(service.database, email));
			for (let tries = 0; tries < 5; tries++) await verify(service, login, guess);
		}
		expect((await askCode(service, { email, device_token })).status).toBe(429);
		expect((await signIn(service, email)).account.email).toBe(email);
	});
});

describe("sessions", () => {
	test("are listed without secrets, a page at a time, and only one's own", async () => {
		const email = "lists@example.com";
		const made = [];
		for (let count = 0; count < 3; count++) made.push(await signIn(service, email, { client: `client ${count}` }));
		const newest = made.at(-1)?.secret ?? "";
		await addSession(service.database, made[0]?.account.id ?? "", { scopes: ["apps:read"] });
		const seen: string[] = [];
		let path: string | null = "/v1/sessions?limit=2";
		while (path !== null) {
			const body = await send(service, "GET", path, undefined, as({ secret: newest }));
			const page = await bodyOf<{
				data: { id: string; device: string }[];
				pagination: { next_url: string | null };
			}>(body, 200);
			seen.push(...page.data.map(({ device }) => device));
			expect(JSON.stringify(page)).not.toContain("svc_ses_");
			path = page.pagination.next_url?.replace(/^https?:\/\/[^/]+/, "") ?? null;
		}
		expect(seen).toEqual(["client 2", "client 1", "client 0"]);
	});

	test("are revoked at once, by id or as the current one; another's is not there", async () => {
		const [ada, bob] = [await addPerson(service.database), await addPerson(service.database)];
		const second = await signIn(service, ada.email);
		expect((await errorOf(await remove(`/v1/sessions/${second.id}`, bob.secret))).code).toBe("not_found");
		expect((await me(second.secret)).status).toBe(200);
		const gone = await remove(`/v1/sessions/${second.id}`, ada.secret);
		expect(await gone.json()).toEqual({ id: second.id, object: "session", deleted: true });
		expect((await me(second.secret)).status).toBe(401);
		expect((await remove(`/v1/sessions/${second.id}`, ada.secret)).status).toBe(404);
		expect((await remove("/v1/sessions/current", ada.secret)).status).toBe(200);
		expect((await me(ada.secret)).status).toBe(401);
		expect(await eventsOf(service.database, second.id)).toEqual(["session.created", "session.revoked"]);
	});

	test("403 for a token: it sees, ends and confirms no session", async () => {
		const { id } = await addPerson(service.database);
		const token = as({ secret: await addSession(service.database, id, { scopes: ["operator:write"] }) });
		for (const [method, path] of [
			["GET", "/v1/sessions"],
			["DELETE", "/v1/sessions/current"],
			["POST", "/v1/sessions/step-up"],
		] as const) {
			expect((await errorOf(await send(service, method, path, undefined, token))).code).toBe("forbidden");
		}
	});

	const remove = (path: string, secret: string) => send(service, "DELETE", path, undefined, as({ secret }));
});

describe("step-up", () => {
	test("makes the session that asked fresh, without a new secret, and no other", async () => {
		const person = await addPerson(service.database);
		const other = await addSession(service.database, person.id, { freshForMs: 0 });
		const login = await stepUp(person.secret);
		const answer = await verifyLatest(service, login, person.email);
		const body = await bodyOf<Record<string, unknown>>(answer, 200);
		expect(body.secret).toBeUndefined();
		expect(body.account).toMatchObject({ id: person.id });
		expect(Date.parse(String(body.fresh_until))).toBeGreaterThan(service.clock.now() + 14 * MINUTE_MS);
		const fresh = sql`SELECT count(*) FROM sessions WHERE fresh_ms IS NOT NULL
			AND account_pk = (SELECT pk FROM accounts WHERE id = ${person.id})`;
		expect(await countOf(service.database, fresh)).toBe(1);
		expect((await me(other)).status).toBe(200);
		expect(await eventsOf(service.database, String(body.id))).toEqual(["session.confirmed"]);
	});

	test("422 once the session that asked has ended", async () => {
		const person = await addPerson(service.database);
		const login = await stepUp(person.secret);
		await send(service, "DELETE", "/v1/sessions/current", undefined, as(person));
		expect((await errorOf(await verifyLatest(service, login, person.email))).code).toBe("invalid_code");
	});

	test("a stranger who has used up an address's wrong codes does not keep a live session from confirming", async () => {
		const person = await addPerson(service.database, { operator: true });
		for (let count = 0; count < 2; count++) {
			const login = await startLogin(service, person.email);
			for (let tries = 0; tries < 5; tries++) {
				await verify(service, login, wrong(await codeFor(service.database, person.email)));
			}
		}
		expect((await askCode(service, { email: person.email })).status).toBe(429);
		expect((await verifyLatest(service, await stepUp(person.secret), person.email)).status).toBe(200);
	});

	async function stepUp(secret: string): Promise<SentLogin> {
		return await bodyOf(await send(service, "POST", "/v1/sessions/step-up", undefined, as({ secret })), 202);
	}
});

test("the sweep forgets logins, counters and long-ended sessions, and nothing that is still of use", async () => {
	const email = "swept@example.com";
	const { secret } = await signIn(service, email);
	await startLogin(service, email);
	service.clock.advance(2 * DAY_MS);
	const live = await startLogin(service, email);
	expect((await service.sweep()).signIn).toBeGreaterThan(0);
	expect(await countOf(service.database, sql`SELECT count(*) FROM logins`)).toBe(1);
	expect((await verifyLatest(service, live, email)).status).toBe(201);
	expect((await me(secret)).status).toBe(200);
	service.clock.advance(121 * DAY_MS);
	await service.sweep();
	expect(await countOf(service.database, sql`SELECT count(*) FROM sessions WHERE kind <> 'pat'`)).toBe(0);
});
