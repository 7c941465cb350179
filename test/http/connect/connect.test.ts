import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connectUser, countOf, setAppState, type TestApp } from "../../support/apps.ts";
import type { Shown } from "../../support/browser.ts";
import {
	addCallback,
	addConnectApp,
	CALLBACK,
	codeFor,
	connectLink,
	exchanged,
	hostedSignIn,
	returned,
	signInTo,
	toCode,
	wrong,
} from "../../support/connect.ts";
import { errorOf, send } from "../../support/requests.ts";

const { service, app, browse, someone, set, asUser } = hostedSignIn();

/** A fault of the link: a page that says so, and leads nowhere. */
function expectFault(page: Shown, status: number, code: string): void {
	expect([page.status, page.faultCode, page.location]).toEqual([status, code, ""]);
	expect(page.alerts).toHaveLength(1);
	expect(page.forms).toEqual([]);
}

describe("the link", () => {
	const redirectUri = encodeURIComponent(CALLBACK);

	test("without an App, or with one that does not exist, ends on a page [connect.app-required]", async () => {
		expectFault(await browse().open(`/connect?redirect_uri=${redirectUri}`), 400, "missing_app");
		expectFault(await browse().open(`/connect?app=&redirect_uri=${redirectUri}`), 400, "missing_app");
		for (const id of ["nonsense", "app_0000000000000000000000", "%25", "a".repeat(5_000)])
			expectFault(await browse().open(`/connect?app=${id}&redirect_uri=${redirectUri}`), 400, "unknown_app");
	});

	test("without a redirect URI ends on a page [connect.redirect_uri-required]", async () => {
		expectFault(await browse().open(`/connect?app=${app.id}`), 400, "missing_redirect_uri");
		expectFault(await browse().open(`/connect?app=${app.id}&redirect_uri=`), 400, "missing_redirect_uri");
	});

	test("a redirect URI that differs by one byte ends on a page, with prompt=none too [connect.redirect_uri-exact]", async () => {
		const other = await addConnectApp(service.database, "Other callbacks", ["https://other.example.com/cb"]);
		for (const uri of [
			`${CALLBACK}/`,
			`${CALLBACK}?`,
			`${CALLBACK}?x=1`,
			`${CALLBACK}#x`,
			"https://app.example.com/Callback",
			"https://APP.example.com/callback",
			"https://app.example.com:443/callback",
			"https://app.example.com/callback%20",
			"http://app.example.com/callback",
			"https://app.example.com/callbac",
			` ${CALLBACK}`,
			"https://app.example.com@evil.example/callback",
			"https://app.example.com/callback/../callback",
			"javascript:alert(1)",
			"//evil.example",
			"https://other.example.com/cb",
		]) {
			for (const prompt of [undefined, "none"]) {
				const link = connectLink(app, { redirectUri: uri, state: "s", ...(prompt && { prompt }) });
				expectFault(await browse().open(link), 400, "redirect_uri_not_registered");
			}
		}
		expect((await browse().open(connectLink(app))).forms).toHaveLength(1);
		expectFault(await browse().open(connectLink(other)), 400, "redirect_uri_not_registered");
	});

	test("512 characters of state work, 513 end on a page [connect.state-512]", async () => {
		for (const letter of ["a", "ä", "😀"]) {
			const allowed = letter.repeat(512);
			const answer = await signInTo(service, browse(), connectLink(app, { state: allowed }), someone());
			expect(returned(answer).state).toBe(allowed);
			expectFault(await browse().open(connectLink(app, { state: `${allowed}a` })), 400, "state_too_long");
			const silent = connectLink(app, { state: `${allowed}a`, prompt: "none" });
			expectFault(await browse().open(silent), 400, "state_too_long");
		}
	});

	test("the state comes back unmodified, control characters and U+0000 included [connect.state-echo]", async () => {
		for (const state of ["a\u0000b", "\u0000", "\u0001%:x", "\u0007\u001b[0m\r\n", "100%25 + ü&="]) {
			const answer = await signInTo(service, browse(), connectLink(app, { state }), someone());
			expect(returned(answer).state).toBe(state);
		}
	});

	test("a parameter that comes twice, or could not be given back as it came, ends on a page", async () => {
		for (const twice of [`app=${app.id}`, "state=a", `redirect_uri=${redirectUri}`, "%73tate=a", "prompt=none"])
			expectFault(
				await browse().open(`${connectLink(app, { state: "a", prompt: "x" })}&${twice}`),
				400,
				"repeated_parameter",
			);
		for (const garbled of ["%ff", "%C3", "%"])
			expectFault(await browse().open(`${connectLink(app)}&state=${garbled}`), 400, "malformed_parameter");
		expect((await browse().open(`${connectLink(app)}&utm=1&utm=2&x=%ff`)).status).toBe(200);
	});

	test("an App whose sign-in is off ends on a page", async () => {
		const off = await addConnectApp(service.database, "Switched off");
		await set(sql`UPDATE apps SET sign_in = 0 WHERE id = ${off.id}`);
		expectFault(await browse().open(connectLink(off)), 400, "sign_in_disabled");
	});

	test("faults of the link come before the App's pause, the pause before the session", async () => {
		const paused = await addConnectApp(service.database, "Paused");
		await setAppState(service.database, paused.id, "paused");
		expectFault(
			await browse().open(connectLink(paused, { redirectUri: `${CALLBACK}/` })),
			400,
			"redirect_uri_not_registered",
		);
		expectFault(await browse().open(connectLink(paused, { state: "a".repeat(513) })), 400, "state_too_long");
		expect(returned(await browse().open(connectLink(paused, { prompt: "none" })))).toEqual({
			error: "temporarily_unavailable",
		});
	});
});

