import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { codeFor } from "../support/connect.ts";
import { type StartedService, startService } from "../support/service.ts";

/* An App opens the sign-in as a popup, which answers the page that opened it once it is back at the App. */

let service: StartedService;
let app: ReturnType<typeof Bun.serve>;
let chromium: Browser;

const PAGES: Readonly<Record<string, string>> = {
	"/": `<!doctype html><title>App</title><script>
		addEventListener("message", ({ data, origin }) => { document.title = origin === location.origin ? data : "foreign"; });
	</script>`,
	"/callback": `<!doctype html><title>back</title><script>
		if (opener) opener.postMessage("code " + (new URLSearchParams(location.search).get("code") ?? "none"), location.origin);
	</script>`,
};

beforeAll(async () => {
	if (withoutChromium) return;
	service = await startService();
	app = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) =>
			new Response(PAGES[new URL(url).pathname] ?? "", { headers: { "Content-Type": "text/html; charset=utf-8" } }),
	});
	chromium = await launchChromium();
});

afterAll(async () => {
	await chromium?.close();
	app?.stop(true);
	await service?.stop();
});

test.skipIf(withoutChromium)(`a popup signs in, and answers its opener${chromiumNote}`, async () => {
	const origin = `http://127.0.0.1:${app.port}`;
	const call = (path: string, body: object) =>
		service.api(path, {
			method: "POST",
			body: JSON.stringify(body),
			headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
		});
	const made = (await (await call("/v1/apps", { name: "Popup pictures" })).json()) as { id: string };
	expect((await call(`/v1/apps/${made.id}/redirect_uris`, { uri: `${origin}/callback` })).status).toBe(201);
	await service.api(`/v1/apps/${made.id}`, {
		method: "PATCH",
		body: JSON.stringify({ sign_in_enabled: true }),
		headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
	});
	const link = new URL("/connect", service.baseUrl);
	link.search = String(new URLSearchParams({ app: made.id, redirect_uri: `${origin}/callback`, state: "s" }));

	const context = await chromium.newContext();
	const page = await context.newPage();
	await page.goto(origin);
	const [popup] = await Promise.all([
		page.waitForEvent("popup"),
		page.evaluate((address) => void Reflect.set(globalThis, "shown", globalThis.open(address)), link.href),
	]);
	await popup.locator('input[name="email"]').fill("popup@example.com");
	await popup.locator('button[type="submit"].primary').click();
	await popup.locator('input[name="code"]').waitFor();
	// Cut apart, it would look closed to the page that opened it.
	expect(await page.evaluate(() => Boolean(Reflect.get(globalThis, "shown").closed))).toBe(false);
	await popup.locator('input[name="code"]').fill(await codeFor(service.database, "popup@example.com"));
	await popup.locator('button[type="submit"].primary').click();
	await page.waitForFunction(() => globalThis.document.title.startsWith("code "));
	expect(await page.title()).toMatch(/^code (?!none)\S+$/);
	await context.close();
});

test.skipIf(withoutChromium)(`the account keeps to itself: its opener cannot reach it${chromiumNote}`, async () => {
	const answer = await service.open(`${service.baseUrl}/account?card=app%3Dx`);
	expect(answer.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
	for (const path of ["/billing", "/connect", "/account/code?card=app%3Dx"]) {
		const way = await service.open(`${service.baseUrl}${path}`);
		expect([path, way.headers.get("Cross-Origin-Opener-Policy")]).toEqual([path, "unsafe-none"]);
		expect(way.headers.get("X-Frame-Options")).toBe("DENY");
	}
});
