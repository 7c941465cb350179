import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { stripeProcessor } from "@svc/billing/stripe";
import type { Processor, ProcessorPrice, Snapshot } from "@svc/core/ports-processor";
import { TestClock, TestLog } from "../support/service.ts";
import { type FakeStripe, fakeStripe } from "../support/stripe.ts";
import { itemOf } from "../support/stripe-life.ts";
import type { FakePrice, FakeSubscription } from "../support/stripe-objects.ts";
import { held } from "../support/stripe-state.ts";

/* What is Stripe's own: its keys, its faults, its states, and what it leaves to its clients. */

const SILVER: ProcessorPrice = { amount: 500, currency: "usd", interval: "month", title: "Silver" };
const GOLD: ProcessorPrice = { ...SILVER, amount: 1_500, title: "Gold" };
const SILVER_YEAR: ProcessorPrice = { ...SILVER, amount: 5_000, interval: "year" };

let stripe: FakeStripe;
let clock: TestClock;
let log: TestLog;
let processor: Processor;
beforeEach(async () => {
	stripe = await fakeStripe();
	clock = new TestClock();
	// Not at the turn of an hour, where keys change.
	clock.set(Date.UTC(2026, 10, 22, 12, 20));
	stripe.useClock(clock);
	log = new TestLog();
	processor = stripeProcessor({ ...stripe.address, clock, log });
});
afterEach(() => stripe.close());

const priceRef = (price: ProcessorPrice) => processor.ensurePrice(`prc_${price.amount}`, price);
const callsTo = (method: string, path: RegExp) =>
	stripe.seen.filter((one) => one.method === method && path.test(one.path));

async function openCheckout(price = SILVER, trialDays = 0) {
	const customer = await processor.ensureCustomer("con_1", { email: "ada@example.com", name: "Ada" });
	return await processor.checkout({
		id: "chk_1",
		customer,
		price: await priceRef(price),
		trialDays,
		title: price.title,
		seller: "Shop",
		successUrl: "https://web.example/back?checkout=chk_1",
		cancelUrl: "https://web.example/back?checkout=chk_1",
	});
}

async function subscribe(price = SILVER, trialDays = 0): Promise<FakeSubscription> {
	const { ref } = await openCheckout(price, trialDays);
	stripe.complete(ref);
	stripe.takeEvents();
	return held(stripe.state.subscriptions.get((await processor.findCompleted(ref)) ?? ""), "a subscription");
}

const sums = ({ invoices }: Snapshot) =>
	invoices.map(({ status, amountPaid, amountRefunded }) => [status, amountPaid, amountRefunded]);

async function settleAll(): Promise<void> {
	for (const event of stripe.takeEvents()) {
		const { raw, signature } = await stripe.sign(event);
		await processor.settle?.(await processor.parseEvent(raw, new Headers({ "Stripe-Signature": signature })));
	}
}

