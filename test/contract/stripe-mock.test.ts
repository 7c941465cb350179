import { describe, expect, test } from "bun:test";
import type { Processor } from "@svc/billing/ports";
import { misunderstood, stripeMockNote, withoutStripeMock } from "../support/stripe-mock.ts";
import { dispute } from "../support/stripe-payments.ts";
import { GOLD, openStripeProcessor, SILVER, sums } from "../support/stripe-processor.ts";

/* What is sent to Stripe is what its own description of the API allows. Each test that uses the fake Stripe asks this of its calls. */

/** A processor that notes which of its functions were called. */
function noted(processor: Processor): { readonly processor: Processor; readonly called: Set<string> } {
	const called = new Set<string>();
	const note = <Name extends keyof Processor>(target: Processor, name: Name): Processor[Name] => {
		called.add(name);
		return target[name];
	};
	const seen = new Proxy(processor, { get: (target, name) => note(target, name as keyof Processor) });
	return { processor: seen, called };
}

async function drained<T>(all: AsyncIterable<T>): Promise<T[]> {
	const found: T[] = [];
	for await (const one of all) found.push(one);
	return found;
}

describe.skipIf(withoutStripeMock)(`stripe-mock${stripeMockNote}`, () => {
	test("refuses a parameter that Stripe does not know, and takes the same call without it", async () => {
		const call = { method: "POST", path: "/v1/customers", text: "name=Ada" };
		expect(await misunderstood(call)).toBeUndefined();
		expect(await misunderstood({ ...call, text: "name=Ada&nickname=A" })).toContain("POST /v1/customers");
		expect(await misunderstood({ method: "GET", path: "/v1/nothing", text: "" })).toContain("404");
	});

	test("understands every function of the processor: prices, checkout, change, pause, refund, cancel, withdrawal, readings", async () => {
		const world = await openStripeProcessor();
		const { processor, called } = noted(world.processor);
		const price = await processor.ensurePrice("prc_1", SILVER);
		const gold = await processor.ensurePrice("prc_2", GOLD);
		const customer = await processor.ensureCustomer("con_1", { email: "ada@example.com", name: "Ada" });
		const intent = {
			id: "chk_1",
			customer,
			price,
			trialDays: 7,
			title: "Silver",
			seller: "Shop",
			taxBehavior: null,
			promotionCodes: false,
		} as const;
		const pages = { successUrl: "https://web.example/back", cancelUrl: "https://web.example/back" };
		const checkout = await processor.checkout({ ...intent, ...pages });
		world.stripe.complete(checkout.ref);
		const trial = (await processor.findCompleted(checkout.ref)) ?? "";
		await processor.extend(trial, world.clock.now() + 30 * 86_400_000);
		const unpaid = await world.openCheckout(GOLD, 3);
		expect(await processor.closeCheckout(unpaid.ref)).toBeTrue();
		await processor.pauseCollection(trial, world.clock.now());
		await processor.resumeCollection(trial);
		await processor.cancel(trial, "period_end");
		await processor.resume(trial);
		expect(await processor.paymentMethodUrl(trial, "https://web.example/back")).toStartWith("http");
		const taxedPrice = { ...SILVER, taxBehavior: "exclusive" } as const;
		const taxed = await world.subscribe(taxedPrice, 0, true);
		const dearer = await world.priceRef({ ...GOLD, taxBehavior: "exclusive" });
		await processor.preview(taxed.id, dearer, "when_paid", world.clock.now());
		await processor.change(taxed.id, dearer, "when_paid", world.clock.now());
		await processor.change(taxed.id, await world.priceRef(taxedPrice), "renewal");
		dispute(world.stripe.state, taxed.id, "needs_response");
		expect(await processor.retrieve(taxed.id)).toMatchObject({ dispute: { state: "open" }, nextTotal: 540 });
		const { id } = await world.subscribe();
		await processor.preview(id, gold, "when_paid", world.clock.now());
		await processor.preview(id, gold, "renewal", world.clock.now());
		await processor.change(id, gold, "when_paid", world.clock.now());
		await processor.change(id, price, "renewal");
		const paid = (await processor.retrieve(id)).invoices.at(-1);
		await processor.refund(id, { id: "ref_1", invoice: paid?.ref ?? "", amount: 1, reason: "a test" });
		await processor.pauseCollection(id, world.clock.now());
		expect((await drained(processor.listLive())).length).toBeGreaterThan(0);
		await drained(processor.listPaidBack(0));
		expect(sums(await processor.withdraw(id)).at(-1)?.[2]).toBeGreaterThan(0);
		await processor.cancel(trial, "now");
		for (const event of world.stripe.takeEvents()) {
			const { raw, signature } = await world.stripe.sign(event);
			const parsed = await processor.parseEvent(raw, new Headers({ "Stripe-Signature": signature }));
			if (parsed) await processor.settle?.(parsed);
		}
		expect(await processor.findAccount()).toBeTruthy();
		// What is no call: names and marks. A new function of the processor has to be called above.
		const silent = ["name", "mode", "takesPayments"];
		expect(Object.keys(world.processor).filter((name) => !called.has(name) && !silent.includes(name))).toEqual([]);
		await world.close();
	});
});
