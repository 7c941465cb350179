import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ProcessorPrice } from "@svc/billing/ports";
import { stripeProcessor } from "@svc/billing/stripe/processor";
import { itemOf } from "../support/stripe-life.ts";
import type { FakePrice, FakeSubscription } from "../support/stripe-objects.ts";
import {
	GOLD,
	openStripeProcessor,
	SILVER,
	SILVER_YEAR,
	type StripeProcessorWorld,
	sums,
} from "../support/stripe-processor.ts";
import { held } from "../support/stripe-state.ts";

/* What is Stripe's own: its keys, its faults, and how prices change and payments come back. */

let world: StripeProcessorWorld;
beforeEach(async () => {
	world = await openStripeProcessor();
});
afterEach(() => world.close());

describe("requests", () => {
	test("carry our ids, so that what Stripe has is found again", async () => {
		const sub = await world.subscribe(SILVER, 7);
		const [checkout] = world.callsTo("POST", /checkout/);
		expect(Object.fromEntries(checkout?.form ?? [])).toEqual({
			mode: "subscription",
			customer: sub.customer,
			client_reference_id: "chk_1",
			"line_items[0][price]": await world.priceRef(SILVER),
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
		expect([...world.stripe.state.customers.values()]).toMatchObject([
			{ email: "ada@example.com", metadata: { svc_payer: "con_1" } },
		]);
	});

	test("that were done, but whose answers were lost, are not done twice", async () => {
		for (const path of [/prices/, /customers/, /checkout/]) world.stripe.fail({ kind: "lose-answer" }, 2, path);
		const { ref } = await world.openCheckout();
		const { prices, customers, sessions } = world.stripe.state;
		expect([prices.size, customers.size, sessions.size]).toEqual([1, 1, 1]);
		expect(sessions.has(ref)).toBeTrue();
	});

	test("for one thing under other circumstances are not mistaken for the first: a payer with a new address", async () => {
		const first = await world.processor.ensureCustomer("con_1", { email: "a@example.com", name: "A" });
		expect(await world.processor.ensureCustomer("con_1", { email: "b@example.com", name: "A" })).not.toBe(first);
	});

	test("for a payer whose address Stripe does not take leave it to the payer", async () => {
		const ref = await world.processor.ensureCustomer("app_1", { email: "operator@localhost", name: "App" });
		expect(world.stripe.state.customers.get(ref)).toMatchObject({
			email: null,
			name: "App",
			metadata: { svc_payer: "app_1" },
		});
	});

	test("find a price that was made long ago and forgotten", async () => {
		const ref = await world.priceRef(SILVER);
		world.clock.advance(100 * 86_400_000);
		expect(await world.priceRef(SILVER)).toBe(ref);
		expect(world.stripe.state.prices.size).toBe(1);
	});

	test("that an overloaded or failing Stripe refuses are repeated a little", async () => {
		for (const status of [429, 500, 503]) {
			world.stripe.fail({ kind: "refuse", status }, 2, /prices/);
			expect(await world.priceRef(SILVER)).toStartWith("price_");
		}
		world.stripe.fail({ kind: "refuse", status: 429 }, 10, /prices/);
		await expect(world.priceRef(SILVER)).rejects.toThrow("status 429");
	});

	test("that fail say why, and tell neither keys nor cards", async () => {
		world.stripe.fail({ kind: "refuse", status: 402, error: { type: "card_error", code: "card_declined" } });
		const failure = await world.priceRef(SILVER).catch((cause: unknown) => cause);
		expect(failure).toBeInstanceOf(Error);
		const shown = Bun.inspect(failure, { depth: 20 });
		expect(shown).toContain("StripeCardError, code card_declined, status 402");
		for (const secret of [world.stripe.address.secretKey, "4242 4242"]) expect(shown).not.toContain(secret);
		expect(Object.keys(failure as object)).not.toContain("raw");
	});

	test("with a wrong key fail", async () => {
		const stranger = stripeProcessor({
			...world.stripe.address,
			secretKey: "sk_test_wrongwrong",
			clock: world.clock,
			log: world.log,
		});
		await expect(stranger.retrieve("sub_1")).rejects.toThrow("status 401");
	});
});

describe("a change of price", () => {
	/** As if a renewal had made it cheaper again. */
	async function backTo(sub: FakeSubscription, price: ProcessorPrice): Promise<void> {
		itemOf(sub).price = held(world.stripe.state.prices.get(await world.priceRef(price)), "a price") as FakePrice;
	}

	test("is charged once although its answer was lost, and an equal one later is charged again", async () => {
		const sub = await world.subscribe();
		world.stripe.fail({ kind: "lose-answer" }, 1, /^POST .*subscriptions/);
		expect(sums(await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid"))).toHaveLength(2);
		await backTo(sub, SILVER);
		expect(sums(await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid"))).toHaveLength(3);
		const keys = world.callsTo("POST", /subscriptions/).map(({ key }) => key);
		expect([keys.length, new Set(keys).size]).toEqual([3, 2]);
	});

	test("that is asked for five times at once, and is not paid, is owed once", async () => {
		const sub = await world.subscribe();
		const gold = await world.priceRef(GOLD);
		world.stripe.setCard(sub.id, "declines");
		await Promise.all(Array.from({ length: 5 }, () => world.processor.change(sub.id, gold, "when_paid")));
		expect(sums(await world.processor.retrieve(sub.id)).map(([status]) => status)).toEqual(["paid", "open"]);
	});

	test("that nobody paid for gives way to another", async () => {
		const sub = await world.subscribe();
		const dearest = { ...GOLD, amount: 9_000 };
		world.stripe.setCard(sub.id, "declines");
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		await world.processor.change(sub.id, await world.priceRef(dearest), "when_paid");
		world.stripe.leaveCard(sub.id, "pays");
		await world.settleAll();
		const read = await world.processor.retrieve(sub.id);
		expect(read.price).toBe(await world.priceRef(dearest));
		expect(sums(read).map(([status]) => status)).toEqual(["paid", "void", "paid"]);
	});

	test("at the renewal is taken back by asking for the present price", async () => {
		const sub = await world.subscribe(GOLD);
		await world.processor.change(sub.id, await world.priceRef(SILVER), "renewal");
		expect(await world.processor.change(sub.id, await world.priceRef(GOLD), "renewal")).toMatchObject({
			pending: null,
		});
		expect(sub.schedule).toBeNull();
	});

	test("at the renewal that was cut off in the middle is whole when it is asked for again", async () => {
		const sub = await world.subscribe(GOLD);
		world.stripe.fail({ kind: "refuse", status: 500 }, 3, /^POST .*subscription_schedules\/\w+$/);
		await expect(world.processor.change(sub.id, await world.priceRef(SILVER), "renewal")).rejects.toThrow("status 500");
		const read = await world.processor.change(sub.id, await world.priceRef(SILVER), "renewal");
		expect(read.pending).toEqual({ price: await world.priceRef(SILVER), atMs: read.periodEndMs });
	});

	test("from a year to months at the renewal begins months", async () => {
		const sub = await world.subscribe(SILVER_YEAR);
		await world.processor.change(sub.id, await world.priceRef(SILVER), "renewal");
		const { periodEndMs } = await world.processor.retrieve(sub.id);
		world.clock.set(periodEndMs + 60_000);
		world.stripe.advance();
		const read = await world.processor.retrieve(sub.id);
		expect([read.price, read.periodStartMs, read.pending]).toEqual([await world.priceRef(SILVER), periodEndMs, null]);
		expect(read.periodEndMs - periodEndMs).toBeWithin(28 * 86_400_000, 31 * 86_400_000 + 1);
	});
});

describe("a withdrawal", () => {
	test("whose answers are lost, or which is cut off anywhere, pays back everything once", async () => {
		const sub = await world.subscribe();
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		world.stripe.fail({ kind: "lose-answer" }, 1, /^DELETE/);
		world.stripe.fail({ kind: "lose-answer" }, 1, /refunds/);
		world.stripe.fail({ kind: "refuse", status: 500 }, 3, /refunds/);
		await world.processor.withdraw(sub.id).catch(() => undefined);
		world.stripe.heal();
		const read = await world.processor.withdraw(sub.id);
		expect(read.status).toBe("canceled");
		expect(read.invoices).toHaveLength(2);
		for (const { amountPaid, amountRefunded } of read.invoices) expect(amountRefunded).toBe(amountPaid);
		const refunded = world.stripe.state.charges.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0);
		expect(refunded).toBe(read.invoices.reduce((sum, { amountPaid }) => sum + amountPaid, 0));
	});

	test("pays back all of many payments, which Stripe lists page by page", async () => {
		const sub = await world.subscribe();
		for (let month = 0; month < 7; month++) {
			world.clock.set(itemOf(sub).current_period_end * 1_000);
			world.stripe.advance();
		}
		const paid = sums(await world.processor.retrieve(sub.id));
		expect(paid).toEqual(Array.from({ length: 8 }, () => ["paid", 500, 0]));
		expect(sums(await world.processor.withdraw(sub.id))).toEqual(Array.from({ length: 8 }, () => ["paid", 500, 500]));
	});

	test("pays back what it can, and the rest later", async () => {
		const sub = await world.subscribe();
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		const [first] = world.stripe.state.payments;
		const intent = first?.payment.payment_intent ?? "";
		world.stripe.state.held.add(intent);
		expect(sums(await world.processor.withdraw(sub.id)).map(([, , refunded]) => refunded !== 0)).toEqual([false, true]);
		expect(world.log.lines).toMatchObject([{ level: "warn", facts: { code: "charge_disputed" } }]);
		world.stripe.state.held.delete(intent);
		// For as long Stripe gives one key the answer that it gave first.
		world.clock.advance(3_600_000);
		expect(sums(await world.processor.withdraw(sub.id)).every(([, paid, refunded]) => paid === refunded)).toBeTrue();
	});

	test("takes back the credit that a change of plan gave, and no other", async () => {
		const sub = await world.subscribe(SILVER_YEAR);
		const customer = held(world.stripe.state.customers.get(sub.customer), "a customer");
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		expect(customer.balance).toBeLessThan(-3_000);
		customer.balance -= 200;
		await world.processor.withdraw(sub.id);
		await world.processor.withdraw(sub.id);
		expect(customer.balance).toBe(-200);
		expect(world.stripe.state.charges.map(({ amount, amount_refunded }) => amount - amount_refunded)).toEqual([0]);
	});

	test("takes back such credit also where an unpaid change was to be paid from it", async () => {
		const sub = await world.subscribe(SILVER_YEAR);
		const customer = held(world.stripe.state.customers.get(sub.customer), "a customer");
		await world.processor.change(sub.id, await world.priceRef(GOLD), "when_paid");
		const { balance } = customer;
		expect(balance).toBeLessThan(-3_000);
		world.stripe.setCard(sub.id, "declines");
		await world.processor.change(sub.id, await world.priceRef({ ...GOLD, amount: 9_000 }), "when_paid");
		expect(customer.balance).toBe(0);
		const read = await world.processor.withdraw(sub.id);
		expect(read.invoices.at(-1)?.status).toBe("void");
		expect(customer.balance).toBe(0);
		expect(read.invoices.map(({ amountPaid, amountRefunded }) => amountPaid - amountRefunded)).toEqual([0, 0, 0]);
	});

	test("gives back the credit that paid for it, once, beside what a card paid", async () => {
		const { ref } = await world.openCheckout();
		const [customer] = world.stripe.state.customers.values();
		held(customer, "a customer").balance = -400;
		world.stripe.complete(ref);
		expect(customer?.balance).toBe(0);
		const id = (await world.processor.findCompleted(ref)) ?? "";
		await world.processor.withdraw(id);
		expect(sums(await world.processor.withdraw(id))).toEqual([["paid", 100, 100]]);
		expect(customer?.balance).toBe(-400);
	});

	test("leaves no draft behind that would be charged later", async () => {
		const sub = await world.subscribe(SILVER, 7);
		world.stripe.state.draftSeconds = 3_600;
		world.clock.advance(7 * 86_400_000 + 60_000);
		world.stripe.advance();
		expect(sums(await world.processor.retrieve(sub.id)).at(-1)?.[0]).toBe("draft");
		expect(sums(await world.processor.withdraw(sub.id)).at(-1)).toEqual(["void", 0, 0]);
		world.clock.advance(7_200_000);
		world.stripe.advance();
		expect(sums(await world.processor.retrieve(sub.id)).at(-1)).toEqual(["void", 0, 0]);
	});
});
