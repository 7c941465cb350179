import { describe, expect, test } from "bun:test";
import type { ChangePreview, Invoice, OwnPlan } from "@svc/sdk/shapes";
import { advanceTo } from "../../support/billing.ts";
import type { Shown } from "../../support/browser.ts";
import { addPerson, as } from "../../support/people.ts";
import { type Caller, send } from "../../support/requests.ts";
import { addPlan, addPrice, made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	mailsTo,
	openCard,
	openShop,
	payAt,
	press,
	type Shop,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";
import { ask, eventsOf, makeTeam } from "../../support/teams.ts";

/* Tax of what an App sells: it is the Owner's to set, it is shown before it is charged, and what is bought keeps its own. */

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const now = () => service.rooms.clock.now();

const setTax = ({ app, owner }: Shop, tax: object) =>
	made(send(service, "PATCH", `/v1/apps/${app.id}`, { tax }, owner));

async function taxedShop(behavior: "inclusive" | "exclusive"): Promise<Shop> {
	const shop = await openShop(service);
	await setTax(shop, { mode: "automatic", behavior });
	return shop;
}

async function payerOf(customer: Customer): Promise<Caller> {
	return as({ secret: await lastingSession(service, customer.user.accountId, "console") });
}

async function planOf(customer: Customer) {
	const payer = await payerOf(customer);
	const { id } = await subscriptionOf(service, customer);
	const get = <T>(path: string) => made<T>(send(service, "GET", `/v1/me/plans/${id}${path}`, undefined, payer));
	const { data } = await get<{ data: Invoice[] }>("/invoices");
	return { plan: await get<OwnPlan>(""), invoices: data.toReversed(), get };
}

let serial = 0;

/** A price of a plan of its own. */
async function extraPrice({ app, owner }: Shop, terms: Readonly<Record<string, unknown>>) {
	const { id } = await addPlan(service, app.id, owner, { key: `extra-${++serial}`, name: `Extra ${serial}` });
	return await addPrice(service, app.id, id, owner, terms);
}

/** What a reader sees, in one line. */
function textOf({ html }: Shown): string {
	return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

/** What every invoice has to hold, whatever was bought. */
function sumsOf({ lines, subtotal, tax, total, amount_paid: paid }: Invoice) {
	expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(subtotal);
	expect(subtotal + tax).toBe(total);
	return { subtotal, tax, total, paid };
}

describe("the setting", () => {
	const team = madeBefore(() => makeTeam(service));
	const patch = (body: Readonly<Record<string, unknown>>, role: "owner" | "admin" = "owner") =>
		ask(service, team[role], "PATCH", team.path, body);

	test("is none at first; the Owner changes either part of it, and the audit tells once", async () => {
		const before = await ask(service, team.viewer, "GET", team.path);
		expect(before.body).toMatchObject({ tax: { mode: "none", behavior: "exclusive" }, promotion_codes: false });
		await patch({ tax: { mode: "none" }, promotion_codes: false });
		expect((await patch({ tax: { mode: "automatic" } })).body.tax).toEqual({
			mode: "automatic",
			behavior: "exclusive",
		});
		expect((await patch({ tax: { behavior: "inclusive" }, promotion_codes: true })).body).toMatchObject({
			tax: { mode: "automatic", behavior: "inclusive" },
			promotion_codes: true,
		});
		expect(await eventsOf(service, team)).toEqual(["app.created", "app.sale_changed", "app.sale_changed"]);
	});

	test("403 for an Admin, who may change the rest; nothing of such a request is done", async () => {
		for (const body of [{ tax: { mode: "none" } }, { promotion_codes: false }, { name: "Mine now", tax: {} }]) {
			const { status, body: answer } = await patch(body, "admin");
			expect([status, answer]).toMatchObject([403, { error: { code: "forbidden" } }]);
		}
		expect((await ask(service, team.viewer, "GET", team.path)).body.name).not.toBe("Mine now");
	});

	test("422 for what it does not know", async () => {
		for (const body of [{ tax: { mode: "manual" } }, { tax: { rate: 20 } }, { tax: null }, { promotion_codes: 1 }]) {
			expect((await patch(body)).status).toBe(422);
		}
	});
});

describe("tax on top", () => {
	const shop = madeBefore(() => taxedShop("exclusive"));

	test("is said on the card and the page of payment, and charged, shown and announced as it was said", async () => {
		const customer = await addCustomer(service, shop);
		const card = await openCard(customer);
		expect(textOf(card)).toContain("$5.00 a month plus tax");
		const page = await customer.browser.follow(
			await customer.browser.submit(card, "/billing/checkout", { price_id: shop.silver.id }),
		);
		expect(textOf(page)).toContain("$5.00 plus $1.00 tax: $6.00 in all.");
		expect(textOf(page)).toContain("Pay $6.00");
		await customer.browser.follow(await customer.browser.submit(page, "/checkout/", { card: "pays" }));
		const { plan, invoices } = await planOf(customer);
		expect(invoices.map(sumsOf)).toEqual([{ subtotal: 500, tax: 100, total: 600, paid: 600 }]);
		expect(plan.next_charge).toMatchObject({ amount: 600, currency: "usd" });
		const receipt = await customer.browser.open(`/account/invoices/${invoices[0]?.id}`);
		for (const sum of ["Subtotal $5.00", "Tax $1.00", "Total $6.00"]) expect(textOf(receipt)).toContain(sum);
		expect(textOf(await customer.browser.open(`/account/plans/${plan.id}`))).toContain("$5.00 a month plus tax");
		expect(await mailsTo(service, customer)).toMatchObject([{ facts: { amount: 500, taxed: "exclusive", tax: 100 } }]);
	});

	test("a change costs what was shown, tax counted in, and a withdrawal pays all of it back", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		await advanceTo(service, operator, now() + 10 * DAY_MS);
		const { get } = await planOf(customer);
		const preview = await get<ChangePreview>(`/preview?price_id=${shop.gold.id}`);
		const text = textOf(await openCard(customer));
		const [, amount = ""] = /You pay \$(\d+\.\d\d) now, then \$15\.00 a month plus tax/.exec(text) ?? [];
		expect([Math.round(Number(amount) * 100), preview.next_amount]).toEqual([preview.amount_now, 1_800]);
		expect(text).toContain(`Pay $${amount} and change`);
		await press(customer, "switch", { price_id: shop.gold.id });
		const { plan, invoices } = await planOf(customer);
		expect(invoices.map(sumsOf).at(-1)).toMatchObject({ paid: preview.amount_now });
		expect(plan.next_charge?.amount).toBe(1_800);
		await press(customer, "withdraw");
		const back = (await planOf(customer)).invoices;
		expect(back.map(({ amount_refunded }) => amount_refunded)).toEqual(back.map(({ amount_paid }) => amount_paid));
	});

	test("credit of a dear year holds its tax, and pays later terms with theirs", async () => {
		const year = await extraPrice(shop, { amount: 12_000, interval: "year" });
		const month = await extraPrice(shop, { amount: 1_100 });
		const customer = await addCustomer(service, shop);
		await subscribe(customer, year);
		await press(customer, "switch", { price_id: month.id });
		const { plan, invoices } = await planOf(customer);
		// A year of 144.00 with tax gives way to a month of 13.20, which is dearer in the end.
		expect(invoices.map(sumsOf).at(-1)).toEqual({ subtotal: -10_900, tax: -2_180, total: -13_080, paid: 0 });
		expect([plan.credit, plan.next_charge?.amount]).toEqual([13_080, 0]);
		await advanceTo(service, operator, now() + 32 * DAY_MS);
		expect((await planOf(customer)).plan.credit).toBe(11_760);
	});

	test("a trial is warned of with what is charged then", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.trial);
		const { plan } = await planOf(customer);
		expect(plan.next_charge?.amount).toBe(600);
		await advanceTo(service, operator, now() + 5 * DAY_MS);
		const warned = (await mailsTo(service, customer)).find(({ template }) => template === "trial_ending");
		expect(warned?.facts).toMatchObject({ amount: 600, currency: "usd" });
	});
});

