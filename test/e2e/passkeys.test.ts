import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { codeFor, SIGN_IN_UNLIMITED } from "../support/connect.ts";
import { type StartedService, startService } from "../support/service.ts";
import { expectSound, focused, SCREENS, tabTo } from "../support/sound-page.ts";

/* Passkeys in a real browser, by keyboard alone. The authenticator is Chromium's own virtual one. */

let service: StartedService;
let chromium: Browser;

beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService(SIGN_IN_UNLIMITED);
	chromium = await launchChromium();
});
afterAll(async () => {
	await chromium?.close();
	await service?.stop();
});

interface Device {
	readonly page: Page;
	readonly faults: readonly string[];
	/** Whether whoever is asked says yes. */
	agree(yes: boolean): Promise<void>;
	close(): Promise<void>;
}

/** What a browser says that offers no passkeys in a field. */
const WITHOUT_FIELD = "PublicKeyCredential.isConditionalMediationAvailable = async () => false";

/**
 * A device with an authenticator that asks nobody.
 * @param inField whether it offers passkeys in the field for the address: then the first one is taken as soon as the page is there
 */
async function device(options: BrowserContextOptions = {}, inField = false): Promise<Device> {
	const context = await chromium.newContext(options);
	const page = await context.newPage();
	if (!inField) await page.addInitScript(WITHOUT_FIELD);
	const faults: string[] = [];
	page.on("console", (message) => {
		// A session that is not fresh, as the script is told it.
		if (!message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
	});
	page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
	const debug = await context.newCDPSession(page);
	await debug.send("WebAuthn.enable");
	const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", {
		options: {
			protocol: "ctap2",
			transport: "internal",
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	});
	const agree = async (yes: boolean) => {
		await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: yes });
	};
	return { page, faults, agree, close: () => context.close() };
}

let people = 0;
const someone = () => `keeper-${++people}@example.com`;

async function press(page: Page, button: string): Promise<void> {
	await tabTo(page, button);
	const answered = page.waitForNavigation();
	await page.keyboard.press("Enter");
	await answered;
}

async function signIn(page: Page, email: string): Promise<void> {
	await page.goto(`${service.baseUrl}/account`);
	await page.fill("#email", email);
	await page.press("#email", "Enter");
	await page.waitForSelector("#code");
	await typeCode(page, email);
}

async function typeCode(page: Page, email: string): Promise<void> {
	await page.fill("#code", await codeFor(service.database, email));
	const answered = page.waitForNavigation();
	await page.press("#code", "Enter");
	await answered;
}

async function signOut(page: Page): Promise<void> {
	await page.goto(`${service.baseUrl}/account`);
	await press(page, "Sign out");
}

const HOURS_MS = 3_600_000;

