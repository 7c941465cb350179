import { afterAll, beforeAll, expect, test } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { addCallback } from "../support/connect.ts";
import { type StartedService, startService } from "../support/service.ts";
import { addCustomer, type Customer, cardAddress, openShop, type Shop } from "../support/subscribers.ts";
import { tierOf } from "../support/tiers.ts";

/* The card that sells tiers in a real browser: a phone, without scripts, without a mouse. */

let service: StartedService;
let chromium: Browser;
let shop: Shop;
/** The App, as far as it is come back to. */
let app: ReturnType<typeof Bun.serve>;
let callback: string;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService({ SVC_VARIANT: "legacy" });
	chromium = await launchChromium();
	shop = await openShop(service);
	app = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("back at the App") });
	callback = `http://127.0.0.1:${app.port}/back`;
	await addCallback(service.database, shop.app, callback);
});
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await app.stop(true);
	await service.stop();
});

const PHONE = { width: 360, height: 740 };

async function visitAs(customer: Customer, options: BrowserContextOptions): Promise<Page> {
	const context = await chromium.newContext({ viewport: PHONE, ...options });
	const value = customer.browser.cookies.get("session")?.value ?? "";
	await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
	return await context.newPage();
}

function linkTo(more: Readonly<Record<string, string>> = {}): string {
	return service.baseUrl + cardAddress(shop, { redirect_uri: callback, ...more });
}

async function expectTidy(page: Page): Promise<void> {
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
	expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
}

const shots = process.env.SVC_TEST_SHOTS;
const shoot = (page: Page, name: string) =>
	shots === undefined ? undefined : page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });

for (const colorScheme of ["light", "dark"] as const) {
	test.skipIf(withoutChromium)(
		`the card fits a phone and passes axe, ${colorScheme}, with and without a plan${chromiumNote}`,
		async () => {
			const customer = await addCustomer(service, shop);
			const page = await visitAs(customer, { colorScheme });
			await page.goto(linkTo({ plan: "scale", interval: "annual" }));
			await expectTidy(page);
			await shoot(page, `card-${colorScheme}`);
			await page.getByRole("button", { name: "Continue to payment" }).click();
			await page.getByRole("button", { name: /^Pay / }).click();
			await page.waitForURL(`${callback}**`);
			await page.goto(linkTo());
			await expectTidy(page);
			await shoot(page, `plan-${colorScheme}`);
			await page.context().close();
		},
		30_000,
	);
}

test.skipIf(withoutChromium)(
	`by keyboard and without scripts: choose, confirm, pay, and back at the App${chromiumNote} [card.legacy-confirm, card.return-success]`,
	async () => {
		const customer = await addCustomer(service, shop);
		const page = await visitAs(customer, { javaScriptEnabled: false });
		await page.goto(linkTo({ plan: "pro", state: "s" }));
		const plan = page.getByRole("radio", { name: /^Pro/ });
		await plan.focus();
		await page.keyboard.press("ArrowDown");
		expect(await page.getByRole("radio", { name: /^Scale/ }).isChecked()).toBe(true);
		await page.keyboard.press("Tab");
		await page.keyboard.press("ArrowDown");
		expect(await page.getByRole("radio", { name: /^Every year/ }).isChecked()).toBe(true);
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await page.waitForURL("**/checkout/**");
		expect(await page.getByText("$1,188.00 a year").isVisible()).toBe(true);
		await page.getByRole("button", { name: /^Pay / }).press("Enter");
		await page.waitForURL(`${callback}**`);
		expect(page.url()).toBe(`${callback}?billing=success&state=s`);
		expect(await tierOf(service, customer)).toBe("scale");
		await page.context().close();
	},
	30_000,
);
