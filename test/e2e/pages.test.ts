import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { connectUser, type TestApp } from "../support/apps.ts";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import {
	addCallback,
	addConnectApp,
	codeFor,
	connectLink,
	exchanged,
	SIGN_IN_UNLIMITED,
	sampleCallback,
	wrong,
} from "../support/connect.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { expectSound, faultsOf, focused, SCREENS, tabTo } from "../support/sound-page.ts";

/* The hosted pages in a real browser, without a mouse. */

let service: StartedService;
let chromium: Browser;
let app: TestApp;
let callback: ReturnType<typeof Bun.serve>;
let callbackUri: string;

beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService(SIGN_IN_UNLIMITED);
	chromium = await launchChromium();
	app = await addConnectApp(service.database, "Sunday Hikers", []);
	callback = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answerCallback });
	callbackUri = `http://127.0.0.1:${callback.port}/signed-in?from=svc`;
	await addCallback(service.database, app, callbackUri);
});
afterAll(async () => {
	if (withoutChromium) return;
	await chromium.close();
	await callback.stop(true);
	await service.stop();
});

const STATE = "a+b %26 ünï";

/** What the App's own backend makes of the result. */
async function answerCallback(request: Request): Promise<Response> {
	if (new URL(request.url).pathname !== "/signed-in") return new Response("no callback", { status: 404 });
	const result = await sampleCallback(request.url, STATE, (code) => exchanged(service, app, code));
	const text = "refused" in result ? `refused: ${result.refused}` : `welcome ${result.signedIn.user.email}`;
	const icon = '<link rel="icon" href="data:,">';
	return new Response(`<!doctype html><title>App</title>${icon}<p>${text}`, {
		headers: { "Content-Type": "text/html" },
	});
}

/** Everything that a page must not do, as the browser saw it. */
interface Watched {
	readonly page: Page;
	readonly faults: string[];
	close(): Promise<void>;
}

