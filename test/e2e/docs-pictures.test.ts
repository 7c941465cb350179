import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import sharp from "sharp";
import { CONSOLE_PICTURES, consolePictures } from "../gallery/console-pictures.ts";
import { dashboardPicture } from "../gallery/dashboard-picture.ts";
import { PAGE_PICTURES, pagePictures } from "../gallery/hosted-pages.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { type StartedService, startService } from "../support/service.ts";

/* The pictures of docs/pictures, beside what the program shows today. */

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
/** Of 255, for one channel of a pixel of both pictures made small: letters and days differ, what is where does not. */
const MEAN_DIFFERENCE = 6;
const SMALL = 48;
/** So that a page with several loads at once. */
const BYTES_MAX = 100_000;

let service: StartedService;
beforeAll(async () => {
	service = await startService(SIGN_IN_UNLIMITED);
}, 60_000);
afterAll(() => service.stop());

async function small(picture: Uint8Array): Promise<Buffer> {
	return await sharp(picture).flatten().resize(SMALL, SMALL, { fit: "fill" }).raw().toBuffer();
}

async function expectAlike(name: string, made: Uint8Array): Promise<void> {
	const file = await readFile(new URL(`${name}.webp`, FOLDER));
	expect([name, file.length < BYTES_MAX]).toEqual([name, true]);
	const [kept, now] = [await small(file), await small(made)];
	const sum = now.reduce((total, value, at) => total + Math.abs(value - (kept[at] ?? 0)), 0);
	expect([name, sum / now.length < MEAN_DIFFERENCE]).toEqual([name, true]);
}

test("there is a picture of the dashboard and of each page that is shown, and no other", async () => {
	const screens = [...Object.keys(PAGE_PICTURES), ...CONSOLE_PICTURES];
	const names = ["concepts.svg", "dashboard.webp", ...screens.map((name) => `${name}.webp`)];
	expect((await readdir(FOLDER)).toSorted()).toEqual(names.toSorted());
});

test("the picture of the dashboard is what it shows today: else `bun test/gallery/docs.ts dashboard`", async () => {
	await expectAlike("dashboard", await dashboardPicture(service));
}, 120_000);

test.skipIf(withoutChromium)(
	`the pictures of the hosted pages are what they show today: else \`bun test/gallery/docs.ts\`${chromiumNote}`,
	async () => {
		const chromium = await launchChromium();
		for (const [name, picture] of await pagePictures(service, chromium)) await expectAlike(name, picture);
		await chromium.close();
	},
	120_000,
);

test.skipIf(withoutChromium)(
	`the pictures of the console are what it shows today: else \`bun test/gallery/docs.ts console\`${chromiumNote}`,
	async () => {
		const chromium = await launchChromium();
		for (const [name, picture] of await consolePictures(chromium)) await expectAlike(name, picture);
		await chromium.close();
	},
	120_000,
);
