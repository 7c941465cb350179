import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import {
	addConnectApp,
	CALLBACK,
	codeFor,
	connectLink,
	hostedSignIn,
	PASSKEYS,
	returned,
	SIGN_IN_UNLIMITED,
	signInTo,
	signInToAccount,
	toCode,
	wrong,
} from "../../support/connect.ts";
import { addPerson, addSession } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { openService } from "../../support/service.ts";

const { service, app, browse, someone } = hostedSignIn();
const codesSentTo = (email: string) =>
	countOf(service.database, sql`SELECT count(*) FROM emails WHERE recipient = ${email}`);

describe("theft and replay of codes", () => {
	test("a code typed in another browser does nothing, and leaves the owner's sign-in alone", async () => {
		const [owner, thief, email] = [browse(), browse(), someone()];
		const page = await toCode(owner, connectLink(app), email);
		const code = await codeFor(service.database, email);
		await thief.open(connectLink(app));
		const stolen = await thief.post(page.forms[0]?.action ?? "", { ...page.forms[0]?.fields, code });
		expect([stolen.status, stolen.location]).toEqual([410, ""]);
		// Another login's cookie under this login's name.
		const own = await toCode(thief, connectLink(app), someone());
		const ownId = new URL(own.url).searchParams.get("login");
		const id = new URL(page.url).searchParams.get("login");
		const cookie = thief.cookies.get(`flow-${ownId}`);
		if (!cookie) throw new Error("no cookie for the login");
		thief.cookies.set(`flow-${id}`, cookie);
		const refused = await thief.follow(await thief.submit(own, "/connect/code", { code }));
		expect(refused.alerts).toEqual(["That is not the code. You have 4 more tries."]);
		expect((await thief.open(page.url)).status).toBe(410);
		expect(returned(await owner.submit(page, "/connect/code", { code })).code).toBeDefined();
	});

	test("a code works once: of 50 at the same time one gets in", async () => {
		const [browser, email] = [browse(), someone()];
		const page = await toCode(browser, connectLink(app), email);
		const code = await codeFor(service.database, email);
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => browser.submit(page, "/connect/code", { code })),
		);
		const inside = answers.filter(({ status, location }) => status === 303 && !location.startsWith("/connect/code?"));
		expect(inside).toHaveLength(1);
		expect(answers.filter(({ status }) => ![303, 410, 422, 429].includes(status))).toEqual([]);
	});

	test("after five wrong codes the right one is refused, however many come at once; what cannot be a code costs no try", async () => {
		const [browser, email] = [browse(), someone()];
		const page = await toCode(browser, connectLink(app), email);
		const code = await codeFor(service.database, email);
		for (const slip of ["", "12345", "1234567", "abcdef", "12 34", "１２３４５"]) {
			const refused = await browser.submit(page, "/connect/code", { code: slip });
			expect([refused.status, refused.alerts]).toEqual([422, ["Type the six digits from the mail."]]);
		}
		const tries = await Promise.all(
			Array.from({ length: 20 }, () => browser.submit(page, "/connect/code", { code: wrong(code) })),
		);
		expect(tries.every(({ status, location }) => status === 410 || location.startsWith("/connect/code?"))).toBe(true);
		expect((await browser.submit(page, "/connect/code", { code })).status).toBe(410);
		expect((await browser.submit(page, "/connect/resend")).status).toBe(410);
	});

	test("the last wrong code ends on a page without a field, from which one starts again", async () => {
		const [browser, email] = [browse(), someone()];
		const link = connectLink(app, { state: "s" });
		const page = await toCode(browser, link, email);
		const code = wrong(await codeFor(service.database, email));
		for (let tries = 0; tries < 4; tries++) await browser.submit(page, "/connect/code", { code });
		const last = await browser.follow(await browser.submit(page, "/connect/code", { code }));
		expect([last.status, last.title]).toEqual([410, "This sign-in is over · Svc"]);
		expect(last.alerts).toEqual(["That was not the code, and it was the last try."]);
		expect([last.forms.length, last.links.get("Start again")]).toEqual([0, link]);
	});

	test("a stranger's ten wrong codes stop at the address, for a quarter of an hour; a device that has signed in before gets in", async () => {
		const [owner, email] = [browse(), someone()];
		await signInTo(service, owner, connectLink(app), email);
		const stranger = browse();
		for (let login = 0; login < 2; login++) {
			const page = await toCode(stranger, connectLink(app), email);
			const code = wrong(await codeFor(service.database, email));
			for (let tries = 0; tries < 5; tries++) await stranger.submit(page, "/connect/code", { code });
		}
		const refused = await stranger.submit(await stranger.open(connectLink(app)), "/connect", { email });
		expect(refused.status).toBe(429);
		expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(14 * 60);
		expect(refused.alerts[0]).toContain("Wait 15 minutes");
		expect(returned(await signInTo(service, owner, connectLink(app), email)).code).toBeDefined();
	});

	test("a login for one App never leads to another's callback, whatever the address says", async () => {
		const evil = await addConnectApp(service.database, "Evil", ["https://evil.example/cb"]);
		const [browser, email] = [browse(), someone()];
		const page = await toCode(browser, connectLink(app, { state: "mine" }), email);
		const forged = new URL(page.url);
		forged.searchParams.set("app", evil.id);
		forged.searchParams.set("redirect_uri", "https://evil.example/cb");
		forged.searchParams.set("state", "forged");
		const code = await codeFor(service.database, email);
		const answer = await browser.post(forged.href, { ...page.forms[0]?.fields, code });
		expect(answer.location).toStartWith(`${CALLBACK}?code=`);
		expect(returned(answer).state).toBe("mine");
		const exchange = await send(
			service,
			"POST",
			"/v1/auth/exchange",
			{ code: returned(answer).code },
			{ key: evil.key },
		);
		expect(exchange.status).toBe(422);
	});

	test("a login for the account page connects nobody, and one for an App is none for the account page", async () => {
		const [browser, email] = [browse(), someone()];
		const first = await browser.open("/account");
		const page = await browser.follow(await browser.submit(first, "/account/sign-in", { email }));
		const id = new URL(page.url).searchParams.get("login");
		expect((await browser.open(`/connect/code?login=${id}&app=${app.id}&redirect_uri=${CALLBACK}`)).status).toBe(410);
		const other = await toCode(browser, connectLink(app), email);
		const otherId = new URL(other.url).searchParams.get("login");
		expect((await browser.open(`/account/code?login=${otherId}`)).status).toBe(410);
	});
});

