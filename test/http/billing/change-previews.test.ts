import { expect, test } from "bun:test";
import { advanceTo } from "../../support/billing.ts";
import { addPerson } from "../../support/people.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	DAY_MS,
	invoicesOf,
	openCard,
	openShop,
	press,
	subscribe,
} from "../../support/subscribers.ts";

/* What a change costs is shown before the button, and what is charged is what was shown. */

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const shop = madeBefore(() => openShop(service));
const now = () => service.rooms.clock.now();
const paid = async (customer: Parameters<typeof invoicesOf>[1]) =>
	(await invoicesOf(service, customer)).map(({ amount_paid }) => amount_paid);

test("the card shows what a change costs now and next, and its button says the amount", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	await advanceTo(service, operator, now() + 10 * DAY_MS);
	const { html } = await openCard(customer);
	const [, amount = ""] = /You pay \$(\d+\.\d\d) now, then \$15\.00 a month/.exec(html) ?? [];
	expect(html).toContain(`Pay $${amount} and change`);
	await press(customer, "switch", { price_id: shop.gold.id });
	expect(await accessOf(service, customer)).toBe("active gold");
	expect(await paid(customer)).toEqual([500, Math.round(Number(amount) * 100)]);
});

test("a change that costs something else by then is not charged, and the page asks again", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const before = await openCard(customer);
	await advanceTo(service, operator, now() + 10 * DAY_MS);
	const asked = await customer.browser.submit(before, "/billing/switch", { price_id: shop.gold.id });
	expect([asked.status, await paid(customer)]).toEqual([409, [500]]);
	const [, amount = ""] = /Pay \$(\d+\.\d\d) and change/.exec(asked.html) ?? [];
	expect(Number(amount)).toBeLessThan(10);
	expect((await customer.browser.submit(asked, "/billing/switch")).location).toContain("done=switched");
	expect(await paid(customer)).toEqual([500, Math.round(Number(amount) * 100)]);
});

test("a change that is posted without what was shown of it is not charged, and the page asks with the amount", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const card = await openCard(customer);
	for (const shown of [{}, { [`shown_${shop.gold.id}`]: "" }, { [`shown_${shop.gold.id}`]: "0@0" }]) {
		const forms = card.forms.map(({ action, fields: { [`shown_${shop.gold.id}`]: _, ...fields } }) => ({
			action,
			fields: { ...fields, ...shown },
		}));
		const asked = await customer.browser.submit({ ...card, forms }, "/billing/switch", { price_id: shop.gold.id });
		expect([asked.status, await paid(customer)]).toEqual([409, [500]]);
		expect(asked.html).toContain("Pay $10.00 and change");
	}
	expect(await accessOf(service, customer)).toBe("active silver");
	// What costs nothing yet needs no amount.
	const free = await addCustomer(service, shop);
	await subscribe(free, shop.gold);
	expect((await press(free, "switch", { price_id: shop.silver.id })).location).toContain("done=switching");
});
