import { expect, test } from "bun:test";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { registryNote, startExample, withoutRegistry } from "../support/example.ts";
import { deleteByKeyboard, imagesOf, walkGallery } from "../support/example-gallery.ts";
import { until } from "../support/workers.ts";

test.skipIf(withoutChromium || withoutRegistry)(
	`[C] examples/next is built, takes a picture from a form, shows it with next/image, and deletes it${chromiumNote}${registryNote}`,
	async () => {
		await using example = await startExample("next");
		await using chromium = await launchChromium();
		const page = await walkGallery(chromium, example, "next");
		const srcset = await page.getByRole("img", { name: "A lake" }).getAttribute("srcset");
		expect(srcset).toMatch(new RegExp(`^${example.service.cdnUrl}/\\S+\\.jpg\\?format=auto&w=640 640w, `));
		await deleteByKeyboard(page, "A lake");
		await until(async () => (await imagesOf(example, "next")).length === 0);
		// The key stays on the server: neither the page nor a script of it has it.
		const html = await page.content();
		const scripts = await page.evaluate(() => [...document.scripts].map(({ src }) => src).filter((src) => src !== ""));
		const sources = await Promise.all(scripts.map(async (src) => await (await fetch(src)).text()));
		expect(scripts.length).toBeGreaterThan(0);
		expect([html, ...sources].filter((text) => text.includes(example.service.apiKey))).toEqual([]);
	},
	360_000,
);
