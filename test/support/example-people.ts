import type { Page } from "playwright-core";
import { manage, type StartedExample } from "./example.ts";
import type { StartedService } from "./service.ts";

/* For tests only: people who sign in to an example, as they do in test mode. */

/** The id of the service's first App, to which people can sign in from now on. */
export async function signInOn(service: StartedService, address: string): Promise<string> {
	const key = (await (await service.api("/v1/key")).json()) as { readonly app: { readonly id: string } };
	await manage(service, "PATCH", `/v1/apps/${key.app.id}`, { sign_in_enabled: true });
	await manage(service, "POST", `/v1/apps/${key.app.id}/redirect_uris`, { uri: `${address}/callback` });
	return key.app.id;
}

/** From the example's first page through the service's own, and back. */
export async function signInAt(page: Page, { address, service }: StartedExample, name: string): Promise<void> {
	await page.goto(address);
	await page.getByRole("link", { name: "Sign in" }).click();
	await page.waitForURL((url) => url.href.startsWith(service.baseUrl));
	// A browser that is signed in there already is only asked whether it is to be this person.
	const email = page.locator("#email");
	if (await email.isVisible()) await email.fill(`${name}+svc_test@example.com`);
	else {
		await page.click("main button.primary");
		await page.waitForURL(`${address}/photos`);
		return;
	}
	await page.click("main button.primary");
	await page.fill("#code", "424242");
	await page.click("main button.primary");
	await page.waitForURL(`${address}/photos`);
}
