import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { focused, openTab } from "../support/console-tab.ts";
import { as } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { ask, makeTeam, type Team } from "../support/teams.ts";

/* Two pages of pictures are enough for a place to come back to. */
const PICTURES = 64;

describe.skipIf(withoutChromium)(`visits in the console${chromiumNote}`, () => {
	let service: StartedService;
	let chromium: Browser;
	let team: Team;
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService();
		chromium = await launchChromium();
		team = await makeTeam(service, "Moth Garden");
		const picture = await plain(40, 30);
		const fields = { labels: '{"album":"summer"}' };
		for (let number = 1; number <= PICTURES; number += 1)
			await uploaded(service, picture, `moth-${number}.png`, fields, as(team.editor, team.appId));
	}, 120_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await service.stop();
	});
	const images = () => `/console/${team.appId}/images`;
	const open = (path = images()) => openTab(chromium, service, team.editor, path);
	const at = (page: Page) => page.url().slice(service.baseUrl.length);
	const title = (page: Page, text: string) => page.locator("h1", { hasText: text }).waitFor();

	test("filter, next page, a picture and the way back keep filter, place and focus, in one document", async () => {
		const { page, faults, documents } = await open();
		await page.locator(".facet").click();
		await page.locator(".facet.on").waitFor();
		expect([at(page), await focused(page)]).toEqual([`${images()}?labels=album%3Dsummer`, "h1 Images"]);
		await page.locator(".pager a[rel=next]").click();
		await page.locator(".pager a[rel=prev]").waitFor();
		const list = at(page);
		expect(new URL(page.url()).searchParams.get("labels")).toBe("album=summer");
		await page.getByRole("link", { name: "moth-3.png" }).click();
		await title(page, "moth-3.png");
		await page.getByRole("link", { name: "Next" }).click();
		await title(page, "moth-2.png");
		// What leads from one to the next keeps the focus, and the new title is read out.
		expect([await focused(page), await page.locator("#said").textContent()]).toEqual(["a Next", "moth-2.png"]);
		await page.goBack();
		await title(page, "moth-3.png");
		await page.goBack();
		await title(page, "Images");
		expect([at(page), await focused(page)]).toEqual([list, "a moth-3.png"]);
		await page.goForward();
		await title(page, "moth-3.png");
		expect([documents(), faults]).toEqual([1, []]);
		await page.context().close();
	});

	test("the way back leads to how far down one was, also from a page that is none of the console", async () => {
		const { page, faults } = await open();
		const away = page.locator("ul.grid a").nth(50);
		await away.scrollIntoViewIfNeeded();
		const y = await page.evaluate("scrollY");
		expect(Number(y)).toBeGreaterThan(200);
		await away.click();
		await title(page, "moth-14.png");
		expect(await page.evaluate("scrollY")).toBe(0);
		await page.goBack();
		await title(page, "Images");
		expect(await page.evaluate("scrollY")).toBe(y);
		await page.locator(".who a").evaluate((link: HTMLElement) => link.click());
		await page.waitForURL("**/account");
		await page.goBack();
		await title(page, "Images");
		await page.waitForFunction((to) => globalThis.scrollY === to, y);
		expect(faults).toEqual([]);
		await page.context().close();
	});

	test("a search keeps its field, with what is typed while the answer is awaited, and is read out", async () => {
		const { page, faults, documents } = await open();
		const search = page.getByRole("searchbox");
		const { promise: typed, resolve: go } = Promise.withResolvers<void>();
		await page.route("**/images?*", async (route) => {
			await typed;
			await route.continue();
		});
		await search.fill("moth-6");
		await search.press("Enter");
		await page.locator("main[aria-busy=true]").waitFor();
		await search.press("3");
		go();
		await page.waitForURL("**q=moth-6*");
		await page.locator("main:not([aria-busy])").waitFor();
		expect([await search.inputValue(), await focused(page)]).toEqual(["moth-63", "input Search"]);
		expect(await page.locator("#said").textContent()).toBe("Images, 6 images");
		expect(await page.locator("ul.grid li").count()).toBe(6);
		expect([documents(), faults]).toEqual([1, []]);
		await page.context().close();
	});

	test("of two visits at once the last one counts, and leaves one step to go back", async () => {
		const { page, faults } = await open();
		const { promise: held, resolve: release } = Promise.withResolvers<void>();
		await page.route("**/users", async (route) => {
			await held;
			await route.continue().catch(() => undefined);
		});
		const bar = page.locator("nav.bar");
		await bar.getByRole("link", { name: "Users" }).click();
		await bar.getByRole("link", { name: "Settings" }).click();
		await title(page, "Settings");
		release();
		await bar.getByRole("link", { name: "Settings" }).click();
		await page.locator("main:not([aria-busy])").waitFor();
		expect(at(page)).toBe(`/console/${team.appId}/settings`);
		await page.goBack();
		await title(page, "Images");
		expect(faults).toEqual([]);
		await page.context().close();
	});

	test("what is no screen is the browser's own: another answer, a lost connection, a click with control, a form", async () => {
		const { page, documents } = await open();
		await page.route("**/users", (route) => route.fulfill({ contentType: "text/html", body: "<h1>A proxy</h1>" }));
		const link = (name: string) => page.locator("nav.bar").getByRole("link", { name });
		await link("Users").click();
		await title(page, "A proxy");
		expect(documents()).toBe(2);
		await page.goBack();
		await page.route("**/settings", (route) =>
			route.request().isNavigationRequest() ? route.fallback() : route.abort(),
		);
		const before = documents();
		await link("Settings").click();
		await title(page, "Settings");
		expect(documents()).toBe(before + 1);
		const [tab] = await Promise.all([
			page.context().waitForEvent("page"),
			link("Images").click({ modifiers: ["ControlOrMeta"] }),
		]);
		await title(tab, "Images");
		expect(at(page)).toBe(`/console/${team.appId}/settings`);
		await page.context().close();
	});

	test("a screen of another release is loaded whole: no script runs in two versions", async () => {
		const { page, documents } = await open();
		await page.route("**/users", async (route) => {
			const answer = await route.fetch();
			await route.fulfill({
				response: answer,
				body: (await answer.text()).replace("/assets/frame.", "/assets/frame.0"),
			});
		});
		await page.locator("nav.bar").getByRole("link", { name: "Users" }).click();
		await title(page, "Users");
		expect(documents()).toBe(2);
		await page.context().close();
	});

	test("a secret that is shown once comes with a document of its own, and no script asks for it", async () => {
		const { page, documents } = await openTab(chromium, service, team.admin, images());
		const asked: string[] = [];
		page.on("response", async (answer) => {
			if (answer.request().resourceType() === "fetch") asked.push(await answer.text());
		});
		await page.locator("nav.bar").getByRole("link", { name: "Keys" }).click();
		await title(page, "Keys");
		if (!(await page.locator("#name").isVisible())) await page.getByText("New key").click();
		await page.locator("#name").fill("Web server");
		await page.getByRole("button", { name: "Make key" }).click();
		const secret = await page.locator("code.secret").textContent();
		expect(documents()).toBe(2);
		await page.getByRole("button", { name: "Copy" }).first().click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		await page.locator("nav.bar").getByRole("link", { name: "Users" }).click();
		await title(page, "Users");
		await page.goBack();
		await title(page, "Keys");
		expect(await page.locator("code.secret").count()).toBe(0);
		expect(asked.length).toBeGreaterThan(1);
		expect(asked.filter((text) => text.includes(secret ?? "none"))).toEqual([]);
		await page.context().close();
	});

	test("two tabs: what one uploads the other tells as a link, and nothing moves under its reader", async () => {
		const own = await makeTeam(service, "Owls");
		const asOwn = as(own.editor, own.appId);
		const add = async (name: string, labels = "{}") =>
			await uploaded(service, await plain(30, 20), name, { labels }, asOwn);
		await add("first.png");
		const list = `/console/${own.appId}/images`;
		const watched = await openTab(chromium, service, own.viewer, `${list}?labels=album%3Dnight`);
		const { page } = watched;
		const news = page.locator(".news a");
		await page.waitForResponse("**/live?*");
		await add("day.png");
		await add("night.png", '{"album":"night"}');
		await news.waitFor();
		// The one that the filter leaves out is not counted.
		expect([await news.textContent(), await page.locator("#said").textContent()]).toEqual(["1 new", "1 new"]);
		expect(await page.locator("ul.grid li").count()).toBe(0);
		await news.click();
		await page.locator("ul.grid li").waitFor();
		expect(await page.locator(".news a:visible").count()).toBe(0);
		expect([watched.documents(), watched.faults]).toEqual([1, []]);
		await page.context().close();
	});

	test("the feed goes on by itself, with what its filter lets through and in one document", async () => {
		const own = await makeTeam(service, "Feeds");
		const asOwn = as(own.editor, own.appId);
		const { page, faults, documents } = await openTab(
			chromium,
			service,
			own.viewer,
			`/console/${own.appId}/events?types=image.*`,
		);
		await page.waitForResponse("**/live?*");
		await ask(service, own.owner, "POST", `${own.path}/pause`);
		const { id } = await uploaded(service, await plain(30, 20), "new.png", {}, asOwn);
		const first = page.locator("tbody tr").first();
		await first.getByRole("link", { name: "image.created" }).waitFor();
		expect([await page.locator("tbody tr").count(), await first.textContent()]).toEqual([
			1,
			expect.stringContaining(id),
		]);
		await first.getByRole("link", { name: "image.created" }).click();
		await title(page, "image.created");
		await page.getByRole("button", { name: "Copy" }).click();
		const copied = await page.evaluate(() => navigator.clipboard.readText());
		expect(JSON.parse(copied).data.object.id).toBe(id);
		expect([documents(), faults]).toEqual([1, []]);
		await page.context().close();
	});

	test("a tab that is not seen waits for nothing, and one whose session has ended asks no more", async () => {
		const { page } = await open();
		const asked: string[] = [];
		page.on("request", (request) => request.url().includes("/live?") && asked.push(request.url()));
		const hide = (isHidden: boolean) =>
			page.evaluate((hidden) => {
				Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
				document.dispatchEvent(new Event("visibilitychange"));
			}, isHidden);
		const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/live?"));
		await page.waitForRequest((request) => request.url().includes("after=evt_"));
		await hide(true);
		await ended;
		const before = asked.length;
		await page.context().clearCookies();
		const answered = page.waitForResponse("**/live?*");
		await hide(false);
		expect((await answered).headers()["content-type"]).toStartWith("text/html");
		await page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
		expect(asked.length).toBe(before + 1);
		await page.context().close();
	});

	test("a job moves on by itself, without a new document, and its end is read out", async () => {
		const filter = { labels: "album=summer" };
		const path = `/v1/apps/${team.appId}/image_jobs`;
		const { body } = await ask(service, team.editor, "POST", path, { filter, act: { labels: { seen: "yes" } } });
		const address = `/console/${team.appId}/jobs/${body.id}`;
		const { page, faults, documents } = await open();
		// The document is that of a moment at which the job had not ended.
		await page.route(`**${address}`, async (route) => {
			const answer = await route.fetch();
			const running = (await answer.text())
				.replace(/<(title|h1)>[^<]*/g, "<$1>Under way")
				.replace('class="card narrow"', '$& data-live="poll"');
			await route.fulfill(
				route.request().isNavigationRequest() ? { response: answer, body: running } : { response: answer },
			);
		});
		await page.goto(service.baseUrl + address);
		await page.locator("main a").last().focus();
		await page.locator("h1:focus").waitFor();
		expect(await page.locator("main").textContent()).toContain(`${PICTURES} images changed.`);
		expect(await page.locator("[data-live=poll]").count()).toBe(0);
		expect([documents(), faults]).toEqual([2, []]);
		await page.context().close();
	});
});