describe("requests", () => {
	test("carry our ids, so that what Stripe has is found again", async () => {
		const sub = await subscribe(SILVER, 7);
		const [checkout] = callsTo("POST", /checkout/);
		expect(Object.fromEntries(checkout?.form ?? [])).toEqual({
			mode: "subscription",
			customer: sub.customer,
			client_reference_id: "chk_1",
			"line_items[0][price]": await priceRef(SILVER),
			"line_items[0][quantity]": "1",
			payment_method_collection: "always",
			"allowed_payment_method_types[0]": "card",
			"adaptive_pricing[enabled]": "false",
			"metadata[svc_checkout]": "chk_1",
			"subscription_data[metadata][svc_checkout]": "chk_1",
			"subscription_data[description]": "Shop: Silver",
			"subscription_data[trial_period_days]": "7",
			success_url: "https://web.example/back?checkout=chk_1",
			cancel_url: "https://web.example/back?checkout=chk_1",
		});
		expect([...stripe.state.customers.values()]).toMatchObject([
			{ email: "ada@example.com", metadata: { svc_payer: "con_1" } },
		]);
	});

	test("that were done, but whose answers were lost, are not done twice", async () => {
		for (const path of [/prices/, /customers/, /checkout/]) stripe.fail({ kind: "lose-answer" }, 2, path);
		const { ref } = await openCheckout();
		const { prices, customers, sessions } = stripe.state;
		expect([prices.size, customers.size, sessions.size]).toEqual([1, 1, 1]);
		expect(sessions.has(ref)).toBeTrue();
	});

	test("for one thing under other circumstances are not mistaken for the first: a payer with a new address", async () => {
		const first = await processor.ensureCustomer("con_1", { email: "a@example.com", name: "A" });
		expect(await processor.ensureCustomer("con_1", { email: "b@example.com", name: "A" })).not.toBe(first);
	});

	test("for a payer whose address Stripe does not take leave it to the payer", async () => {
		const ref = await processor.ensureCustomer("app_1", { email: "operator@localhost", name: "App" });
		expect(stripe.state.customers.get(ref)).toMatchObject({
			email: null,
			name: "App",
			metadata: { svc_payer: "app_1" },
		});
	});

	test("find a price that was made long ago and forgotten", async () => {
		const ref = await priceRef(SILVER);
		clock.advance(100 * 86_400_000);
		expect(await priceRef(SILVER)).toBe(ref);
		expect(stripe.state.prices.size).toBe(1);
	});

	test("that an overloaded or failing Stripe refuses are repeated a little", async () => {
		for (const status of [429, 500, 503]) {
			stripe.fail({ kind: "refuse", status }, 2, /prices/);
			expect(await priceRef(SILVER)).toStartWith("price_");
		}
		stripe.fail({ kind: "refuse", status: 429 }, 10, /prices/);
		await expect(priceRef(SILVER)).rejects.toThrow("status 429");
	});

	test("that fail say why, and tell neither keys nor cards", async () => {
		stripe.fail({ kind: "refuse", status: 402, error: { type: "card_error", code: "card_declined" } });
		const failure = await priceRef(SILVER).catch((cause: unknown) => cause);
		expect(failure).toBeInstanceOf(Error);
		const shown = Bun.inspect(failure, { depth: 20 });
		expect(shown).toContain("StripeCardError, code card_declined, status 402");
		for (const secret of [stripe.address.secretKey, "4242 4242"]) expect(shown).not.toContain(secret);
		expect(Object.keys(failure as object)).not.toContain("raw");
	});

	test("with a wrong key fail", async () => {
		const stranger = stripeProcessor({ ...stripe.address, secretKey: "sk_test_wrongwrong", clock, log });
		await expect(stranger.retrieve("sub_1")).rejects.toThrow("status 401");
	});
});

