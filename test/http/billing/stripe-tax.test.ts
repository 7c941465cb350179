import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Invoice, OwnPlan } from "@svc/sdk/shapes";
import { as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { buyAtStripe, lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	openCard,
	periodEndOf,
	press,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* Tax and promotion codes with Stripe: it is told what the Owner has set, and its invoices are taken apart as ours are. */

let world: StripeShop;
beforeAll(async () => {
	world = await openStripeShop();
});
afterAll(() => world.close());

const set = (body: object) =>
	made(send(world.service, "PATCH", `/v1/apps/${world.shop.app.id}`, body, world.shop.owner));

async function buyer(): Promise<Customer> {
	const customer = await addCustomer(world.service, world.shop);
	await buyAtStripe(world, customer, world.shop.silver);
	await world.deliver();
	return customer;
}

async function planOf(customer: Customer) {
	const payer = as({ secret: await lastingSession(world.service, customer.user.accountId, "console") });
	const { id } = await subscriptionOf(world.service, customer);
	const get = <T>(path: string) => made<T>(send(world.service, "GET", `/v1/me/plans/${id}${path}`, undefined, payer));
	const { data } = await get<{ data: Invoice[] }>("/invoices");
	return { next: (await get<OwnPlan>("")).next_charge?.amount, invoices: data.toReversed().map(sumsOf) };
}

function sumsOf({ lines, subtotal, tax, total, amount_paid: paid }: Invoice) {
	expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(subtotal);
	expect(subtotal + tax).toBe(total);
	return { lines: lines.map(({ amount }) => amount), tax, paid };
}

test("a checkout asks for nothing that the Owner has not set; with tax and codes it asks for both", async () => {
	await buyer();
	const sent = () =>
		world.stripe.seen.findLast(({ path }) => path.endsWith("/sessions"))?.form ?? new URLSearchParams();
	expect([...sent().keys()].filter((name) => /tax|promotion|customer_update/.test(name))).toEqual([]);
	await set({ tax: { mode: "automatic", behavior: "exclusive" }, promotion_codes: true });
	await buyer();
	expect(Object.fromEntries([...sent()].filter(([name]) => /tax|promotion|customer_update/.test(name)))).toEqual({
		"automatic_tax[enabled]": "true",
		"tax_id_collection[enabled]": "true",
		"customer_update[address]": "auto",
		"customer_update[name]": "auto",
		allow_promotion_codes: "true",
	});
	await set({ tax: { mode: "none" }, promotion_codes: false });
});

test("tax on top is on invoices, in the next charge and in the change that is previewed, through renewals", async () => {
	await set({ tax: { mode: "automatic", behavior: "exclusive" } });
	const customer = await buyer();
	await set({ tax: { mode: "none" } });
	expect(await planOf(customer)).toEqual({ next: 600, invoices: [{ lines: [500], tax: 100, paid: 600 }] });
	await world.advanceTo(world.service.clock.now() + 10 * DAY_MS);
	const { html } = await openCard(customer);
	const [, amount = ""] = /You pay \$(\d+\.\d\d) now, then \$15\.00 a month plus tax/.exec(html) ?? [];
	await press(customer, "switch", { price_id: world.shop.gold.id });
	const { next, invoices } = await planOf(customer);
	expect([next, invoices.at(-1)?.paid]).toEqual([1_800, Math.round(Number(amount) * 100)]);
	await press(customer, "switch", { price_id: world.shop.silver.id });
	expect((await planOf(customer)).next).toBe(600);
	await world.advanceTo((await periodEndOf(world.service, customer)) + 60_000);
	expect((await planOf(customer)).invoices.at(-1)).toEqual({ lines: [500], tax: 100, paid: 600 });
	expect(lastSubscription(world).automatic_tax.enabled).toBeTrue();
});

test("a discount is a line of the invoice, with tax that prices hold and without", async () => {
	await set({ promotion_codes: true });
	const untaxed = await planOf(await buyer());
	expect(untaxed).toEqual({ next: 450, invoices: [{ lines: [500, -50], tax: 0, paid: 450 }] });
	await set({ tax: { mode: "automatic", behavior: "inclusive" } });
	const taxed = await planOf(await buyer());
	expect(taxed).toEqual({ next: 450, invoices: [{ lines: [425, -50], tax: 75, paid: 450 }] });
	await set({ tax: { mode: "none" }, promotion_codes: false });
});