describe("forms from elsewhere", () => {
	test("without our Origin nothing is done: no mail, no session, no change", async () => {
		const [browser, email] = [browse(), someone()];
		const page = await browser.open(connectLink(app));
		const { action = "", fields = {} } = page.forms[0] ?? {};
		for (const headers of [
			{ Origin: "https://evil.example" },
			{ Origin: "null" },
			{ Origin: "http://localhost:3000.evil.example" },
			{ Origin: "http://localhost:3001" },
			{ Origin: "https://localhost:3000" },
			{ Origin: "http://127.0.0.1:3000" },
			{ Origin: "" },
			{ Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" },
		])
			expect((await browser.post(action, { ...fields, email }, { headers })).status).toBe(403);
		const body = new URLSearchParams({ ...fields, email }).toString();
		const type = { "Content-Type": "application/x-www-form-urlencoded" };
		const bare = (headers: Record<string, string>) =>
			browser.open(action, { method: "POST", body, headers: { ...type, ...headers } });
		for (const headers of [{}, { "Sec-Fetch-Site": "cross-site" }, { "Sec-Fetch-Site": "same-site" }])
			expect((await bare(headers as Record<string, string>)).status).toBe(403);
		expect(await codesSentTo(email)).toBe(0);
		// A browser that sends no Origin still says that it is no other site.
		expect((await bare({ "Sec-Fetch-Site": "same-origin" })).status).toBe(303);
		expect(await codesSentTo(email)).toBe(1);
	});

	test("on loopback the pages work under each of its names", async () => {
		const [browser, email] = [new Browser(service, "http://127.0.0.1:3000"), someone()];
		expect(returned(await signInTo(service, browser, connectLink(app), email)).code).toBeDefined();
	});

	test("without the token of this very browser nothing is done", async () => {
		const [browser, other, email] = [browse(), browse(), someone()];
		const page = await browser.open(connectLink(app));
		const { action = "", fields = {} } = page.forms[0] ?? {};
		const theirs = (await other.open(connectLink(app))).forms[0]?.fields ?? {};
		for (const forged of [{}, { form_token: "" }, { form_token: "a".repeat(128) }, theirs]) {
			const refused = await browser.post(action, { ...forged, email });
			expect(refused.status).toBe(403);
			expect(refused.links.get("Start again")).toStartWith(`/connect?app=${app.id}`);
		}
		browser.cookies.clear();
		expect((await browser.post(action, { ...fields, email })).status).toBe(403);
		expect(await codesSentTo(email)).toBe(0);
	});

	test("a form of the account page is bound to the session: not to be sent after signing out, nor by another", async () => {
		const [browser, other] = [browse(), browse()];
		await signInToAccount(service, browser, someone());
		const page = await browser.open("/account");
		await signInToAccount(service, other, someone());
		const theirs = (await other.open("/account")).forms[0]?.fields ?? {};
		expect((await browser.post("/account/sign-out", theirs)).status).toBe(403);
		expect((await browser.post("/account/sign-out", {})).status).toBe(403);
		expect((await browser.submit(page, "/account/sign-out")).status).toBe(303);
		const late = await browser.submit(page, "/account/sign-out");
		expect([late.status, late.title]).toEqual([403, "You are signed out · Svc"]);
	});

	test("what is no form of ours is refused before it is read: other types, too much of it, fields that come twice", async () => {
		const browser = browse();
		const page = await browser.open(connectLink(app));
		const { action = "", fields = {} } = page.forms[0] ?? {};
		const body = new URLSearchParams({ ...fields, email: "a@example.com" }).toString();
		const send = (text: string, type: string) =>
			browser.open(action, {
				method: "POST",
				body: text,
				headers: { "Content-Type": type, Origin: "http://localhost:3000" },
			});
		const form = "application/x-www-form-urlencoded";
		for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
			expect((await send(body, type)).status).toBe(400);
		expect((await send(`${body}&email=b%40example.com`, form)).status).toBe(400);
		expect((await send(`${body}&x=${"a".repeat(8_192)}`, form)).status).toBe(413);
		expect((await send(`${body}&__proto__=x&constructor=y`, form)).status).toBe(303);
	});
});

describe("frames, leaks and planted cookies", () => {
	/** One of each kind of answer. */
	async function everyAnswer(): Promise<Shown[]> {
		const [browser, email] = [browse(), someone()];
		const asked = await browser.open(connectLink(app, { state: "s" }));
		const sent = await browser.submit(asked, "/connect", { email });
		const page = await browser.follow(sent);
		const refused = await browser.submit(page, "/connect/code", { code: "1" });
		const back = await browser.submit(page, "/connect/code", { code: await codeFor(service.database, email) });
		const over = await browser.open(page.url);
		const fault = await browser.open("/connect");
		return [
			asked,
			sent,
			page,
			refused,
			back,
			over,
			fault,
			await browser.open("/account"),
			await browser.open("/nowhere"),
		];
	}

	test("every page refuses to be framed, kept, sniffed or to run anything; every redirect is a 303", async () => {
		for (const { status, headers, html, url } of await everyAnswer()) {
			expect(headers.get("Cache-Control")).toBe("no-store");
			if (status === 303) continue;
			expect(html.replace(PASSKEYS, "")).not.toMatch(/<script|\son[a-z]+=|\sstyle=|javascript:/i);
			expect(headers.get("Content-Security-Policy")).toBe(policyFor(html));
			expect(headers.get("X-Frame-Options")).toBe("DENY");
			expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
			expect(headers.get("Referrer-Policy")).toBe("same-origin");
			const onWay = new URL(url).pathname.startsWith("/connect");
			expect(headers.get("Cross-Origin-Opener-Policy")).toBe(onWay ? "unsafe-none" : "same-origin");
			expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
		}
	});

	test("a session that was planted before is never adopted, and the one before ends when another begins", async () => {
		const browser = browse();
		const planted = await addSession(service.database, (await addPerson(service.database)).id, { kind: "web" });
		browser.cookies.set("session", { value: planted, attributes: "" });
		browser.cookies.set("flow", { value: "planted", attributes: "" });
		const email = someone();
		await signInTo(service, browser, connectLink(app), email);
		const first = browser.cookies.get("session")?.value ?? "";
		expect(first).toMatch(/^svc_ses_[0-9A-Za-z]{38}$/);
		expect(first).not.toBe(planted);
		const withSession = (secret: string) => browse().open("/account", { headers: { Cookie: `session=${secret}` } });
		expect((await withSession(first)).html).toContain(email);
		expect((await withSession(planted)).title).toBe("Sign in · Svc");
		await signInTo(service, browser, connectLink(app), email);
		expect(browser.cookies.get("session")?.value).not.toBe(first);
		expect((await withSession(first)).title).toBe("Sign in · Svc");
	});

	test("a console's session or a token in the cookie signs nobody in", async () => {
		const person = await addPerson(service.database);
		const token = await addSession(service.database, person.id, { scopes: ["apps:read"] });
		for (const secret of [person.secret, token, app.key, "svc_ses_", "nonsense", `${person.secret}x`]) {
			const page = await browse().open("/account", { headers: { Cookie: `session=${secret}` } });
			expect([page.status, page.title]).toEqual([200, "Sign in · Svc"]);
		}
	});

	test("over https the cookies carry the __Host- prefix and Secure; all are HttpOnly, the code's is Strict", async () => {
		const secure = await openService({ ...SIGN_IN_UNLIMITED, SVC_WEB_URL: "https://pages.example.com" });
		try {
			const secureApp = await addConnectApp(secure.database);
			const browser = new Browser(secure, "https://pages.example.com");
			const email = someone();
			await signInTo(secure, browser, connectLink(secureApp), email);
			const attributes = (name: string) => browser.cookies.get(`__Host-${name}`)?.attributes ?? "";
			expect(attributes("flow")).toBe("Path=/; HttpOnly; Secure; SameSite=Lax");
			expect(attributes("session")).toBe("Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=7776000");
			expect(attributes("device")).toBe("Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000");
			await toCode(browser, connectLink(secureApp), email);
			const login = [...browser.cookies].find(([name]) => name.startsWith("__Host-flow-log_"));
			expect(login?.[1].attributes).toMatch(/^Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=(600|599)$/);
			expect([...browser.cookies.keys()].every((name) => name.startsWith("__Host-"))).toBe(true);
			// A cookie of the plain name may come from anywhere in the domain.
			const session = browser.cookies.get("__Host-session")?.value;
			const page = await new Browser(secure, "https://pages.example.com").open("/account", {
				headers: { Cookie: `session=${session}` },
			});
			expect(page.title).toBe("Sign in · Svc");
		} finally {
			await secure.close();
		}
	});
});

function policyFor(html: string): string {
	const policy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";
	return PASSKEYS.test(html) ? `${policy}; script-src 'self'; connect-src 'self'` : policy;
}
