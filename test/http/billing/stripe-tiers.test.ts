import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStripeService, type StripeService, sessionOf } from "../../support/stripe-service.ts";
import { held } from "../../support/stripe-state.ts";
import { addCustomer, openCard, openShop, press, type Shop } from "../../support/subscribers.ts";
import { tierOf } from "../../support/tiers.ts";

let world: StripeService;
let shop: Shop;
beforeAll(async () => {
	world = await openStripeService({ SVC_VARIANT: "legacy" });
	shop = await openShop(world.service);
});
afterAll(() => world.close());

test("tiers of a storage are bought, changed and withdrawn from at Stripe as plans of Apps are", async () => {
	const { stripe, service } = world;
	const customer = await addCustomer(service, shop);
	const terms = { plan: "pro", interval: "monthly" };
	const session = sessionOf(await customer.browser.submit(await openCard(customer), "/billing/checkout", terms));
	expect(await tierOf(service, customer)).toBe("free");
	expect(stripe.complete(session)).toBeTrue();
	await customer.browser.open(held(stripe.state.sessions.get(session), session).success_url);
	expect(await tierOf(service, customer)).toBe("pro");
	await press(customer, "switch", { plan: "max", interval: "annual" });
	await world.deliver();
	expect(await tierOf(service, customer)).toBe("max");
	await press(customer, "withdraw");
	expect(await tierOf(service, customer)).toBe("free");
	const { charges } = stripe.state;
	expect(charges).toHaveLength(2);
	for (const { amount, amount_refunded } of charges) expect(amount_refunded).toBe(amount);
});