describe("signing in", () => {
	test("an address, then the six digits that were mailed to it; wrong ones lead nowhere [connect.email-and-code]", async () => {
		const [browser, email] = [browse(), someone()];
		const asked = await browser.open(connectLink(app, { state: "s" }));
		expect(asked.status).toBe(200);
		expect(asked.title).toBe("Sign in to Sunday Hikers · Svc");
		expect(asked.html).toContain("Your e-mail address");
		expect(asked.html).toContain("Private storage for your pictures");
		expect(asked.html).toContain("typing the code connects you");
		const sent = await browser.submit(asked, "/connect", { email });
		expect(sent.status).toBe(303);
		const page = await browser.follow(sent);
		const code = await codeFor(service.database, email);
		expect(code).toMatch(/^[0-9]{6}$/);
		// A redirect, so that a reload of what it leads to burns no try.
		const refused = await browser.follow(await browser.submit(page, "/connect/code", { code: wrong(code) }));
		expect((await browser.open(refused.url)).alerts).toEqual(refused.alerts);
		expect(refused.alerts).toEqual(["That is not the code. You have 4 more tries."]);
		expect(refused.html).toMatch(
			/<input id="code"[^>]*aria-describedby="code-fault connects code-hint"[^>]*aria-invalid="true"/,
		);
		// As a mail program copies it.
		const answer = await browser.submit(refused, "/connect/code", { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
		expect(answer.status).toBe(303);
		expect(Object.keys(returned(answer))).toEqual(["code", "state"]);
	});

	test("after the code there is no further step: the connection is there [connect.code-is-consent, conn.created-by-sign-in]", async () => {
		const [browser, email] = [browse(), someone()];
		const early = await connectUser(service.database, app);
		expect((await asUser("usr_0000000000000000000000")).status).toBe(403);
		const answer = await signInTo(service, browser, connectLink(app), email);
		const { user } = await exchanged(service, app, returned(answer).code ?? "");
		expect(user).toMatchObject({ email, verified: true });
		expect((await asUser(user.id)).status).toBe(200);
		expect(user.id).not.toBe(early.id);
	});

	test("a code that is asked for, and never typed, connects nobody", async () => {
		const [browser, email] = [browse(), someone()];
		await toCode(browser, connectLink(app), email);
		const count = sql`SELECT count(*) FROM connections JOIN accounts ON accounts.pk = account_pk WHERE email = ${email}`;
		expect(await countOf(service.database, count)).toBe(0);
	});

	test("the callback gets code and state, the state as it was sent [connect.redirect-code, connect.state-echo]", async () => {
		for (const state of [
			"a+b c%20d&e=f",
			"ünïcødé 😀 \u202e",
			"?code=evil&error=x#frag",
			"\r\nSet-Cookie: a=b",
			"<script>alert(1)</script>",
			"\"'`",
			"a\nb\tc\r",
			" ",
			"%",
			"%2B",
			"e\u0301",
		]) {
			const answer = await signInTo(service, browse(), connectLink(app, { state }), someone());
			expect(answer.location.startsWith(`${CALLBACK}?code=`)).toBe(true);
			expect(answer.headers.getSetCookie().join()).not.toContain("a=b");
			const back = returned(answer);
			expect(Object.keys(back)).toEqual(["code", "state"]);
			expect(back.state).toBe(state);
		}
	});

	test("without a state there is none in the redirect; an empty one comes back empty [connect.redirect-state-only-if-sent]", async () => {
		expect(Object.keys(returned(await signInTo(service, browse(), connectLink(app), someone())))).toEqual(["code"]);
		const answer = await signInTo(service, browse(), connectLink(app, { state: "" }), someone());
		expect(returned(answer).state).toBe("");
	});

	test("a registered URI keeps its own query, byte for byte", async () => {
		for (const [uri, joint] of [
			["https://app.example.com/cb?a=%7E+b&&c=%c3%A4&code=own", "&"],
			["https://app.example.com/cb?", ""],
			["http://127.0.0.1:8123/cb", "?"],
		] as const) {
			await addCallback(service.database, app, uri);
			const link = connectLink(app, { redirectUri: uri, state: "s t" });
			const { location } = await signInTo(service, browse(), link, someone());
			expect(location).toMatch(/^[\x20-\x7e]+$/);
			expect(location.startsWith(`${uri}${joint}code=`)).toBe(true);
			expect(location.endsWith("&state=s%20t")).toBe(true);
			const cancelled = (await browse().open(link)).links.get("Cancel");
			expect(cancelled).toBe(`${uri}${joint}error=access_denied&state=s%20t`);
		}
	});

	test("the code of the callback is good for 30 seconds, and not for 120 [connect.code-60s, exchange.expired]", async () => {
		const inTime = returned(await signInTo(service, browse(), connectLink(app), someone()));
		service.clock.advance(30_000);
		expect((await exchanged(service, app, inTime.code ?? "")).object).toBe("auth_context");
		const late = returned(await signInTo(service, browse(), connectLink(app), someone()));
		service.clock.advance(120_000);
		const refused = await send(service, "POST", "/v1/auth/exchange", { code: late.code }, { key: app.key });
		expect(await errorOf(refused)).toMatchObject({ status: 422, code: "invalid_code" });
	});

	test("a person who is signed in types a code for an App that is new to them all the same, with their address filled in", async () => {
		const [browser, email] = [browse(), someone()];
		await signInTo(service, browser, connectLink(app), email);
		const never = await addConnectApp(service.database, "Never met");
		const again = await browser.open(connectLink(never), { crossSite: true });
		expect(again.status).toBe(200);
		expect(again.forms[0]?.fields.email).toBe(email);
	});

	test("the same person is the same user after signing in again, and another one in another App", async () => {
		const [email, other] = [someone(), await addConnectApp(service.database, "Recipe Box")];
		const userOf = async (of: TestApp) => {
			const { code } = returned(await signInTo(service, browse(), connectLink(of), email));
			return (await exchanged(service, of, code ?? "")).user.id;
		};
		const [first, again, elsewhere] = [await userOf(app), await userOf(app), await userOf(other)];
		expect(again).toBe(first);
		expect(elsewhere).not.toBe(first);
	});

	test("login_hint is offered, and sends no code by itself; a malformed one is ignored", async () => {
		const page = await browse().open(`${connectLink(app)}&login_hint=Hinted%40example.com`);
		expect(page.html).toContain('value="Hinted@example.com"');
		const malformed = await browse().open(`${connectLink(app)}&login_hint=%22%3E%3Cb`);
		expect([malformed.status, malformed.html.includes("&lt;b")]).toEqual([200, false]);
	});

	test("who is signed in and new to the App sees as whom and why there is a code, sends it with one button, or uses another address", async () => {
		const [browser, email] = [browse(), someone()];
		await signInTo(service, browser, connectLink(app), email);
		const never = await addConnectApp(service.database, "Never met");
		const page = await browser.open(connectLink(never, { state: "s" }));
		expect(page.html).toContain("Signed in as");
		expect(page.html).toContain(email);
		expect(page.html).not.toContain('id="email"');
		const sent = await browser.follow(await browser.submit(page, "/connect", {}));
		expect(sent.html).toContain("Type the code");
		const other = await browser.open(page.links.get("Use another address")?.replaceAll("&amp;", "&") ?? "");
		expect(other.html).toContain('id="email"');
		expect(other.html).not.toContain("Signed in as");
	});

	test("another code can be asked for after a minute; then the earlier one is void", async () => {
		const [browser, email] = [browse(), someone()];
		const page = await toCode(browser, connectLink(app, { state: "s" }), email);
		const first = await codeFor(service.database, email);
		const early = await browser.submit(page, "/connect/resend");
		// A notice: nothing is wrong.
		expect([early.status, early.alerts]).toEqual([200, []]);
		expect(early.html).toMatch(/role="status"[^>]*>A code was sent a moment ago, and works\. Wait \d+ seconds/);
		// Nothing is wrong with what is in the field, and the page that says so can be loaded once more.
		expect(early.html).not.toContain("aria-invalid");
		expect((await browser.open(early.url)).location).toBe(early.url.replace(/^.*\/connect\/resend/, "/connect/code"));
		service.clock.advance(61_000);
		const again = await browser.follow(await browser.submit(early, "/connect/resend"));
		expect(again.html).toContain("A new code is on its way");
		const second = await codeFor(service.database, email);
		if (first !== second) {
			const refused = await browser.follow(await browser.submit(again, "/connect/code", { code: first }));
			expect(refused.alerts).toEqual(["That is not the code. You have 4 more tries."]);
		}
		expect(returned(await browser.submit(again, "/connect/code", { code: second })).state).toBe("s");
	});

	test("a code that is 10 minutes old, or used, leads to a page that starts the same sign-in again", async () => {
		const [browser, email] = [browse(), someone()];
		const link = connectLink(app, { state: "a+b &=%" });
		const page = await toCode(browser, link, email);
		const code = await codeFor(service.database, email);
		const late = await toCode(browser, link, email);
		returned(await browser.submit(late, "/connect/code", { code: await codeFor(service.database, email) }));
		const replayed = await browser.submit(late, "/connect/code", { code: await codeFor(service.database, email) });
		service.clock.advance(601_000);
		for (const over of [
			replayed,
			await browser.submit(page, "/connect/code", { code }),
			await browser.open(page.url),
		]) {
			expect([over.status, over.location]).toEqual([410, ""]);
			const restart = new URL(over.links.get("Start again") ?? "", "http://localhost:3000").searchParams;
			expect(Object.fromEntries(restart)).toEqual({ app: app.id, redirect_uri: CALLBACK, state: "a+b &=%" });
		}
	});

	test("two tabs with two Apps lead back to each its own", async () => {
		const other = await addConnectApp(service.database, "Second tab", ["https://second.example.com/cb"]);
		const browser = browse();
		const [one, two] = [someone(), someone()];
		const left = await browser.open(connectLink(app, { state: "left" }), { crossSite: true });
		const secondLink = connectLink(other, { redirectUri: "https://second.example.com/cb", state: "right" });
		const right = await browser.open(secondLink, { crossSite: true });
		const leftCode = await browser.follow(await browser.submit(left, "/connect", { email: one }));
		const rightCode = await browser.follow(await browser.submit(right, "/connect", { email: two }));
		const rightBack = await browser.submit(rightCode, "/connect/code", { code: await codeFor(service.database, two) });
		const leftBack = await browser.submit(leftCode, "/connect/code", { code: await codeFor(service.database, one) });
		expect(rightBack.location).toStartWith("https://second.example.com/cb?code=");
		expect(returned(rightBack).state).toBe("right");
		expect(leftBack.location).toStartWith(`${CALLBACK}?code=`);
		expect(returned(leftBack).state).toBe("left");
	});
});

describe("what ends without a code", () => {
	test("cancelling at either step [connect.access_denied.cancel, connect.fail-no-code]", async () => {
		const [browser, state] = [browse(), "a+b%"];
		const asked = await browser.open(connectLink(app, { state }));
		const page = await toCode(browser, connectLink(app, { state }), someone());
		for (const { links } of [asked, page]) {
			const back = new URL(links.get("Cancel") ?? "");
			expect(back.origin + back.pathname).toBe(CALLBACK);
			expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state });
		}
		const stateless = (await browser.open(connectLink(app))).links.get("Cancel");
		expect(stateless).toBe(`${CALLBACK}?error=access_denied`);
	});

	test("a disabled account, and one that is being deleted [connect.access_denied.cannot-grant]", async () => {
		for (const status of ["disabled", "deleting"]) {
			const email = someone();
			await signInTo(service, browse(), connectLink(app), email);
			await set(sql`UPDATE accounts SET status = ${status} WHERE email = ${email}`);
			const answer = await signInTo(service, browse(), connectLink(app, { state: "s" }), email);
			expect(returned(answer)).toEqual({ error: "access_denied", state: "s" });
			expect(answer.headers.getSetCookie().join()).not.toContain("session=svc_ses_");
		}
	});

	test("[C] at the users limit a new person is turned away; connected ones keep signing in, silently too [connect.access_denied.users-limit, limits.users-limit-connected]", async () => {
		const full = await addConnectApp(service.database, "Full house");
		const [browser, member] = [browse(), someone()];
		await signInTo(service, browser, connectLink(full), member);
		await set(sql`UPDATE apps SET users_limit = 1 WHERE id = ${full.id}`);
		const refused = await signInTo(service, browse(), connectLink(full, { state: "s" }), someone());
		expect(returned(refused)).toEqual({ error: "access_denied", state: "s" });
		expect(returned(await signInTo(service, browse(), connectLink(full), member)).code).toBeDefined();
		const silent = await browser.open(connectLink(full, { prompt: "none" }), { crossSite: true });
		expect(returned(silent).code).toBeDefined();
	});

	test("[C] 50 people at once at a limit of 20: 20 get in [connect.access_denied.users-limit]", async () => {
		const rush = await addConnectApp(service.database, "The rush");
		await set(sql`UPDATE apps SET users_limit = 20 WHERE id = ${rush.id}`);
		const ready = await Promise.all(
			Array.from({ length: 50 }, async () => {
				const [browser, email] = [browse(), someone()];
				const page = await toCode(browser, connectLink(rush), email);
				const code = await codeFor(service.database, email);
				return () => browser.submit(page, "/connect/code", { code });
			}),
		);
		const answers = (await Promise.all(ready.map((submit) => submit()))).map(returned);
		expect(answers.filter(({ code }) => code !== undefined)).toHaveLength(20);
		expect(answers.filter(({ error }) => error === "access_denied")).toHaveLength(30);
		const counted = sql`SELECT users FROM app_usage JOIN apps ON apps.pk = app_pk WHERE apps.id = ${rush.id}`;
		expect(await countOf(service.database, counted)).toBe(20);
		const connected = sql`SELECT count(*) FROM connections JOIN apps ON apps.pk = app_pk WHERE apps.id = ${rush.id}`;
		expect(await countOf(service.database, connected)).toBe(20);
	});

	test("a paused or blocked App, at every step, with prompt=none too [connect.temporarily_unavailable, connect.fail-no-code]", async () => {
		for (const state of ["paused", "blocked"] as const) {
			const shut = await addConnectApp(service.database, `Shut ${state}`);
			const [browser, email] = [browse(), someone()];
			const asked = await browser.open(connectLink(shut, { state: "s" }));
			const page = await toCode(browser, connectLink(shut, { state: "s" }), email);
			await setAppState(service.database, shut.id, state);
			const code = await codeFor(service.database, email);
			for (const answer of [
				await browser.open(connectLink(shut, { state: "s" })),
				await browser.open(connectLink(shut, { state: "s", prompt: "none" })),
				await browser.submit(asked, "/connect", { email }),
				await browser.submit(page, "/connect/code", { code }),
			])
				expect(returned(answer)).toEqual({ error: "temporarily_unavailable", state: "s" });
			expect(returned(await browser.open(connectLink(shut)))).toEqual({ error: "temporarily_unavailable" });
		}
	});
});
