import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { Browser, type Shown } from "../../support/browser.ts";
import {
	addConnectApp,
	connectLink,
	exchanged,
	hostedSignIn,
	returned,
	SIGN_IN_UNLIMITED,
	signInTo,
} from "../../support/connect.ts";
import { dataDirectory } from "../../support/data-directory.ts";
import { send } from "../../support/requests.ts";

/* "Continue as …": one button for whoever prompt=none would let in at that moment, and for nobody else. */

const { service, app, browse, someone, set } = hostedSignIn();
const link = () => connectLink(app, { state: "s" });
const GO_ON = "/connect/continue";

/** Somebody who is connected, with the browser that they did it in. */
async function connected() {
	const [browser, email] = [browse(), someone()];
	const { code } = returned(await signInTo(service, browser, link(), email));
	return { browser, email, user: (await exchanged(service, app, code ?? "")).user };
}

const offers = (page: Shown) => page.forms.some(({ action }) => action.startsWith(GO_ON));
const open = (browser: Browser, at = link()) => browser.open(at, { crossSite: true });

async function auditOf(userId: string): Promise<readonly string[]> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT event FROM audit WHERE actor = ${userId} ORDER BY pk`),
	);
	return rows.map(([event]) => event);
}

describe("somebody who is signed in, and connected under this consent", () => {
	test("is led back by one POST, with a code for the same user and the state that was sent; no code is mailed", async () => {
		const { browser, email, user } = await connected();
		const page = await open(browser);
		expect(page.html).toContain(`Continue as <bdi>${email}</bdi>`);
		expect(page.html).not.toContain("Send the code");
		expect(page.forms).toHaveLength(1);
		const back = returned(await browser.submit(page, GO_ON));
		expect(Object.keys(back)).toEqual(["code", "state"]);
		expect((await exchanged(service, app, back.code ?? "")).user).toEqual(user);
	});

	test("sees it in their activity, which a silent sign-in does not fill", async () => {
		const { browser, user } = await connected();
		await browser.submit(await open(browser), GO_ON);
		await open(browser, connectLink(app, { prompt: "none" }));
		expect(await auditOf(user.id)).toEqual(["user.connected", "user.signed_in"]);
		expect((await browser.open("/account/activity")).html).toContain("Signed in to an App");
	});

	test("may use another address, or cancel", async () => {
		const { browser } = await connected();
		const page = await open(browser);
		expect(returned({ ...page, status: 303, location: page.links.get("Cancel") ?? "" })).toEqual({
			error: "access_denied",
			state: "s",
		});
		const other = await browser.open(page.links.get("Use another address") ?? "");
		expect(offers(other)).toBe(false);
		expect(other.html).toContain('id="email"');
	});

	test("is asked for another address where the App names another one", async () => {
		const { browser } = await connected();
		expect(offers(await open(browser, `${link()}&login_hint=other%40example.com`))).toBe(false);
	});
});

describe("nobody else is offered it", () => {
	test("who is signed in nowhere, or was never connected to this App", async () => {
		expect(offers(await open(browse()))).toBe(false);
		const never = await addConnectApp(service.database, "Never met");
		expect(offers(await open((await connected()).browser, connectLink(never)))).toBe(false);
	});

	test("whose address is another one by now, whose disconnect is under way, whose account is disabled", async () => {
		for (const change of [
			(email: string) =>
				sql`UPDATE accounts SET email = ${`x-${email}`}, email_norm = ${`x-${email}`} WHERE email = ${email}`,
			(email: string) =>
				sql`UPDATE connections SET state = 'disconnecting' WHERE account_pk = (SELECT pk FROM accounts WHERE email = ${email})`,
			(email: string) => sql`UPDATE accounts SET status = 'disabled' WHERE email = ${email}`,
		]) {
			const { browser, email, user } = await connected();
			const shown = await open(browser);
			await set(change(email));
			expect(offers(await open(browser))).toBe(false);
			// A page that was opened before gets no more than a new one.
			const answer = await browser.submit(shown, GO_ON);
			expect(answer.location).not.toContain("code=");
			expect(await auditOf(user.id)).toEqual(["user.connected"]);
		}
	});

	test("whose connection is older than the consent, until a code was typed under it", async () => {
		await using data = await dataDirectory();
		const before = await data.serve(SIGN_IN_UNLIMITED);
		const hikers = await addConnectApp(before.database);
		const early = new Browser(before);
		await signInTo(before, early, connectLink(hikers), "early@example.com");
		const shown = await open(early, connectLink(hikers));
		expect(offers(shown)).toBe(true);
		const after = await data.serve({ ...SIGN_IN_UNLIMITED, SVC_CONSENT_VERSION: "2" });
		const late = early.movedTo(after);
		expect(offers(await open(late, connectLink(hikers)))).toBe(false);
		expect((await late.submit(shown, GO_ON)).location).toStartWith("/connect?");
	});

	test("a paused App sends back with temporarily_unavailable, an App without sign-in with a page", async () => {
		const { browser } = await connected();
		const shown = await open(browser);
		await set(sql`UPDATE apps SET paused_ms = 1 WHERE id = ${app.id}`);
		expect(returned(await browser.submit(shown, GO_ON))).toEqual({ error: "temporarily_unavailable", state: "s" });
		await set(sql`UPDATE apps SET paused_ms = NULL, sign_in = 0 WHERE id = ${app.id}`);
		expect((await browser.submit(shown, GO_ON)).faultCode).toBe("sign_in_disabled");
		await set(sql`UPDATE apps SET sign_in = 1 WHERE id = ${app.id}`);
	});
});

test("403 for a form from elsewhere, without its token, of another session, and after signing out", async () => {
	const [first, second] = [await connected(), await connected()];
	const page = await open(first.browser);
	const form = page.forms.find(({ action }) => action.startsWith(GO_ON));
	const action = form?.action ?? "";
	const foreign = { headers: { Origin: "https://evil.example" } };
	expect((await first.browser.submit(page, GO_ON, {}, foreign)).status).toBe(403);
	expect((await first.browser.post(action, {})).status).toBe(403);
	// Another person signed in meanwhile in this browser: the page named somebody else.
	expect((await second.browser.post(action, form?.fields ?? {})).status).toBe(403);
	const account = await first.browser.open("/account");
	await first.browser.submit(account, "/account/sign-out");
	expect((await first.browser.post(action, form?.fields ?? {})).status).toBe(403);
	expect(await auditOf(first.user.id)).toEqual(["user.connected"]);
});

test("what is loaded again after a refusal is the card", async () => {
	const { browser } = await connected();
	expect((await browser.open(link().replace("/connect", GO_ON))).location).toBe(link());
});

test("a user who was disconnected begins anew: nothing brings the connection back without a code", async () => {
	const { browser, user } = await connected();
	const shown = await open(browser);
	const page = await browser.open(`/account/apps/${app.id}/disconnect`);
	await browser.submit(page, "/disconnect");
	await service.runJobs();
	expect((await browser.submit(shown, GO_ON)).location).toStartWith("/connect?");
	const named = await send(service, "GET", "/v1/images", undefined, {
		key: app.key,
		headers: { "X-Svc-User": user.id },
	});
	expect(named.status).toBe(403);
});
