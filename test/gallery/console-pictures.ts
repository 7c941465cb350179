import type { Browser, BrowserContextOptions } from "playwright-core";
import sharp from "sharp";
import { SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { startService } from "../support/service.ts";
import { type ConsoleScene, ownerCookies, setConsoleScene } from "./console-scene.ts";

/* Pictures of the console for the documentation: each screen in light colours and in dark ones, as the reader's own are. */

interface Screen {
	/** Below the App's own address. */
	readonly path: (scene: ConsoleScene) => string;
	readonly viewport: { readonly width: number; readonly height: number };
}

const WIDE = { width: 1180, height: 740 };
const PHONE = { width: 390, height: 740 };
const harbour = ({ images }: ConsoleScene) => `/images/${images.get("harbour-at-dusk.jpg")}`;

/** By the name of the file, what it shows. */
const SCREENS = {
	"console-images": { path: () => "/images", viewport: WIDE },
	"console-picture": { path: harbour, viewport: WIDE },
	"console-overview": { path: () => "", viewport: WIDE },
	"console-phone": { path: () => "/images?labels=place%3Dcoast", viewport: PHONE },
} as const satisfies Readonly<Record<string, Screen>>;

const LOOKS = ["light", "dark"] as const;

/** The names of all of them. */
export const CONSOLE_PICTURES = Object.keys(SCREENS).flatMap((name) => LOOKS.map((look) => `${name}-${look}`));

/** As WebP, by the name of the file. */
export async function consolePictures(chromium: Browser): Promise<ReadonlyMap<string, Buffer>> {
	// One of their own: what else a service holds would stand in them.
	const service = await startService(SIGN_IN_UNLIMITED);
	const scene = await setConsoleScene(service);
	const pictures = new Map<string, Buffer>();
	for (const [name, screen] of Object.entries(SCREENS)) {
		for (const colorScheme of LOOKS) {
			pictures.set(`${name}-${colorScheme}`, await shoot(scene, screen, chromium, { colorScheme }));
		}
	}
	await service.stop();
	return pictures;
}

async function shoot(
	scene: ConsoleScene,
	{ path, viewport }: Screen,
	chromium: Browser,
	look: Pick<BrowserContextOptions, "colorScheme">,
): Promise<Buffer> {
	const context = await chromium.newContext({ ...look, viewport, deviceScaleFactor: 1.25, locale: "en" });
	await context.addCookies(await ownerCookies(scene));
	const page = await context.newPage();
	// A screen waits for what happens next, without end.
	await page.route("**/live?*", (route) => route.abort());
	await page.goto(`${scene.service.baseUrl}/console/${scene.appId}${path(scene)}`);
	await page.waitForLoadState("networkidle");
	const picture = await page.screenshot();
	await context.close();
	return await sharp(picture).webp({ quality: 68, effort: 6 }).toBuffer();
}
