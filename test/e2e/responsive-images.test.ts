import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pictureHtml } from "@svc/sdk/picture";
import { SCENES } from "../gallery/scenes.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { uploaded } from "../support/requests.ts";
import { startService } from "../support/service.ts";

const GUIDE = join(import.meta.dirname, "../../docs/guides/responsive-images.md");
/** The width of a screen, its pixels for one of CSS, and what the guide says that it loads. */
const ROW = /^\| (\d+) wide[^|]*\| (\d) \| `\?([^`]+)` \|$/gm;

test.skipIf(withoutChromium)(
	`each screen of the guide loads one form of a picture, and the one that stands there${chromiumNote}`,
	async () => {
		const rows = [...(await readFile(GUIDE, "utf8")).matchAll(ROW)];
		expect(rows.length).toBe(4);
		const service = await startService();
		const image = await uploaded(service, new Uint8Array(await SCENES.harbour.draw()), "harbour.jpg");
		const html = pictureHtml(image, { alt: "A harbour", sizes: "(min-width: 60em) 50vw, 100vw", priority: true });
		const chromium = await launchChromium();
		for (const [, width = "", density = "", query = ""] of rows) {
			const viewport = { width: Number(width), height: 700 };
			const page = await chromium.newPage({ viewport, deviceScaleFactor: Number(density) });
			const loaded: string[] = [];
			page.on("response", (answer) => {
				if (answer.url().startsWith(image.url)) loaded.push(`${new URL(answer.url()).search} ${answer.status()}`);
			});
			await page.goto(`${service.baseUrl}/healthz`);
			const style = "<style>body { margin: 0 } img { width: 100%; height: auto }</style>";
			await page.setContent(`<meta name="viewport" content="width=device-width">${style}${html}`);
			await page.waitForFunction('document.querySelector("img").complete');
			expect([width, loaded]).toEqual([width, [`?${query} 200`]]);
			await page.close();
		}
		await chromium.close();
		await service.stop();
	},
	120_000,
);
