import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { addCallback } from "../support/connect.ts";
import { addPlan, addPrice } from "../support/selling.ts";
import { type StartedService, startService } from "../support/service.ts";
import { expectSound, focused, SCREENS, tabTo } from "../support/sound-page.ts";
import { addCustomer, cardAddress, openShop, type Shop, statusOf } from "../support/subscribers.ts";

/* The card that sells an App's plans in a real browser, by keyboard alone. */

let service: StartedService;
let chromium: Browser;
let shop: Shop;
/** The App, as far as it is come back to. */
let app: ReturnType<typeof Bun.serve>;
let callback: string;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService();
	chromium = await launchChromium();
	shop = await openShop(service);
	const benefits = ["Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbau", ...Array<string>(9).fill("More")];
	const { id } = await addPlan(service, shop.app.id, shop.owner, { key: "all", name: "الذهبي", benefits });
	for (const terms of [
		{ amount: 1_200, currency: "jpy" },
		{ amount: 12_500, currency: "kwd", interval: "year" },
	])
		await addPrice(service, shop.app.id, id, shop.owner, terms);
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

test.skipIf(withoutChromium).each(SCREENS.slice(0, 3))(
	`a plan is tried, changed and left by keyboard at %s; every state is sound${chromiumNote}`,
	async (_, options) => {
		const customer = await addCustomer(service, shop);
		const context = await chromium.newContext(options);
		const value = customer.browser.cookies.get("session")?.value ?? "";
		await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
		const page = await context.newPage();
		const press = async (button: string) => {
			await tabTo(page, button);
			const answered = page.waitForNavigation();
			await page.keyboard.press("Enter");
			await answered;
		};
		const card = service.baseUrl + cardAddress(shop, { redirect_uri: callback });

		await page.goto(card);
		await expectSound(page, "Your plan at Shop");
		expect(await page.textContent("main")).toContain("KWD\u00a012.500 a year");
		// Monthly or yearly, where a plan has both; what has one price alone stays.
		const shown = () => page.locator("[data-price]:visible .what").allTextContents();
		expect([(await shown()).join().includes("a year"), (await shown()).length]).toEqual([false, 4]);
		await tabTo(page, "interval");
		await page.keyboard.press("ArrowDown");
		expect([(await shown()).join().includes("¥1,200 a month"), (await shown()).length]).toEqual([false, 4]);
		expect((await shown()).join()).toContain("12.500 a year");
		await expectSound(page, "Your plan at Shop");
		await page.keyboard.press("ArrowUp");
		await press("Try it for 7 days");
		await expectSound(page, "Subscribe");
		await page.check("input[value=declines]");
		await press("Start the trial");
		await expectSound(page, "Subscribe");
		expect((await focused(page)).name).toContain("The payment was declined");
		await page.goto(service.baseUrl + cardAddress(shop, { redirect_uri: callback, price_id: shop.silver.id }));
		await press("Pay $5.00");
		expect(page.url()).toBe(`${callback}?billing=success`);

		await page.goto(card);
		await expectSound(page, "Your plan at Shop");
		const gold = page.locator(`[data-price="${shop.gold.id}"]`);
		await gold.locator("summary").focus();
		await page.keyboard.press("Enter");
		await gold.getByRole("button").waitFor({ state: "visible" });
		await expectSound(page, "Your plan at Shop");
		const change = (await gold.getByRole("button").textContent()) ?? "";
		expect(change).toMatch(/^Pay \$\d+\.\d\d and change$/);
		await press(change);
		await expectSound(page, "Your plan at Shop");
		expect((await focused(page)).name).toBe("Your plan is changed.");
		expect((await statusOf(service, customer)).access.plan_key).toBe("gold");
		await press("Cancel at the end of the term");
		await expectSound(page, "Your plan at Shop");
		expect((await focused(page)).name).toBe("Your plan is cancelled.");
		await context.close();
	},
	60_000,
);
