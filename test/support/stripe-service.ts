import type { Shown } from "./browser.ts";
import type { ManagedPrice } from "./selling.ts";
import { type OpenService, openService } from "./service.ts";
import { type FakeStripe, fakeStripe } from "./stripe.ts";
import type { FakeEvent, FakeSubscription } from "./stripe-objects.ts";
import type { CardBehaviour } from "./stripe-state.ts";
import { held } from "./stripe-state.ts";
import { addCustomer, type Customer, openCard, openShop, type Shop } from "./subscribers.ts";

/* The whole service with a fake Stripe that takes its payments. */

export interface StripeService {
	readonly stripe: FakeStripe;
	readonly service: OpenService;
	/** Delivers what waits, in the order and as often as `arrange` says; gives the statuses. */
	deliver(arrange?: (events: readonly FakeEvent[]) => readonly FakeEvent[]): Promise<readonly number[]>;
	post(raw: string, signature: string | null): Promise<Response>;
	/** Time passes at both, and what Stripe tells of it arrives. */
	advanceTo(ms: number): Promise<void>;
	close(): Promise<void>;
}

export async function openStripeService(env: Readonly<Record<string, string>> = {}): Promise<StripeService> {
	const stripe = await fakeStripe();
	const service = await openService({ ...stripe.env, ...env });
	stripe.useClock(service.clock);

	function post(raw: string, signature: string | null): Promise<Response> {
		const headers = {
			"Content-Type": "application/json",
			...(signature !== null && { "Stripe-Signature": signature }),
		};
		return service.api("/v1/processor/events", { method: "POST", body: raw, headers });
	}

	async function deliver(arrange = (events: readonly FakeEvent[]) => events): Promise<readonly number[]> {
		const statuses: number[] = [];
		for (const event of arrange(stripe.takeEvents())) {
			const { raw, signature } = await stripe.sign(event);
			statuses.push((await post(raw, signature)).status);
		}
		return statuses;
	}

	return {
		stripe,
		service,
		deliver,
		post,
		async advanceTo(ms) {
			service.clock.set(ms);
			stripe.advance();
			await deliver();
		},
		async close() {
			await service.close();
			await stripe.close();
		},
	};
}

/** The same with an App that sells through it. */
export interface StripeShop extends StripeService {
	readonly shop: Shop;
	/** Somebody who has paid, of which the service was told. */
	subscribed(price?: ManagedPrice): Promise<Customer>;
}

export async function openStripeShop(): Promise<StripeShop> {
	const world = await openStripeService();
	const shop = await openShop(world.service);
	return {
		...world,
		shop,
		async subscribed(price = shop.silver) {
			const customer = await addCustomer(world.service, shop);
			await buyAtStripe(world, customer, price);
			await world.deliver();
			return customer;
		},
	};
}

/** A customer is sent to Stripe's page; the session that they find there. */
export function sessionOf({ status, location }: Shown): string {
	const [, session = ""] = /^https:\/\/checkout\.stripe\.com\/c\/pay\/(cs_test_\w+)$/.exec(location) ?? [];
	if (status !== 303 || session === "") throw new Error(`not sent to Stripe: ${status} ${location}`);
	return session;
}

/** Pays at Stripe's page and comes back; where the App's callback is called. */
export async function buyAtStripe(
	{ stripe }: StripeService,
	customer: Customer,
	price: ManagedPrice,
	card: CardBehaviour = "pays",
): Promise<Shown> {
	const session = sessionOf(await openCard(customer, { price_id: price.id }));
	const { success_url, cancel_url } = held(stripe.state.sessions.get(session), session);
	return await customer.browser.open(stripe.complete(session, card) ? success_url : cancel_url);
}

/** The newest one that the fake Stripe keeps. */
export function lastSubscription({ stripe }: StripeService): FakeSubscription {
	return held([...stripe.state.subscriptions.values()].at(-1), "a subscription");
}
