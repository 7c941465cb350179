import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { advanceTo, simulate } from "../../support/billing.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import { connectLink, returned, SIGN_IN_UNLIMITED, signInTo } from "../../support/connect.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	CALLBACK,
	type Customer,
	DAY_MS,
	lastingSession,
	mailsTo,
	openCard,
	openShop,
	payAt,
	press,
	type Shop,
} from "../../support/subscribers.ts";
import { tierOf } from "../../support/tiers.ts";

const service = serviceFor({ SVC_VARIANT: "legacy", ...SIGN_IN_UNLIMITED });
let shop: Shop;
let operator: TestPerson;
beforeAll(async () => {
	shop = await openShop(service);
	operator = await addPerson(service.database, { operator: true });
	await service.database.write([
		{ run: sql`UPDATE sessions SET fresh_ms = ${4e12}, expires_ms = ${4e12}, last_used_ms = ${4e12}` },
	]);
});

const newCustomer = () => addCustomer(service, shop);

/** What is chosen on the page before anybody chose. */
function chosenOn({ html }: Shown): readonly string[] {
	const radios = [...html.matchAll(/<input[^>]*type="radio"[^>]*>/g)].map(([tag]) => tag);
	return radios.filter((tag) => tag.includes("checked")).map((tag) => /value="([^"]*)"/.exec(tag)?.[1] ?? "");
}

async function buy(customer: Customer, plan: string, interval = "monthly", more = {}): Promise<Shown> {
	const opened = await customer.browser.submit(await openCard(customer, more), "/billing/checkout", { plan, interval });
	expect([opened.status, opened.location]).toEqual([303, expect.stringContaining("/checkout/")]);
	return await payAt(customer, opened);
}

const checkouts = () => countOf(service.database, sql`SELECT count(*) FROM checkouts`);

async function refOf({ user }: Customer): Promise<{ ref: string; id: string; endMs: number }> {
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string, string, number]>(
			sql`SELECT ref, id, period_end_ms FROM subscriptions
				WHERE connection_pk = (SELECT pk FROM connections WHERE user_id = ${user.id}) ORDER BY pk DESC LIMIT 1`,
		),
	);
	if (!row) throw new Error("there is no subscription");
	return { ref: row[0], id: row[1], endMs: row[2] };
}

describe("what the link chooses", () => {
	test("plan and interval are chosen on the card, and nothing begins before it is confirmed [card.legacy-plan, card.legacy-interval, card.legacy-confirm]", async () => {
		const before = await checkouts();
		for (const plan of ["pro", "scale", "max"]) {
			for (const interval of ["monthly", "annual"]) {
				const shown = await openCard(await newCustomer(), { plan, interval });
				expect([shown.status, shown.location, chosenOn(shown)]).toEqual([200, "", [plan, interval]]);
			}
		}
		expect(chosenOn(await openCard(await newCustomer(), { plan: "scale" }))).toEqual(["scale", "monthly"]);
		expect(chosenOn(await openCard(await newCustomer(), { interval: "annual" }))).toEqual(["annual"]);
		expect(await checkouts()).toBe(before);
	});

	test("free, what is unknown and a price choose nothing; none of it can be bought [billing.old.free-not-checkout, card.legacy-plan, card.legacy-interval]", async () => {
		const before = await checkouts();
		const customer = await newCustomer();
		for (const plan of ["free", "Pro", "unlimited", "gold", "__proto__", "<b>", ""]) {
			const shown = await openCard(customer, { plan, interval: "weekly", price_id: shop.silver.id });
			expect([shown.status, shown.location, chosenOn(shown)]).toEqual([200, "", ["monthly"]]);
			const posted = await customer.browser.submit(shown, "/billing/checkout", { plan, interval: "monthly" });
			expect([posted.status, posted.alerts.join()]).toEqual([409, expect.stringContaining("Choose one of the plans")]);
		}
		const shown = await openCard(customer);
		expect(shown.html).not.toContain('value="free"');
		for (const fields of [{ plan: "pro" }, { interval: "monthly" }, { plan: "pro", interval: "year" }, {}]) {
			expect((await customer.browser.submit(shown, "/billing/checkout", fields)).status).toBe(409);
		}
		const priced = { price_id: shop.silver.id };
		expect((await customer.browser.submit(shown, "/billing/checkout", priced)).status).toBe(409);
		expect(await checkouts()).toBe(before);
		expect(await tierOf(service, customer)).toBe("free");
	});

	test("the card shows the tiers with their prices, and nothing that the App sells", async () => {
		const shown = await openCard(await newCustomer());
		for (const text of ["10,000 uploads", "100 GB", "$29.00 a month", "$348.00 a year", "2 TB", "$2,388.00 a year"]) {
			expect(shown.html).toContain(text);
		}
		expect(shown.html).not.toContain("Silver");
	});
});

