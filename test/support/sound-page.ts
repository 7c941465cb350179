import { expect } from "bun:test";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";

/* What every page has to be in a real browser, on whatever screen. */

/** What axe finds wrong by WCAG 2.2 A and AA and its best practices; injected over the debugger, which no page could. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
	// What is on its way from one colour to another has neither.
	await page.evaluate(`Promise.all(document.getAnimations()
		.filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
		.map((one) => one.finished.catch(() => undefined)))`);
	await page.evaluate(axe.source);
	const found = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
		"axe.run(document).then(({ violations }) => violations)",
	);
	return found.map(
		({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join()}`,
	);
}

/** Wider than the screen: one would have to scroll sideways. */
function overflow(page: Page): Promise<number> {
	return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** What is wider than the screen, or than its own box. */
export function tooWide(page: Page): Promise<readonly string[]> {
	return page.evaluate<
		string[]
	>(`[document.documentElement, ...document.querySelectorAll("button, .button, h1, h2, h3, label, p")]
		.filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).display !== "inline")
		.filter((one) => one.scrollWidth - one.clientWidth > 1 && !one.matches(".skip, .alone h2"))
		.map((one) => one.tagName + " " + one.textContent.slice(0, 60))`);
}

interface Focus {
	readonly name: string;
	readonly outline: string;
	readonly width: number;
	readonly visible: boolean;
}

/**
 * What has the focus, and whether one sees it. A browser gives `autofocus` with a frame after the page has loaded, so
 * that frame is waited for, up to two seconds.
 */
export async function focused(page: Page): Promise<Focus> {
	await page.evaluate(`(async () => {
		const waits = () => document.activeElement === document.body && document.querySelector("[autofocus]");
		for (const end = performance.now() + 2000; waits() && performance.now() < end; ) {
			await new Promise((next) => requestAnimationFrame(next));
		}
	})()`);
	return focusNow(page);
}

function focusNow(page: Page): Promise<Focus> {
	return page.evaluate<Focus>(`(() => {
		const element = document.activeElement;
		const style = getComputedStyle(element);
		const box = element.getBoundingClientRect();
		return {
			name: element.getAttribute("name") ?? element.textContent.trim(),
			outline: style.outlineStyle,
			width: parseFloat(style.outlineWidth),
			visible: box.width > 0 && box.left >= 0 && box.right <= innerWidth,
		};
	})()`);
}

/** By the keyboard alone, and one sees it. */
export async function tabTo(page: Page, name: string): Promise<void> {
	for (let presses = 0; presses < 30; presses++) {
		const focus = await focusNow(page);
		if (focus.name === name) {
			expect(focus).toMatchObject({ outline: "solid", width: 3, visible: true });
			return;
		}
		await page.keyboard.press("Tab");
	}
	throw new Error(`“${name}” cannot be reached by the keyboard on ${await page.title()}`);
}

/** A page as it should be. */
export async function expectSound(page: Page, title: string): Promise<void> {
	expect(await page.title()).toBe(`${title} · Svc`);
	expect(await faultsOf(page)).toEqual([]);
	expect(await overflow(page)).toBe(0);
}

export const SCREENS = [
	["360 px, light", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
	["320 px, dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
	["1200 px, dark", { viewport: { width: 1_200, height: 900 }, colorScheme: "dark" }],
	[
		"360 px, no motion, more contrast",
		{ viewport: { width: 360, height: 740 }, reducedMotion: "reduce", contrast: "more" },
	],
] as const satisfies readonly (readonly [string, BrowserContextOptions])[];
