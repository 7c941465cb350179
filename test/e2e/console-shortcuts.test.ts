import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { connectUser } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { codeFor } from "../support/connect.ts";
import { focused, openTab } from "../support/console-tab.ts";
import { as } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { ask, makeKey, makeTeam, type Team } from "../support/teams.ts";

const SIGNS: Readonly<Record<string, string>> = {
	...{ "↓": "ArrowDown", "↑": "ArrowUp", "←": "ArrowLeft", "→": "ArrowRight" },
	...{ enter: "Enter", space: "Space", esc: "Escape" },
};

/** Presses what the list of keys calls so: one key, two after each other, or one with shift. */
async function press(page: Page, keys: string): Promise<void> {
	const [first = "", second] = keys.split(" ").map((one) => SIGNS[one] ?? one);
	if (first === "shift") await page.keyboard.press(`Shift+${second}`);
	else for (const key of second === undefined ? [first] : [first, second]) await page.keyboard.press(key);
}

/** Rows in which something can be opened or done: where they stand, which has the focus, and which are ticked. */
function rowsOf(page: Page) {
	return page.evaluate(() => {
		const rows = [...document.querySelectorAll("main :is(ul.grid > li, ul.rows > li, tbody > tr)")].filter((row) =>
			row.querySelector("a[href], button, summary")?.checkVisibility(),
		);
		const tops = rows.map((row) => row.getBoundingClientRect().top);
		return {
			count: rows.length,
			wide: tops.filter((top) => top === tops[0]).length,
			at: rows.findIndex((row) => row.contains(document.activeElement)),
			ticked: rows.flatMap((row, place) => (row.querySelector<HTMLInputElement>(".box")?.checked ? [place] : [])),
		};
	});
}

/** What a control is that has this key, before it is pressed. */
function controlOf(page: Page, keys: string) {
	return page.evaluate((key) => {
		const control = [...document.querySelectorAll<HTMLElement>("[data-keys]")].find(
			(one) => one.checkVisibility() && one.dataset.keys?.split(",").includes(key),
		);
		control?.setAttribute("data-tried", "");
		const { localName = "none", href = "", type = "" } = (control ?? {}) as HTMLAnchorElement;
		return { kind: localName === "button" && type === "button" ? "copy" : localName, href };
	}, keys);
}

const settled = (page: Page) => page.locator("main:not([aria-busy])").waitFor();

/** Where links are only seen to be clicked: a screen that stays costs less than one that is come back to. */
function holdLinks(page: Page): Promise<void> {
	return page.evaluate(() => {
		const hold = (event: Event) => {
			const link = event.target instanceof Element ? event.target.closest("a") : null;
			if (link) event.preventDefault();
			document.documentElement.dataset.clicked = link?.href;
		};
		document.documentElement.dataset.clicked = "";
		document.addEventListener("click", hold, { capture: true });
	});
}

/** A link was followed; leads back to where that was. */
async function followed(page: Page, href: string, before: string): Promise<void> {
	const clicked = await page.evaluate(() => document.documentElement.dataset.clicked);
	if (clicked !== undefined) return expect(clicked).toBe(href);
	await page.waitForURL(href);
	await settled(page);
	if (href !== before) await page.goBack();
	await page.waitForURL(before);
	await settled(page);
}

/** Tries the key of a control. */
async function tryControl(page: Page, keys: string): Promise<void> {
	const before = page.url();
	const { kind, href } = await controlOf(page, keys);
	const tried = page.locator("[data-tried]");
	await press(page, keys);
	if (kind === "a") await followed(page, href, before);
	else if (kind === "summary") {
		expect(await tried.evaluate((summary) => summary.parentElement?.contains(document.activeElement))).toBe(true);
		await page.keyboard.press("Escape");
		expect([await page.locator("details.ask[open]").count(), await tried.evaluate(isFocused)]).toEqual([0, true]);
	} else if (kind === "copy") await page.locator("[data-copied]", { hasText: "Copied" }).first().waitFor();
	else {
		expect([kind, await tried.evaluate(isFocused)]).toEqual([kind, true]);
		await page.keyboard.press("Escape");
	}
	await page.evaluate(() => document.querySelector("[data-tried]")?.removeAttribute("data-tried"));
}

const isFocused = (control: Element) => control === document.activeElement;

