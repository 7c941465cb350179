import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import {
	addConnectApp,
	CALLBACK,
	codeFor,
	connectLink,
	exchanged,
	returned,
	SIGN_IN_UNLIMITED,
	signInToAccount,
	wrong,
} from "../../support/connect.ts";
import { mailedFacts } from "../../support/mail.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { askCode, startLogin, verify } from "../../support/sign-in.ts";

/* While wrong codes keep new devices out, a link in a mail lets a person in. */

const service = serviceFor(SIGN_IN_UNLIMITED);
const app = madeBefore(() => addConnectApp(service.database));
const MINUTE_MS = 60_000;
let people = 0;
const someone = () => `locked-${++people}@example.com`;
const browse = () => new Browser(service);

/** As a stranger does who knows no more than the address. */
async function lockOut(email: string): Promise<void> {
	for (let login = 0; login < 2; login++) {
		const started = await startLogin(service, email);
		const code = wrong(await codeFor(service.database, email));
		for (let tries = 0; tries < 5; tries++) await verify(service, started, code);
	}
	expect((await askCode(service, { email })).status).toBe(429);
}

async function linkFor(email: string): Promise<string> {
	return (await mailedFacts(service.database, sql`recipient = ${email}`)).at(-1)?.facts.link ?? "";
}

const mailsTo = (email: string) =>
	countOf(service.database, sql`SELECT count(*) FROM emails WHERE recipient = ${email}`);

/** From the first form to the page that says that the link is on its way. */
async function askLink(browser: Browser, start: string, form: string, email: string): Promise<Shown> {
	const refused = await browser.submit(await browser.open(start), form, { email });
	expect([refused.status, refused.forms.map(({ action }) => action.split("?")[0])]).toEqual([
		429,
		[`${start.split("?")[0]}/link`, form, ...(start === "/account" ? ["/account/passkey"] : [])],
	]);
	return await browser.follow(await browser.submit(refused, `${start.split("?")[0]}/link`));
}

const toAccount = (browser: Browser, email: string) => askLink(browser, "/account", "/account/sign-in", email);
const toApp = (browser: Browser, email: string) =>
	askLink(browser, connectLink(app, { state: "s" }), "/connect", email);
const buttonOf = (page: Shown) => page.forms[0]?.action ?? "";

describe("a person whom strangers' wrong codes keep out", () => {
	test("signs in to the account by a link, in the browser that asked for it, once", async () => {
		const [browser, email] = [browse(), someone()];
		await signInToAccount(service, browse(), email);
		await lockOut(email);
		const sent = await toAccount(browser, email);
		expect([sent.status, sent.html.includes(email)]).toEqual([200, true]);
		const link = await linkFor(email);
		const landed = await browser.open(link, { crossSite: true });
		expect([landed.status, landed.forms.length]).toEqual([200, 1]);
		const done = await browser.submit(landed, buttonOf(landed));
		expect([done.status, done.location]).toEqual([303, "/account"]);
		expect((await browser.follow(done)).html).toContain(email);
		expect((await browser.open(link)).status).toBe(410);
		const again = browse();
		for (const [name, kept] of browser.cookies) again.cookies.set(name, kept);
		expect((await again.post(new URL(buttonOf(landed), landed.url).href, {})).status).toBe(410);
	});

	test("connects to an App by a link, and comes back to it; the lock stays for everybody else", async () => {
		const [browser, email] = [browse(), someone()];
		await lockOut(email);
		expect((await toApp(browser, email)).status).toBe(200);
		const landed = await browser.open(await linkFor(email), { crossSite: true });
		expect(landed.html).toContain("Sunday Hikers");
		const { code = "", state } = returned(await browser.submit(landed, buttonOf(landed)));
		expect([state, (await exchanged(service, app, code)).user.email]).toEqual(["s", email]);
		expect((await askCode(service, { email })).status).toBe(429);
	});

	test("is offered it where the code that was just typed comes too late, and where another code is asked for", async () => {
		const [browser, email] = [browse(), someone()];
		const asked = await browser.follow(
			await browser.submit(await browser.open("/account"), "/account/sign-in", { email }),
		);
		const code = await codeFor(service.database, email);
		await lockOut(email);
		service.clock.advance(2 * MINUTE_MS);
		for (const [action, fields] of [
			["/account/code", { code }],
			["/account/resend", {}],
		] as const) {
			const refused = await browser.submit(asked, action, fields);
			expect([refused.status, refused.forms.some((form) => form.action.startsWith("/account/link"))]).toEqual([
				429,
				true,
			]);
			const sent = await browser.follow(await browser.submit(refused, "/account/link"));
			expect([sent.status, await linkFor(email)]).toEqual([200, expect.stringContaining("/account/link/")]);
		}
	});

	test("is led on to the card that they were sent to", async () => {
		const [browser, email] = [browse(), someone()];
		await lockOut(email);
		const card = `/billing?${new URLSearchParams({ app: app.id, redirect_uri: CALLBACK })}`;
		const refused = await browser.submit(await browser.open(card), "/account/sign-in", { email });
		await browser.submit(refused, "/account/link");
		const landed = await browser.open(await linkFor(email), { crossSite: true });
		expect((await browser.submit(landed, buttonOf(landed))).location).toBe(card);
	});
});

