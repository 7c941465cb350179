import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReport } from "@svc/moderation/reports";
import type { Browser, Page } from "playwright-core";
import { addApp } from "../support/apps.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { focused, openTab } from "../support/console-tab.ts";
import { acted, itemOf } from "../support/moderation.ts";
import { addPerson, type TestPerson } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* The queue by keys, as two operators see it at the same time. */

const QUEUE = "/console/operator/moderation";

describe.skipIf(withoutChromium)(`the moderation queue in the console${chromiumNote}`, () => {
	let service: StartedService;
	let chromium: Browser;
	let operator: TestPerson;
	let other: TestPerson;
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService();
		chromium = await launchChromium();
		operator = await addPerson(service.database, { operator: true });
		other = await addPerson(service.database, { operator: true });
	}, 120_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await service.stop();
	});

	/** Pictures of an App of their own, all reported; the newest comes first. */
	async function reported(count: number) {
		const app = await addApp(service.database);
		const ids: string[] = [];
		for (let number = count; number > 0; number -= 1) {
			const { id, url } = await uploaded(service, await plain(60, 40), `p${number}.png`, {}, { key: app.key });
			const said = { url, reason: "dmca", note: "Mine.", email: null } as const;
			await createReport(service.rooms.moderation, { ...said, address: `2001:db8:${number}::1` });
			ids.unshift(id);
		}
		return { ids, at: `${QUEUE}?app=${app.id}` };
	}

	const reasonOf = async (id: string) => (await itemOf(service, operator, id)).blocked_reason;
	const card = (page: Page, id: string | undefined) => page.locator(`li#${id}`);
	const says = (page: Page, id: string | undefined, text: string) =>
		card(page, id).locator(".verdict", { hasText: text }).waitFor();

	test("one key locks, two block for a reason, and the next picture has the focus; z takes the last one back, then the one before", async () => {
		const { ids, at } = await reported(3);
		const { page, faults, documents } = await openTab(chromium, service, operator, at);
		await page.keyboard.press("j");
		expect(await focused(page)).toBe("a p1.png");
		await page.keyboard.press("?");
		const listed = await page.locator("dialog#keys dl > div:not([hidden])").allInnerTexts();
		for (const line of ["l Lock", "b Block", "n Flag", "i Dismiss the report", "b 1b 2b 3b 4 Block: content policy"])
			expect(listed.map((text) => text.replaceAll(/\s+/g, " ")).join("\n")).toContain(line);
		await page.keyboard.press("?");
		await page.keyboard.press("l");
		await says(page, ids[0], "Locked: p1.png");
		expect(await focused(page)).toBe("a p2.png");
		await page.keyboard.press("b");
		expect(await focused(page)).toBe("button Block");
		await page.keyboard.press("3");
		await says(page, ids[1], "Blocked: p2.png");
		expect([await focused(page), await reasonOf(ids[1] ?? "")]).toEqual(["a p3.png", "spam"]);
		expect(await card(page, ids[1]).locator("details.veil").count()).toBe(1);
		await page.keyboard.press("z");
		await says(page, ids[1], "Unblocked: p2.png");
		expect(await itemOf(service, operator, ids[1] ?? "")).toMatchObject({ blocked_reason: null, reports_count: 1 });
		await page.keyboard.press("z");
		await says(page, ids[0], "Unlocked: p1.png");
		expect([await page.locator("ul.queue > li").count(), documents(), faults]).toEqual([3, 1, []]);
	});

	test("what is marked is decided of together, and taken back by one key", async () => {
		const { ids, at } = await reported(4);
		const { page } = await openTab(chromium, service, operator, `${at}&view=grid`);
		await page.keyboard.press("j");
		await page.keyboard.press("x");
		await page.keyboard.press("Shift+l");
		await page.locator("#choose button", { hasText: "2 selected" }).waitFor();
		await page.keyboard.press("b");
		await page.keyboard.press("1");
		await page.locator(".decided", { hasText: "Blocked: 2 pictures" }).waitFor();
		const reasons = async () => await Promise.all(ids.map(reasonOf));
		expect(await reasons()).toEqual(["content_policy", "content_policy", null, null]);
		await page.keyboard.press("z");
		await page.locator(".decided", { hasText: "Unblocked: 2 pictures" }).waitFor();
		expect(await reasons()).toEqual([null, null, null, null]);
	});

	test("what another operator decides stands in the picture within ten seconds, and none moves from under a hand", async () => {
		const { ids, at } = await reported(3);
		const { page } = await openTab(chromium, service, operator, at);
		await page.keyboard.press("j");
		await page.keyboard.press("j");
		const before = await card(page, ids[1]).boundingBox();
		await acted(service, other, ids[0] ?? "", "block", { reason: "terms" });
		await acted(service, other, ids[1] ?? "", "block", { reason: "spam" });
		await card(page, ids[1]).locator(".tag", { hasText: "Blocked: Spam" }).waitFor({ timeout: 10_000 });
		await card(page, ids[0]).locator(".tag", { hasText: "Blocked: Terms of service" }).waitFor({ timeout: 10_000 });
		await says(page, ids[1], `by ${other.email}`);
		const moved = ((await card(page, ids[1]).boundingBox())?.y ?? Number.NaN) - (before?.y ?? 0);
		expect([await focused(page), Math.abs(Math.round(moved))]).toEqual(["a p2.png", 0]);
		// Nothing is left to lock there.
		await page.keyboard.press("u");
		await says(page, ids[1], "Unblocked: p2.png");
		expect(await reasonOf(ids[0] ?? "")).toBe("terms");
	});

	test("a flagged picture is blurred until it is asked for, with a script or without", async () => {
		const { ids, at } = await reported(1);
		const { page } = await openTab(chromium, service, operator, at);
		const filter = (of: Page) => of.locator(`li#${ids[0]} img`).evaluate((picture) => getComputedStyle(picture).filter);
		expect(await filter(page)).toBe("none");
		await page.keyboard.press("j");
		await page.keyboard.press("n");
		await says(page, ids[0], "Flagged: p1.png");
		expect(await filter(page)).toStartWith("blur(");
		await page.keyboard.press("v");
		expect(await filter(page)).toBe("none");
		const context = await chromium.newContext({ javaScriptEnabled: false });
		await context.addCookies(await page.context().cookies());
		const plainly = await context.newPage();
		await plainly.goto(service.baseUrl + at);
		expect(await filter(plainly)).toStartWith("blur(");
		await plainly.getByText("Show or hide the picture").click();
		expect(await filter(plainly)).toBe("none");
		await context.close();
	});
});
