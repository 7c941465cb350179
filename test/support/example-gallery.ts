import { expect } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import type { Browser, Page } from "playwright-core";
import type { StartedExample } from "./example.ts";
import { noise } from "./pictures.ts";
import { faultsOf, SCREENS, tabTo, tooWide } from "./sound-page.ts";
import { until } from "./workers.ts";

/* For tests only: the page of an example on which one uploads pictures and sees them. */

interface Sent {
	readonly name: string;
	readonly mimeType: string;
	readonly buffer: Buffer<ArrayBuffer>;
}

export async function photo(name = "IMG_1.jpg"): Promise<Sent> {
	return { name, mimeType: "image/jpeg", buffer: Buffer.from(await noise(800, 600)) };
}

/** By the keyboard, but for the file, which is chosen in a window of the system. */
export async function send(page: Page, file: Sent, caption: string): Promise<void> {
	await page.getByLabel("Picture", { exact: true }).setInputFiles(file);
	await page.getByLabel("What it shows").focus();
	await page.keyboard.type(caption);
	await tabTo(page, "Upload");
	await page.keyboard.press("Enter");
}

/** Waits until a picture is seen. */
export async function seen(page: Page, alt: string): Promise<void> {
	const picture = page.getByRole("img", { name: alt, exact: true });
	await picture.scrollIntoViewIfNeeded();
	await until(async () => await picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0));
}

/** As it has to be on every screen. */
export async function expectSoundEverywhere(page: Page): Promise<void> {
	for (const [screen, { viewport, colorScheme }] of SCREENS.slice(0, 3) as (typeof SCREENS)[0][]) {
		await page.setViewportSize(viewport);
		await page.emulateMedia({ colorScheme });
		expect([page.url(), screen, await faultsOf(page), await tooWide(page)]).toEqual([page.url(), screen, [], []]);
	}
}

export async function imagesOf({ service }: StartedExample, label: string): Promise<readonly Image[]> {
	const answer = await service.api(`/v1/images?labels=from%3D${label}`);
	return ((await answer.json()) as { readonly data: readonly Image[] }).data;
}

/** Uploads a picture and sees it, is told what is wrong with a file that is none, and on every screen the page is as it should be. */
export async function walkGallery(chromium: Browser, example: StartedExample, label: string): Promise<Page> {
	const page = await chromium.newPage();
	const types = new Set<string | undefined>();
	page.on("response", (answer) => {
		if (answer.url().startsWith(example.service.cdnUrl)) types.add(answer.headers()["content-type"]);
	});
	await page.goto(example.address);
	await expectSoundEverywhere(page);
	await send(page, await photo(), "A lake");
	await seen(page, "A lake");
	expect([...types]).toEqual(["image/avif"]);
	const [image] = await imagesOf(example, label);
	expect(image).toMatchObject({ caption: "A lake", filename: "IMG_1.jpg", width: 800 });

	await send(page, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") }, "Notes");
	await page.getByText("file: is not a picture").waitFor();
	await expectSoundEverywhere(page);
	expect(await imagesOf(example, label)).toHaveLength(1);
	return page;
}

export async function deleteByKeyboard(page: Page, caption: string): Promise<void> {
	await page.getByRole("button", { name: `Delete ${caption}` }).focus();
	await page.keyboard.press("Enter");
	await page.getByRole("img", { name: caption }).waitFor({ state: "detached" });
}
