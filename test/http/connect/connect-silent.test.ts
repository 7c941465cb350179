import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addKey } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import {
	addCallback,
	addConnectApp,
	codeFor,
	connectLink,
	exchanged,
	hostedSignIn,
	returned,
	SIGN_IN_UNLIMITED,
	sampleCallback,
	signInTo,
} from "../../support/connect.ts";
import { dataDirectory } from "../../support/data-directory.ts";
import { errorOf } from "../../support/requests.ts";

const { service, app, browse, someone, set, asUser } = hostedSignIn();

describe("prompt=none", () => {
	const silently = (browser: Browser, of = app) =>
		browser.open(connectLink(of, { state: "s", prompt: "none" }), { crossSite: true });
	const required = { error: "interaction_required", state: "s" };

	/** Somebody who is connected, with the browser that they did it in. */
	async function connected(of = app) {
		const [browser, email] = [browse(), someone()];
		const { code } = returned(await signInTo(service, browser, connectLink(of), email));
		return { browser, email, user: (await exchanged(service, of, code ?? "")).user };
	}

	test("a live session and a connection with the same address: a code, and no form [connect.prompt-optional, connect.silent-success]", async () => {
		const { browser, user } = await connected();
		const answer = await silently(browser);
		expect(answer.html).toBe("");
		const back = returned(answer);
		expect(Object.keys(back)).toEqual(["code", "state"]);
		expect((await exchanged(service, app, back.code ?? "")).user).toEqual(user);
		expect((await browser.open(connectLink(app))).forms).toHaveLength(1);
	});

	test("another prompt than none means nothing", async () => {
		for (const prompt of ["", "login", "NONE", "none login"])
			expect((await browse().open(connectLink(app, { prompt }))).forms).toHaveLength(1);
	});

	test("nobody is signed in, or not any more [connect.prompt-none.no-session]", async () => {
		expect(returned(await silently(browse()))).toEqual(required);
		const { browser } = await connected();
		service.clock.advance(31 * 86_400_000);
		expect(returned(await silently(browser))).toEqual(required);
	});

	test("signed in, but never connected to this App [connect.prompt-none.no-connection]", async () => {
		const { browser } = await connected();
		const never = await addConnectApp(service.database, "Never met");
		expect(returned(await silently(browser, never))).toEqual(required);
	});

	test("the address is another one than when they connected [connect.prompt-none.email-changed]", async () => {
		const { browser, email } = await connected();
		const changed = `new-${email}`;
		await set(sql`UPDATE accounts SET email = ${changed}, email_norm = ${changed} WHERE email = ${email}`);
		expect(returned(await silently(browser))).toEqual(required);
		// Typing the code consents anew.
		await signInTo(service, browser, connectLink(app), changed);
		expect(returned(await silently(browser)).code).toBeDefined();
	});

	test("the connection is older than the consent, until a code was typed under it [connect.prompt-none.predates-consent]", async () => {
		await using data = await dataDirectory();
		const before = await data.serve(SIGN_IN_UNLIMITED);
		const hikers = await addConnectApp(before.database);
		const early = new Browser(before);
		await signInTo(before, early, connectLink(hikers), "early@example.com");
		expect(returned(await silently(early, hikers)).code).toBeDefined();
		const after = await data.serve({ ...SIGN_IN_UNLIMITED, SVC_CONSENT_VERSION: "2" });
		const late = early.movedTo(after);
		expect(returned(await silently(late, hikers))).toEqual(required);
		await signInTo(after, late, connectLink(hikers), "early@example.com");
		expect(returned(await silently(late, hikers)).code).toBeDefined();
	});

	test("a disconnect is under way [connect.prompt-none.disconnecting]", async () => {
		const { browser, user } = await connected();
		await set(sql`UPDATE connections SET state = 'disconnecting' WHERE user_id = ${user.id}`);
		expect(returned(await silently(browser))).toEqual(required);
	});

	test("after a disconnect it never restores the connection [conn.silent-no-restore]", async () => {
		const { browser, user } = await connected();
		const page = await browser.open(`/account/apps/${app.id}/disconnect`);
		expect((await browser.submit(page, "/disconnect")).status).toBe(303);
		expect(returned(await silently(browser))).toEqual(required);
		await service.runJobs();
		expect(returned(await silently(browser))).toEqual(required);
		expect(await errorOf(await asUser(user.id))).toMatchObject({ status: 403, code: "user_forbidden" });
	});

	test("a disabled account gets no code [connect.fail-no-code]", async () => {
		const { browser, email } = await connected();
		await set(sql`UPDATE accounts SET status = 'disabled' WHERE email = ${email}`);
		const back = returned(await silently(browser));
		expect(back.code).toBeUndefined();
		expect(["interaction_required", "access_denied"]).toContain(back.error ?? "");
	});

	test("an App whose connected user comes back is told through the same callback, its own query kept", async () => {
		const uri = "https://app.example.com/silent?own=%7e";
		await addCallback(service.database, app, uri);
		const { browser } = await connected();
		const { location } = await browser.open(connectLink(app, { redirectUri: uri, prompt: "none" }));
		expect(location).toStartWith(`${uri}&code=`);
	});
});

describe("the App's side", () => {
	test("a callback compares the state, then its backend exchanges the code [connect.callback-state-verify]", async () => {
		const email = someone();
		const exchange = (code: string) => exchanged(service, app, code);
		const { location } = await signInTo(service, browse(), connectLink(app, { state: "mine" }), email);
		expect(await sampleCallback(location, "another", exchange)).toEqual({ refused: "state" });
		const done = await sampleCallback(location, "mine", exchange);
		expect(done).toMatchObject({ signedIn: { object: "auth_context", app: { id: app.id }, user: { email } } });
	});

	test("a callback that is given both error and code takes it for a failure [connect.callback-error-first]", async () => {
		const { location } = await signInTo(service, browse(), connectLink(app, { state: "mine" }), someone());
		const exchange = (code: string) => exchanged(service, app, code);
		expect(await sampleCallback(`${location}&error=access_denied`, "mine", exchange)).toEqual({
			refused: "access_denied",
		});
	});

	test("no page and no redirect carries an App's key [auth.server-side-key]", async () => {
		const [browser, email, secrets] = [browse(), someone(), [app.key, await addKey(service.database, app)]];
		const asked = await browser.open(connectLink(app, { state: "s" }));
		const page = await browser.follow(await browser.submit(asked, "/connect", { email }));
		const refused = await browser.submit(page, "/connect/code", { code: "12345" });
		const back = await browser.submit(refused, "/connect/code", { code: await codeFor(service.database, email) });
		const account = await browser.open("/account");
		for (const answer of [asked, page, refused, back, account]) {
			const whole = `${answer.html}${JSON.stringify([...answer.headers])}`;
			expect(whole).not.toContain("svc_sk_");
			for (const secret of secrets) expect(whole).not.toContain(secret.slice(-10));
		}
	});
});