describe("what is bought", () => {
	test.each([
		["pro", "monthly", "$29.00 a month"],
		["scale", "annual", "$1,188.00 a year"],
		["max", "monthly", "$199.00 a month"],
	])(
		"%s, paid %s: %s; the storage has it before the browser is back at the App [card.legacy-confirm, card.return-success, card.return-state, billing.old.plan-legacy, legacy.tier.pro, legacy.tier.scale, legacy.tier.max]",
		async (plan, interval, price) => {
			const [customer, other] = [await newCustomer(), await newCustomer()];
			const card = await openCard(customer, { plan, interval, state: "ä b&c" });
			const opened = await customer.browser.submit(card, "/billing/checkout", { plan, interval });
			const page = await customer.browser.follow(opened);
			expect(page.html).toContain(price);
			expect(await tierOf(service, customer)).toBe("free");
			const back = new URL((await payAt(customer, opened)).location);
			expect(back.origin + back.pathname).toBe(CALLBACK);
			expect(Object.fromEntries(back.searchParams)).toEqual({ billing: "success", state: "ä b&c" } as never);
			expect([await tierOf(service, customer), await tierOf(service, other)]).toEqual([plan, "free"]);
			expect((await mailsTo(service, customer)).map(({ template }) => template)).toEqual(["subscription_started"]);
		},
	);

	test("who backs out, or opens the return address, has bought nothing [card.return-backed-out, card.return-navigation-only]", async () => {
		const customer = await newCustomer();
		const chosen = { plan: "pro", interval: "monthly" };
		const opened = await customer.browser.submit(await openCard(customer, { state: "s" }), "/billing/checkout", chosen);
		const page = await customer.browser.follow(opened);
		const out = [...page.links].find(([text]) => text.startsWith("Go back"))?.[1] ?? "";
		expect((await customer.browser.open(out)).location).toBe(`${CALLBACK}?state=s`);
		expect((await customer.browser.open(`${out}&billing=success`)).location).toBe(`${CALLBACK}?state=s`);
		expect(await tierOf(service, customer)).toBe("free");
	});

	test("a dearer tier holds once it is paid, a cheaper one from the renewal; the card says what one has", async () => {
		const customer = await newCustomer();
		await buy(customer, "scale");
		const shown = await openCard(customer);
		expect([chosenOn(shown), shown.html.includes("Your plan</span>")]).toEqual([["scale", "monthly"], true]);
		expect((await press(customer, "switch", { plan: "scale", interval: "monthly" })).status).toBe(409);
		expect((await press(customer, "switch", { plan: "max", interval: "monthly" })).location).toContain("done=switched");
		expect(await tierOf(service, customer)).toBe("max");
		expect((await press(customer, "switch", { plan: "pro", interval: "monthly" })).location).toContain(
			"done=switching",
		);
		expect(await tierOf(service, customer)).toBe("max");
		await advanceTo(service, operator, (await refOf(customer)).endMs + 60_000);
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("pro");
	});

	test("the App's team sees nothing of what its users buy from the service, and cannot delete it unawares", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await buy(customer, "pro");
		const team = (path: string) =>
			made<{ data: readonly object[] }>(send(service, "GET", `/v1/apps/${own.app.id}/${path}`, undefined, own.owner));
		expect((await team("subscriptions")).data).toEqual([]);
		const { data } = await team("users");
		expect(data).toMatchObject([{ id: customer.user.id, access: { status: "inactive", plan_key: null } }]);
		expect(JSON.stringify(await team("audit"))).not.toContain("subscription.");
		const path = `/v1/apps/${own.app.id}?confirm_name=Shop`;
		expect((await send(service, "DELETE", path, undefined, own.owner)).status).toBe(409);
		expect(await tierOf(service, customer)).toBe("pro");
		const ended = await send(service, "DELETE", `${path}&cancel_subscriptions=true`, undefined, own.owner);
		expect(ended.status).toBe(202);
		await service.runJobs();
		await service.catchUpBilling();
		const live = sql`SELECT count(*) FROM subscriptions WHERE ended_ms IS NULL
			AND connection_pk = (SELECT pk FROM connections WHERE user_id = ${customer.user.id})`;
		expect(await countOf(service.database, live)).toBe(0);
	});
});

