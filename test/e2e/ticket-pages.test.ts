import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { countOf } from "../support/apps.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { noise } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { type StartedService, startService } from "../support/service.ts";
import type { SeenByTest } from "../support/ticket-page.ts";
import { type TicketAnswer, ticket } from "../support/tickets.ts";

/* Pages of an App, on an origin of its own, that upload to the service without a key. */

let service: StartedService;
let proxy: CuttingProxy;
let site: ReturnType<typeof Bun.serve>;
let chromium: Browser;
let origin = "";
/** The tickets that the App's backend has given out. */
const given: TicketAnswer[] = [];

const HTML = `<!doctype html><meta charset="utf-8"><title>App</title>
	<div id="plain">drop here</div><div id="uppy"></div><div id="filepond"><input type="file"></div>
	<script type="module" src="/page.js"></script>`;

async function openSite(): Promise<ReturnType<typeof Bun.serve>> {
	const { outputs, logs } = await Bun.build({
		entrypoints: [join(import.meta.dirname, "../support/ticket-page.ts")],
		target: "browser",
	});
	const [script] = outputs;
	if (!script) throw new Error(logs.join("\n"));
	const text = await script.text();
	return Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname } = new URL(request.url);
			if (pathname === "/page.js") return new Response(text, { headers: { "Content-Type": "text/javascript" } });
			if (pathname !== "/ticket") return new Response(HTML, { headers: { "Content-Type": "text/html" } });
			const made = await ticket(service, { origins: [origin], formats: ["jpg"] });
			given.push(made);
			return new Response(made.url);
		},
	});
}

beforeAll(async () => {
	if (withoutChromium) return;
	const [port] = await freePorts(1);
	// Its addresses lead through the proxy: so do those of tickets.
	service = await startService({ SVC_BASE_URL: `http://localhost:${port}` });
	proxy = await startCuttingProxy(Number(port), Number(new URL(service.baseUrl).port));
	site = await openSite();
	origin = `http://127.0.0.1:${site.port}`;
	chromium = await launchChromium();
});

afterAll(async () => {
	await chromium?.close();
	site?.stop(true);
	await proxy?.[Symbol.asyncDispose]();
	await service?.stop();
});

/** Of a megabyte or two, so that it takes more than one packet. */
const picture = (await noise(900, 900)).toBase64();

async function openPage(): Promise<Page> {
	const page = await (await chromium.newContext()).newPage();
	await page.goto(origin);
	await page.waitForFunction(() => Reflect.has(globalThis, "seen"));
	given.length = 0;
	return page;
}

/** Lets a file fall on an element, as a person's mouse does. */
async function drop(page: Page, selector: string): Promise<void> {
	await page.waitForSelector(selector, { state: "attached" });
	await page.evaluate(
		async ([target = "", bytes = ""]) => {
			const blob = await (await fetch(`data:image/jpeg;base64,${bytes}`)).blob();
			const dataTransfer = new DataTransfer();
			dataTransfer.items.add(new File([blob], "IMG_0001.jpg", { type: "image/jpeg", lastModified: 0 }));
			const element = document.querySelector(target);
			const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
			const at = { dataTransfer, bubbles: true, cancelable: true, clientX: left + 5, clientY: top + 5 };
			for (const name of ["dragenter", "dragover", "drop"]) element?.dispatchEvent(new DragEvent(name, at));
		},
		[selector, picture],
	);
}

function seenIn(page: Page): Promise<SeenByTest> {
	return page.evaluate(() => Reflect.get(globalThis, "seen") as SeenByTest);
}

async function waitFor(page: Page, list: "done" | "failed"): Promise<SeenByTest> {
	await page.waitForFunction((name) => Reflect.get(globalThis, "seen")[name].length > 0, list);
	return await seenIn(page);
}

const imagesNow = () => countOf(service.database, sql`SELECT count(*) FROM images`);

function expectProgress({ progress }: SeenByTest): void {
	expect(progress.length).toBeGreaterThan(1);
	expect(Math.min(...progress)).toBeGreaterThanOrEqual(0);
	expect(progress.at(-1)).toBe(1);
}