describe.skipIf(withoutChromium)(`passkeys in Chromium${chromiumNote}`, () => {
	test.each(SCREENS)(
		"at %s: added, signed in with, confirmed with and removed, by keyboard alone",
		async (_, options) => {
			const { page, faults, close } = await device(options);
			const email = someone();
			await signIn(page, email);
			await page.goto(`${service.baseUrl}/account/passkeys`);
			await expectSound(page, "Passkeys");
			expect(await page.isVisible("[data-passkey-without]")).toBe(false);
			expect(await page.inputValue("#name")).toMatch(/^Chrome on /);
			await page.fill("#name", "My laptop");
			await press(page, "Add a passkey");
			await expectSound(page, "Security");
			expect(await page.textContent("[role=status]")).toContain("The passkey is added");
			expect(await page.textContent("section:has(#passkeys)")).toContain("My laptop");

			await signOut(page);
			await expectSound(page, "Sign in");
			await press(page, "Sign in with a passkey");
			await expectSound(page, "Your account");
			expect(await page.textContent("main")).toContain(email);

			// Hours later the session is not fresh: the passkey confirms, and what was asked for is done.
			service.clock.advance(HOURS_MS);
			await page.goto(`${service.baseUrl}/account/passkeys`);
			await tabTo(page, "Remove");
			await press(page, "Remove");
			await expectSound(page, "Confirm that it is you");
			expect(await page.textContent("#about")).toContain("To remove a passkey.");
			expect((await focused(page)).name).toBe("Use a passkey");
			await press(page, "Use a passkey");
			await expectSound(page, "Security");
			expect(await page.textContent("[role=status]")).toContain("The passkey is removed");
			expect(await page.textContent("section:has(#passkeys)")).not.toContain("My laptop");

			// The device still has it, and says so; here nobody knows it any more.
			await signOut(page);
			await press(page, "Sign in with a passkey");
			await expectSound(page, "Sign in");
			expect(await page.textContent("form[data-passkey] [role=alert]:not([hidden])")).toContain("not known here");
			expect((await focused(page)).name).toContain("not known here");
			expect(faults).toEqual([]);
			await close();
		},
	);

	test("a passkey that is taken in the field for the address signs in, as does the button where none was taken there", async () => {
		const { page, faults, agree, close } = await device({}, true);
		const email = someone();
		await signIn(page, email);
		await page.goto(`${service.baseUrl}/account/security`);
		await press(page, "Add a passkey");
		const signOutTo = async (end: "Sign in" | "Your account") => {
			const asked = page.waitForResponse(/\/account\/passkey\/options$/);
			await page.goto(`${service.baseUrl}/account/security`);
			await page.click("text=Sign out >> nth=0");
			expect((await asked).status()).toBe(200);
			await page.waitForFunction((title) => document.title.startsWith(title), end);
		};
		await signOutTo("Your account");
		expect(await page.textContent("main")).toContain(email);

		await agree(false);
		await signOutTo("Sign in");
		expect(await page.getAttribute("#email", "autocomplete")).toBe("username webauthn");
		expect(await page.isVisible("[data-passkey-fault]")).toBe(false);
		await expectSound(page, "Sign in");
		await agree(true);
		await press(page, "Sign in with a passkey");
		await expectSound(page, "Your account");
		expect(faults).toEqual([]);
		await close();
	});

	test("a session that is not fresh is confirmed by a code first, and keeps the name that was typed", async () => {
		const { page, close } = await device();
		const email = someone();
		await signIn(page, email);
		service.clock.advance(HOURS_MS);
		await page.goto(`${service.baseUrl}/account/passkeys`);
		await page.fill("#name", "Desk");
		await press(page, "Add a passkey");
		await expectSound(page, "Confirm that it is you");
		await typeCode(page, email);
		await expectSound(page, "Passkeys");
		expect(await page.inputValue("#name")).toBe("Desk");
		expect(await page.textContent("#confirmed")).toContain("Now add the passkey");
		expect((await focused(page)).name).toBe("Add a passkey");
		await press(page, "Add a passkey");
		expect(await page.textContent("[role=status]")).toContain("The passkey is added");
		await close();
	});

	test("what is cancelled is said on the page, and can be tried again", async () => {
		const { page, agree, close } = await device();
		const email = someone();
		await signIn(page, email);
		await agree(false);
		await page.goto(`${service.baseUrl}/account/passkeys`);
		await tabTo(page, "Add a passkey");
		await page.keyboard.press("Enter");
		await page.waitForSelector("[data-passkey-fault]:not([hidden])");
		expect((await focused(page)).name).toContain("No passkey was added");
		await expectSound(page, "Passkeys");
		await agree(true);
		await press(page, "Add a passkey");
		expect(await page.textContent("[role=status]")).toContain("The passkey is added");
		// A second one of the same device is refused by the device itself.
		await page.goto(`${service.baseUrl}/account/passkeys`);
		await tabTo(page, "Add a passkey");
		await page.keyboard.press("Enter");
		await page.waitForSelector("[data-passkey-fault]:not([hidden])");
		await close();
	});

	test("without scripts the code is what is offered, and a passkey can be removed", async () => {
		const email = someone();
		const adding = await device();
		await signIn(adding.page, email);
		await adding.page.goto(`${service.baseUrl}/account/passkeys`);
		await press(adding.page, "Add a passkey");
		await adding.close();
		const context = await chromium.newContext({ javaScriptEnabled: false });
		const page = await context.newPage();
		await page.goto(`${service.baseUrl}/account`);
		expect(await page.isVisible("form[data-passkey]")).toBe(false);
		expect(await page.isVisible("#email")).toBe(true);
		await signIn(page, email);
		await page.goto(`${service.baseUrl}/account/passkeys`);
		expect(await page.isVisible("form[data-passkey]")).toBe(false);
		expect(await page.isVisible("[data-passkey-without]")).toBe(true);
		await page.click("text=Remove");
		expect(await page.textContent("[role=status]")).toContain("The passkey is removed");
		await context.close();
	});

	test("the one script is ours, on the pages that need it and on no other", async () => {
		const policyOf = async (path: string) =>
			(await service.open(`${service.baseUrl}${path}`)).headers.get("Content-Security-Policy") ?? "";
		expect(await policyOf("/account")).toEndWith("; script-src 'self'; connect-src 'self'");
		for (const path of ["/", "/connect", "/account/deleted", "/billing"]) {
			expect(await policyOf(path)).not.toContain("script-src");
			expect(await (await service.open(`${service.baseUrl}${path}`)).text()).not.toContain("<script");
		}
		const html = await (await service.open(`${service.baseUrl}/account`)).text();
		expect([...html.matchAll(/<script([^>]*)>/g)].map(([, tag]) => tag)).toEqual([
			expect.stringMatching(/^ src="\/assets\/passkeys\.[0-9a-f]{16}\.js" defer=""$/),
		]);
		expect(html).not.toMatch(/ on[a-z]+="/);
	});
});
