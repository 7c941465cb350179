/* Pictures of every hosted page, in two widths and colours and in several languages: bun test/gallery/pages.ts <folder> [variant] [words in names] */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { goTo, type Scene, STOPS, type Stop, setScene } from "../support/page-walk.ts";
import { startService } from "../support/service.ts";

const LOOKS: readonly (BrowserContextOptions & { readonly name: string })[] = [
	{ name: "de-320-light", locale: "de", viewport: { width: 320, height: 640 }, colorScheme: "light" },
	{ name: "ja-320-dark", locale: "ja", viewport: { width: 320, height: 640 }, colorScheme: "dark" },
	{ name: "fr-1280-dark", locale: "fr", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
	{ name: "es-1280-light", locale: "es", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
	{ name: "en-320-light", locale: "en", viewport: { width: 320, height: 640 }, colorScheme: "light" },
];

const [folder = "pages", variant = "current", looks = "", word = ""] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const service = await startService({ ...SIGN_IN_UNLIMITED, SVC_VARIANT: variant });
const chromium = await launchChromium();
const scene = await setScene(service, variant);
const stops = STOPS.filter(({ variants, name }) => (variants?.includes(variant) ?? true) && name.includes(word));
for (const look of LOOKS.filter(({ name }) => name.includes(looks))) {
	for (const stop of stops) await shoot(scene, stop, look);
}
await chromium.close();
await service.stop();

async function shoot({ customer }: Scene, stop: Stop, { name, ...options }: (typeof LOOKS)[number]): Promise<void> {
	const context = await chromium.newContext({ ...options, javaScriptEnabled: false });
	const page = await context.newPage();
	try {
		const value = customer.browser.cookies.get("session")?.value ?? "";
		if (stop.signedIn) await context.addCookies([{ name: "session", value, url: service.baseUrl }]);
		await goTo(page, scene, stop);
		await page.screenshot({ path: join(folder, `${name}--${stop.name.replace(/[^\w]+/g, "-")}.png`), fullPage: true });
	} catch (cause) {
		process.stdout.write(`${name} ${stop.name}: ${cause instanceof Error ? cause.message.slice(0, 300) : cause}\n`);
	}
	await context.close();
}
