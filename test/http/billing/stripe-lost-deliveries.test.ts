import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { refund } from "../../support/stripe-payments.ts";
import { lastSubscription, openStripeShop, type StripeShop, sessionOf } from "../../support/stripe-service.ts";
import { held } from "../../support/stripe-state.ts";
import {
	accessOf,
	addCustomer,
	CALLBACK,
	type Customer,
	cardAddress,
	invoicesOf,
	openCard,
	press,
	type Shop,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* Rule D: nothing that Stripe tells arrives, and payers close the window. */

let world: StripeShop;
let shop: Shop;
beforeAll(async () => {
	world = await openStripeShop();
	({ shop } = world);
});
afterAll(() => world.close());
afterEach(() => world.stripe.heal());

const access = (customer: Customer) => accessOf(world.service, customer);

function drop(): void {
	world.stripe.takeEvents();
}

async function nextMinute(): Promise<void> {
	world.service.clock.advance(61_000);
	await world.service.catchUpBilling();
}

/** Somebody pays at Stripe, and neither a delivery nor their browser tells of it. */
async function paidUnseen(price = shop.silver): Promise<{ readonly customer: Customer; readonly session: string }> {
	const customer = await addCustomer(world.service, shop);
	const session = sessionOf(await openCard(customer, { price_id: price.id }));
	expect(world.stripe.complete(session)).toBeTrue();
	drop();
	return { customer, session };
}

const customersLive = (ref: string) => {
	const { customer } = held(world.stripe.state.subscriptions.get(ref), ref);
	const theirs = [...world.stripe.state.subscriptions.values()].filter((one) => one.customer === customer);
	return theirs.filter(({ status }) => status !== "canceled").length;
};

interface Reconciled {
	readonly usage: { readonly drifts: readonly unknown[] };
	readonly billing: {
		readonly checked: number;
		readonly drifts: readonly Readonly<Record<string, string | null>>[];
		readonly repaired: number;
	};
}

async function reconciled(body?: object): Promise<Reconciled> {
	const caller = { key: world.service.token };
	const { id } = await made<{ id: string }>(send(world.service, "POST", "/v1/operator/reconcile", body, caller));
	await world.service.runJobs();
	const job = await made<{ state: string; result: Reconciled }>(
		send(world.service, "GET", `/v1/jobs/${id}`, undefined, caller),
	);
	expect(job.state).toBe("done");
	return job.result;
}

test("a first purchase of which no delivery tells, and whose payer is gone, is found within a minute", async () => {
	const { customer } = await paidUnseen();
	expect(await access(customer)).toBe("inactive");
	await nextMinute();
	expect(await access(customer)).toBe("active silver");
	const asked = world.stripe.seen.length;
	await nextMinute();
	expect(world.stripe.seen.slice(asked).filter(({ path }) => path.includes("/checkout/sessions/"))).toEqual([]);
});

test("a checkout is asked for as long as it can be paid, and no longer", async () => {
	const customer = await addCustomer(world.service, shop);
	const session = sessionOf(await openCard(customer, { price_id: shop.silver.id }));
	const asked = () => world.stripe.seen.filter(({ path }) => path.endsWith(session)).length;
	await nextMinute();
	const early = asked();
	expect(early).toBeGreaterThan(0);
	world.service.clock.advance(26 * 3_600_000);
	await nextMinute();
	expect(asked()).toBe(early);
});

describe("the card", () => {
	test("asks before it opens another checkout: what was paid is taken over, and there are never two", async () => {
		const { customer } = await paidUnseen();
		const opened = world.stripe.state.sessions.size;
		const shown = await openCard(customer, { price_id: shop.gold.id });
		expect([shown.status, shown.location]).toEqual([200, ""]);
		expect(shown.html).toContain("Silver");
		expect(world.stripe.state.sessions.size).toBe(opened);
		expect(await access(customer)).toBe("active silver");
		expect(customersLive(lastSubscription(world).id)).toBe(1);
	});

	test("does so behind its button, too, and shows the plan that there is", async () => {
		const customer = await addCustomer(world.service, shop);
		const card = await openCard(customer);
		const first = sessionOf(await openCard(customer, { price_id: shop.silver.id }));
		world.stripe.complete(first);
		drop();
		const opened = world.stripe.state.sessions.size;
		const pressed = await customer.browser.submit(card, "/billing/checkout", { price_id: shop.gold.id });
		expect(pressed.status).toBe(409);
		expect(world.stripe.state.sessions.size).toBe(opened);
		expect(await access(customer)).toBe("active silver");
	});

	test("opens one where the other was not paid; paid in both windows the second one is paid back within a minute", async () => {
		const customer = await addCustomer(world.service, shop);
		const sessions = [shop.silver, shop.gold].map(async (price) =>
			sessionOf(await openCard(customer, { price_id: price.id })),
		);
		for (const session of await Promise.all(sessions)) expect(world.stripe.complete(session)).toBeTrue();
		drop();
		await nextMinute();
		expect(customersLive(lastSubscription(world).id)).toBe(1);
		const paid = (await invoicesOf(world.service, customer)).map((one) => one.amount_paid - one.amount_refunded);
		expect(paid.filter((kept) => kept > 0)).toHaveLength(1);
	});
});

test("[C] an App's own plan is found as well, before another checkout is opened", async () => {
	const path = `/v1/apps/${shop.app.id}/billing`;
	const { url } = await made<{ url: string }>(
		send(world.service, "POST", `${path}/checkout`, { plan: "pro" }, shop.owner),
	);
	world.stripe.complete(url.split("/").at(-1) ?? "");
	drop();
	const again = await send(world.service, "POST", `${path}/checkout`, { plan: "pro" }, shop.owner);
	expect(again.status).toBe(409);
	expect(await made(send(world.service, "GET", path, undefined, shop.owner))).toMatchObject({
		plan: "pro",
		status: "active",
	});
});

describe("the hour", () => {
	test("finds a cancellation, an end and a refund of which no delivery told", async () => {
		const customers = [await world.subscribed(), await world.subscribed(), await world.subscribed()];
		const [leaving, ended, refunded] = customers;
		const refs = [...world.stripe.state.subscriptions.keys()].slice(-3);
		const [first, second] = refs.map((ref) => held(world.stripe.state.subscriptions.get(ref), ref));
		await nextMinute();
		if (!leaving || !ended || !refunded || !first || !second) throw new Error("three customers");
		first.cancel_at_period_end = true;
		second.status = "canceled";
		second.ended_at = world.stripe.state.now();
		const intent = held(world.stripe.state.payments.at(-1), "a payment").payment.payment_intent;
		refund(world.stripe.state, intent, {}, 120);
		drop();
		world.service.clock.advance(3_601_000);
		await world.service.catchUpBilling();
		expect((await subscriptionOf(world.service, leaving)).cancel_at_period_end).toBeTrue();
		expect(await access(ended)).toBe("inactive");
		expect(await invoicesOf(world.service, refunded)).toMatchObject([{ amount_paid: 500, amount_refunded: 120 }]);
	});
});

describe("a reconcile", () => {
	test("names what differs and changes nothing, and with repair makes it the same", async () => {
		await reconciled({ repair: true });
		const { customer } = await paidUnseen();
		const known = await world.subscribed();
		const { id } = await subscriptionOf(world.service, known);
		const sub = lastSubscription(world);
		sub.cancel_at_period_end = true;
		drop();
		const told = await reconciled({});
		expect(told.usage).toEqual({ drifts: [] });
		expect(told.billing.repaired).toBe(0);
		expect(told.billing.checked).toBeGreaterThanOrEqual(2);
		expect(told.billing.drifts).toEqual([
			{
				kind: "changed",
				subscription: id,
				checkout: null,
				ours: expect.stringMatching(/^active prc_\w+, until /),
				processor: expect.stringMatching(/^active prc_\w+, ends /),
			},
			{
				kind: "unknown",
				subscription: null,
				checkout: expect.stringMatching(/^chk_/),
				ours: null,
				processor: `active ${shop.silver.id}`,
			},
		]);
		expect(await access(customer)).toBe("inactive");
		expect((await reconciled({ repair: true })).billing).toMatchObject({ repaired: 2 });
		expect(await access(customer)).toBe("active silver");
		expect((await reconciled()).billing).toMatchObject({ drifts: [], repaired: 0 });
	});

	test("ends on our side what Stripe does not have any more", async () => {
		const customer = await world.subscribed();
		world.stripe.state.subscriptions.delete(lastSubscription(world).id);
		const { billing } = await reconciled({ repair: true });
		expect(billing.drifts).toMatchObject([{ kind: "missing", processor: null }]);
		expect(await access(customer)).toBe("inactive");
		expect((await reconciled()).billing.drifts).toEqual([]);
		const lost = sql`SELECT count(*) FROM audit WHERE event = 'subscription.lost' AND actor = 'billing'`;
		expect(await countOf(world.service.database, lost)).toBe(1);
	});
});

test("80 deliveries at once about one subscription cost at most 10 calls, and the last state stays", async () => {
	const customer = await world.subscribed();
	const { stripe } = world;
	const sub = lastSubscription(world);
	for (let time = 0; time < 80; time++) {
		if (time === 79) sub.cancel_at_period_end = true;
		stripe.state.emit("customer.subscription.updated", sub);
	}
	const signed = await Promise.all(stripe.takeEvents().map((event) => stripe.sign(event)));
	const calls = stripe.seen.length;
	const allTaken = Promise.withResolvers<void>();
	stripe.fail({ kind: "wait", until: allTaken.promise });
	const posted = signed.map(({ raw, signature }) => world.post(raw, signature));
	const waiting = sql`SELECT count(*) FROM processor_events WHERE done_ms IS NULL`;
	while ((await countOf(world.service.database, waiting)) < 80) await Bun.sleep(5);
	allTaken.resolve();
	const answers = await Promise.all(posted);
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(stripe.seen.length - calls).toBeLessThanOrEqual(10);
	expect((await subscriptionOf(world.service, customer)).cancel_at_period_end).toBeTrue();
	expect(await countOf(world.service.database, waiting)).toBe(0);
});

test("a delivery about a trial, for which nobody has paid, asks for no refunds", async () => {
	await world.subscribed(shop.trial);
	const { stripe } = world;
	stripe.state.emit("customer.subscription.updated", lastSubscription(world));
	const calls = stripe.seen.length;
	expect(await world.deliver()).toEqual([200]);
	const asked = stripe.seen.slice(calls).map(({ path }) => path.split("/")[2]);
	expect(asked.toSorted()).toEqual(["invoices", "subscriptions"]);
});

test("what was paid is said to be paid when the payer comes back after it was found", async () => {
	const { customer, session } = await paidUnseen();
	await nextMinute();
	const { success_url } = held(world.stripe.state.sessions.get(session), session);
	const back = await customer.browser.open(success_url);
	expect(back.location).toBe(`${CALLBACK}?billing=success`);
	await press(customer, "cancel");
});

describe("while Stripe does not answer", () => {
	const WORDS = "You have not been charged twice; this page will know in a moment.";
	const ELSEWHERE = {
		de: "Es wurde nicht zweimal abgebucht; diese Seite weiß gleich mehr.",
		ja: "二重に請求されることはありません。このページはまもなく結果を表示します。",
	};

	test("503 with Retry-After for whoever comes back from paying, and the page asks again by itself until it knows", async () => {
		const { customer, session } = await paidUnseen();
		const { success_url } = held(world.stripe.state.sessions.get(session), session);
		world.stripe.fail({ kind: "refuse", status: 500 }, 1_000);
		const away = await world.service.open(success_url);
		expect([away.status, away.headers.get("retry-after"), away.headers.get("refresh")]).toEqual([503, "30", "5"]);
		expect(await away.text()).toContain(WORDS);
		for (const [language, words] of Object.entries(ELSEWHERE)) {
			const page = await world.service.open(success_url, { headers: { "Accept-Language": language } });
			expect(await page.text()).toContain(words);
		}
		world.stripe.heal();
		expect((await customer.browser.open(success_url)).location).toBe(`${CALLBACK}?billing=success`);
	});

	test("503 with Retry-After for a link to the card with a price, and the plan is sold once it answers", async () => {
		const customer = await addCustomer(world.service, shop);
		await openCard(customer);
		world.stripe.fail({ kind: "refuse", status: 500 }, 1_000);
		const away = await openCard(customer, { price_id: shop.silver.id });
		expect([away.status, away.html.includes(WORDS)]).toEqual([503, true]);
		for (const [language, words] of Object.entries(ELSEWHERE)) {
			const headers = { "Accept-Language": language };
			const link = cardAddress(shop, { price_id: shop.silver.id });
			expect((await customer.browser.open(link, { headers })).html).toContain(words);
		}
		world.stripe.heal();
		sessionOf(await openCard(customer, { price_id: shop.silver.id }));
	});
});

test("of two that were paid the second comes back without success: all that it cost was paid back", async () => {
	const customer = await addCustomer(world.service, shop);
	const [first, second] = [
		sessionOf(await openCard(customer, { price_id: shop.silver.id })),
		sessionOf(await openCard(customer, { price_id: shop.gold.id })),
	];
	const back: string[] = [];
	for (const session of [first, second]) world.stripe.complete(session);
	for (const session of [first, second]) {
		back.push(
			(await customer.browser.open(held(world.stripe.state.sessions.get(session), session).success_url)).location,
		);
	}
	expect(back).toEqual([`${CALLBACK}?billing=success`, CALLBACK]);
});
