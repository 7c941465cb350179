import { describe, expect, test } from "bun:test";
import { LOCALES } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { Browser } from "../../support/browser.ts";
import {
	addConnectApp,
	codeFor,
	connectLink,
	SIGN_IN_UNLIMITED,
	signInToAccount,
	toCode,
} from "../../support/connect.ts";
import { addPerson, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { startLogin } from "../../support/sign-in.ts";

const service = serviceFor(SIGN_IN_UNLIMITED);
const browse = (language?: string) => new Browser(service, undefined, language);
const REPORT = `/report/${newId("img")}`;
const TITLES = {
	en: "Report a picture · Svc",
	de: "Ein Bild melden · Svc",
	es: "Denunciar una imagen · Svc",
	fr: "Signaler une image · Svc",
	ja: "画像を報告 · Svc",
};
const accepting = (header: string) => ({ headers: { "Accept-Language": header } });
const languageOf = (html: string) => /<html lang="([^"]*)">/.exec(html)?.[1];
const localeOfMailTo = async (email: string) => {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string]>(
			sql`SELECT locale FROM emails WHERE recipient = ${email} ORDER BY pk DESC LIMIT 1`,
		),
	);
	return rows[0]?.[0];
};

test("in test mode without a mail server the form for the code names the command that shows it, in every language", async () => {
	const app = await addConnectApp(service.database);
	for (const locale of LOCALES) {
		const browser = browse(locale);
		const page = await toCode(browser, connectLink(app), `${locale}@example.com`);
		expect([locale, languageOf(page.html)]).toEqual([locale, locale]);
		expect(page.html).toContain("<code>./svc operator emails --limit 1 --json</code>");
	}
});

describe("a page is in the language", () => {
	test.each([
		["de", "de"],
		["de-AT,de;q=0.9,en;q=0.8", "de"],
		["pt-BR, fr;q=0.5, es;q=0.7", "es"],
		["en;q=0.1, ja;q=0.2", "ja"],
		["fr;q=0, ja", "ja"],
		["pt-BR", "en"],
		["*", "en"],
		["", "en"],
	] as const)("that the browser asks for: %p is %p", async (header, locale) => {
		const page = await browse().open(REPORT, accepting(header));
		expect(page.title).toBe(TITLES[locale]);
		expect(languageOf(page.html)).toBe(locale);
		expect(page.headers.get("Content-Language")).toBe(locale);
		expect(page.headers.get("Vary")).toContain("Accept-Language");
	});

	test("that somebody chose below the page, in this browser from then on, who comes back to where they were", async () => {
		const browser = browse();
		const chosen = await browser.submit(await browser.open(`${REPORT}?a=b`), "/language", { locale: "ja" });
		expect([chosen.status, chosen.location]).toEqual([303, `${REPORT}?a=b`]);
		expect((await browser.open(REPORT, accepting("de"))).title).toBe(TITLES.ja);
	});

	test("that an App's link asks for, through all of the sign-in, until the person chooses another", async () => {
		const app = await addConnectApp(service.database);
		const browser = browse();
		const email = "ui.locales@example.com";
		const code = await toCode(browser, `${connectLink(app)}&ui_locales=pt+fr-CA`, email);
		expect(languageOf(code.html)).toBe("fr");
		expect(await localeOfMailTo(email)).toBe("fr");
		const again = await browser.follow(await browser.submit(code, "/language", { locale: "de" }));
		expect([again.status, languageOf(again.html)]).toEqual([200, "de"]);
	});

	test("of the account, whatever the browser asks for; null gives it back to the browser", async () => {
		const browser = browse();
		await signInToAccount(service, browser, "chosen@example.com");
		await browser.submit(await browser.open("/account"), "/language", { locale: "es" });
		expect(browser.cookies.has("language")).toBe(false);
		expect((await browser.open(REPORT, accepting("de"))).title).toBe(TITLES.es);
		await browser.submit(await browser.open("/account/language"), "/language", { locale: "" });
		expect((await browser.open(REPORT, accepting("de"))).title).toBe(TITLES.de);
	});

	test("and its switch names every language in that language", async () => {
		const { html } = await browse().open(REPORT);
		for (const locale of LOCALES) expect(html).toContain(`lang="${locale}"`);
		expect(html).toContain("日本語");
	});
});

describe("the switch", () => {
	test.each([
		"https://evil.example/",
		"//evil.example/x",
		"/\\evil.example",
		"javascript:alert(1)",
		"http://localhost:3000//evil.example",
	])("leads to no other site: %s", async (to) => {
		const { location } = await browse().post("/language", { to, locale: "de" });
		expect(new URL(location, "http://localhost:3000").origin).toBe("http://localhost:3000");
	});

	test("ignores a language that there is not, and refuses a form from elsewhere", async () => {
		const browser = browse();
		expect((await browser.post("/language", { locale: "xx" })).status).toBe(303);
		expect(browser.cookies.has("language")).toBe(false);
		const elsewhere = { headers: { Origin: "https://evil.example" } };
		expect((await browser.post("/language", { locale: "de" }, elsewhere)).status).toBe(403);
	});
});

describe("PATCH /me", () => {
	test("chooses a language, or none; 422 for one that the service does not speak", async () => {
		const person = await addPerson(service.database);
		const patch = (locale: unknown) => send(service, "PATCH", "/v1/me", { locale }, as(person));
		for (const locale of ["fr", null, "ja"]) {
			const answer = await patch(locale);
			expect([answer.status, ((await answer.json()) as { locale: unknown }).locale]).toEqual([200, locale]);
		}
		const refused = await patch("xx");
		expect(refused.status).toBe(422);
		expect((await errorOf(refused)).fields).toEqual(["locale"]);
		const me = await send(service, "GET", "/v1/me", undefined, as(person));
		expect(await me.json()).toMatchObject({ locale: "ja" });
	});
});

describe("mails", () => {
	test("are in the language of the page that asked, and later ones in that of the last sign-in", async () => {
		const email = "mails@example.com";
		await signInToAccount(service, browse("de-CH"), email);
		expect(await localeOfMailTo(email)).toBe("de");
		// The console speaks English, and says nothing of the person's language.
		await startLogin(service, email);
		expect(await localeOfMailTo(email)).toBe("de");
		expect(await codeFor(service.database, email)).toMatch(/^\d{6}$/);
	});
});
