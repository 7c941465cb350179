import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { send } from "../../support/requests.ts";
import { buyAtStripe, lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import {
	accessOf,
	addCustomer,
	CALLBACK,
	type Customer,
	DAY_MS,
	invoicesOf,
	mailsTo,
	openCard,
	periodEndOf,
	press,
	type Shop,
	statusOf,
} from "../../support/subscribers.ts";

/* What Apps' users buy, with Stripe as the payment processor. */

let world: StripeShop;
let shop: Shop;
beforeAll(async () => {
	world = await openStripeShop();
	({ shop } = world);
});
afterAll(() => world.close());

const newCustomer = () => addCustomer(world.service, shop);
const access = (customer: Customer) => accessOf(world.service, customer);
const invoices = async (customer: Customer) =>
	(await invoicesOf(world.service, customer)).map(({ status, amount_paid, amount_refunded }) => [
		status,
		amount_paid,
		amount_refunded,
	]);
const periodEnd = (customer: Customer) => periodEndOf(world.service, customer);

describe("buying", () => {
	test("leads to Stripe's page and back with success; the plan is there before any delivery", async () => {
		const customer = await newCustomer();
		const back = await buyAtStripe(world, customer, shop.silver);
		expect([back.status, back.location]).toEqual([303, `${CALLBACK}?billing=success`]);
		expect(await access(customer)).toBe("active silver");
		expect(await world.deliver()).not.toContain(401);
		const { subscription, access: held } = await statusOf(world.service, customer);
		expect(subscription).toMatchObject({ plan_key: "silver", price_id: shop.silver.id, status: "active" });
		expect(held.expires_at).toBe(subscription?.current_period_end ?? "");
		expect(await invoices(customer)).toEqual([["paid", 500, 0]]);
	});

	test("is there by the delivery alone, when the browser never comes back", async () => {
		const customer = await newCustomer();
		const { stripe } = world;
		await buyAtStripe(world, customer, shop.gold, "declines");
		expect(await access(customer)).toBe("inactive");
		stripe.complete([...stripe.state.sessions.keys()].at(-1) ?? "");
		expect(await access(customer)).toBe("inactive");
		await world.deliver();
		expect(await access(customer)).toBe("active gold");
	});

	test("a card that is declined buys nothing, and backing out returns without success", async () => {
		const customer = await newCustomer();
		expect((await buyAtStripe(world, customer, shop.silver, "declines")).location).toBe(CALLBACK);
		expect(await access(customer)).toBe("inactive");
		expect(world.stripe.takeEvents()).toEqual([]);
	});

	test("a trial costs nothing, takes a card, and is had once", async () => {
		const customer = await world.subscribed(shop.trial);
		expect(await access(customer)).toBe("trialing silver");
		await world.advanceTo(world.service.clock.now() + 7 * DAY_MS + 60_000);
		expect(await access(customer)).toBe("active silver");
		expect((await invoices(customer)).at(-1)).toEqual(["paid", 500, 0]);
		await press(customer, "cancel");
		await world.advanceTo((await periodEnd(customer)) + 60_000);
		expect(await access(customer)).toBe("inactive");
		await buyAtStripe(world, customer, shop.trial);
		expect(await access(customer)).toBe("active silver");
	});
});

describe("changing", () => {
	test("a dearer plan holds at once when its card pays", async () => {
		const customer = await world.subscribed();
		await press(customer, "switch", { price_id: shop.gold.id });
		expect(await access(customer)).toBe("active gold");
		expect((await invoices(customer)).map(([status]) => status)).toEqual(["paid", "paid"]);
	});

	test("a dearer plan that is not paid leaves the old one, until a card left at the portal pays for it", async () => {
		const customer = await world.subscribed();
		const { id } = lastSubscription(world);
		world.stripe.setCard(id, "declines");
		await press(customer, "switch", { price_id: shop.gold.id });
		expect(await access(customer)).toBe("active silver");
		const portal = await press(customer, "payment-method");
		expect([portal.status, portal.location]).toEqual([303, expect.stringContaining("https://billing.stripe.com/")]);
		world.stripe.leaveCard(id, "pays");
		await world.deliver();
		expect(await access(customer)).toBe("active gold");
	});

	test("a change that nobody pays for is dropped after a day", async () => {
		const customer = await world.subscribed();
		world.stripe.setCard(lastSubscription(world).id, "declines");
		await press(customer, "switch", { price_id: shop.gold.id });
		await world.advanceTo(world.service.clock.now() + DAY_MS);
		expect(await access(customer)).toBe("active silver");
		expect((await invoices(customer)).map(([status]) => status)).toEqual(["paid", "void"]);
	});

	test("a cheaper plan comes with the renewal, and its price is what is paid from then on", async () => {
		const customer = await world.subscribed(shop.gold);
		await press(customer, "switch", { price_id: shop.silver.id });
		const { subscription } = await statusOf(world.service, customer);
		expect(subscription).toMatchObject({
			plan_key: "gold",
			pending_plan_key: "silver",
			pending_effective_at: subscription?.current_period_end ?? "",
		});
		await world.advanceTo((await periodEnd(customer)) + 60_000);
		expect(await access(customer)).toBe("active silver");
		expect((await statusOf(world.service, customer)).subscription).toMatchObject({ pending_plan_key: null });
		await world.advanceTo((await periodEnd(customer)) + 60_000);
		expect((await invoices(customer)).map(([, paid]) => paid)).toEqual([1_500, 500, 500]);
		await press(customer, "switch", { price_id: shop.gold.id });
		expect(await access(customer)).toBe("active gold");
	});
});

test("what Stripe itself has given up as unpaid is no plan, and can be paid or ended at once, not changed", async () => {
	const customer = await world.subscribed();
	const sub = lastSubscription(world);
	const before = await openCard(customer);
	sub.status = "unpaid";
	world.stripe.state.emit("customer.subscription.updated", sub);
	await world.deliver();
	expect(await access(customer)).toBe("inactive");
	const { html } = await openCard(customer);
	for (const text of ["Pay with another card", "Cancel now", "Pay for your plan before you change it."])
		expect(html).toContain(text);
	const switched = await customer.browser.submit(before, "/billing/switch", { price_id: shop.gold.id });
	expect([switched.status, switched.alerts]).toEqual([409, [expect.stringContaining("pay it before")]]);
	await press(customer, "cancel");
	expect(lastSubscription(world).status).toBe("canceled");
});

describe("leaving", () => {
	test("cancelled it stays to the end of its term; resumed it renews", async () => {
		const customer = await world.subscribed();
		await press(customer, "cancel");
		expect((await statusOf(world.service, customer)).subscription).toMatchObject({ cancel_at_period_end: true });
		await press(customer, "resume");
		expect((await statusOf(world.service, customer)).subscription).toMatchObject({
			cancel_at_period_end: false,
			cancel_at: null,
		});
		await press(customer, "cancel");
		await world.advanceTo((await periodEnd(customer)) + 60_000);
		expect((await statusOf(world.service, customer)).subscription?.status).toBe("canceled");
	});

	test("withdrawn from, it ends at once and everything is paid back, once", async () => {
		const customer = await world.subscribed();
		await press(customer, "switch", { price_id: shop.gold.id });
		await press(customer, "withdraw");
		await world.deliver((events) => [...events, ...events]);
		const status = await statusOf(world.service, customer);
		expect([status.access.status, status.subscription?.status, status.trial_eligible]).toEqual([
			"inactive",
			"canceled",
			false,
		]);
		const paidBack = await invoices(customer);
		expect(paidBack).toHaveLength(2);
		for (const [state, paid, refunded] of paidBack) expect([state, refunded]).toEqual(["paid", paid]);
	});

	test("a payment that cannot be paid back at once is paid back later, and its payer told so", async () => {
		const customer = await world.subscribed();
		const intent = world.stripe.state.payments.at(-1)?.payment.payment_intent ?? "";
		world.stripe.state.held.add(intent);
		await press(customer, "withdraw");
		expect(await invoices(customer)).toEqual([["paid", 500, 0]]);
		world.stripe.state.held.delete(intent);
		// For as long Stripe gives one key the answer that it gave first.
		world.service.clock.advance(3_600_000);
		await world.service.catchUpBilling();
		expect(await invoices(customer)).toEqual([["paid", 500, 500]]);
		expect((await mailsTo(world.service, customer)).map(({ template }) => template)).toContain("further_refund");
	});
});

test("an operator's extension of a paid term costs nothing, is no trial, and renews from its new end", async () => {
	const customer = await world.subscribed();
	const { id } = (await statusOf(world.service, customer)).subscription ?? { id: "" };
	const before = await periodEnd(customer);
	const path = `/v1/operator/subscriptions/${id}/extend`;
	const asked = await send(world.service, "POST", path, { days: 10, reason: "Was down" }, { key: world.service.token });
	expect(asked.status).toBe(200);
	await world.deliver();
	const until = before + 10 * DAY_MS;
	expect((await statusOf(world.service, customer)).access).toEqual({
		plan_key: "silver",
		status: "active",
		expires_at: new Date(until).toISOString(),
	});
	expect(lastSubscription(world)).toMatchObject({ trial_end: until / 1_000 });
	await world.advanceTo(until - 60_000);
	expect((await invoices(customer)).filter(([, paid]) => paid !== 0)).toEqual([["paid", 500, 0]]);
	expect((await mailsTo(world.service, customer)).map(({ template }) => template)).not.toContain("trial_ending");
	await world.advanceTo(until + 60_000);
	expect(await access(customer)).toBe("active silver");
	expect((await invoices(customer)).filter(([, paid]) => paid !== 0)).toHaveLength(2);
});

test("a cheaper plan begins with the end of an extended term, and not before", async () => {
	const customer = await world.subscribed(world.shop.gold);
	const { id } = (await statusOf(world.service, customer)).subscription ?? { id: "" };
	const path = `/v1/operator/subscriptions/${id}/extend`;
	await send(world.service, "POST", path, { days: 10, reason: "Was down" }, { key: world.service.token });
	await world.deliver();
	const until = await periodEnd(customer);
	expect((await press(customer, "switch", { price_id: world.shop.silver.id })).location).toContain("done=switching");
	await world.deliver();
	expect(await access(customer)).toBe("active gold");
	expect(lastSubscription(world).status).toBe("trialing");
	expect((await invoices(customer)).filter(([, paid]) => paid !== 0)).toEqual([["paid", 1_500, 0]]);
	await world.advanceTo(until + 60_000);
	expect(await access(customer)).toBe("active silver");
	expect((await invoices(customer)).map(([, paid]) => paid).filter((paid) => paid !== 0)).toEqual([1_500, 500]);
});

test("a dearer plan, too, begins and is charged with the end of an extended term, which nobody has paid for", async () => {
	const customer = await world.subscribed();
	const { id } = (await statusOf(world.service, customer)).subscription ?? { id: "" };
	const path = `/v1/operator/subscriptions/${id}/extend`;
	await send(world.service, "POST", path, { days: 10, reason: "Was down" }, { key: world.service.token });
	await world.deliver();
	const until = await periodEnd(customer);
	expect((await openCard(customer)).html).toContain("given more time at no charge");
	expect((await press(customer, "switch", { price_id: world.shop.gold.id })).location).toContain("done=switching");
	await world.deliver();
	expect(await access(customer)).toBe("active silver");
	expect(lastSubscription(world).status).toBe("trialing");
	expect((await statusOf(world.service, customer)).subscription).toMatchObject({ pending_plan_key: "gold" });
	expect((await invoices(customer)).filter(([, paid]) => paid !== 0)).toEqual([["paid", 500, 0]]);
	await world.advanceTo(until + 60_000);
	expect(await access(customer)).toBe("active gold");
	expect((await invoices(customer)).map(([, paid]) => paid).filter((paid) => paid !== 0)).toEqual([500, 1_500]);
});

test("a failed renewal gives grace, then ends it; paid in time it goes on", async () => {
	const [paying, leaving] = [await world.subscribed(), await world.subscribed()];
	const refs = [...world.stripe.state.subscriptions.keys()].slice(-2);
	for (const ref of refs) world.stripe.setCard(ref, "declines");
	await world.advanceTo(Math.max(await periodEnd(paying), await periodEnd(leaving)) + 60_000);
	expect([await access(paying), await access(leaving)]).toEqual(["grace silver", "grace silver"]);
	world.stripe.leaveCard(refs[0] ?? "", "pays");
	await world.deliver();
	expect(await access(paying)).toBe("active silver");
	await world.advanceTo(world.service.clock.now() + 4 * DAY_MS);
	await world.service.catchUpBilling();
	await world.deliver();
	expect([await access(paying), await access(leaving)]).toEqual(["active silver", "inactive"]);
	expect(world.stripe.state.subscriptions.get(refs[1] ?? "")?.status).toBe("canceled");
	expect((await invoices(leaving)).map(([status]) => status)).toEqual(["paid", "void"]);
});
