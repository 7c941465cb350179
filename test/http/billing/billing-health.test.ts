import { afterAll, beforeAll, expect, test } from "bun:test";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import { held } from "../../support/stripe-state.ts";
import { press } from "../../support/subscribers.ts";

/* Whether payments reach the service, as operators see it. */

let world: StripeShop;
beforeAll(async () => {
	world = await openStripeShop();
});
afterAll(() => world.close());

interface Health {
	readonly checks: Readonly<Record<string, string>>;
	readonly ready: boolean;
	readonly billing: Readonly<Record<string, unknown>>;
}

const health = () =>
	made<Health>(send(world.service, "GET", "/v1/operator/health", undefined, { key: world.service.token }));
const metrics = async () => await (await world.service.open("http://localhost:3000/metrics")).text();

test("all is well while deliveries come and nothing waits", async () => {
	await world.subscribed();
	expect((await health()).billing).toEqual({
		processor: "stripe",
		state: "ok",
		last_delivery_at: expect.any(String),
		deliveries_waiting: 0,
		refused_signatures_1h: 0,
		withdrawals_waiting: 0,
		disputes_open: 0,
		drifts: 0,
	});
	const text = await metrics();
	for (const line of [
		/^svc_billing_deliveries_total\{outcome="done"\} [1-9]/m,
		/^svc_billing_last_delivery_seconds \d/m,
		/^svc_billing_waiting 0$/m,
		/^svc_billing_subscriptions\{access="active"\} 1$/m,
	]) {
		expect(text).toMatch(line);
	}
});

test("a wrong secret of the webhook shows as failing, stays ready, and heals with the first right delivery", async () => {
	world.service.clock.advance(3_601_000);
	for (let time = 0; time < 3; time++) expect((await world.post("{}", "t=1,v1=00")).status).toBe(401);
	const failing = await health();
	expect(failing.billing).toMatchObject({ state: "failing", refused_signatures_1h: 3 });
	world.service.clock.advance(2_000);
	expect(await health()).toMatchObject({ ready: true, checks: { billing: "failing" } });
	world.stripe.state.emit("customer.subscription.updated", lastSubscription(world));
	expect(await world.deliver()).toEqual([200]);
	expect((await health()).billing).toMatchObject({ state: "ok", refused_signatures_1h: 3 });
});

test("what waits for more than ten minutes is failing: a delivery, and a withdrawal that was not paid back", async () => {
	const customer = await world.subscribed();
	const intent = held(world.stripe.state.payments.at(-1), "a payment").payment.payment_intent;
	world.stripe.state.held.add(intent);
	await press(customer, "withdraw");
	await world.deliver();
	expect((await health()).billing).toMatchObject({ state: "ok", withdrawals_waiting: 1 });
	world.service.clock.advance(11 * 60_000);
	expect((await health()).billing).toMatchObject({ state: "failing", withdrawals_waiting: 1 });
	world.stripe.state.held.delete(intent);
	// The processor repeats what it refused to whoever asks the same within the hour.
	world.service.clock.advance(3_601_000);
	await world.service.catchUpBilling();
	expect((await health()).billing).toMatchObject({ state: "ok", withdrawals_waiting: 0 });
});

test("operators get one letter when billing has failed for ten minutes, and one when it works again", async () => {
	const letters = async () =>
		(
			await world.service.database.rows(
				"SELECT template, facts FROM emails WHERE template LIKE 'part_%' ORDER BY pk",
				[],
			)
		).map(([template, facts]) => [template, (JSON.parse(String(facts)) as { part: string }).part]);
	world.service.clock.advance(3_601_000);
	for (let minute = 0; minute < 14; minute++) {
		await world.post("{}", "t=1,v1=00");
		await world.service.watchParts();
		world.service.clock.advance(60_000);
	}
	expect(await letters()).toEqual([["part_failing", "billing"]]);
	world.stripe.state.emit("customer.subscription.updated", lastSubscription(world));
	await world.deliver();
	await world.service.watchParts();
	await world.service.watchParts();
	expect(await letters()).toEqual([
		["part_failing", "billing"],
		["part_healed", "billing"],
	]);
});
