import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { goTo, type Scene, STOPS, setScene } from "../support/page-walk.ts";
import { type StartedService, startService } from "../support/service.ts";
import { faultsOf, tooWide } from "../support/sound-page.ts";

/* Every hosted page in each of its states, on the smallest screen and in the language with the longest words. */

/** What differs in the older versions. */
const DIFFERENT = /^(?:card|checkout|own|account$)/;

describe.skipIf(withoutChromium).each(["current", "transition", "legacy"])(`in %s${chromiumNote}`, (variant) => {
	let service: StartedService;
	let chromium: Browser;
	let scene: Scene;
	/** The same tab for all, without the cookies of those before: a new one costs as much as a page. */
	let page: Page;
	const failed: string[] = [];
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService({ ...SIGN_IN_UNLIMITED, SVC_VARIANT: variant });
		chromium = await launchChromium();
		scene = await setScene(service, variant);
		const screen = { viewport: { width: 320, height: 640 }, locale: "de", colorScheme: "dark" } as const;
		page = await chromium.newPage({ ...screen });
		page.on("requestfailed", (request) => {
			// Cut short because the way to this page leads over others: what is missing or forbidden has another name.
			if (request.failure()?.errorText !== "net::ERR_ABORTED") failed.push(request.url());
		});
	}, 60_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await service.stop();
	});

	const stops = STOPS.filter(({ variants, name }) => {
		return (variants?.includes(variant) ?? true) && (variant === "current" || DIFFERENT.test(name));
	});

	test.each(stops)("$name: nothing is wider than 320 pixels, and axe finds nothing", async (stop) => {
		const context = page.context();
		// What a page has loaded or stored would show on the next.
		await page.goto("about:blank");
		await context.clearCookies();
		failed.length = 0;
		const value = scene.customer.browser.cookies.get("session")?.value ?? "";
		if (stop.signedIn) await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
		await goTo(page, scene, stop);
		// A page that waits for something is loaded anew every few seconds.
		await page.evaluate("window.stop()");
		expect(await page.locator("h1").count()).toBe(1);
		expect([await tooWide(page), await faultsOf(page), failed]).toEqual([[], [], []]);
	});
});
