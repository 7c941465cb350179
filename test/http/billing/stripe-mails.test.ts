import { afterAll, beforeAll, expect, test } from "bun:test";
import { buyAtStripe, lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import { held, STRIPE_MAILS } from "../../support/stripe-state.ts";
import { addCustomer, type Customer, DAY_MS, mailsTo, periodEndOf, press } from "../../support/subscribers.ts";

let world: StripeShop;
beforeAll(async () => {
	world = await openStripeShop();
});
afterAll(() => world.close());

const periodEnd = (customer: Customer) => periodEndOf(world.service, customer);

test("what Stripe mails to payers itself, from receipts to cancellations, the service mails to nobody [email.processor-set]", async () => {
	const { stripe, service } = world;
	const customer = await addCustomer(service, world.shop);
	await buyAtStripe(world, customer, world.shop.silver);
	const { id } = lastSubscription(world);
	const payer = held(stripe.state.customers.get(lastSubscription(world).customer), "a customer");
	stripe.state.mail(payer.id, "expiring_card");
	stripe.state.emit("customer.source.expiring", { object: "card", id: "card_1", customer: payer.id });
	for (const card of ["needs_bank", "declines"] as const) {
		stripe.setCard(id, card);
		await world.advanceTo((await periodEnd(customer)) + 60_000);
		stripe.leaveCard(id, "pays");
		await world.deliver();
	}
	await press(customer, "cancel");
	await world.advanceTo((await periodEnd(customer)) + DAY_MS);
	await service.catchUpBilling();

	// Stripe can only mail whom it knows: our customers carry the address that the service itself writes to.
	expect(payer.email).toBe(`${customer.user.accountId.toLowerCase()}@example.com`);
	const mailed = stripe.state.mailbox.filter(({ to }) => to === payer.email).map(({ kind }) => kind);
	expect(new Set(mailed)).toEqual(new Set(STRIPE_MAILS));
	expect(mailed.filter((kind) => kind === "receipt")).toHaveLength(3);
	expect((await mailsTo(service, customer)).map(({ template }) => template)).toEqual(["subscription_started"]);
	expect(lastSubscription(world).status).toBe("canceled");
});

test("the guide says which of Stripe's mails have to be switched on", async () => {
	const guide = await Bun.file(new URL("../../../docs/guides/stripe.md", import.meta.url)).text();
	const section = guide.replaceAll(/\s+/g, " ");
	for (const kind of [
		"receipts",
		"failed payments",
		"bank confirmations",
		"expiring cards",
		"upcoming renewals",
		"cancellations",
	]) {
		expect(section).toContain(kind);
	}
	expect(section).toContain("/v1/processor/events");
});
