import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { Browser, type Shown } from "../../support/browser.ts";
import {
	addConnectApp,
	codeFor,
	connectLink,
	hostedSignIn,
	PASSKEYS,
	returned,
	signInTo,
	signInToAccount,
	toCode,
	wrong,
} from "../../support/connect.ts";
import { openService } from "../../support/service.ts";

const { service, app, browse, someone } = hostedSignIn();

describe("enumeration of addresses", () => {
	test("a known and an unknown address are answered alike, at every step", async () => {
		const known = someone();
		await signInTo(service, browse(), connectLink(app), known);
		const disabled = someone();
		await signInTo(service, browse(), connectLink(app), disabled);
		await service.database.write([{ run: sql`UPDATE accounts SET status = 'disabled' WHERE email = ${disabled}` }]);
		const walk = async (email: string) => {
			const browser = browse();
			const sent = await browser.submit(await browser.open(connectLink(app, { state: "s" })), "/connect", { email });
			const page = await browser.follow(sent);
			const code = await codeFor(service.database, email);
			const refused = await browser.submit(page, "/connect/code", { code: wrong(code) });
			const resent = await browser.submit(page, "/connect/resend");
			const plain = (shown: Shown) =>
				[shown.status, shown.location, shown.html, [...shown.headers.keys()].sort().join()]
					.join("\n")
					.replaceAll(email, "E")
					.replaceAll(/log_\w{22}|[0-9a-f]{64}|Wait \d+ seconds?/g, "…");
			return [sent, page, refused, resent].map(plain);
		};
		const unknown = await walk(someone());
		expect(await walk(known)).toEqual(unknown);
		expect(await walk(disabled)).toEqual(unknown);
	});

	test("the limit on mails to one address answers alike for known and unknown ones", async () => {
		const limited = await openService({ SVC_SIGN_IN_IP_RATE: "0" });
		try {
			const limitedApp = await addConnectApp(limited.database);
			const known = someone();
			await signInTo(limited, new Browser(limited), connectLink(limitedApp), known);
			limited.clock.advance(3_600_000);
			const send = async (email: string) => {
				const browser = new Browser(limited);
				return browser.submit(await browser.open(connectLink(limitedApp)), "/connect", { email });
			};
			const statuses: number[][] = [];
			for (const email of [known, someone()]) {
				const answers: Shown[] = [];
				for (let times = 0; times < 6; times++) answers.push(await send(email));
				statuses.push(answers.map(({ status }) => status));
				expect(answers.at(-1)?.headers.get("Retry-After")).toMatch(/^\d+$/);
				expect(answers.at(-1)?.alerts[0]).toContain("Too many codes");
			}
			expect(statuses[0]).toEqual([303, 303, 303, 303, 303, 429]);
			expect(statuses[1]).toEqual([303, 303, 303, 303, 303, 429]);
		} finally {
			await limited.close();
		}
	});

	test("an address that cannot be one is refused with the form filled in as it was", async () => {
		const browser = browse();
		const page = await browser.open(connectLink(app, { state: "s" }));
		for (const email of ["", "nobody", "a b@example.com", `${"a".repeat(300)}@example.com`, '"><b>@x']) {
			const refused = await browser.submit(page, "/connect", { email });
			expect(refused.status).toBe(422);
			expect(refused.alerts).toEqual(["This is not an e-mail address that we can send to."]);
			expect(refused.forms[0]?.fields.email).toBe(email);
		}
	});
});

describe("hostile names and values", () => {
	const HOSTILE = `"><img src=x onerror=alert(1)>'</title><script>alert(1)</script>&amp;\u202egpj`;

	test("an App's name, an address and a state are shown as what they are, and never become part of the page", async () => {
		const hostile = await addConnectApp(service.database, HOSTILE);
		const [browser, email] = [browse(), "\"'><script>alert(1)</script>@example.com"];
		const asked = await browser.open(connectLink(hostile, { state: HOSTILE }));
		expect(asked.title).toBe(`Sign in to ${HOSTILE} · Svc`);
		const refused = await browser.submit(asked, "/connect", { email });
		expect(refused.forms[0]?.fields.email).toBe(email);
		const mail = "o'hara+<b>@example.com".replace("<b>", "b");
		const page = await toCode(browser, connectLink(hostile, { state: HOSTILE }), mail);
		const over = await browse().open(page.url);
		const account = await signInToAccount(service, browser, mail);
		for (const { html } of [asked, refused, page, over, account]) {
			expect(html.replace(PASSKEYS, "")).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
			expect(html.match(/<title>/g)).toHaveLength(1);
		}
		const back = await signInTo(service, browser, connectLink(hostile, { state: HOSTILE }), mail);
		expect(returned(back).state).toBe(HOSTILE);
		const connections = await browser.open("/account");
		expect(connections.html.replace(PASSKEYS, "")).not.toMatch(/<script|<img/i);
		expect(connections.html).toContain("&lt;script&gt;");
	});

	test("no address on a page of ours, and no parameter, leads anywhere but to registered callbacks", async () => {
		const browser = browse();
		for (const path of [
			`/connect/code?login=${newId("log")}&app=${app.id}&redirect_uri=https://evil.example&state=x`,
			"/connect/code?login=../../evil&redirect_uri=//evil.example",
			"/account/code?login=x&next=https://evil.example",
			"/account?next=//evil.example&done=__proto__",
			"/account/sign-in?next=https://evil.example",
			"//evil.example/connect",
			"/connect/..//evil.example",
			"/\\evil.example",
		]) {
			const page = await browser.open(`http://localhost:3000${path}`);
			expect([200, 303, 400, 404, 410]).toContain(page.status);
			if (page.status === 303) expect(page.location).toBe("/account");
			for (const href of page.links.values())
				expect(new URL(href, "http://localhost:3000").origin).toBe("http://localhost:3000");
		}
	});
});
