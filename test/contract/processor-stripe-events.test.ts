import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { itemOf } from "../support/stripe-life.ts";
import { GOLD, openStripeProcessor, SILVER, type StripeProcessorWorld } from "../support/stripe-processor.ts";
import { held } from "../support/stripe-state.ts";

/* What Stripe tells, what it leaves to its clients, and its states. */

let world: StripeProcessorWorld;
beforeEach(async () => {
	world = await openStripeProcessor();
});
afterEach(() => world.close());

describe("what Stripe leaves to us", () => {
	test("a card that is left at the portal pays what is open, and renewals from then on, whatever is scheduled", async () => {
		const sub = await world.subscribe(GOLD);
		await world.processor.change(sub.id, await world.priceRef(SILVER), "renewal");
		world.stripe.setCard(sub.id, "declines");
		world.stripe.leaveCard(sub.id, "pays");
		await world.settleAll();
		world.clock.set((await world.processor.retrieve(sub.id)).periodEndMs + 60_000);
		world.stripe.advance();
		const read = await world.processor.retrieve(sub.id);
		expect([read.status, read.price]).toEqual(["active", await world.priceRef(SILVER)]);
	});

	test("a card that is declined as well leaves it unpaid, and is no error", async () => {
		const sub = await world.subscribe();
		world.stripe.setCard(sub.id, "declines");
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		world.stripe.leaveCard(sub.id, "declines");
		await world.settleAll();
		expect((await world.processor.retrieve(sub.id)).price).toBe(await world.priceRef(SILVER));
	});
});

describe("states", () => {
	test("in which Stripe names the day of the end instead of the period's end mean the same, and are taken back", async () => {
		const sub = await world.subscribe();
		const end = itemOf(sub).current_period_end;
		sub.cancel_at = end;
		expect(await world.processor.retrieve(sub.id)).toMatchObject({ cancelAtPeriodEnd: true, cancelAtMs: end * 1_000 });
		expect(await world.processor.resume(sub.id)).toMatchObject({ cancelAtPeriodEnd: false, cancelAtMs: null });
	});

	test("that no subscription of ours begins in give it no checkout; one that never began is over", async () => {
		const sub = await world.subscribe();
		sub.status = "incomplete";
		expect(await world.processor.retrieve(sub.id)).toMatchObject({ status: "incomplete", checkout: "", endedMs: null });
		sub.status = "incomplete_expired";
		const expired = await world.processor.retrieve(sub.id);
		expect([expired.checkout, expired.endedMs]).toEqual(["", sub.created * 1_000]);
		for (const status of ["unpaid", "paused"] as const) {
			sub.status = status;
			expect(await world.processor.retrieve(sub.id)).toMatchObject({ status, checkout: "chk_1", endedMs: null });
		}
	});

	test("in which nothing is paid end at once when they are cancelled", async () => {
		const sub = await world.subscribe();
		sub.status = "unpaid";
		expect(await world.processor.cancel(sub.id, "period_end")).toMatchObject({
			status: "canceled",
			cancelAtPeriodEnd: false,
		});
	});
});

describe("events", () => {
	const parse = async (type: string, object: object, previous?: object) => {
		world.stripe.takeEvents();
		world.stripe.state.emit(type, object, previous as Readonly<Record<string, unknown>>);
		const [event] = world.stripe.takeEvents();
		const { raw, signature } = await world.stripe.sign(held(event, "an event"));
		return (await world.processor.parseEvent(raw, new Headers({ "Stripe-Signature": signature })))?.subscription;
	};

	test("are about the subscription that they name, or that was paid for", async () => {
		const sub = await world.subscribe();
		const [session] = world.stripe.state.sessions.values();
		const [invoice] = world.stripe.state.invoices.values();
		const [charge] = world.stripe.state.charges;
		const intent = charge?.payment_intent ?? "";
		expect(await parse("customer.subscription.updated", sub)).toBe(sub.id);
		expect(await parse("checkout.session.completed", held(session, "a session"))).toBe(sub.id);
		expect(await parse("invoice.paid", held(invoice, "an invoice"))).toBe(sub.id);
		expect(await parse("charge.refunded", held(charge, "a charge"))).toBe(sub.id);
		expect(await parse("refund.failed", { object: "refund", id: "re_1", payment_intent: intent })).toBe(sub.id);
		const schedule = { object: "subscription_schedule", id: "sub_sched_1" };
		expect(await parse("x", { ...schedule, subscription: null, released_subscription: sub.id })).toBe(sub.id);
		const customer = held(world.stripe.state.customers.get(sub.customer), "a customer");
		expect(await parse("customer.updated", customer, { invoice_settings: {} })).toBe(sub.id);
	});

	test("about something else are about none", async () => {
		const sub = await world.subscribe();
		const customer = held(world.stripe.state.customers.get(sub.customer), "a customer");
		expect(await parse("customer.created", customer)).toBeNull();
		expect(await parse("customer.updated", customer, { balance: 0 })).toBeNull();
		const card = { invoice_settings: {} };
		expect(await parse("customer.updated", { ...customer, id: "cus_other" }, card)).toBeNull();
		world.clock.advance(-60_000);
		expect(await parse("customer.updated", customer, card)).toBeNull();
		world.clock.advance(60_000);
		expect(await parse("charge.succeeded", { object: "charge", id: "ch_1", payment_intent: null })).toBeNull();
		expect(await parse("charge.refunded", { object: "charge", id: "ch_1", payment_intent: "pi_other" })).toBeNull();
		expect(
			await parse("checkout.session.expired", { object: "checkout.session", id: "cs_1", subscription: null }),
		).toBeNull();
		// As Stripe tells of an invoice that there will be.
		expect(await parse("invoice.upcoming", { object: "invoice", parent: null })).toBeUndefined();
		expect(await parse("invoice.paid", { object: "invoice", id: "in_1", parent: null })).toBeNull();
		expect(await parse("plan.created", { object: "plan", id: "p" })).toBeNull();
	});

	test("that cannot be told apart while Stripe is down are not taken", async () => {
		const sub = await world.subscribe();
		const [charge] = world.stripe.state.charges;
		world.stripe.fail({ kind: "refuse", status: 500 }, 10);
		await expect(parse("charge.refunded", held(charge, sub.id))).rejects.toMatchObject({ code: "server_error" });
	});
});
