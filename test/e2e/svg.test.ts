import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import type { Browser, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { svg } from "../support/kept-as-is.ts";
import { startOrigin } from "../support/origin.ts";
import { pixelAt } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* What becomes of a stranger's SVG in a real browser: it looks as its author drew it, and neither runs nor loads anything. */

let service: StartedService;
let browser: Browser;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService({ SVC_VARIANT: "legacy" });
	browser = await launchChromium();
});
afterAll(async () => {
	await browser?.close();
	await service?.stop();
});

const RED_PIXEL =
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** Left: green by a style sheet of its own. Middle: a picture inside of the file. Right: black, unless a script or a reference got through. */
function drawing(secret: string): string {
	return svg(
		`<style>.a { fill: #00ff00 }</style><rect class="a" width="40" height="30"/>
		<image href="${RED_PIXEL}" x="40" width="40" height="30" preserveAspectRatio="none"/>
		<rect id="b" x="80" width="40" height="30"/><image href="${secret}" x="80" width="9" height="9"/>
		<script>document.getElementById("b").style.fill = "#ff00ff"; fetch("${secret}")</script>`,
		'width="120" height="30"',
	);
}

/** The colours left, in the middle and right. */
async function colours(page: Page): Promise<string[]> {
	const shot = await page.screenshot({ clip: { x: 0, y: 0, width: 120, height: 30 } });
	const at = async (x: number) => (await pixelAt(new Uint8Array(shot), x, 15)).slice(0, 3).join();
	return [await at(20), await at(60), await at(100)];
}

test.skipIf(withoutChromium)(
	`an SVG looks the same opened by itself and embedded, runs no script and asks for nothing${chromiumNote}`,
	async () => {
		let shown = "";
		const origin = await startOrigin((request, response) => {
			response.setHeader("Content-Type", "text/html");
			response.end(request.url === "/page" ? `<!doctype html><body style="margin:0">${shown}` : "");
		});
		const image: Image = await uploaded(service, drawing(origin.url("/secret.png")), "drawing.svg");
		for (let tries = 0; tries < 1_000 && (await fetch(image.url)).status !== 200; tries++) await Bun.sleep(50);
		const page = await browser.newPage({ viewport: { width: 200, height: 100 } });
		const expected = ["0,255,0", "255,0,0", "0,0,0"];
		await page.goto(image.url);
		expect(await colours(page)).toEqual(expected);
		for (const element of ["img", "iframe"]) {
			shown = `<${element} src="${image.url}" frameborder="0" width="120" height="30"></${element}>`;
			await page.goto(origin.url("/page"), { waitUntil: "networkidle" });
			expect([element, await colours(page)]).toEqual([element, expected]);
		}
		expect(origin.asked.filter((path) => path === "/secret.png")).toEqual([]);
		await page.close();
		origin.stop();
	},
	60_000,
);