describe("a change of price", () => {
	/** As if a renewal had made it cheaper again. */
	async function backTo(sub: FakeSubscription, price: ProcessorPrice): Promise<void> {
		itemOf(sub).price = held(stripe.state.prices.get(await priceRef(price)), "a price") as FakePrice;
	}

	test("is charged once although its answer was lost, and an equal one later is charged again", async () => {
		const sub = await subscribe();
		stripe.fail({ kind: "lose-answer" }, 1, /^POST .*subscriptions/);
		expect(sums(await processor.change(sub.id, await priceRef(GOLD), "when_paid"))).toHaveLength(2);
		await backTo(sub, SILVER);
		expect(sums(await processor.change(sub.id, await priceRef(GOLD), "when_paid"))).toHaveLength(3);
		const keys = callsTo("POST", /subscriptions/).map(({ key }) => key);
		expect([keys.length, new Set(keys).size]).toEqual([3, 2]);
	});

	test("that is asked for five times at once, and is not paid, is owed once", async () => {
		const sub = await subscribe();
		const gold = await priceRef(GOLD);
		stripe.setCard(sub.id, "declines");
		await Promise.all(Array.from({ length: 5 }, () => processor.change(sub.id, gold, "when_paid")));
		expect(sums(await processor.retrieve(sub.id)).map(([status]) => status)).toEqual(["paid", "open"]);
	});

	test("that nobody paid for gives way to another", async () => {
		const sub = await subscribe();
		const dearest = { ...GOLD, amount: 9_000 };
		stripe.setCard(sub.id, "declines");
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		await processor.change(sub.id, await priceRef(dearest), "when_paid");
		stripe.leaveCard(sub.id, "pays");
		await settleAll();
		const read = await processor.retrieve(sub.id);
		expect(read.price).toBe(await priceRef(dearest));
		expect(sums(read).map(([status]) => status)).toEqual(["paid", "void", "paid"]);
	});

	test("at the renewal is taken back by asking for the present price", async () => {
		const sub = await subscribe(GOLD);
		await processor.change(sub.id, await priceRef(SILVER), "renewal");
		expect(await processor.change(sub.id, await priceRef(GOLD), "renewal")).toMatchObject({ pending: null });
		expect(sub.schedule).toBeNull();
	});

	test("at the renewal that was cut off in the middle is whole when it is asked for again", async () => {
		const sub = await subscribe(GOLD);
		stripe.fail({ kind: "refuse", status: 500 }, 3, /^POST .*subscription_schedules\/\w+$/);
		await expect(processor.change(sub.id, await priceRef(SILVER), "renewal")).rejects.toThrow("status 500");
		const read = await processor.change(sub.id, await priceRef(SILVER), "renewal");
		expect(read.pending).toEqual({ price: await priceRef(SILVER), atMs: read.periodEndMs });
	});

	test("from a year to months at the renewal begins months", async () => {
		const sub = await subscribe(SILVER_YEAR);
		await processor.change(sub.id, await priceRef(SILVER), "renewal");
		const { periodEndMs } = await processor.retrieve(sub.id);
		clock.set(periodEndMs + 60_000);
		stripe.advance();
		const read = await processor.retrieve(sub.id);
		expect([read.price, read.periodStartMs, read.pending]).toEqual([await priceRef(SILVER), periodEndMs, null]);
		expect(read.periodEndMs - periodEndMs).toBeWithin(28 * 86_400_000, 31 * 86_400_000 + 1);
	});
});