describe("what ends it", () => {
	test("a cancelled tier stays to the end of its term, and becomes free", async () => {
		const customer = await newCustomer();
		await buy(customer, "pro");
		await press(customer, "cancel");
		expect(await tierOf(service, customer)).toBe("pro");
		expect((await openCard(customer)).html).toContain("Keep the plan after all");
		await advanceTo(service, operator, (await refOf(customer)).endMs + 60_000);
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("free");
		expect((await openCard(customer)).html).toContain("You have the plan <strong>Free</strong>");
	});

	test("whoever deletes their account within the time for it gets everything back for a tier as well", async () => {
		const customer = await newCustomer();
		await buy(customer, "max");
		const paid = async () => {
			const { id } = await refOf(customer);
			const sums = sql`SELECT sum(amount_paid - amount_refunded) FROM invoices JOIN subscriptions
				ON subscriptions.pk = subscription_pk WHERE subscriptions.id = ${id}`;
			return await countOf(service.database, sums);
		};
		expect(await paid()).toBeGreaterThan(0);
		const secret = await lastingSession(service, customer.user.accountId, "console");
		expect((await send(service, "DELETE", "/v1/me", undefined, as({ secret }))).status).toBe(202);
		await service.runJobs();
		await service.catchUpBilling();
		expect(await paid()).toBe(0);
	});

	test("whoever withdraws has the free tier at once, gets everything back, and may buy again", async () => {
		const customer = await newCustomer();
		await buy(customer, "max");
		expect((await press(customer, "withdraw")).location).toContain("done=withdrawn");
		expect(await tierOf(service, customer)).toBe("free");
		const kept = sql`SELECT sum(amount_paid - amount_refunded) FROM invoices WHERE subscription_pk IN
			(SELECT pk FROM subscriptions WHERE connection_pk = (SELECT pk FROM connections WHERE user_id = ${customer.user.id}))`;
		expect(await countOf(service.database, kept)).toBe(0);
		const { ref } = await refOf(customer);
		await buy(customer, "pro");
		expect(await tierOf(service, customer)).toBe("pro");
		// What ended is read again by a late delivery: what was bought since stays.
		const event = { id: "evt_late", type: "subscription.deleted", subscription: ref };
		await service.rooms.billing.received.take(service.rooms.billing.processor.name, event, 0);
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("pro");
	});

	test("a renewal that fails leaves the tier for the grace, and then leads to free", async () => {
		const customer = await newCustomer();
		await buy(customer, "pro");
		const { id, endMs } = await refOf(customer);
		await simulate(service, operator, id, "decline");
		await advanceTo(service, operator, endMs + 60_000);
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("pro");
		await advanceTo(service, operator, endMs + 3 * DAY_MS + 120_000);
		await service.catchUpBilling();
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("free");
	});

	test("whoever is disconnected pays nothing any more, and comes back to a free storage", async () => {
		const customer = await newCustomer();
		await buy(customer, "pro");
		const path = `/v1/apps/${shop.app.id}/users/${customer.user.id}`;
		expect((await send(service, "DELETE", path, undefined, shop.owner)).status).toBe(202);
		await service.runJobs();
		await service.catchUpBilling();
		const live = sql`SELECT count(*) FROM subscriptions WHERE ended_ms IS NULL
			AND connection_pk = (SELECT pk FROM connections WHERE user_id = ${customer.user.id})`;
		expect(await countOf(service.database, live)).toBe(0);
	});

	test("whoever is back before it was ended begins anew, with a storage that nothing was paid for", async () => {
		const customer = await newCustomer();
		await buy(customer, "scale");
		const path = `/v1/apps/${shop.app.id}/users/${customer.user.id}`;
		expect((await send(service, "DELETE", path, undefined, shop.owner)).status).toBe(202);
		const email = `${customer.user.accountId.toLowerCase()}@example.com`;
		const link = connectLink(shop.app, { redirectUri: CALLBACK });
		returned(await signInTo(service, new Browser(service), link, email));
		expect(await tierOf(service, customer)).toBe("free");
		await service.runJobs();
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("free");
		await buy(customer, "pro");
		await service.catchUpBilling();
		expect(await tierOf(service, customer)).toBe("pro");
	});
});
