import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
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
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService({ ...SIGN_IN_UNLIMITED, SVC_VARIANT: variant });
		chromium = await launchChromium();
		scene = await setScene(service, variant);
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
		const screen = { viewport: { width: 320, height: 640 }, locale: "de", colorScheme: "dark" } as const;
		const context = await chromium.newContext({ ...screen });
		const page = await context.newPage();
		const failed: string[] = [];
		page.on("requestfailed", (request) => {
			// Cut short because the way to this page leads over others: what is missing or forbidden has another name.
			if (request.failure()?.errorText !== "net::ERR_ABORTED") failed.push(request.url());
		});
		const value = scene.customer.browser.cookies.get("session")?.value ?? "";
		if (stop.signedIn) await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
		await goTo(page, scene, stop);
		expect(await page.locator("h1").count()).toBe(1);
		expect([await tooWide(page), await faultsOf(page), failed]).toEqual([[], [], []]);
		await context.close();
	});
});