describe("a link", () => {
	test("does nothing by being opened, however often, and shows nothing of the person", async () => {
		const [browser, email] = [browse(), someone()];
		await lockOut(email);
		await toAccount(browser, email);
		const link = await linkFor(email);
		for (let times = 0; times < 5; times++) {
			const scanned = await browse().open(link, { crossSite: true });
			expect([scanned.status, scanned.html.includes(email), scanned.headers.getSetCookie()]).toEqual([200, false, []]);
		}
		const landed = await browser.open(link, { crossSite: true });
		expect((await browser.submit(landed, buttonOf(landed))).status).toBe(303);
	});

	test("does nothing in another browser, whose trial does not use it up", async () => {
		const [browser, email] = [browse(), someone()];
		await lockOut(email);
		await toAccount(browser, email);
		const other = browse();
		const landed = await other.open(await linkFor(email), { crossSite: true });
		const refused = await other.submit(landed, buttonOf(landed));
		expect([refused.status, other.cookies.has("session")]).toEqual([410, false]);
		// A form on another site sends no cookie along, and says where it is.
		const planted = { headers: { Origin: "https://evil.example" } };
		expect((await browser.submit(landed, buttonOf(landed), {}, planted)).status).toBe(403);
		expect((await browser.submit(landed, buttonOf(landed))).status).toBe(303);
	});

	test("is good for ten minutes, is one of its login alone, and takes no digits in its place", async () => {
		const [browser, email] = [browse(), someone()];
		await lockOut(email);
		const sent = await toAccount(browser, email);
		const link = new URL(await linkFor(email));
		expect(link.pathname).toMatch(/^\/account\/link\/[a-z]{32}$/);
		const other = new URL(link);
		other.pathname = `${link.pathname.slice(0, -1)}${link.pathname.endsWith("b") ? "c" : "b"}`;
		expect((await browser.open(other.href)).status).toBe(410);
		expect((await browser.post(other.href, {})).status).toBe(410);
		const login = new URL(sent.url).searchParams.get("login") ?? "";
		const page = await browser.open(`/account/code?login=${login}`);
		expect((await browser.submit(page, "/account/code", { code: "123456" })).status).toBe(429);
		const landed = await browser.open(link.href);
		service.clock.advance(10 * MINUTE_MS + 1);
		expect((await browser.open(link.href)).status).toBe(410);
		expect((await browser.submit(landed, buttonOf(landed))).status).toBe(410);
	});

	test("counts as a mail to its address", async () => {
		const limited = someone();
		await lockOut(limited);
		const before = await mailsTo(limited);
		await toAccount(browse(), limited);
		expect(await mailsTo(limited)).toBe(before + 1);
		const lines = service.log.lines
			.filter(({ message }) => message === "page")
			.map(({ facts }) => JSON.stringify(facts));
		expect(lines.filter((line) => /link\/[a-z]{32}/.test(line))).toEqual([]);
	});
});