/** Tries a key that belongs to no control, from the first row on. */
async function tryMove(page: Page, keys: string): Promise<void> {
	if (keys === "?") return await tryList(page);
	await page.locator(STOPS).first().focus();
	if (keys === "enter") return await tryEnter(page);
	const { count, wide } = await rowsOf(page);
	const [below, beside] = [wide < count ? wide : 0, wide > 1 ? 1 : 0];
	const aside = beside ? "l" : "j";
	const tries: Readonly<Record<string, Tried>> = {
		...{ j: { at: below }, "↓": { at: below }, k: { first: ["j"], at: 0 }, "↑": { first: ["j"], at: 0 } },
		...{ l: { at: beside }, "→": { at: beside }, h: { first: ["l"], at: 0 }, "←": { first: ["l"], at: 0 } },
		...{ x: { at: 0, ticked: [0] }, space: { at: 0, ticked: [0] }, "shift j": { at: below, ticked: [0, below] } },
		"shift x": { first: ["x", aside, aside], at: 2, ticked: [0, 1, 2] },
	};
	const { first = [], at, ticked = [] } = tries[keys] ?? { at: Number.NaN };
	for (const one of [...first, keys]) await press(page, one);
	const now = await rowsOf(page);
	expect([keys, now.at, now.ticked]).toEqual([keys, at, [...ticked]]);
	if (ticked.length > 0) await page.locator("#choose button[type=button]").click();
}

const STOPS = "main :is(ul.grid > li > a, ul.rows > li a, tbody > tr :is(a, summary, button))";

interface Tried {
	/** Pressed before it. */
	readonly first?: readonly string[];
	/** The row that has the focus then. */
	readonly at: number;
	readonly ticked?: readonly number[];
}

async function tryList(page: Page): Promise<void> {
	for (const isOpen of [true, false]) {
		await press(page, "?");
		expect(await page.locator("dialog#keys").evaluate((list: HTMLDialogElement) => list.open)).toBe(isOpen);
	}
}

/** Opens what the row is about, as every link and button does. */
async function tryEnter(page: Page): Promise<void> {
	const before = page.url();
	const href = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href);
	await press(page, "enter");
	if (href) await followed(page, href, before);
	else expect(await page.locator("details.ask[open]").count()).toBe(1);
}

/** What the list says, row by row; `made` are the keys of a control. */
async function readList(page: Page) {
	await press(page, "?");
	const listed = await page.locator("dialog#keys dl > div:visible").evaluateAll((all) =>
		all.map((row) => ({
			made: (row as HTMLElement).dataset.made,
			keys: [...row.querySelectorAll("kbd")].map(({ textContent }) => textContent ?? ""),
		})),
	);
	await press(page, "esc");
	return listed;
}

async function tryKeys(page: Page, made: string | undefined, keys: readonly string[]): Promise<void> {
	for (const one of made?.split(",") ?? []) await tryControl(page, one);
	if (made === undefined) for (const one of keys) await tryMove(page, one);
}

