import type { Processor, ProcessorPrice, Snapshot } from "@svc/billing/ports";
import { stripeProcessor } from "@svc/billing/stripe/processor";
import { TestClock, TestLog } from "./service.ts";
import { type FakeStripe, fakeStripe } from "./stripe.ts";
import type { FakeSubscription } from "./stripe-objects.ts";
import { held } from "./stripe-state.ts";

/* The processor on a fake Stripe, without the service. */

export const SILVER: ProcessorPrice = {
	amount: 500,
	currency: "usd",
	interval: "month",
	taxBehavior: null,
	title: "Silver",
};
export const GOLD: ProcessorPrice = { ...SILVER, amount: 1_500, title: "Gold" };
export const SILVER_YEAR: ProcessorPrice = { ...SILVER, amount: 5_000, interval: "year" };

export interface StripeProcessorWorld {
	readonly stripe: FakeStripe;
	readonly clock: TestClock;
	readonly log: TestLog;
	readonly processor: Processor;
	priceRef(price: ProcessorPrice): Promise<string>;
	/** The requests that Stripe has got. */
	callsTo(method: string, path: RegExp): FakeStripe["seen"];
	openCheckout(
		price?: ProcessorPrice,
		trialDays?: number,
		promotionCodes?: boolean,
	): Promise<{ readonly ref: string; readonly url: string }>;
	/** Somebody has paid; nothing of it was delivered. */
	subscribe(price?: ProcessorPrice, trialDays?: number, promotionCodes?: boolean): Promise<FakeSubscription>;
	/** Does what the events that wait leave to do. */
	settleAll(): Promise<void>;
	close(): Promise<void>;
}

export async function openStripeProcessor(): Promise<StripeProcessorWorld> {
	const stripe = await fakeStripe();
	const clock = new TestClock();
	// Not at the turn of an hour, where keys change.
	clock.set(Date.UTC(2026, 10, 22, 12, 20));
	stripe.useClock(clock);
	const log = new TestLog();
	const processor = stripeProcessor({ ...stripe.address, clock, log });

	const priceRef = (price: ProcessorPrice) =>
		processor.ensurePrice(`prc_${price.amount}${price.taxBehavior ?? ""}`, price);

	async function openCheckout(price = SILVER, trialDays = 0, promotionCodes = false) {
		const customer = await processor.ensureCustomer("con_1", { email: "ada@example.com", name: "Ada" });
		return await processor.checkout({
			id: "chk_1",
			customer,
			price: await priceRef(price),
			trialDays,
			title: price.title,
			seller: "Shop",
			taxBehavior: price.taxBehavior,
			promotionCodes,
			successUrl: "https://web.example/back?checkout=chk_1",
			cancelUrl: "https://web.example/back?checkout=chk_1",
		});
	}

	return {
		stripe,
		clock,
		log,
		processor,
		priceRef,
		callsTo: (method, path) => stripe.seen.filter((one) => one.method === method && path.test(one.path)),
		openCheckout,
		async subscribe(price = SILVER, trialDays = 0, promotionCodes = false) {
			const { ref } = await openCheckout(price, trialDays, promotionCodes);
			stripe.complete(ref);
			stripe.takeEvents();
			return held(stripe.state.subscriptions.get((await processor.findCompleted(ref)) ?? ""), "a subscription");
		},
		async settleAll() {
			for (const event of stripe.takeEvents()) {
				const { raw, signature } = await stripe.sign(event);
				const parsed = await processor.parseEvent(raw, new Headers({ "Stripe-Signature": signature }));
				if (parsed) await processor.settle?.(parsed);
			}
		},
		close: () => stripe.close(),
	};
}

/** What was paid, and paid back. */
export const sums = ({ invoices }: Snapshot) =>
	invoices.map(({ status, amountPaid, amountRefunded }) => [status, amountPaid, amountRefunded]);
