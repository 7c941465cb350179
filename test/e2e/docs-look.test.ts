import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { type StartedService, startService } from "../support/service.ts";
import { faultsOf } from "../support/sound-page.ts";

/* How the documentation looks: all of its pages, measured. */

let service: StartedService;
let chromium: Browser;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService();
	chromium = await launchChromium();
}, 120_000);
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await service.stop();
});

/** Every page of docs/, by the first page and the lists of decisions and examples; of decisions, which are alike, one in ten. */
async function everyPath(): Promise<readonly string[]> {
	const paths = new Set(["/docs", "/docs?q=upload", "/docs/nowhere"]);
	for (const from of ["/docs", "/docs/decisions", "/docs/examples"]) {
		const html = await (await fetch(service.baseUrl + from)).text();
		for (const [, href = ""] of html.matchAll(/href="(\/docs\/[^"#]*)"/g)) paths.add(href);
	}
	return [...paths].filter((path) => path !== "/docs/api" && !/\.(md|css|js|zip|webp|svg)$|\/\d{3}[1-9]-/.test(path));
}

/** What lies over something else, is wider than its place, or is broken within a word; texts of the first few of each. */
const FAULTS = `(() => {
	const faults = [];
	const name = (one) => one.tagName + " " + one.textContent.trim().slice(0, 40);
	const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".skip");
	const boxes = [...document.querySelectorAll("header, h1, h2, h3, h4, p, li, pre, .caption, .scroll, img, summary, .contents, .neighbours, #pages, footer")]
		.filter(shown)
		.map((one) => ({ one, box: one.getBoundingClientRect() }))
		.filter(({ box }) => box.width > 0 && box.height > 0);
	for (const [at, a] of boxes.entries()) for (const b of boxes.slice(at + 1)) {
		if (b.box.top >= a.box.bottom - 1 || a.box.top >= b.box.bottom - 1) continue;
		if (b.box.left >= a.box.right - 1 || a.box.left >= b.box.right - 1) continue;
		// What scrolls on its own is cut off at its edge.
		if (a.one.contains(b.one) || b.one.contains(a.one) || a.one.closest("#pages, .contents") || b.one.closest("#pages, .contents")) {
			if (!(a.one.matches(".contents, #pages") || b.one.matches(".contents, #pages")) || a.one.contains(b.one) || b.one.contains(a.one)) continue;
		}
		faults.push("over: " + name(a.one) + " | " + name(b.one));
	}
	const root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) faults.push("wide: the page, by " + (root.scrollWidth - root.clientWidth));
	for (const one of document.querySelectorAll("h1, h2, h3, p, li, summary, button")) {
		if (shown(one) && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline") faults.push("wide: " + name(one));
	}
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const range = document.createRange();
	while (texts.nextNode()) {
		const text = texts.currentNode;
		if (!text.parentElement || text.parentElement.closest("pre, script, style") || !shown(text.parentElement)) continue;
		for (const word of text.data.matchAll(/(?<!\\w)\\w{6,42}(?!\\w)/gu)) {
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
			if (tops.size > 1) faults.push("broken: " + word[0]);
		}
	}
	return faults.slice(0, 5);
})()`;

const WIDTHS = [1_280, 390];

test.skipIf(withoutChromium)(
	`on no page of the documentation does anything lie over anything, stand out, or break within a word, at ${WIDTHS.join(" and ")} pixels${chromiumNote}`,
	async () => {
		const page = await chromium.newPage();
		const found: string[] = [];
		for (const path of await everyPath()) {
			await page.goto(service.baseUrl + path);
			for (const width of WIDTHS) {
				await page.setViewportSize({ width, height: 844 });
				for (const fault of await page.evaluate<string[]>(FAULTS)) found.push(`${path}, ${width}: ${fault}`);
			}
		}
		expect(found).toEqual([]);
		await page.close();
	},
	300_000,
);

test.skipIf(withoutChromium)(
	`“On this page” is a column beside the text where there is room, and stays while one reads${chromiumNote}`,
	async () => {
		const page = await chromium.newPage({ viewport: { width: 1_280, height: 800 } });
		await page.goto(`${service.baseUrl}/docs/reference/errors`);
		const boxes = () =>
			page.evaluate<{ text: number; contents: number; top: number }>(`({
				text: document.querySelector(".body").getBoundingClientRect().right,
				contents: document.querySelector(".contents").getBoundingClientRect().left,
				top: document.querySelector(".contents").getBoundingClientRect().top,
			})`);
		const before = await boxes();
		expect(before.contents).toBeGreaterThan(before.text);
		await page.evaluate("scrollTo(0, 3000)");
		expect((await boxes()).top).toBe(16);
		await page.close();
	},
	60_000,
);

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
	test.skipIf(withoutChromium)(
		`code in every language that the pages have can be read by everybody, and axe finds nothing${chromiumNote}`,
		async () => {
			const page = await chromium.newPage({ viewport: { width: 1_280, height: 900 }, colorScheme });
			const paths = [
				"/docs",
				"/docs/guides/upload-from-servers",
				"/docs/guides/quick-starts",
				"/docs/guides/quick-starts-rest",
			];
			for (const path of [
				...paths,
				"/docs/reference/webhooks",
				"/docs/operate/proxy",
				"/docs/guides/hosted-pages",
				"/docs/questions",
			]) {
				await page.goto(service.baseUrl + path);
				expect([path, await faultsOf(page)]).toEqual([path, []]);
			}
			await page.close();
		},
		120_000,
	);
});

test.skipIf(withoutChromium)(
	`tabs change without a script, one is open at a time, and a link to one opens it${chromiumNote}`,
	async () => {
		const context = await chromium.newContext({ javaScriptEnabled: false, viewport: { width: 1_280, height: 900 } });
		const page = await context.newPage();
		await page.goto(`${service.baseUrl}/docs/guides/upload-from-servers`);
		const open = async () => (await page.locator(".tabs details[open] summary").allTextContents()).join();
		expect(await open()).toBe("curl");
		await page.locator(".tabs summary", { hasText: "Python" }).click();
		expect(await open()).toBe("Python");
		await page.goto(`${service.baseUrl}/docs/guides/upload-from-servers#ruby`);
		expect(await open()).toBe("Ruby");
		expect(await page.locator("#ruby").isVisible()).toBe(true);
		await context.close();
	},
	60_000,
);
