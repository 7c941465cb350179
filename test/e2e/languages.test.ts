import { afterAll, beforeAll, expect, test } from "bun:test";
import { LOCALES } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import type { Browser, Page } from "playwright-core";
import type { TestApp } from "../support/apps.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { addConnectApp, codeFor, connectLink, SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { type StartedService, startService } from "../support/service.ts";
import { faultsOf, tooWide } from "../support/sound-page.ts";

/* The hosted pages in every language in a real browser: long words and other scripts have room on a small screen. */

let service: StartedService;
let chromium: Browser;
let app: TestApp;
/** The App's own page. */
let callback: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService(SIGN_IN_UNLIMITED);
	chromium = await launchChromium();
	callback = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("welcome") });
	app = await addConnectApp(service.database, "Sunday Hikers", [callback.url.href]);
});
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await callback.stop(true);
	await service.stop();
});

/** One of words, one of signs: what axe asks for is the same in each language. */
const HEARD_IN: readonly string[] = ["en", "ja"];

/** Where pictures of the pages go, for people to look at: SVC_TEST_SHOTS=<folder>. */
const folder = process.env.SVC_TEST_SHOTS;

async function look(page: Page, locale: string, name: string): Promise<void> {
	if (folder) await page.screenshot({ path: `${folder}/${name}-${locale}.png`, fullPage: true });
	expect([name, await page.evaluate("document.documentElement.lang")]).toEqual([name, locale]);
	expect([name, await tooWide(page)]).toEqual([name, []]);
	if (HEARD_IN.includes(locale)) expect([name, await faultsOf(page)]).toEqual([name, []]);
}

test.skipIf(withoutChromium).each([...LOCALES])(
	`in %s every page fits a screen of 320 px, and in two of them axe finds nothing${chromiumNote}`,
	async (locale) => {
		const context = await chromium.newContext({ locale, viewport: { width: 320, height: 700 } });
		const page = await context.newPage();
		const open = async (path: string, name: string) => {
			await page.goto(new URL(path, service.baseUrl).href);
			await look(page, locale, name);
		};
		await open("/", "home");
		await open("/nowhere", "missing");
		await open(`/report/${newId("img")}`, "report");
		await open("/account", "sign-in");
		await page.fill("#email", `reader-${locale}@example.com`);
		await page.click("main .primary");
		await look(page, locale, "code");
		const email = `connected-${locale}@example.com`;
		await open(connectLink(app, { redirectUri: callback.url.href }), "connect");
		await page.fill("#email", email);
		await page.click("main .primary");
		await look(page, locale, "connect-code");
		await page.fill("#code", await codeFor(service.database, email));
		await page.click("main .primary");
		await page.waitForURL(`${callback.url.href}**`);
		for (const section of ["", "/security", "/delete", "/export", "/developer", "/activity", "/language"]) {
			await open(`/account${section}`, `account${section.replace("/", "-")}`);
		}
		await open(`/account/apps/${app.id}/keys`, "keys");
		await open(`/account/apps/${app.id}/disconnect`, "disconnect");
		await context.close();
	},
	180_000,
);