async function watch(options: BrowserContextOptions = {}): Promise<Watched> {
	const context = await chromium.newContext(options);
	const page = await context.newPage();
	const faults: string[] = [];
	const hosts = new Set([new URL(service.baseUrl).host, new URL(callbackUri).host]);
	page.on("request", (request) => {
		const { protocol, host } = new URL(request.url());
		if (protocol !== "data:" && !hosts.has(host)) faults.push(`request to ${request.url()}`);
	});
	page.on("console", (message) => {
		// An answer of 4xx is part of what is tried here.
		if (!message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
	});
	page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
	page.on("requestfailed", (request) => {
		// A page that is left takes along what it was still asking for.
		if (request.failure()?.errorText !== "net::ERR_ABORTED") faults.push(`failed: ${request.url()}`);
	});
	return { page, faults, close: () => context.close() };
}

/** Types into the field that a page gives the focus to by itself. */
async function type(page: Page, name: string, text: string): Promise<void> {
	expect((await focused(page)).name).toBe(name);
	await page.keyboard.type(text);
}

async function press(page: Page, key: "Enter"): Promise<void> {
	const answered = page.waitForNavigation();
	await page.keyboard.press(key);
	await answered;
}

/** What is too small for a finger, links within sentences and the like apart (WCAG 2.2, 2.5.5 "Target Size (Enhanced)"). */
const SMALL = `[...document.querySelectorAll("a:not(.skip):not(p a:not(.button):not(.back)),button,input:not([type=hidden]):not([type=radio]),summary")]
	.map((one) => [one.textContent || one.name, one.getBoundingClientRect().height]).filter(([, height]) => height < 44)`;

let people = 0;
const someone = () => `walker-${++people}@example.com`;

describe.skipIf(withoutChromium)(`hosted sign-in in Chromium${chromiumNote}`, () => {
	test.each(SCREENS)(
		"by keyboard alone at %s: nothing else is asked for, and nothing breaks [connect.email-and-code, connect.redirect-code, connect.callback-state-verify]",
		async (_, options) => {
			const { page, faults, close } = await watch(options);
			const email = someone();
			await page.goto(service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE }));
			await expectSound(page, "Sign in to Sunday Hikers");
			expect(await focused(page)).toMatchObject({ name: "email", outline: "solid", width: 3 });
			await type(page, "email", email);
			await press(page, "Enter");
			await expectSound(page, "Type the code to sign in to Sunday Hikers");
			expect(await focused(page)).toMatchObject({ name: "code", outline: "solid", width: 3 });
			const code = await codeFor(service.database, email);
			await type(page, "code", wrong(code));
			await press(page, "Enter");
			await expectSound(page, "Type the code to sign in to Sunday Hikers");
			expect(await page.textContent("[role=alert]")).toContain("4 more tries");
			expect(await focused(page)).toMatchObject({ name: "code" });
			// A code that is asked for too soon is nothing that is wrong in the field.
			await tabTo(page, "Send a new code");
			await press(page, "Enter");
			await expectSound(page, "Type the code to sign in to Sunday Hikers");
			expect(await page.textContent("#said[role=status]")).toContain("A code was sent a moment ago");
			expect(await page.getAttribute("#code", "aria-invalid")).toBeNull();
			expect(await page.getAttribute("#code", "aria-describedby")).toBe("said connects code-hint");
			expect(await focused(page)).toMatchObject({ name: "code" });
			await type(page, "code", code);
			await tabTo(page, "Connect");
			await press(page, "Enter");
			expect(await page.textContent("p")).toBe(`welcome ${email}`);
			expect(new URL(page.url()).searchParams.get("from")).toBe("svc");
			// Back in the App; next time by one button, or without a form.
			await page.goto(service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE }));
			await expectSound(page, "Sign in to Sunday Hikers");
			await tabTo(page, `Continue as ${email}`);
			await press(page, "Enter");
			expect(await page.textContent("p")).toBe(`welcome ${email}`);
			await page.goto(service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE, prompt: "none" }));
			expect(await page.textContent("p")).toBe(`welcome ${email}`);
			expect(faults).toEqual([]);
			await close();
		},
	);

	test("every control of both steps is reached by Tab, and cancelling leads back [connect.access_denied.cancel]", async () => {
		const { page, faults, close } = await watch({ viewport: { width: 360, height: 740 } });
		const link = service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE });
		await page.goto(link);
		for (const name of ["Send the code", "Cancel", "your account", "with Svc", "Your account"]) await tabTo(page, name);
		await page.goto(link);
		await type(page, "email", someone());
		await press(page, "Enter");
		for (const name of ["Connect", "Send a new code", "Use another address"]) await tabTo(page, name);
		await page.reload();
		await tabTo(page, "Cancel");
		await press(page, "Enter");
		expect(await page.textContent("p")).toBe("refused: access_denied");
		expect(faults).toEqual([]);
		await close();
	});

	test("silently, from a link on the App's own site: the session comes along", async () => {
		const { page, faults, close } = await watch();
		const email = someone();
		const link = service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE, prompt: "none" });
		const appPage = new URL("/signed-in?error=none", callbackUri).href;
		const follow = async () => {
			await page.goto(appPage);
			const answered = page.waitForURL(/signed-in\?from=svc/);
			await page.evaluate(`location.href = ${JSON.stringify(link)}`);
			await answered;
		};
		await follow();
		expect(await page.textContent("p")).toBe("refused: interaction_required");
		await page.goto(link.replace("&prompt=none", ""));
		await type(page, "email", email);
		await press(page, "Enter");
		await type(page, "code", await codeFor(service.database, email));
		await press(page, "Enter");
		await follow();
		expect(await page.textContent("p")).toBe(`welcome ${email}`);
		expect(faults).toEqual([]);
		await close();
	});

	test("no page shows up in another site's frame", async () => {
		const { page, faults, close } = await watch();
		await page.goto(callbackUri);
		const answered = page.waitForResponse(`${service.baseUrl}/account`);
		await page.evaluate(`document.body.innerHTML = '<iframe src="${service.baseUrl}/account"></iframe>'`);
		expect((await answered).status()).toBe(200);
		// The refusal replaces the frame's content a moment after the answer came.
		const shown = () => page.frames()[1]?.url();
		while (shown() === "") await page.waitForTimeout(10);
		expect(shown()).toBe("chrome-error://chromewebdata/");
		expect(faults.join()).toContain("frame-ancestors 'none'");
		await close();
	});
});

