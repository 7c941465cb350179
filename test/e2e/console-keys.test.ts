import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { addSession } from "../support/people.ts";
import { type StartedService, startService } from "../support/service.ts";
import { tooWide } from "../support/sound-page.ts";
import { makeTeam, statusOfKey } from "../support/teams.ts";

describe.skipIf(withoutChromium)(`keys in the console${chromiumNote}`, () => {
	let service: StartedService;
	let chromium: Browser;
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService();
		chromium = await launchChromium();
	}, 60_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await service.stop();
	});

	test("a new key's secret is copied by a button, which is not there where no script runs", async () => {
		const { appId, admin } = await makeTeam(service);
		const value = await addSession(service.database, admin.id, { kind: "web" });
		const make = async (javaScriptEnabled: boolean, name: string) => {
			const context = await chromium.newContext({
				javaScriptEnabled,
				permissions: ["clipboard-read", "clipboard-write"],
			});
			await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
			const page = await context.newPage();
			await page.goto(`${service.baseUrl}/console/${appId}/keys`);
			if (!(await page.locator("#name").isVisible())) await page.getByText("New key").click();
			await page.locator("#name").fill(name);
			await page.getByRole("button", { name: "Make key" }).click();
			await page.locator("code.secret").waitFor();
			return page;
		};
		const plain = await make(false, "By hand");
		expect(await plain.locator("[data-copy]:visible").count()).toBe(0);
		await plain.context().close();
		const page = await make(true, "Web server");
		await page.getByRole("button", { name: "Copy" }).first().click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		await page.setViewportSize({ width: 320, height: 640 });
		expect(await tooWide(page)).toEqual([]);
		const secret = await page.evaluate("navigator.clipboard.readText()");
		expect(await statusOfKey(service, { id: "", secret: String(secret) })).toBe(200);
		await page.context().close();
	});
});