describe("a withdrawal", () => {
	test("whose answers are lost, or which is cut off anywhere, pays back everything once", async () => {
		const sub = await subscribe();
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		stripe.fail({ kind: "lose-answer" }, 1, /^DELETE/);
		stripe.fail({ kind: "lose-answer" }, 1, /refunds/);
		stripe.fail({ kind: "refuse", status: 500 }, 3, /refunds/);
		await processor.withdraw(sub.id).catch(() => undefined);
		stripe.heal();
		const read = await processor.withdraw(sub.id);
		expect(read.status).toBe("canceled");
		expect(read.invoices).toHaveLength(2);
		for (const { amountPaid, amountRefunded } of read.invoices) expect(amountRefunded).toBe(amountPaid);
		const refunded = stripe.state.charges.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0);
		expect(refunded).toBe(read.invoices.reduce((sum, { amountPaid }) => sum + amountPaid, 0));
	});

	test("pays back all of many payments, which Stripe lists page by page", async () => {
		const sub = await subscribe();
		for (let month = 0; month < 7; month++) {
			clock.set(itemOf(sub).current_period_end * 1_000);
			stripe.advance();
		}
		const paid = sums(await processor.retrieve(sub.id));
		expect(paid).toEqual(Array.from({ length: 8 }, () => ["paid", 500, 0]));
		expect(sums(await processor.withdraw(sub.id))).toEqual(Array.from({ length: 8 }, () => ["paid", 500, 500]));
	});

	test("pays back what it can, and the rest later", async () => {
		const sub = await subscribe();
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		const [first] = stripe.state.payments;
		const intent = first?.payment.payment_intent ?? "";
		stripe.state.held.add(intent);
		expect(sums(await processor.withdraw(sub.id)).map(([, , refunded]) => refunded !== 0)).toEqual([false, true]);
		expect(log.lines).toMatchObject([{ level: "warn", facts: { code: "charge_disputed" } }]);
		stripe.state.held.delete(intent);
		expect(sums(await processor.withdraw(sub.id)).every(([, paid, refunded]) => paid === refunded)).toBeTrue();
	});

	test("takes back the credit that a change of plan gave, and no other", async () => {
		const sub = await subscribe(SILVER_YEAR);
		const customer = held(stripe.state.customers.get(sub.customer), "a customer");
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		expect(customer.balance).toBeLessThan(-3_000);
		customer.balance -= 200;
		await processor.withdraw(sub.id);
		await processor.withdraw(sub.id);
		expect(customer.balance).toBe(-200);
		expect(stripe.state.charges.map(({ amount, amount_refunded }) => amount - amount_refunded)).toEqual([0]);
	});

	test("takes back such credit also where an unpaid change was to be paid from it", async () => {
		const sub = await subscribe(SILVER_YEAR);
		const customer = held(stripe.state.customers.get(sub.customer), "a customer");
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		const { balance } = customer;
		expect(balance).toBeLessThan(-3_000);
		stripe.setCard(sub.id, "declines");
		await processor.change(sub.id, await priceRef({ ...GOLD, amount: 9_000 }), "when_paid");
		expect(customer.balance).toBe(0);
		const read = await processor.withdraw(sub.id);
		expect(read.invoices.at(-1)?.status).toBe("void");
		expect(customer.balance).toBe(0);
		expect(read.invoices.map(({ amountPaid, amountRefunded }) => amountPaid - amountRefunded)).toEqual([0, 0, 0]);
	});

	test("gives back the credit that paid for it, once, beside what a card paid", async () => {
		const { ref } = await openCheckout();
		const [customer] = stripe.state.customers.values();
		held(customer, "a customer").balance = -400;
		stripe.complete(ref);
		expect(customer?.balance).toBe(0);
		const id = (await processor.findCompleted(ref)) ?? "";
		await processor.withdraw(id);
		expect(sums(await processor.withdraw(id))).toEqual([["paid", 100, 100]]);
		expect(customer?.balance).toBe(-400);
	});

	test("leaves no draft behind that would be charged later", async () => {
		const sub = await subscribe(SILVER, 7);
		stripe.state.draftSeconds = 3_600;
		clock.advance(7 * 86_400_000 + 60_000);
		stripe.advance();
		expect(sums(await processor.retrieve(sub.id)).at(-1)?.[0]).toBe("draft");
		expect(sums(await processor.withdraw(sub.id)).at(-1)).toEqual(["void", 0, 0]);
		clock.advance(7_200_000);
		stripe.advance();
		expect(sums(await processor.retrieve(sub.id)).at(-1)).toEqual(["void", 0, 0]);
	});
});

describe("what Stripe leaves to us", () => {
	test("a card that is left at the portal pays what is open, and renewals from then on, whatever is scheduled", async () => {
		const sub = await subscribe(GOLD);
		await processor.change(sub.id, await priceRef(SILVER), "renewal");
		stripe.setCard(sub.id, "declines");
		stripe.leaveCard(sub.id, "pays");
		await settleAll();
		clock.set((await processor.retrieve(sub.id)).periodEndMs + 60_000);
		stripe.advance();
		const read = await processor.retrieve(sub.id);
		expect([read.status, read.price]).toEqual(["active", await priceRef(SILVER)]);
	});

	test("a card that is declined as well leaves it unpaid, and is no error", async () => {
		const sub = await subscribe();
		stripe.setCard(sub.id, "declines");
		await processor.change(sub.id, await priceRef(GOLD), "when_paid");
		stripe.leaveCard(sub.id, "declines");
		await settleAll();
		expect((await processor.retrieve(sub.id)).price).toBe(await priceRef(SILVER));
	});
});