describe.skipIf(withoutChromium)(`the other pages in Chromium${chromiumNote}`, () => {
	test.each(SCREENS.slice(0, 2))("the account, by keyboard alone at %s", async (_, options) => {
		const { page, faults, close } = await watch(options);
		const email = someone();
		await page.goto(service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE }));
		await type(page, "email", email);
		await press(page, "Enter");
		await type(page, "code", await codeFor(service.database, email));
		await press(page, "Enter");

		await page.goto(`${service.baseUrl}/account`);
		await expectSound(page, "Your account");
		await tabTo(page, "Keys");
		await press(page, "Enter");
		await expectSound(page, "Your keys for Sunday Hikers");
		await tabTo(page, "name");
		await page.keyboard.type("Backup at home");
		await press(page, "Enter");
		await expectSound(page, "Your keys for Sunday Hikers");
		expect(await page.textContent("code.secret")).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
		await tabTo(page, "Revoke");
		await press(page, "Enter");
		expect(await page.textContent("[role=status]")).toContain("revoked");

		await page.goto(`${service.baseUrl}/account`);
		await tabTo(page, "Disconnect…");
		await press(page, "Enter");
		await expectSound(page, "Disconnect Sunday Hikers");
		await tabTo(page, "Disconnect");
		await press(page, "Enter");
		await expectSound(page, "Your account");
		await tabTo(page, "Delete your account");
		await press(page, "Enter");
		await expectSound(page, "Delete your account");
		await tabTo(page, "email");
		await page.keyboard.type("nobody@example.com");
		await press(page, "Enter");
		await expectSound(page, "Delete your account");
		await tabTo(page, "email");
		await page.keyboard.press("Control+A");
		await page.keyboard.type(email);
		await press(page, "Enter");
		await expectSound(page, "Your account is being deleted");
		expect(faults).toEqual([]);
		await close();
	});

	test("names of 60 characters, and such as are read from the right, break no page; a finger finds what it presses", async () => {
		const { page, faults, close } = await watch({
			viewport: { width: 320, height: 640 },
			hasTouch: true,
			isMobile: true,
		});
		const email = `${"somebody-with-a-rather-long-name".repeat(2)}@example.com`;
		for (const name of ["Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunt", "مكتبة الصور 👩‍👩‍👧"]) {
			const named = await addConnectApp(service.database, name, []);
			// Where nobody spends the code.
			const redirectUri = new URL("/elsewhere", callbackUri).href;
			await addCallback(service.database, named, redirectUri);
			await page.goto(service.baseUrl + connectLink(named, { redirectUri }));
			await expectSound(page, `Sign in to ${name}`);
			// For the second App the person is signed in, and has nothing to type.
			if ((await page.$("#email")) === null) await tabTo(page, "Send the code");
			else await page.fill("#email", email);
			await press(page, "Enter");
			await expectSound(page, `Type the code to sign in to ${name}`);
			await page.fill("#code", await codeFor(service.database, email));
			await press(page, "Enter");
			for (const [path, title] of [
				["/account", "Your account"],
				[`/account/apps/${named.id}/keys`, `Your keys for ${name}`],
				[`/account/apps/${named.id}/disconnect`, `Disconnect ${name}`],
				["/account/delete", "Delete your account"],
			] as const) {
				await page.goto(service.baseUrl + path);
				await expectSound(page, title);
				expect(await page.evaluate(SMALL), path).toEqual([]);
			}
		}
		await page.goto(`${service.baseUrl}/account`);
		await page.getByRole("link", { name: /^Keys for Donau/ }).tap();
		await page.fill("#name", "W".repeat(100));
		await press(page, "Enter");
		await expectSound(page, "Your keys for Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunt");
		expect(faults).toEqual([]);
		await close();
	});

	test("what was answered has the focus: the field that is wrong, or the message", async () => {
		const { page, faults, close } = await watch();
		await page.goto(service.baseUrl + connectLink(app, { redirectUri: callbackUri, state: STATE }));
		const email = someone();
		await type(page, "email", email);
		await press(page, "Enter");
		await type(page, "code", await codeFor(service.database, email));
		await press(page, "Enter");
		await page.goto(`${service.baseUrl}/account/delete`);
		await page.fill("#email", "nobody@example.com");
		await press(page, "Enter");
		expect(await focused(page)).toMatchObject({ name: "email", outline: "solid" });
		await page.goto(`${service.baseUrl}/account/apps/${app.id}/disconnect`);
		await tabTo(page, "Disconnect");
		await press(page, "Enter");
		expect(await focused(page)).toMatchObject({ name: "Disconnected. Your pictures there are being deleted." });
		await page.goto(`${service.baseUrl}/report/img_${"0".repeat(22)}`);
		await page.evaluate("document.querySelector('main form').noValidate = true");
		await tabTo(page, "Send the report");
		await press(page, "Enter");
		expect(await focused(page)).toMatchObject({ name: "reason" });
		expect(faults).toEqual([]);
		await close();
	});

	test.each(SCREENS.slice(1, 3))("a report, and the pages that say what is wrong, at %s", async (_, options) => {
		const { page, faults, close } = await watch(options);
		const user = await connectUser(service.database, app);
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		const image = await uploaded(service, await plain(10, 10), "a.png", {}, caller);
		await page.goto(`${service.baseUrl}/report/${image.id}`);
		await expectSound(page, "Report a picture");
		await tabTo(page, "reason");
		await page.keyboard.press("Space");
		await tabTo(page, "note");
		await page.keyboard.type("Mine.");
		await tabTo(page, "Send the report");
		await press(page, "Enter");
		await expectSound(page, "Thank you for the report");
		for (const [path, title] of [
			["/nowhere", "There is no such page"],
			["/connect", "This link does not work"],
			["/account/code?login=x", "This sign-in is over"],
			["/account", "Sign in"],
			["/invites/nonsense", "This invitation does not work"],
		] as const) {
			await page.goto(service.baseUrl + path);
			await expectSound(page, title);
		}
		await page.goto(service.baseUrl);
		expect(await page.title()).toBe("Svc");
		expect(await faultsOf(page)).toEqual([]);
		expect(faults).toEqual([]);
		await close();
	});
});
