import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { addPerson, addSession } from "../support/people.ts";
import { type StartedService, startService } from "../support/service.ts";
import { faultsOf, SCREENS, tooWide } from "../support/sound-page.ts";

/* The documentation and the API document as their readers see them. */

let service: StartedService;
let chromium: Browser;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService();
	chromium = await launchChromium();
});
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await service.stop();
});

/** The whole API is one page, which takes a busy machine a while. */
const SLOWLY = { timeout: 100_000 };

test.skipIf(withoutChromium)(
	`/docs/api fits a phone, loads nothing from elsewhere, opens what a link leads to, and makes a call with a key${chromiumNote}`,
	async () => {
		const page = await chromium.newPage({ viewport: { width: 360, height: 740 } });
		const faults: string[] = [];
		page.on("request", (request) => {
			if (new URL(request.url()).origin !== service.baseUrl) faults.push(request.url());
		});
		page.on("console", (message) => {
			// Browsers look for an icon.
			if (!message.text().startsWith("Failed to load resource")) faults.push(message.text());
		});
		page.on("pageerror", (error) => faults.push(error.message));
		await page.goto(`${service.baseUrl}/docs/api`, SLOWLY);
		expect(await page.locator("form[data-operation=getUsage]").isVisible()).toBe(false);
		await page.goto(`${service.baseUrl}/docs/api#getUsage`, SLOWLY);
		const form = page.locator("form[data-operation=getUsage]");
		await form.locator("[name=bearer]").fill(service.apiKey);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
		await form.locator("button").click();
		await page.locator("[data-status='200']").waitFor();
		expect(await page.content()).not.toContain(service.apiKey);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
		// Nothing of it is filled in again, neither by the page nor by the browser.
		await page.goBack();
		expect(await form.locator("[name=bearer]").inputValue()).toBe("");
		expect(faults).toEqual([]);
		await page.close();
	},
	120_000,
);

test.skipIf(withoutChromium)(
	`without JavaScript and by the keyboard alone a call of /docs/api is opened and made${chromiumNote}`,
	async () => {
		const context = await chromium.newContext({ javaScriptEnabled: false });
		const page = await context.newPage();
		await page.goto(`${service.baseUrl}/docs/api#getKey`, SLOWLY);
		const form = page.locator("form[data-operation=getKey]");
		await form.locator("[name=bearer]").focus();
		await page.keyboard.type(service.apiKey);
		await page.keyboard.press("Enter");
		await page.locator("[data-status='200']").waitFor();
		await context.close();
	},
	120_000,
);

test.skipIf(withoutChromium)(
	`who is signed in in the browser reads without a key, and changes nothing without one${chromiumNote}`,
	async () => {
		const person = await addPerson(service.database);
		const secret = await addSession(service.database, person.id, { kind: "web" });
		const context = await chromium.newContext();
		await context.addCookies([{ name: "session", value: secret, url: service.baseUrl }]);
		const page = await context.newPage();
		await page.goto(`${service.baseUrl}/docs/api#getMe`, SLOWLY);
		await page.locator("form[data-operation=getMe] button").click();
		await page.locator("[data-status='200']").waitFor();
		expect(await page.content()).toContain(person.email);
		await page.goto(`${service.baseUrl}/docs/api#createApp`, SLOWLY);
		const bearer = page.locator("form[data-operation=createApp] [name=bearer]");
		await bearer.evaluate((field) => field.removeAttribute("required"));
		await page.locator("form[data-operation=createApp] button").click();
		await page.locator("[data-status='401']").waitFor();
		await context.close();
	},
	120_000,
);

test.skipIf(withoutChromium)(
	`a link to a call in /docs, where the document was once, leads to the call${chromiumNote}`,
	async () => {
		const page = await chromium.newPage();
		await page.goto(`${service.baseUrl}/docs#/images/listImages`);
		await page.waitForURL(`${service.baseUrl}/docs/api#listImages`);
		await page.locator("form[data-operation=listImages]").waitFor();
		await page.close();
	},
	120_000,
);

describe.each(SCREENS)("the documentation can be read by everybody, %s", (_, options) => {
	test.skipIf(withoutChromium)(
		`pages, search and what is not there${chromiumNote}`,
		async () => {
			const context = await chromium.newContext(options);
			const page = await context.newPage();
			const paths = [
				"/docs",
				"/docs/concepts",
				"/docs/reference/sdk",
				"/docs/operate/proxy",
				"/docs?q=backup",
				"/docs/nowhere",
			];
			for (const path of paths) {
				await page.goto(service.baseUrl + path);
				expect([path, await faultsOf(page)]).toEqual([path, []]);
				expect([path, await tooWide(page)]).toEqual([path, []]);
			}
			await context.close();
		},
		60_000,
	);
});

test.skipIf(withoutChromium)(
	`the documentation is searched by the keyboard alone, without JavaScript${chromiumNote}`,
	async () => {
		const context = await chromium.newContext({ javaScriptEnabled: false });
		const page = await context.newPage();
		await page.goto(`${service.baseUrl}/docs`);
		// The link over the top, the name, then the field.
		for (const _ of [1, 2, 3]) await page.keyboard.press("Tab");
		await page.keyboard.type("litestream");
		await page.keyboard.press("Enter");
		await page.waitForURL("**/docs?q=litestream");
		await page.locator(".hits a").first().click();
		await page.waitForURL("**/docs/**");
		expect(await page.locator("main").textContent()).toMatch(/litestream/i);
		await context.close();
	},
	120_000,
);

/** A long page: on a phone, and on a wide screen in the dark. */
const TWO_SCREENS = SCREENS.filter(([name]) => ["360 px, light", "1200 px, dark"].includes(name));

describe.each(TWO_SCREENS)("/docs/api can be heard and read by everybody, %s", (_, options) => {
	test.skipIf(withoutChromium)(
		`closed, with open calls, and with an answer${chromiumNote}`,
		async () => {
			const context = await chromium.newContext(options);
			const page = await context.newPage();
			const faults = async () => [await faultsOf(page), await tooWide(page)];
			for (const operation of ["listImages", "createImage", "changeApp", "deleteApp", "openImage"]) {
				await page.goto(`${service.baseUrl}/docs/api#${operation}`, SLOWLY);
				await page.locator(`#${operation}`).waitFor();
			}
			expect(await tooWide(page)).toEqual([]);
			// axe takes minutes for all of them: those that are closed are made as those that are open.
			await page.evaluate(() => {
				const closed = document.querySelectorAll("details.operation:not([open]), details.object");
				for (const one of [...closed].slice(20)) one.remove();
			});
			expect(await faults()).toEqual([[], []]);
			await page.goto(`${service.baseUrl}/docs/api#listImages`, SLOWLY);
			await page.locator("form[data-operation=listImages] [name=bearer]").fill(service.apiKey);
			for (const [name, value, status] of [
				["limit", "1", "200"],
				["limit", "none", "422"],
			] as const) {
				await page.locator(`form[data-operation=listImages] [name=${name}]`).fill(value);
				await page.locator("form[data-operation=listImages] [name=bearer]").fill(service.apiKey);
				await page.locator("form[data-operation=listImages] button").click();
				await page.locator(`[data-status='${status}']`).waitFor();
				expect(await faults()).toEqual([[], []]);
			}
			await context.close();
		},
		120_000,
	);
});
