import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
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

/** The whole API is drawn at once, which takes a busy machine a while. */
const SLOWLY = { timeout: 100_000 };

test.skipIf(withoutChromium)(
	`/docs/api fits a phone, explains itself, and makes a call with a key${chromiumNote}`,
	async () => {
		const page = await chromium.newPage({ viewport: { width: 360, height: 740 } });
		const faults: string[] = [];
		page.on("request", (request) => {
			const { protocol, origin } = new URL(request.url());
			if (protocol !== "data:" && origin !== service.baseUrl) faults.push(request.url());
		});
		page.on("console", (message) => {
			// Browsers look for an icon.
			if (!message.text().startsWith("Failed to load resource")) faults.push(message.text());
		});
		page.on("pageerror", (error) => faults.push(error.message));
		await page.goto(`${service.baseUrl}/docs/api`);
		await page.locator("#operations-tag-images").waitFor(SLOWLY);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
		await page.getByText("All codes").click();
		expect(await page.getByText("create_outcome_ambiguous").isVisible()).toBe(true);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

		await page.locator("button.authorize").first().click();
		await page.locator(".auth-container input").fill(service.apiKey);
		await page.locator(".auth-btn-wrapper .authorize").click();
		await page.locator(".btn-done").click();
		await page.locator("#operations-tag-usage").click();
		await page.locator("#operations-usage-getUsage .opblock-summary-control").click();
		await page.locator(".try-out__btn").click();
		await page.locator("button.execute").click();
		const answer = page.locator(".live-responses-table tbody .response-col_status");
		expect(await answer.first().textContent()).toStartWith("200");
		expect(faults).toEqual([]);
	},
	120_000,
);

test.skipIf(withoutChromium)(
	`a link to a call in /docs, where the document was once, leads to the call${chromiumNote}`,
	async () => {
		const page = await chromium.newPage();
		await page.goto(`${service.baseUrl}/docs#/images/listImages`);
		await page.waitForURL(`${service.baseUrl}/docs/api#/images/listImages`);
		await page.locator("#operations-images-listImages").waitFor(SLOWLY);
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

describe.each([...SCREENS, ["1200 px, light", { viewport: { width: 1_200, height: 740 } }]] as const)(
	"/docs/api can be heard and read by everybody, %s",
	(_, options) => {
		test.skipIf(withoutChromium)(
			`in each of its states${chromiumNote}`,
			async () => {
				const page = await chromium.newPage(options);
				await page.goto(`${service.baseUrl}/docs/api`);
				await page.locator("#operations-tag-images").waitFor(SLOWLY);
				expect(await faultsOf(page)).toEqual([]);
				await page.getByText("All codes").click();
				await page.locator("#operations-tag-images").click();
				await page.locator("#operations-images-listImages .opblock-summary-control").click();
				await page.locator(".try-out__btn").click();
				await page.locator("button.execute").click();
				await page.locator(".live-responses-table tbody .response-col_status").first().waitFor();
				expect(await faultsOf(page)).toEqual([]);
				for (const operation of ["deleteImage", "updateImage", "createImage"]) {
					await page.locator(`#operations-images-${operation} .opblock-summary-control`).click();
					await page.locator(`#operations-images-${operation} .responses-table`).waitFor();
				}
				await page.locator("#operations-images-updateImage .try-out__btn").click();
				await page.locator("button.authorize").first().click();
				await page.locator(".auth-container input").waitFor();
				expect(await faultsOf(page)).toEqual([]);
				const { width } = options.viewport;
				expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
				await page.close();
			},
			120_000,
		);
	},
);