const WAYS = {
	"a page of its own script": "#plain",
	"a page with Uppy": "#uppy .uppy-DragDrop-container",
	"a page with FilePond": "#filepond .filepond--root",
} as const;

describe("a picture that is dropped on", () => {
	for (const [name, selector] of Object.entries(WAYS)) {
		test.skipIf(withoutChromium)(
			`${name} of another origin is uploaded, and its progress is seen${chromiumNote}`,
			async () => {
				const page = await openPage();
				await drop(page, selector);
				const seen = await waitFor(page, "done");
				expect(seen.done).toEqual(given.map(({ image_id }) => image_id));
				expect(seen.failed).toEqual([]);
				expectProgress(seen);
				await page.context().close();
			},
		);

		test.skipIf(withoutChromium)(
			`${name} makes one image, when its connection is cut in the middle${chromiumNote}`,
			async () => {
				const page = await openPage();
				const [before, cuts] = [await imagesNow(), proxy.cuts];
				proxy.cut(1, 200_000);
				await drop(page, selector);
				const seen = await waitFor(page, "done");
				expect(proxy.cuts).toBe(cuts + 1);
				expect([seen.done, given.length]).toEqual([[given[0]?.image_id ?? ""], 1]);
				expect(await imagesNow()).toBe(before + 1);
				await page.context().close();
			},
		);

		test.skipIf(withoutChromium)(`${name} makes one image, when the answer is lost${chromiumNote}`, async () => {
			const page = await openPage();
			const before = await imagesNow();
			let lost = 0;
			await page.route("**/v1/uploads/*", async (route) => {
				if (route.request().method() !== "POST" || lost > 0) return await route.continue();
				lost += 1;
				await route.fetch();
				await route.abort("connectionreset");
			});
			await drop(page, selector);
			const seen = await waitFor(page, "done");
			expect([lost, seen.done, given.length]).toEqual([1, [given[0]?.image_id ?? ""], 1]);
			expect(await imagesNow()).toBe(before + 1);
			await page.context().close();
		});
	}
});

describe("a file that is tried again by hand, after all tries had failed, goes with the ticket that it had", () => {
	for (const [name, retry] of [
		["a page with Uppy", "retryUppy"],
		["a page with FilePond", "retryFilePond"],
	] as const) {
		test.skipIf(withoutChromium)(`on ${name}${chromiumNote}`, async () => {
			const page = await openPage();
			const before = await imagesNow();
			let fails = true;
			await page.route("**/v1/uploads/*", async (route) => {
				if (!fails || route.request().method() !== "POST") return await route.continue();
				await route.fetch();
				await route.abort("connectionreset");
			});
			await drop(page, WAYS[name]);
			await waitFor(page, "failed");
			fails = false;
			await page.evaluate((again) => void Reflect.get(globalThis, again)(), retry);
			const seen = await waitFor(page, "done");
			expect([seen.done, given.length]).toEqual([[given[0]?.image_id ?? ""], 1]);
			expect(await imagesNow()).toBe(before + 1);
			await page.context().close();
		});
	}
});

test.skipIf(withoutChromium)(
	`a page of an origin that the ticket does not name uploads nothing, and reads why${chromiumNote}`,
	async () => {
		const page = await (await chromium.newContext()).newPage();
		await page.goto(`http://localhost:${site.port}`);
		await page.waitForFunction(() => Reflect.has(globalThis, "seen"));
		const made = await ticket(service, { origins: [origin] });
		const outcome = await page.evaluate(async (url) => {
			const body = new FormData();
			body.append("file", new Blob(["x"]), "a.jpg");
			const answer = await fetch(url, { method: "POST", body });
			return { status: answer.status, message: (await answer.json()).error.message };
		}, made.url);
		expect(outcome).toEqual({ status: 403, message: expect.stringContaining(`http://localhost:${site.port}`) });
		await page.context().close();
	},
);
