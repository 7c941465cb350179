/* Makes the pictures of docs/pictures from the running program: bun test/gallery/docs.ts [words in names] */
import { writeFile } from "node:fs/promises";
import { launchChromium } from "../support/chromium.ts";
import { SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { startService } from "../support/service.ts";
import { CONSOLE_PICTURES, consolePictures } from "./console-pictures.ts";
import { dashboardPicture } from "./dashboard-picture.ts";
import { PAGE_PICTURES, pagePictures } from "./hosted-pages.ts";

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
const [word = ""] = process.argv.slice(2);
const isWanted = (name: string) => name.includes(word);

const keep = (name: string, picture: Uint8Array) => writeFile(new URL(`${name}.webp`, FOLDER), picture);

const service = await startService(SIGN_IN_UNLIMITED);
if (isWanted("dashboard")) await keep("dashboard", await dashboardPicture(service));
if (Object.keys(PAGE_PICTURES).some(isWanted)) {
	const chromium = await launchChromium();
	for (const [name, picture] of await pagePictures(service, chromium)) if (isWanted(name)) await keep(name, picture);
	await chromium.close();
}
if (CONSOLE_PICTURES.some(isWanted)) {
	const chromium = await launchChromium();
	for (const [name, picture] of await consolePictures(chromium)) if (isWanted(name)) await keep(name, picture);
	await chromium.close();
}
await service.stop();
