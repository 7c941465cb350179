import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { type SoftPasskey, signWith } from "../../support/authenticator.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import {
	codeFor,
	connectLink,
	hostedSignIn,
	SIGN_IN_UNLIMITED,
	signInToAccount,
	wrong,
} from "../../support/connect.ts";
import { asNobody, keptPasskey, type RequestAnswer } from "../../support/passkeys.ts";
import { addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";

/* Where the pages offer a passkey, and what they do with it. */

const hosted = hostedSignIn();
const numbered = serviceFor({ ...SIGN_IN_UNLIMITED, SVC_WEB_URL: "http://127.0.0.1:3000" });
const once = serviceFor({ SVC_SIGN_IN_IP_RATE: "1" });
const FORM = "data-passkey=";

const codesTo = (email: string) =>
	countOf(
		hosted.service.database,
		sql`SELECT count(*) FROM emails WHERE recipient = ${email} AND json_extract(facts, '$.code') IS NOT NULL`,
	);

/** Somebody with a passkey, whose session in the browser is stale. */
async function keeper() {
	const { service, browse, someone } = hosted;
	const [browser, email] = [browse(), someone()];
	await signInToAccount(service, browser, email);
	const [row] = await service.database.rows("SELECT id FROM accounts WHERE email = ?", [email]);
	const id = String(row?.[0]);
	const { passkey } = await keptPasskey(service, { secret: await addSession(service.database, id) });
	await service.database.write([
		{ run: sql`UPDATE sessions SET fresh_ms = 0 WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${id})` },
	]);
	return { browser, email, passkey, codes: await codesTo(email) };
}

const askToRemove = async (browser: Browser) =>
	browser.follow(await browser.submit(await browser.open("/account/passkeys"), "/remove"));

/** What the script does: it asks for options, has them signed, and sends the form. */
async function usePasskey(browser: Browser, page: Shown, action: string, passkey: SoftPasskey): Promise<Shown> {
	const form = page.forms.find((one) => one.action.includes(action));
	const asked = /data-options="([^"]+)"/.exec(page.html)?.[1] ?? "";
	const answer = await browser.post(
		asked,
		{ form_token: form?.fields.form_token ?? "" },
		{ headers: { Referer: page.url } },
	);
	const options = JSON.parse(answer.html) as RequestAnswer;
	const credential = JSON.stringify(await signWith(passkey, options.publicKey));
	return browser.submit(page, action, { options: options.id, credential });
}

test("pages that offer passkeys by themselves use up nothing of what the button may ask for, and have a bound of their own", async () => {
	const browser = new Browser(once);
	const page = await browser.open("/account");
	expect(page.html).toContain('autoComplete="username webauthn"');
	const { fields = {} } = page.forms.find(({ action }) => action === "/account/passkey") ?? {};
	const ask = async (more: Readonly<Record<string, string>>) =>
		(await browser.post("/account/passkey/options", { form_token: fields.form_token ?? "", ...more })).status;
	const offers: number[] = [];
	for (let opened = 0; opened < 11; opened++) offers.push(await ask({ offered: "1" }));
	expect(offers).toEqual([...Array<number>(10).fill(200), 429]);
	expect([await ask({}), await ask({})]).toEqual([200, 429]);
	// Typing the code is the consent to an App: no passkey stands for it.
	const connect = await hosted.browse().open(connectLink(hosted.app));
	expect([connect.status, connect.html.includes("webauthn")]).toEqual([200, false]);
});

