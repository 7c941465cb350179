import { describe, expect, test } from "bun:test";
import { findLogin, type LoginStart, resendLogin, startLogin } from "@svc/people/sign-in/login-start";
import { verifyLogin } from "@svc/people/sign-in/sign-in";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addConnectApp, CALLBACK, codeFor, SIGN_IN_UNLIMITED, wrong } from "../../support/connect.ts";
import { openService, serviceFor } from "../../support/service.ts";

/* What hosted pages ask of a login, as they ask it. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const service = serviceFor(SIGN_IN_UNLIMITED);

const address = "203.0.113.9";
const start = (email: string, more: Partial<LoginStart> = {}, on = service) =>
	startLogin(on.rooms.people, { purpose: "account", email, device: "a test", address, knownDevice: null, ...more });
const resend = (login: { id: string; secret: string }, on = service) =>
	resendLogin(on.rooms.people, { ...login, address });
const verify = (login: { id: string; secret: string }, code: string) =>
	verifyLogin(service.rooms.people, { ...login, code, address, kind: "web" });
const codeOf = async (work: Promise<unknown>) => await work.catch((error: { code?: string }) => error.code);

describe("an open login", () => {
	test("is shown to whoever holds its secret, with where it leads and the tries that are left", async () => {
		const app = await addConnectApp(service.database, "Shown");
		const appPk = await countOf(service.database, sql`SELECT pk FROM apps WHERE id = ${app.id}`);
		const target = { appPk, appName: "Shown", redirectUri: CALLBACK, state: "" };
		const login = await start("Shown@Example.com", { purpose: "connect", target });
		await codeOf(verify(login, wrong(await codeFor(service.database, "Shown@Example.com"))));
		expect(await findLogin(service.rooms.people, login)).toEqual({
			id: login.id,
			purpose: "connect",
			email: "Shown@Example.com",
			expiresMs: login.expiresMs,
			resendMs: login.resendMs,
			attemptsLeft: 4,
			target: { appPk, appId: app.id, appName: "Shown", redirectUri: CALLBACK, state: "" },
			deed: null,
			isSent: true,
		});
		for (const other of [{ secret: "x" }, { id: "x" }, { id: `log_${"0".repeat(22)}` }]) {
			expect(await findLogin(service.rooms.people, { ...login, ...other })).toBeUndefined();
		}
		service.clock.advance(10 * MINUTE_MS);
		expect(await findLogin(service.rooms.people, login)).toBeUndefined();
	});

	test("shows an address as it was typed, also where the account writes it otherwise", async () => {
		const login = await start("Typed@example.com");
		await verify(login, await codeFor(service.database, "Typed@example.com"));
		const again = await start("tYPED@example.com");
		expect((await findLogin(service.rooms.people, again))?.email).toBe("tYPED@example.com");
		await verify(again, await codeFor(service.database, "Typed@example.com"));
		expect(await findLogin(service.rooms.people, again)).toBeUndefined();
	});
});

describe("another code", () => {
	test("is refused for a minute, then takes the place of the old one", async () => {
		const email = "again@example.com";
		const login = await start(email);
		const old = await codeFor(service.database, email);
		expect(await codeOf(resend(login))).toBe("rate_limited");
		service.clock.advance(61 * SECOND_MS);
		const outcomes = await Promise.all(Array.from({ length: 20 }, () => codeOf(resend(login))));
		expect(outcomes.filter((each) => each === "rate_limited")).toHaveLength(19);
		const code = await codeFor(service.database, email);
		expect(await countOf(service.database, sql`SELECT count(*) FROM emails WHERE recipient = ${email}`)).toBe(2);
		if (code !== old) expect(await codeOf(verify(login, old))).toBe("invalid_code");
		expect((await verify(login, code)).session.kind).toBe("web");
		expect(await codeOf(resend(login))).toBe("invalid_code");
	});

	test("lives ten minutes of its own", async () => {
		const email = "longer@example.com";
		const login = await start(email);
		service.clock.advance(9 * MINUTE_MS);
		expect((await resend(login)).expiresMs).toBeGreaterThan(login.expiresMs);
		service.clock.advance(9 * MINUTE_MS);
		expect((await verify(login, await codeFor(service.database, email))).secret).toMatch(/^svc_ses_/);
	});

	test("brings no tries back, neither a login's five nor an address's ten a day", async () => {
		const email = "stubborn@example.com";
		const guess = async () => wrong(await codeFor(service.database, email));
		for (let count = 0; count < 2; count++) {
			const login = await start(email);
			for (let tries = 0; tries < 4; tries++) await codeOf(verify(login, await guess()));
			service.clock.advance(61 * SECOND_MS);
			await resend(login);
			expect((await findLogin(service.rooms.people, login))?.attemptsLeft).toBe(1);
			expect(await codeOf(verify(login, await guess()))).toBe("invalid_code");
			expect((await findLogin(service.rooms.people, login))?.attemptsLeft).toBe(0);
			expect(await codeOf(verify(login, await codeFor(service.database, email)))).toBe("invalid_code");
			service.clock.advance(61 * SECOND_MS);
			expect(await codeOf(resend(login))).toBe("invalid_code");
		}
		expect(await codeOf(start(email))).toBe("rate_limited");
	});

	test("is one of the five an hour that an address gets", async () => {
		const limited = await openService();
		try {
			const login = await start("five@example.com", {}, limited);
			for (let count = 0; count < 4; count++) {
				limited.clock.advance(61 * SECOND_MS);
				await resend(login, limited);
			}
			limited.clock.advance(61 * SECOND_MS);
			expect(await codeOf(resend(login, limited))).toBe("rate_limited");
			expect(await codeOf(start("five@example.com", {}, limited))).toBe("rate_limited");
		} finally {
			await limited.close();
		}
	});

	test("is refused with another secret than the login's own", async () => {
		const login = await start("mine@example.com");
		service.clock.advance(61 * SECOND_MS);
		expect(await codeOf(resend({ ...login, secret: "x" }))).toBe("invalid_code");
	});
});
