import { describe, expect, test } from "bun:test";
import { LOCALES } from "@svc/base/enumerations";
import { addApp } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { addSession } from "../../support/people.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addCustomer, openCard, openShop, press, subscribe, subscriptionOf } from "../../support/subscribers.ts";

/* What a rule refuses is said on a page in the language of whoever reads it. */

const service = serviceFor();
const shop = madeBefore(() => openShop(service));
const reading = (language: string) => ({ headers: { "Accept-Language": language } });

describe.each(LOCALES)("in %s", (locale) => {
	/** The one alert of a page, which must not be English elsewhere. */
	const alertOf = ({ alerts }: { readonly alerts: readonly string[] }, english: string): string => {
		expect(alerts).toHaveLength(1);
		const [alert = ""] = alerts;
		if (locale === "en") expect(alert).toContain(english);
		else expect(alert).not.toMatch(/\b(?:the|your|this|is)\b/i);
		return alert;
	};

	test("[C][T] the card says why a plan cannot be changed", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		const card = await openCard(customer);
		await press(customer, "cancel");
		const refused = await customer.browser.submit(card, "/billing/switch", { price_id: shop.gold.id }, reading(locale));
		expect(refused.status).toBe(409);
		alertOf(refused, "take the cancellation back before you change it");
	});

	test("[C][T] a plan's own page says that it has ended", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		const path = `/account/plans/${(await subscriptionOf(service, customer)).id}`;
		const asked = await customer.browser.open(`${path}/cancel`);
		await customer.browser.submit(await customer.browser.open(`${path}/withdraw`), `${path}/withdraw`);
		const refused = await customer.browser.submit(asked, `${path}/cancel`, {}, reading(locale));
		expect(refused.status).toBe(409);
		alertOf(refused, "This plan has ended.");
	});

	test("an account that owns an App says which one is in the way", async () => {
		const app = await addApp(service.database, "Nachtfalter 7");
		const browser = new Browser(service);
		const value = await addSession(service.database, app.ownerId, { kind: "web" });
		browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
		const email = `${app.ownerId.toLowerCase()}@example.com`;
		const asked = await browser.open("/account/delete");
		const refused = await browser.submit(asked, "/account/delete", { email }, reading(locale));
		expect(refused.status).toBe(409);
		expect(alertOf(refused, "You are the Owner of")).toContain("Nachtfalter 7");
	});
});