test("tax that prices hold is said to be in them, and invoices take it apart", async () => {
	const shop = await taxedShop("inclusive");
	const yen = await extraPrice(shop, { amount: 999, currency: "jpy" });
	const customer = await addCustomer(service, shop);
	const card = await openCard(customer);
	expect(textOf(card)).toContain("¥999 a month incl. tax");
	await payAt(customer, await customer.browser.submit(card, "/billing/checkout", { price_id: yen.id }));
	const { plan, invoices } = await planOf(customer);
	expect(invoices.map(sumsOf)).toEqual([{ subtotal: 832, tax: 167, total: 999, paid: 999 }]);
	expect(plan.next_charge?.amount).toBe(999);
});

test("what was bought keeps its own: later settings touch neither its renewals nor its changes", async () => {
	const shop = await openShop(service);
	const [untaxed, taxed] = [await addCustomer(service, shop), await addCustomer(service, shop)];
	await subscribe(untaxed, shop.silver);
	await setTax(shop, { mode: "automatic" });
	await subscribe(taxed, shop.silver);
	await setTax(shop, { behavior: "inclusive" });
	expect(textOf(await openCard(untaxed))).not.toContain("tax");
	await press(untaxed, "switch", { price_id: shop.gold.id });
	await press(taxed, "switch", { price_id: shop.gold.id });
	await advanceTo(service, operator, now() + 32 * DAY_MS);
	const last = async (customer: Customer) => (await planOf(customer)).invoices.map(sumsOf).at(-1);
	expect(await last(untaxed)).toEqual({ subtotal: 1_500, tax: 0, total: 1_500, paid: 1_500 });
	expect(await last(taxed)).toEqual({ subtotal: 1_500, tax: 300, total: 1_800, paid: 1_800 });
	// Kept for the renewal, a plan is the one that it was.
	await press(taxed, "switch", { price_id: shop.silver.id });
	expect((await press(taxed, "switch", { price_id: shop.gold.id })).location).toContain("done=");
	expect((await planOf(taxed)).plan.waiting_change).toBeNull();
});
