import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { corners } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { expectSound, SCREENS, tabTo } from "../support/sound-page.ts";

/* A public image's page in a real browser. */

let service: StartedService;
let chromium: Browser;
beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService({ SVC_VARIANT: "legacy" });
	chromium = await launchChromium();
});
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await service.stop();
});

const SHAPES = [
	["wide", 1_600, 900],
	["tall", 900, 2_400],
	["small", 60, 40],
] as const;

const CAPTION = "The lake below the old mill, early in the morning";

/** A page, and everything that it must not do, as the browser saw it. */
async function watch(options: BrowserContextOptions) {
	const context = await chromium.newContext(options);
	const page = await context.newPage();
	const [faults, asked]: [string[], string[]] = [[], []];
	page.on("request", (request) => {
		asked.push(request.url());
		if (![service.baseUrl, service.cdnUrl].includes(new URL(request.url()).origin)) faults.push(request.url());
	});
	page.on("console", (message) => faults.push(message.text()));
	page.on("pageerror", (error) => faults.push(error.message));
	page.on("requestfailed", (request) => {
		// A page that is left takes along what it was still asking for.
		if (request.failure()?.errorText !== "net::ERR_ABORTED") faults.push(`failed: ${request.url()}`);
	});
	return { page, faults, asked, close: () => context.close() };
}

/** The picture as it is shown, and the box that it is shown in. */
const SHOWN = `(() => {
	const picture = document.querySelector("img");
	const { width, height, right } = picture.getBoundingClientRect();
	return { width, height, inside: right <= innerWidth, low: height <= innerHeight, source: picture.currentSrc,
		loaded: picture.complete && picture.naturalWidth > 0 };
})()`;

interface Shown {
	readonly width: number;
	readonly height: number;
	readonly inside: boolean;
	readonly low: boolean;
	readonly source: string;
	readonly loaded: boolean;
}

describe.skipIf(withoutChromium)(`the page of an image in Chromium${chromiumNote}`, () => {
	test.each(SCREENS)(
		"shows pictures of every shape whole at %s, and is left by the keyboard [image.fields.page_url]",
		async (_, options) => {
			const { page, faults, close } = await watch(options);
			for (const [shape, width, height] of SHAPES) {
				const file = await corners(width, height, "jpeg");
				const image = await uploaded(service, file, `${shape}.jpg`, { public: "true", caption: CAPTION });
				await page.goto(image.page_url ?? "");
				await expectSound(page, CAPTION);
				const shown = await page.evaluate<Shown>(SHOWN);
				expect(shown).toMatchObject({ inside: true, low: true, loaded: true });
				expect(shown.source).toStartWith(`${image.url}?size=`);
				expect(shown.width).toBeLessThanOrEqual(width);
				if (shape !== "tall") expect(shown.width / shown.height).toBeCloseTo(width / height, 1);
				for (const name of ["Open the original", "Report this picture"]) await tabTo(page, name);
			}
			await page.keyboard.press("Enter");
			await page.waitForURL(/\/report\//);
			expect(faults).toEqual([]);
			await close();
		},
	);

	test("what may not be suitable is fetched only when it is unveiled, by the keyboard", async () => {
		const { page, faults, asked, close } = await watch(SCREENS[0][1]);
		const image = await uploaded(service, await corners(800, 600, "jpeg"), "a.jpg", { public: "true" });
		await service.database.write([{ run: sql`UPDATE images SET nsfw = 1 WHERE id = ${image.id}` }]);
		await page.goto(image.page_url ?? "");
		await expectSound(page, "a.jpg");
		const fetched = () => asked.filter((url) => url.startsWith(service.cdnUrl));
		expect(fetched()).toEqual([]);
		await tabTo(page, "Show the picture: it may not be suitable for everybody");
		const answered = page.waitForResponse((response) => response.url().startsWith(service.cdnUrl));
		await page.keyboard.press("Enter");
		expect((await answered).status()).toBe(200);
		await page.waitForFunction("document.querySelector('img').complete");
		await expectSound(page, "a.jpg");
		expect(await page.evaluate<Shown>(SHOWN)).toMatchObject({ inside: true, low: true, loaded: true });
		expect(faults).toEqual([]);
		await close();
	});

	test("a long caption and a name without a space fit a narrow screen", async () => {
		const { page, faults, close } = await watch(SCREENS[1][1]);
		const name = `${"IMG".repeat(50)}.jpg`;
		const caption = `${"Many words, and then some. ".repeat(60)}\nhttps://example.com/${"a".repeat(300)}`;
		const image = await uploaded(service, await corners(80, 60, "jpeg"), name, { public: "true", caption });
		await page.goto(image.page_url ?? "");
		await expectSound(page, `${name.slice(0, 99)}…`);
		expect(faults).toEqual([]);
		await close();
	});
});
