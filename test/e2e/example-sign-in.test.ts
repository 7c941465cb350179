import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { registryNote, startExample, withoutRegistry } from "../support/example.ts";
import { deleteByKeyboard, expectSoundEverywhere, photo, seen, send } from "../support/example-gallery.ts";
import { signInAt, signInOn } from "../support/example-people.ts";

const pictures = (page: Page) => page.locator("ul.pictures img");

test.skipIf(withoutChromium || withoutRegistry)(
	`[C] examples/sign-in keeps what each person uploads for this person, until they leave${chromiumNote}${registryNote}`,
	async () => {
		await using example = await startExample("sign-in", { prepare: signInOn });
		await using chromium = await launchChromium();
		const page = await chromium.newPage();
		await page.goto(example.address);
		await expectSoundEverywhere(page);
		await signInAt(page, example, "ada");
		await expectSoundEverywhere(page);
		await send(page, await photo(), "A lake");
		await seen(page, "A lake");
		await expectSoundEverywhere(page);
		await send(page, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") }, "Notes");
		await page.getByText("file: is not a picture").waitFor();
		await expectSoundEverywhere(page);

		const other = await (await chromium.newContext()).newPage();
		await signInAt(other, example, "maria");
		expect(await pictures(other).count()).toBe(0);
		const image = await example.service.api("/v1/images");
		expect(await image.json()).toMatchObject({ data: [] });
		await page.goto(`${example.address}/photos`);
		const action = (await page.locator("ul.pictures form").getAttribute("action")) ?? "";
		const foreign = await other.request.post(example.address + action);
		expect([action, foreign.status()]).toEqual([expect.stringMatching(/^\/photos\/img_\w+\/delete$/), 404]);

		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("link", { name: "Sign in" }).waitFor();
		expect((await fetch(example.address + action, { method: "POST" })).status).toBe(401);
		await signInAt(page, example, "ada");
		expect(await pictures(page).count()).toBe(1);
		await deleteByKeyboard(page, "A lake");

		await page.getByRole("link", { name: "Leave this App" }).click();
		await page.getByRole("button", { name: "Disconnect" }).click();
		await page.waitForURL(`${example.service.baseUrl}/account`);
		await page.goto(`${example.address}/photos`);
		expect(page.url()).toStartWith(`${example.service.baseUrl}/connect?`);
	},
	180_000,
);

test.skipIf(withoutRegistry)(
	`[C] examples/sign-in takes nobody in who comes back with what it did not send${registryNote}`,
	async () => {
		await using example = await startExample("sign-in", { prepare: signInOn });
		const open = (path: string, cookie = "") =>
			fetch(example.address + path, { headers: { Cookie: cookie }, redirect: "manual" });
		const sent = await open("/sign-in");
		const [cookie = ""] = (sent.headers.get("Set-Cookie") ?? "").split(";");
		expect(sent.headers.get("Set-Cookie")).toMatch(/^app_state_\w+=[\w-]+; .*HttpOnly; SameSite=Lax$/);
		const address = new URL(sent.headers.get("Location") ?? "");
		expect([address.origin, address.pathname]).toEqual([example.service.baseUrl, "/connect"]);
		const state = address.searchParams.get("state") ?? "";

		expect((await open(`/callback?code=x&state=${state}`)).status).toBe(400);
		expect((await open("/callback?code=x&state=forged", cookie)).status).toBe(400);
		expect((await open("/callback?code=x", cookie)).status).toBe(400);
		const refused = await open(`/callback?error=access_denied&state=${state}`, cookie);
		expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("You are not signed in")]);
		const wrong = await open(`/callback?code=svc_code_x&state=${state}`, cookie);
		expect([wrong.status, wrong.headers.getSetCookie().some((one) => one.startsWith("app_user"))]).toEqual([
			400,
			false,
		]);
	},
	120_000,
);