describe("states", () => {
	test("in which Stripe names the day of the end instead of the period's end mean the same, and are taken back", async () => {
		const sub = await subscribe();
		const end = itemOf(sub).current_period_end;
		sub.cancel_at = end;
		expect(await processor.retrieve(sub.id)).toMatchObject({ cancelAtPeriodEnd: true, cancelAtMs: end * 1_000 });
		expect(await processor.resume(sub.id)).toMatchObject({ cancelAtPeriodEnd: false, cancelAtMs: null });
	});

	test("that no subscription of ours begins in give it no checkout; one that never began is over", async () => {
		const sub = await subscribe();
		sub.status = "incomplete";
		expect(await processor.retrieve(sub.id)).toMatchObject({ status: "incomplete", checkout: "", endedMs: null });
		sub.status = "incomplete_expired";
		const expired = await processor.retrieve(sub.id);
		expect([expired.checkout, expired.endedMs]).toEqual(["", sub.created * 1_000]);
		for (const status of ["unpaid", "paused"] as const) {
			sub.status = status;
			expect(await processor.retrieve(sub.id)).toMatchObject({ status, checkout: "chk_1", endedMs: null });
		}
	});

	test("in which nothing is paid end at once when they are cancelled", async () => {
		const sub = await subscribe();
		sub.status = "unpaid";
		expect(await processor.cancel(sub.id, "period_end")).toMatchObject({
			status: "canceled",
			cancelAtPeriodEnd: false,
		});
	});
});

describe("events", () => {
	const parse = async (type: string, object: object, previous?: object) => {
		stripe.takeEvents();
		stripe.state.emit(type, object, previous as Readonly<Record<string, unknown>>);
		const [event] = stripe.takeEvents();
		const { raw, signature } = await stripe.sign(held(event, "an event"));
		return (await processor.parseEvent(raw, new Headers({ "Stripe-Signature": signature }))).subscription;
	};

	test("are about the subscription that they name, or that was paid for", async () => {
		const sub = await subscribe();
		const [session] = stripe.state.sessions.values();
		const [invoice] = stripe.state.invoices.values();
		const [charge] = stripe.state.charges;
		const intent = charge?.payment_intent ?? "";
		expect(await parse("customer.subscription.updated", sub)).toBe(sub.id);
		expect(await parse("checkout.session.completed", held(session, "a session"))).toBe(sub.id);
		expect(await parse("invoice.paid", held(invoice, "an invoice"))).toBe(sub.id);
		expect(await parse("charge.refunded", held(charge, "a charge"))).toBe(sub.id);
		expect(await parse("refund.failed", { object: "refund", id: "re_1", payment_intent: intent })).toBe(sub.id);
		const schedule = { object: "subscription_schedule", id: "sub_sched_1" };
		expect(await parse("x", { ...schedule, subscription: null, released_subscription: sub.id })).toBe(sub.id);
		const customer = held(stripe.state.customers.get(sub.customer), "a customer");
		expect(await parse("customer.updated", customer, { invoice_settings: {} })).toBe(sub.id);
	});

	test("about something else are about none", async () => {
		const sub = await subscribe();
		const customer = held(stripe.state.customers.get(sub.customer), "a customer");
		expect(await parse("customer.created", customer)).toBeNull();
		expect(await parse("customer.updated", customer, { balance: 0 })).toBeNull();
		const card = { invoice_settings: {} };
		expect(await parse("customer.updated", { ...customer, id: "cus_other" }, card)).toBeNull();
		clock.advance(-60_000);
		expect(await parse("customer.updated", customer, card)).toBeNull();
		clock.advance(60_000);
		expect(await parse("charge.succeeded", { object: "charge", id: "ch_1", payment_intent: null })).toBeNull();
		expect(await parse("charge.refunded", { object: "charge", id: "ch_1", payment_intent: "pi_other" })).toBeNull();
		expect(await parse("checkout.session.expired", { object: "checkout.session", subscription: null })).toBeNull();
		expect(await parse("invoice.paid", { object: "invoice", id: "in_1", parent: null })).toBeNull();
		expect(await parse("plan.created", { object: "plan", id: "p" })).toBeNull();
	});

	test("that cannot be told apart while Stripe is down are not taken", async () => {
		const sub = await subscribe();
		const [charge] = stripe.state.charges;
		stripe.fail({ kind: "refuse", status: 500 }, 10);
		await expect(parse("charge.refunded", held(charge, sub.id))).rejects.toMatchObject({ code: "server_error" });
	});
});
