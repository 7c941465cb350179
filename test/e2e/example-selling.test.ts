import { expect, test } from "bun:test";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { manage, registryNote, startExample, withoutRegistry } from "../support/example.ts";
import { expectSoundEverywhere, photo, seen, send } from "../support/example-gallery.ts";
import { signInAt, signInOn } from "../support/example-people.ts";
import type { StartedService } from "../support/service.ts";

const BENEFIT = "As many pictures as you like";

/** What the README's commands do. */
async function sellingOn(service: StartedService, address: string): Promise<void> {
	const app = await signInOn(service, address);
	await manage(service, "POST", `/v1/apps/${app}/redirect_uris`, { uri: `${address}/bought` });
	await manage(service, "PATCH", `/v1/apps/${app}`, { free_limits: { images: 3 } });
	await manage(service, "PATCH", `/v1/operator/apps/${app}`, { selling_enabled: true });
	const plan = await manage(service, "POST", `/v1/apps/${app}/plans`, {
		key: "gold",
		name: "Gold",
		benefits: [BENEFIT],
	});
	const price = { amount: 499, currency: "usd", interval: "month", trial_days: 7 };
	await manage(service, "POST", `/v1/apps/${app}/plans/${plan.id}/prices`, price);
}

const DAY_MS = 86_400_000;

/** As an operator moves the clock in test mode: it is so many days later than when the test began. */
async function passDays(service: StartedService, days: number): Promise<void> {
	await manage(service, "POST", "/v1/operator/clock/advance", {
		to: new Date(Date.now() + days * DAY_MS).toISOString(),
	});
}

test.skipIf(withoutChromium || withoutRegistry)(
	`[C] examples/selling gives three pictures for nothing, and the fourth to who has the plan${chromiumNote}${registryNote}`,
	async () => {
		await using example = await startExample("selling", { prepare: sellingOn });
		await using chromium = await launchChromium();
		const page = await chromium.newPage();
		await page.goto(example.address);
		await page.getByText("$4.99 a month").waitFor();
		await page.getByText(BENEFIT).waitFor();
		await expectSoundEverywhere(page);
		await signInAt(page, example, "ada");
		for (const caption of ["A lake", "A town", "A hut"]) {
			await send(page, await photo(), caption);
			await seen(page, caption);
		}
		await send(page, await photo(), "A summit");
		await page.getByText("You have all the pictures that are free").waitFor();
		await expectSoundEverywhere(page);

		await page.goto(`${example.address}/photos`);
		await expectSoundEverywhere(page);
		await page.getByRole("link", { name: "Try Gold for 7 days" }).click();
		await page.waitForURL(/\/checkout\//);
		await page.click("main button.primary");
		await page.waitForURL((url) => url.href.startsWith(example.address));
		const plan = page.getByRole("region", { name: "Your plan" });
		expect(await plan.textContent()).toMatch(/Gold:\s+on trial\.\s+It is renewed on \w+ \d+, \d{4}\./);
		await expectSoundEverywhere(page);
		await send(page, await photo(), "A summit");
		await seen(page, "A summit");

		await passDays(example.service, 8);
		await page.goto(`${example.address}/photos`);
		expect(await plan.textContent()).toMatch(/Gold:\s+yours\.\s+It is renewed on \w+ \d+, \d{4}\./);
		await page.getByRole("link", { name: "Change or cancel" }).click();
		await page.getByRole("button", { name: "Cancel at the end of the term" }).click();
		await page.getByText("Your plan is cancelled.").waitFor();
		await page.goto(`${example.address}/photos`);
		expect(await plan.textContent()).toMatch(/Gold:\s+yours\.\s+It ends on \w+ \d+, \d{4}\./);
		await passDays(example.service, 40);
		await page.goto(`${example.address}/photos`);
		await page.getByRole("link", { name: "Get Gold" }).waitFor();
		await send(page, await photo(), "A glacier");
		await page.getByText("You have all the pictures that are free").waitFor();
	},
	180_000,
);