describe.skipIf(withoutChromium)(`shortcuts in the console${chromiumNote}`, () => {
	let service: StartedService;
	let chromium: Browser;
	let team: Team;
	let imageId: string;
	beforeAll(async () => {
		if (withoutChromium) return;
		service = await startService();
		chromium = await launchChromium();
		team = await makeTeam(service, "Moth Garden");
		await ask(service, team.owner, "POST", "/v1/apps", { name: "Owls" });
		await ask(service, team.owner, "PATCH", team.path, { sign_in_enabled: true });
		const picture = await plain(40, 30);
		const storage = "SELECT storages.id FROM storages JOIN apps ON apps.pk = app_pk WHERE apps.id = ? AND kind = 'app'";
		const [row] = await service.database.rows(storage, [team.appId]);
		await addImages(service, String(row?.[0]), 60, new Uint8Array(picture));
		const add = async (name: string) => (await uploaded(service, picture, name, {}, as(team.owner, team.appId))).id;
		imageId = await add("moth-1.png");
		await add("moth-2.png");
		for (const name of ["Web server", "Phone"]) await makeKey(service, team.owner, team.path, { name });
		for (let user = 0; user < 2; user += 1) await connectUser(service.database, { id: team.appId });
	}, 120_000);
	afterAll(async () => {
		if (withoutChromium) return;
		await chromium.close();
		await service.stop();
	});

	test("each key that the list of a screen names does what it says", async () => {
		const { page, faults, documents } = await openTab(chromium, service, team.owner, "/console");
		const found: Record<string, string> = {};
		const screens = [
			"",
			"/images",
			"/images?view=table",
			`/images/${imageId}`,
			"/users",
			"/keys",
			"/activity",
			"/settings",
		];
		for (const path of ["/console", ...screens.map((one) => `/console/${team.appId}${one}`)]) {
			await page.goto(service.baseUrl + path);
			if (!path.endsWith("/images")) await holdLinks(page);
			const listed = await readList(page);
			for (const { made, keys } of listed) await tryKeys(page, made, keys);
			found[path.replace(team.appId, "app").replace(imageId, "image")] = listed.flatMap(({ keys }) => keys).join(" ");
		}
		const ofBar = page.locator("nav.bar a[data-keys]").evaluateAll((all) => all.map((one) => one.dataset.keys));
		const screensOfApp = ["g h", ...(await ofBar)].join(" ");
		const list = "j k ↓ ↑";
		const marks = "x space shift j shift x";
		expect(found).toEqual({
			"/console": `${list} enter ? g h`,
			"/console/app": `? ${screensOfApp}`,
			"/console/app/images": `${list} h l ← → enter ${marks} ? ${screensOfApp} u / n`,
			"/console/app/images?view=table": `${list} enter ${marks} ? ${screensOfApp} u / n`,
			"/console/app/images/image": `? ${screensOfApp} esc h ← l → c e d`,
			"/console/app/users": `${list} enter ? ${screensOfApp} /`,
			"/console/app/keys": `${list} enter ? ${screensOfApp}`,
			"/console/app/activity": `${list} enter ? ${screensOfApp} / n`,
			"/console/app/settings": `? ${screensOfApp}`,
		});
		expect([documents(), faults]).toEqual([screens.length + 2, []]);
		await page.context().close();
	}, 180_000);

	test("from the sign-in to a caption that is changed, a picture that is deleted and restored, by keys alone", async () => {
		const context = await chromium.newContext();
		const page = await context.newPage();
		const { keyboard } = page;
		await page.goto(`${service.baseUrl}/console/${team.appId}/images`);
		await page.locator("input[type=email]").focus();
		await keyboard.type(team.editor.email);
		await keyboard.press("Enter");
		await page.locator("input[name=code]:focus").waitFor();
		await keyboard.type(await codeFor(service.database, team.editor.email));
		await keyboard.press("Enter");
		await page.waitForURL("**/images");
		for (const key of ["j", "l", "Enter"]) await keyboard.press(key);
		await page.locator("h1:focus", { hasText: "moth-1.png" }).waitFor();
		await keyboard.press("e");
		await keyboard.type("By keys alone?");
		await keyboard.press("Enter");
		await page.locator(".notice", { hasText: "Saved." }).waitFor();
		expect(await page.locator("#caption").inputValue()).toBe("By keys alone?");
		await keyboard.press("d");
		expect([await focused(page), await page.locator("h1").textContent()]).toEqual(["button Delete", "moth-1.png"]);
		await keyboard.press("Enter");
		await page.locator(".notice", { hasText: "Deleted." }).waitFor();
		for (let tabs = 0; tabs < 5 && (await focused(page)) !== "button Restore"; tabs += 1) await keyboard.press("Tab");
		await keyboard.press("Enter");
		await page.locator(".notice", { hasText: "Restored." }).waitFor();
		await keyboard.press("Escape");
		await page.locator("ul.grid a:focus", { hasText: "moth-1.png" }).waitFor();
		await context.close();
	});

	test("no letter does anything while somebody types, with control, or once letters are turned off", async () => {
		const { page } = await openTab(chromium, service, team.owner, `/console/${team.appId}/images`);
		const { keyboard } = page;
		await keyboard.press("/");
		await keyboard.type("gu?xd");
		expect(await page.getByRole("searchbox").inputValue()).toBe("gu?xd");
		await keyboard.press("Escape");
		expect(await focused(page)).toBe("h1 Images");
		await keyboard.press("Control+j");
		expect(await focused(page)).toBe("h1 Images");
		await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
		await page.getByRole("checkbox", { name: "Letters are shortcuts" }).uncheck();
		await keyboard.press("Escape");
		for (const key of ["?", "j", "/"]) await keyboard.press(key);
		expect(await page.locator("dialog[open], main a:focus, input:focus").count()).toBe(0);
		await page.reload();
		await keyboard.press("j");
		expect((await rowsOf(page)).at).toBe(-1);
		await keyboard.press("ArrowDown");
		expect((await rowsOf(page)).at).toBe(0);
		await page.context().close();
	});
});
