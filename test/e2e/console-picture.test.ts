import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { openTab } from "../support/console-tab.ts";
import { as } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { tooWide } from "../support/sound-page.ts";
import { ask, makeTeam } from "../support/teams.ts";

describe.skipIf(withoutChromium)(`one picture in the console${chromiumNote}`, () => {
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

	async function openPicture(delivery = "open") {
		const team = await makeTeam(service, "Moth Garden");
		await ask(service, team.admin, "PATCH", team.path, { delivery });
		const image = await uploaded(service, await plain(900, 600, "jpeg"), "moth.jpg", {}, as(team.editor, team.appId));
		const path = `/console/${team.appId}/images/${image.id}`;
		return { ...team, image, path, tab: () => openTab(chromium, service, team.editor, path) };
	}

	const shown = (page: Page) => page.locator("#picture img");
	const address = (page: Page) => page.locator("#as-url");

	test("follows the controls: address bar, picture and code as one types and slides, in the same document, and asks for nothing invalid", async () => {
		const { image, tab } = await openPicture();
		const { page, faults, documents } = await tab();
		const asked: string[] = [];
		page.on("request", (request) => request.resourceType() === "fetch" && asked.push(new URL(request.url()).search));
		await page.locator("#p-w").fill("300");
		await page.locator("#p-fit").selectOption("cover");
		await page.locator("#p-h").fill("200");
		await page.waitForURL((url) => url.search === "?w=300&h=200&fit=cover");
		await page.waitForFunction(
			(text) => document.querySelector("#as-url")?.textContent === text,
			`${image.url}?w=300&h=200&fit=cover`,
		);
		await page.waitForFunction(
			(text) => document.querySelector("#picture img")?.getAttribute("src") === text,
			`${image.url}?w=300&h=200&fit=cover`,
		);
		expect([
			await shown(page).getAttribute("width"),
			await shown(page).evaluate((img) => (img as HTMLImageElement).naturalWidth),
		]).toEqual(["300", 300]);
		expect(await page.locator("input[type=range][data-of=p-w]").inputValue()).toBe("300");
		const before = asked.length;
		await page.locator("#p-q").fill("101");
		// The address of the last sound state is not to be copied for this one.
		await page.locator("#address-forms[inert]").waitFor();
		await page.locator("#p-q").fill("low");
		await page.waitForURL((url) => url.searchParams.get("q") === "low");
		expect(asked.slice(before).filter((query) => query.includes("q=101"))).toEqual([]);
		await page.locator("#address-forms:not([inert])").waitFor();
		await page.locator("input[type=range][data-of=p-w]").focus();
		await page.keyboard.press("ArrowRight");
		await page.waitForURL((url) => url.searchParams.get("w") === "301");
		expect(await page.locator("#p-w").inputValue()).toBe("301");
		await page.locator(".spot input").click({ position: { x: 44, y: 30 } });
		await page.waitForURL((url) => url.searchParams.has("focus"));
		await page.locator(".spot circle").waitFor({ state: "attached" });
		await page.waitForFunction(() => document.querySelector("#as-url")?.textContent?.includes("focus="));
		await page.getByRole("button", { name: "URL", exact: true }).click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await address(page).textContent());
		expect([documents(), faults]).toEqual([1, []]);
		await page.context().close();
	}, 60_000);

	test("works where bare addresses are refused, also after a visit to another screen and back", async () => {
		const { path, image, tab } = await openPicture("signed");
		const { page, faults, documents } = await tab();
		await page.getByRole("link", { name: "← Images" }).click();
		await page.getByRole("link", { name: "moth.jpg" }).click();
		await page.locator("#p-w").fill("120");
		await page.waitForURL((url) => url.searchParams.get("w") === "120");
		await page.waitForFunction(
			() => (document.querySelector("#picture img") as HTMLImageElement | null)?.naturalWidth === 120,
		);
		await page.waitForFunction(() => document.querySelector("#as-url")?.textContent?.includes("sig="));
		const answer = await fetch((await address(page).textContent()) ?? "");
		expect([answer.status, (await fetch(`${image.url}?w=120`)).status]).toEqual([200, 403]);
		expect([page.url().includes(path), documents(), faults]).toEqual([true, 1, []]);
		await page.context().close();
	}, 60_000);

	test("of two who edit it at once nobody's words are lost: what each changed alone is kept, what both did is shown first", async () => {
		const { image, appId, editor, tab } = await openPicture();
		const caller = as(editor, appId);
		const read = async () => await (await send(service, "GET", `/v1/images/${image.id}`, undefined, caller)).json();
		const [mine, theirs] = [(await tab()).page, (await tab()).page];
		const save = async (page: Page) => {
			await page.getByRole("button", { name: "Save", exact: true }).first().click();
			await page.locator("[role=status], [role=alert]").first().waitFor({ state: "attached" });
		};
		await theirs.locator("#labels").fill("album=moths\nby=Ada");
		await theirs.locator("#published_at").fill("2026-01-02T00:00:00Z");
		await save(theirs);
		await theirs.getByText("Saved.").waitFor();
		await mine.locator("#labels").fill("season=summer");
		await mine.locator("#metadata").fill("camera=old");
		await save(mine);
		await mine.getByText("Saved.").waitFor();
		expect(await read()).toMatchObject({
			labels: { album: "moths", by: "Ada", season: "summer" },
			metadata: { camera: "old" },
			published_at: "2026-01-02T00:00:00.000Z",
		});
		await theirs.locator("#labels").fill("album=ferns\nby=Ada");
		await theirs.locator("#caption").fill("Theirs");
		await mine.locator("#labels").fill("album=birds\nby=Ada\nseason=summer");
		await save(theirs);
		await theirs.getByText("Saved.").waitFor();
		await save(mine);
		await mine.locator("#labels-fault").waitFor();
		expect(await mine.locator("#labels-fault").textContent()).toContain("album=ferns");
		expect(await read()).toMatchObject({ caption: "Theirs", labels: { album: "ferns" } });
		await save(mine);
		await mine.getByText("Saved.").waitFor();
		expect(await read()).toMatchObject({ caption: "Theirs", labels: { album: "birds", by: "Ada", season: "summer" } });
		for (const page of [mine, theirs]) await page.context().close();
	}, 60_000);

	test.each([320, 390, 1280, 1920])(
		"nothing is wider than the screen at %d pixels",
		async (width) => {
			const { path, tab } = await openPicture();
			const { page } = await tab();
			await page.setViewportSize({ width, height: 800 });
			await page.goto(`${service.baseUrl}${path}?w=300&focus=0.25,0.4&q=low`);
			for (const folded of await page.locator("main summary").all()) await folded.click();
			expect(await tooWide(page)).toEqual([]);
			await page.context().close();
		},
		60_000,
	);
});