describe("confirming who one is", () => {
	test("a passkey is offered first, and no code is mailed where it does", async () => {
		const { browser, email, passkey, codes } = await keeper();
		const confirm = await askToRemove(browser);
		expect([confirm.status, confirm.title]).toEqual([200, "Confirm that it is you · Svc"]);
		expect(confirm.html).toContain(`or with a code that we send to`);
		expect(confirm.html).not.toContain('name="code"');
		expect(await codesTo(email)).toBe(codes);
		const done = await browser.follow(await usePasskey(browser, confirm, "/account/confirm/passkey", passkey));
		expect(done.html).toContain("The passkey is removed");
		expect(await codesTo(email)).toBe(codes);
	});

	test("a code is mailed when it is asked for, once, and does the same", async () => {
		const { browser, email, codes } = await keeper();
		const confirm = await askToRemove(browser);
		const asked = await browser.follow(await browser.submit(confirm, "/account/confirm/resend"));
		expect(await codesTo(email)).toBe(codes + 1);
		expect(asked.html).toContain('name="code"');
		// The passkey is still there, for who cannot get at the mail.
		expect(asked.html).toContain("Use a passkey instead");
		const again = await browser.submit(asked, "/account/confirm/resend");
		expect([again.status, await codesTo(email)]).toEqual([200, codes + 1]);
		const done = await browser.submit(asked, "/account/confirm?", {
			code: await codeFor(hosted.service.database, email),
		});
		expect((await browser.follow(done)).html).toContain("The passkey is removed");
	});

	test("before it was mailed no code is right", async () => {
		const { browser } = await keeper();
		const confirm = await askToRemove(browser);
		const form_token = confirm.forms[0]?.fields.form_token ?? "";
		for (const code of ["000000", wrong("000000")]) {
			const refused = await browser.post(confirm.url, { form_token, code });
			expect(refused.location).toBe(new URL(confirm.url).pathname + new URL(confirm.url).search);
		}
	});

	test("a passkey that is refused leaves the form as it was, and says so", async () => {
		const { browser, passkey } = await keeper();
		const confirm = await askToRemove(browser);
		const other = { ...passkey, id: new Uint8Array(32) };
		const refused = await usePasskey(browser, confirm, "/account/confirm/passkey", other);
		expect(refused.status).toBe(422);
		expect(refused.alerts.join()).toContain("not known here");
		expect(refused.html).not.toContain('name="code"');
	});

	test("without a passkey the code is mailed at once, as ever", async () => {
		const { service, browse, someone } = hosted;
		const [browser, email] = [browse(), someone()];
		await signInToAccount(service, browser, email);
		await service.database.write([
			{
				run: sql`UPDATE sessions SET fresh_ms = 0 WHERE account_pk = (SELECT pk FROM accounts WHERE email = ${email})`,
			},
		]);
		const confirm = await browser.follow(
			await browser.submit(await browser.open("/account/address"), "/account/address", { email: someone() }),
		);
		expect(confirm.html).toContain('name="code"');
		expect(confirm.html).not.toContain(FORM);
		expect(await codesTo(email)).toBe(2);
	});
});

describe("signing in", () => {
	test("the form for the code offers a passkey as well, which ends the wait for the code", async () => {
		const { service, browse } = hosted;
		const { email, passkey } = await keeper();
		const browser = browse();
		const code = await browser.follow(
			await browser.submit(await browser.open("/account/plans"), "/account/sign-in", { email }),
		);
		expect(code.html).toContain("Sign in with a passkey");
		const refused = await usePasskey(browser, code, "/account/passkey", { ...passkey, id: new Uint8Array(32) });
		expect([refused.status, refused.alerts.join()]).toEqual([422, expect.stringContaining("not known here")]);
		// Still the same form for the same code.
		expect(refused.html).toContain('name="code"');
		const done = await usePasskey(browser, refused, "/account/passkey", passkey);
		expect([done.status, done.location]).toEqual([303, "/account/plans"]);
		expect([...browser.cookies.keys()].filter((name) => name.startsWith("flow-"))).toEqual([]);
		expect((await browser.open("/account")).html).toContain(email);
		await service.runJobs();
	});
});

describe("where SVC_WEB_URL is an IP address", () => {
	const browse = (service: OpenService) => new Browser(service, "http://127.0.0.1:3000");

	test("no page offers a passkey", async () => {
		const browser = browse(numbered);
		const email = "numbered@example.com";
		const asked = await browser.open("/account");
		expect(asked.html).not.toContain(FORM);
		const code = await browser.follow(await browser.submit(asked, "/account/sign-in", { email }));
		expect(code.html).not.toContain(FORM);
		await browser.submit(code, "/account/code", { code: await codeFor(numbered.database, email) });
		const section = await browser.open("/account/passkeys");
		expect(section.html).toContain("No passkey can be added here");
		expect(section.html).not.toContain(FORM);
		expect((await browser.open("/account")).html).not.toContain(FORM);
	});

	test("409 says why to whoever asks for options over the API", async () => {
		const { database } = numbered;
		await signInToAccount(numbered, browse(numbered), "api@example.com");
		const [row] = await database.rows("SELECT id FROM accounts WHERE email = ?", ["api@example.com"]);
		const person = { secret: await addSession(database, String(row?.[0])) };
		const asked = [
			await send(numbered, "POST", "/v1/me/passkeys/options", undefined, as(person)),
			await send(numbered, "POST", "/v1/sessions/passkey", {}, as(person)),
			await asNobody(numbered, "/v1/sessions/passkey", {}),
		];
		for (const refused of asked) {
			expect(refused.status).toBe(409);
			expect((await errorOf(refused)).message).toContain("IP address");
		}
	});
});

test("an App's own pages for a code offer none: typing it is the consent", async () => {
	const { app, browse, someone } = hosted;
	const link = `/connect?${new URLSearchParams({ app: app.id, redirect_uri: "https://app.example.com/callback" })}`;
	const browser = browse();
	const asked = await browser.open(link);
	const code = await browser.follow(await browser.submit(asked, "/connect", { email: someone() }));
	expect([asked.html.includes(FORM), code.html.includes(FORM)]).toEqual([false, false]);
});
