import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { advanceTo } from "../../support/billing.ts";
import { addPerson } from "../../support/people.ts";
import { errorOf } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	DAY_MS,
	invoicesOf,
	openCard,
	openShop,
	payAt,
	press,
	readStatus,
	statusOf,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const shop = madeBefore(() => openShop(service));

const newCustomer = () => addCustomer(service, shop);
const now = () => service.rooms.clock.now();

async function subscribed(price = shop.silver): Promise<Customer> {
	const customer = await newCustomer();
	await subscribe(customer, price);
	return customer;
}

describe("a trial", () => {
	test("begins without a payment and renews by itself [sub.checkout-trial, sub.trial-renews, sub.trial-end-active]", async () => {
		const customer = await subscribed(shop.trial);
		const status = await statusOf(service, customer);
		expect(status).toMatchObject({ trial_eligible: false, access: { plan_key: "silver", status: "trialing" } });
		expect(status.subscription).toMatchObject({ status: "trialing", trial_end: status.access.expires_at } as never);
		expect(await invoicesOf(service, customer)).toEqual([]);
		await advanceTo(service, operator, now() + 7 * DAY_MS + 60_000);
		expect(await accessOf(service, customer)).toBe("active silver");
		expect(await invoicesOf(service, customer)).toMatchObject([{ status: "paid", amount_paid: 500 }]);
	});

	test("is not begun with a card that does not pay [sub.checkout-trial-payment-method]", async () => {
		const customer = await newCustomer();
		const page = await payAt(customer, await openCard(customer, { price_id: shop.trial.id }), "declines");
		expect(page.status).toBe(422);
		expect(await accessOf(service, customer)).toBe("inactive");
	});

	test("keeps its end over a change of plan [sub.switch-keeps-trial-end]", async () => {
		const customer = await subscribed(shop.trial);
		const before = await subscriptionOf(service, customer);
		await press(customer, "switch", { price_id: shop.gold.id });
		const after = await subscriptionOf(service, customer);
		expect([after.trial_end, after.plan_key, after.status]).toEqual([before.trial_end, "gold", "trialing"]);
		expect(await invoicesOf(service, customer)).toEqual([]);
	});

	test("is had once by a person in an App, whatever becomes of the connection; another App has its own [sub.one-trial-per-app]", async () => {
		const customer = await subscribed(shop.trial);
		await press(customer, "cancel");
		await advanceTo(service, operator, now() + 7 * DAY_MS + 60_000);
		expect(await accessOf(service, customer)).toBe("inactive");
		const connection = sql`user_id = ${customer.user.id}`;
		await service.database.write([{ run: sql`UPDATE connections SET state = 'disconnecting' WHERE ${connection}` }]);
		expect((await errorOf(await readStatus(service, customer))).code).toBe("user_forbidden");
		await service.database.write([{ run: sql`UPDATE connections SET state = 'connected' WHERE ${connection}` }]);
		expect(await statusOf(service, customer)).toMatchObject({ trial_eligible: false, has_subscribed: true });
		const page = await customer.browser.follow(await openCard(customer, { price_id: shop.trial.id }));
		expect(page.html).toContain("Pay $5.00");
		await customer.browser.submit(page, "/checkout/", { card: "pays" });
		expect(await accessOf(service, customer)).toBe("active silver");
		const other = await openShop(service);
		await service.database.write([
			{
				run: sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms)
					SELECT 'sto_other', apps.pk, 'user', accounts.pk, 'other', 'active', 0 FROM apps, accounts
					WHERE apps.id = ${other.app.id} AND accounts.id = ${customer.user.accountId}`,
			},
			{
				run: sql`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms)
					SELECT 'con_other', ${`usr_${"1".repeat(22)}`}, app_pk, account_pk, pk, 'connected', '', 1, 0 FROM storages WHERE id = 'sto_other'`,
			},
		]);
		const there = { shop: other, user: { ...customer.user, id: `usr_${"1".repeat(22)}` } };
		expect(await statusOf(service, there)).toMatchObject({ trial_eligible: true });
	});

	test("two trials that are begun at once are one; nobody has two", async () => {
		const customer = await newCustomer();
		const pages = [];
		for (let n = 0; n < 4; n++) {
			pages.push(await customer.browser.follow(await openCard(customer, { price_id: shop.trial.id })));
		}
		await Promise.all(pages.map((page) => customer.browser.submit(page, "/checkout/", { card: "pays" })));
		await service.catchUpBilling();
		expect(await accessOf(service, customer)).toBe("trialing silver");
		const ofUser = sql`connection_pk = (SELECT pk FROM connections WHERE user_id = ${customer.user.id})`;
		expect(
			await countOf(service.database, sql`SELECT count(*) FROM subscriptions WHERE ${ofUser} AND ended_ms IS NULL`),
		).toBe(1);
	});

	test("a second trial after a withdrawal is not had through a checkout that was opened before", async () => {
		const customer = await newCustomer();
		const early = await customer.browser.follow(await openCard(customer, { price_id: shop.trial.id }));
		await subscribe(customer, shop.trial);
		await press(customer, "withdraw");
		await customer.browser.submit(early, "/checkout/", { card: "pays" });
		expect(await accessOf(service, customer)).toBe("inactive");
	});
});
