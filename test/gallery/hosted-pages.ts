import { sql } from "drizzle-orm";
import type { Browser, BrowserContextOptions } from "playwright-core";
import sharp from "sharp";
import { goTo, type Scene, STOPS, setScene } from "../support/page-walk.ts";
import { send, uploaded } from "../support/requests.ts";
import { made } from "../support/selling.ts";
import type { StartedService } from "../support/service.ts";
import { SCENES } from "./scenes.ts";

/* Pictures of the hosted pages for the documentation: each page in light colours, and beside it in dark ones. */

/** By the name of the file, the stop at which it is taken. */
export const PAGE_PICTURES = {
	"sign-in": "connect",
	consent: "connect, connected",
	billing: "card",
	account: "account",
} as const;

type PageName = keyof typeof PAGE_PICTURES;

const SCREEN = { viewport: { width: 440, height: 640 }, deviceScaleFactor: 1.25, locale: "en" } as const;
const HEIGHT_MAX = 860;
const GAP = 24;

/** As WebP, by the name of the file. */
export async function pagePictures(service: StartedService, chromium: Browser): Promise<ReadonlyMap<PageName, Buffer>> {
	const scene = await setHikers(service);
	const pictures = new Map<PageName, Buffer>();
	for (const [name, stop] of Object.entries(PAGE_PICTURES) as [PageName, string][]) {
		const looks = [];
		for (const colorScheme of ["light", "dark"] as const) looks.push(await shoot(scene, stop, chromium, colorScheme));
		pictures.set(name, await beside(looks));
	}
	return pictures;
}

/** The scene of the tests, with names as people have them. */
async function setHikers(service: StartedService): Promise<Scene> {
	const scene = await setScene(service, "current");
	const { app, owner } = scene.shop;
	const { id: logo } = await uploaded(service, new Uint8Array(await logoPicture()), "logo.png", {}, { key: app.key });
	const profile = {
		developer: "Sunday Hikers e.V.",
		homepage_url: "https://hikers.example/",
		logo_image_id: logo,
		accent_color: "#1f6f8b",
	};
	await made(send(service, "PATCH", `/v1/apps/${app.id}`, { name: "Sunday Hikers", profile }, owner));
	const email = "ada@example.com";
	await service.database.write([
		{
			run: sql`UPDATE accounts SET email = ${email}, email_norm = ${email} WHERE id = ${scene.customer.user.accountId}`,
		},
		{
			run: sql`UPDATE connections SET created_ms = ${service.clock.now() - 40 * 86_400_000},
				email_at_consent = (SELECT email_norm FROM accounts WHERE pk = account_pk)`,
		},
	]);
	return scene;
}

async function logoPicture(): Promise<Buffer> {
	return await sharp(await SCENES.harbour.draw())
		.extract({ left: 60, top: 250, width: 800, height: 800 })
		.resize(192, 192)
		.png()
		.toBuffer();
}

async function shoot(
	scene: Scene,
	name: string,
	chromium: Browser,
	colorScheme: NonNullable<BrowserContextOptions["colorScheme"]>,
): Promise<Buffer> {
	const stop = STOPS.find((one) => one.name === name);
	if (stop === undefined) throw new Error(`The pages have no state “${name}”.`);
	const context = await chromium.newContext({ ...SCREEN, colorScheme, javaScriptEnabled: false });
	const page = await context.newPage();
	const value = scene.customer.browser.cookies.get("session")?.value ?? "";
	if (stop.signedIn) await context.addCookies([{ name: "session", value, url: scene.service.baseUrl }]);
	await goTo(page, scene, stop);
	// Without the foot: its list of languages needs letters that not every machine has.
	const end = await page.evaluate<number>('document.querySelector("main").getBoundingClientRect().bottom');
	const height = Math.min(Math.ceil(end) + 16, HEIGHT_MAX);
	const picture = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width: SCREEN.viewport.width, height } });
	await context.close();
	return picture;
}

async function beside(looks: readonly Buffer[]): Promise<Buffer> {
	const sizes = await Promise.all(looks.map(async (look) => await sharp(look).metadata()));
	const height = Math.max(...sizes.map((size) => size.height));
	let left = 0;
	const layers = looks.map((input, at) => {
		const layer = { input, top: 0, left };
		left += (sizes[at]?.width ?? 0) + GAP;
		return layer;
	});
	const background = { r: 0, g: 0, b: 0, alpha: 0 };
	const sheet = sharp({ create: { width: left - GAP, height, channels: 4, background } });
	return await sheet.composite(layers).webp({ quality: 70, effort: 6 }).toBuffer();
}
