import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { connectUser, countOf, setAppState } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { codeFor, SIGN_IN_UNLIMITED } from "../../support/connect.ts";
import { send } from "../../support/requests.ts";
import { addPlan, addPrice, made, setSelling } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	CALLBACK,
	cardAddress,
	invoicesOf,
	openCard,
	openShop,
	payAt,
	press,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

const service = serviceFor(SIGN_IN_UNLIMITED);
const shop = madeBefore(() => openShop(service));

const newCustomer = () => addCustomer(service, shop);

test("the plan that the link means stands out, and no other; prices are switched where a plan has both terms", async () => {
	const other = await openShop(service);
	const customer = await addCustomer(service, other);
	const meant = ({ html }: { html: string }) => html.split('class="card meant"').length - 1;
	expect([meant(await openCard(customer)), (await openCard(customer)).html.includes('name="interval"')]).toEqual([
		0,
		false,
	]);
	await subscribe(customer, other.silver);
	const card = await openCard(customer);
	expect([meant(card), card.html.split('class="card meant"')[1]?.includes(">Silver</h3>")]).toEqual([1, true]);
	const both = await addPlan(service, other.app.id, other.owner, { key: "both", name: "Both" });
	for (const interval of ["month", "year"])
		await addPrice(service, other.app.id, both.id, other.owner, { amount: 900, interval });
	const switched = await openCard(customer);
	expect(switched.html.match(/ data-interval="(?:month|year)"/g)).toHaveLength(2);
	expect(/<input[^>]*name="interval"[^>]*checked=""[^>]*>/.exec(switched.html)?.[0]).toContain('value="month"');
});

describe("a link that the card cannot use", () => {
	const fault = async (query: Readonly<Record<string, string>>) => {
		const shown = await new Browser(service).open(`/billing?${new URLSearchParams(query)}`);
		expect([shown.status, shown.location]).toEqual([400, ""]);
		expect(shown.html).not.toContain("evil.example");
		return shown.faultCode;
	};
	const link = () => ({ app: shop.app.id, redirect_uri: CALLBACK });

	test("names the App that is missing [card.fault.attribute, card.fault.missing_app]", async () => {
		expect(await fault({ redirect_uri: CALLBACK })).toBe("missing_app");
		expect(await fault({ redirect_uri: CALLBACK, app: "" })).toBe("missing_app");
	});

	test("unknown, paused, blocked or being deleted [card.fault.app_unavailable]", async () => {
		for (const app of ["x", `app_${"0".repeat(22)}`]) expect(await fault({ ...link(), app })).toBe("app_unavailable");
		const other = await openShop(service);
		for (const state of ["paused", "blocked"] as const) {
			await setAppState(service.database, other.app.id, state);
			expect(await fault({ ...link(), app: other.app.id })).toBe("app_unavailable");
		}
	});

	test("says where one would return to [card.fault.missing_redirect_uri]", async () => {
		expect(await fault({ app: shop.app.id })).toBe("missing_redirect_uri");
	});

	test("differs by anything at all [card.fault.redirect_uri_not_registered, card.redirect_uri-exact, card.redirect_uri-never-redirects]", async () => {
		for (const redirect_uri of [
			`${CALLBACK}/`,
			`${CALLBACK}x`,
			`${CALLBACK}?a=1`,
			`${CALLBACK}#a`,
			CALLBACK.toUpperCase(),
			CALLBACK.replace("https", "http"),
			CALLBACK.replace("shop.example", "shop.example@evil.example"),
			"https://evil.example/",
			"javascript:alert(1)",
		]) {
			expect(await fault({ ...link(), redirect_uri })).toBe("redirect_uri_not_registered");
		}
		const customer = await newCustomer();
		const shown = await customer.browser.open(`/billing?app=${shop.app.id}&redirect_uri=https%3A%2F%2Fevil.example`);
		expect([shown.status, shown.location, shown.html.includes("evil.example")]).toEqual([400, "", false]);
	});

	test("512 characters are a card, 513 are not [card.fault.state_too_long]", async () => {
		expect(await fault({ ...link(), state: "x".repeat(513) })).toBe("state_too_long");
		expect((await openCard(await newCustomer(), { state: "ü".repeat(512) })).status).toBe(200);
	});

	test("is refused on every button as well, before anything is done", async () => {
		const customer = await newCustomer();
		await subscribe(customer, shop.silver);
		const card = await openCard(customer);
		for (const action of ["cancel", "withdraw", "payment-method"]) {
			const form = card.forms.find((one) => one.action.includes(`/billing/${action}`));
			const address = new URL(form?.action ?? "", card.url);
			address.searchParams.set("redirect_uri", "https://evil.example/");
			expect((await customer.browser.post(address.href, form?.fields ?? {})).faultCode).toBe(
				"redirect_uri_not_registered",
			);
		}
		expect(await accessOf(service, customer)).toBe("active silver");
	});
});

describe("who", () => {
	test("the card is for the connected; another signed-in person gets none of it [card.user-connected]", async () => {
		expect((await openCard(await newCustomer())).html).toContain("Silver");
		const other = await openShop(service);
		const stranger = await connectUser(service.database, other.app);
		const shown = await openCard(await addCustomer(service, shop, stranger));
		expect([shown.status, shown.html.includes("Silver")]).toEqual([403, false]);
	});

	test("nobody is signed in: signing in leads back to the very card [card.user-connected]", async () => {
		const user = await connectUser(service.database, shop.app);
		const email = `${user.accountId.toLowerCase()}@example.com`;
		const browser = new Browser(service);
		const ask = await browser.open(cardAddress(shop, { state: "a&b=c" }));
		expect(ask.html).not.toContain("Silver");
		const sent = await browser.submit(ask, "/account/sign-in", { email });
		const typing = await browser.follow(sent);
		const code = await codeFor(service.database, email);
		const verified = await browser.submit(typing, "/account/code", { code });
		expect(verified.status).toBe(303);
		const card = await browser.follow(verified);
		expect([card.status, card.html.includes("Silver")]).toEqual([200, true]);
		expect(new URL(card.url).searchParams.get("state")).toBe("a&b=c");
	});

	test("a form from elsewhere, of another session, or without its token does nothing", async () => {
		const [customer, other] = [await newCustomer(), await newCustomer()];
		await subscribe(customer, shop.silver);
		await subscribe(other, shop.silver);
		const card = await openCard(customer);
		const form = card.forms.find(({ action }) => action.includes("/billing/withdraw"));
		const address = new URL(form?.action ?? "", card.url).href;
		const foreign = await customer.browser.post(address, form?.fields ?? {}, {
			headers: { Origin: "https://evil.example" },
		});
		expect(foreign.status).toBe(403);
		expect((await other.browser.post(address, form?.fields ?? {})).status).toBe(403);
		expect((await customer.browser.post(address, {})).status).toBe(403);
		for (const one of [customer, other]) expect(await accessOf(service, one)).toBe("active silver");
	});
});

describe("the way to pay and back", () => {
	test("a price on sale goes straight on; the return carries state and billing=success [card.price_id-straight, card.return-success, card.return-state, card.state-optional, sub.checkout-return]", async () => {
		for (const state of ["abc", "ä b&c=d", undefined]) {
			const customer = await newCustomer();
			const opened = await openCard(customer, { price_id: shop.silver.id, ...(state !== undefined && { state }) });
			expect([opened.status, opened.location]).toEqual([303, expect.stringContaining("/checkout/")]);
			const back = new URL((await payAt(customer, opened)).location);
			expect(back.origin + back.pathname).toBe(CALLBACK);
			expect(Object.fromEntries(back.searchParams)).toEqual({
				billing: "success",
				...(state !== undefined && { state }),
			} as never);
		}
	});

	test("backing out returns without billing [card.return-backed-out]", async () => {
		const customer = await newCustomer();
		const page = await customer.browser.follow(await openCard(customer, { price_id: shop.silver.id, state: "s" }));
		const out = [...page.links].find(([text]) => text.startsWith("Go back"))?.[1] ?? "";
		const back = await customer.browser.open(out);
		expect(back.location).toBe(`${CALLBACK}?state=s`);
		expect(await accessOf(service, customer)).toBe("inactive");
	});

	test("the return address grants nothing, and the page that returns neither [card.return-navigation-only]", async () => {
		const customer = await newCustomer();
		const opened = await openCard(customer, { price_id: shop.silver.id });
		await customer.browser.follow(opened);
		const [row] = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT id FROM checkouts ORDER BY pk DESC LIMIT 1`),
		);
		const back = await customer.browser.open(`/billing/return?checkout=${row?.[0]}&billing=success`);
		expect(back.location).toBe(CALLBACK);
		expect(await statusOf(service, customer)).toMatchObject({ has_subscribed: false, access: { status: "inactive" } });
		for (const unknown of ["", "x", `chk_${"0".repeat(22)}`]) {
			expect((await customer.browser.open(`/billing/return?checkout=${unknown}`)).status).toBe(404);
		}
	});

	test("nobody is sent back to a callback that was removed since: a page of ours is shown, paid or not", async () => {
		const removed = "https://removed.example/back";
		const add = sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms)
			SELECT ${newId("red")}, app_pk, ${removed}, 0 FROM redirect_uris WHERE uri = ${CALLBACK} LIMIT 1`;
		await service.database.write([{ run: add }]);
		const [paid, unpaid] = [await newCustomer(), await newCustomer()];
		const card = { price_id: shop.silver.id, redirect_uri: removed };
		const opened = [await openCard(paid, card), await openCard(unpaid, card)] as const;
		await unpaid.browser.follow(opened[1]);
		const [row] = await service.database.rows("SELECT id FROM checkouts ORDER BY pk DESC LIMIT 1", []);
		await service.database.write([{ run: sql`DELETE FROM redirect_uris WHERE uri = ${removed}` }]);
		const landed = [await payAt(paid, opened[0]), await unpaid.browser.open(`/billing/return?checkout=${row?.[0]}`)];
		for (const { status, location, html } of landed) {
			expect([status, location.includes("removed.example"), html.includes("/account/plans")]).toEqual([
				200,
				false,
				true,
			]);
		}
		expect(await accessOf(service, paid)).toStartWith("active");
	});

	test("with a plan, or a price that is not on sale, the plans are shown, the price chosen where it is there [card.price_id-otherwise]", async () => {
		const customer = await newCustomer();
		for (const price_id of ["x", `prc_${"0".repeat(22)}`, (await openShop(service)).silver.id]) {
			const shown = await openCard(customer, { price_id });
			expect([shown.status, shown.html.includes("Chosen")]).toEqual([200, false]);
		}
		await subscribe(customer, shop.silver);
		const shown = await openCard(customer, { price_id: shop.gold.id });
		expect(shown.status).toBe(200);
		expect(shown.html).toMatch(new RegExp(`data-price="${shop.gold.id}" aria-current="true"`));
	});

	test("the card says what a plan costs and when: in a trial, after it, before a change, and once it is cancelled", async () => {
		const customer = await newCustomer();
		const text = async () => (await openCard(customer)).html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
		expect(await text()).toContain("The first 7 days are free.");
		await subscribe(customer, shop.trial);
		expect(await text()).toMatch(/Free until \w+ \d+, \d+ , then \$5\.00 a month until you cancel\./);
		expect(await text()).not.toContain("Pay and change");
		await press(customer, "switch", { price_id: shop.gold.id });
		expect(await text()).toMatch(/then \$15\.00 a month until you cancel\./);
		await press(customer, "cancel");
		expect(await text()).toMatch(/you keep it until \w+ \d+, \d+ , and nothing more is charged\./);
	});

	test("what is charged at once takes a second press; a change that waits can be taken back; no other currency is offered", async () => {
		const customer = await newCustomer();
		const { id } = await addPlan(service, shop.app.id, shop.owner, { key: "abroad", name: "Abroad" });
		const abroad = await addPrice(service, shop.app.id, id, shop.owner, { currency: "eur" });
		await subscribe(customer, shop.silver);
		const shown = await openCard(customer);
		expect(shown.html).toMatch(
			/<details class="ask"><summary[^>]*aria-label="Change to this plan: Gold, \$15\.00 a month"/,
		);
		expect(shown.html).toContain("Not while you pay in USD");
		expect(shown.forms.map(({ fields }) => fields.price_id)).not.toContain(abroad.id);
		await press(customer, "switch", { price_id: shop.gold.id });
		await press(customer, "switch", { price_id: shop.silver.id });
		expect((await statusOf(service, customer)).subscription?.pending_plan_key).toBe("silver");
		const kept = await press(customer, "switch", { price_id: shop.gold.id });
		expect(kept.location).toContain("done=resumed");
		expect((await statusOf(service, customer)).subscription).toMatchObject({
			plan_key: "gold",
			pending_plan_key: null,
		});
		expect(await invoicesOf(service, customer)).toHaveLength(2);
	});

	test("a refusal that is loaded once more is the card again", async () => {
		const customer = await newCustomer();
		const refused = await press(customer, "checkout", { price_id: "nonsense" });
		expect(refused.status).toBe(409);
		const again = await customer.browser.open(refused.url);
		expect(again.status).toBe(303);
		expect((await customer.browser.follow(again)).title).toBe("Your plan at Shop · Svc");
	});

	test("the card says that a second trial is none", async () => {
		const customer = await newCustomer();
		expect((await openCard(customer)).html).toContain("Try it for 7 days");
		await subscribe(customer, shop.trial);
		await press(customer, "withdraw");
		const again = await openCard(customer);
		expect(again.html).toContain("You have had your trial here");
		expect(again.html).not.toContain("Try it for");
	});

	test("two checkouts that are paid at once leave one plan, and the other is paid back", async () => {
		const customer = await newCustomer();
		const pages = [];
		for (let n = 0; n < 4; n++) {
			pages.push(await customer.browser.follow(await openCard(customer, { price_id: shop.silver.id })));
		}
		await Promise.all(pages.map((page) => customer.browser.submit(page, "/checkout/", { card: "pays" })));
		await service.catchUpBilling();
		const ofUser = sql`connection_pk = (SELECT pk FROM connections WHERE user_id = ${customer.user.id})`;
		const live = sql`SELECT count(*) FROM subscriptions WHERE ${ofUser} AND ended_ms IS NULL`;
		expect(await countOf(service.database, live)).toBe(1);
		const kept = sql`SELECT sum(amount_paid - amount_refunded) FROM invoices
			WHERE subscription_pk IN (SELECT pk FROM subscriptions WHERE ${ofUser})`;
		expect(await countOf(service.database, kept)).toBe(500);
	});
});

describe("while the App may not sell", () => {
	test("[C] nothing can be bought, and subscribers still manage their plan [plans.purchasing-disabled, plans.purchasing-disabled-manage]", async () => {
		const own = await openShop(service);
		const [subscriber, other] = [await addCustomer(service, own), await addCustomer(service, own)];
		await subscribe(subscriber, own.gold);
		const before = await openCard(other);
		await setSelling(service.database, own.app.id, false);
		const plans = await made(send(service, "GET", "/v1/billing/plans", undefined, { key: own.app.key }));
		expect(plans).toMatchObject({ purchasing_enabled: false });
		const shown = await openCard(other, { price_id: own.silver.id });
		expect([shown.status, shown.forms]).toEqual([200, []]);
		expect((await other.browser.submit(before, "/billing/checkout")).status).toBe(409);
		await press(subscriber, "switch", { price_id: own.silver.id });
		expect((await statusOf(service, subscriber)).subscription?.pending_plan_key).toBe("silver");
		await press(subscriber, "cancel");
		expect((await statusOf(service, subscriber)).subscription?.cancel_at_period_end).toBeTrue();
	});
});

describe("a button that does not apply", () => {
	test("409 on the card, and nothing is changed", async () => {
		const customer = await newCustomer();
		const empty = await openCard(customer);
		await subscribe(customer, shop.silver);
		const second = await customer.browser.submit(empty, "/billing/checkout", { price_id: shop.gold.id });
		expect([second.status, second.alerts.join()]).toEqual([409, expect.stringContaining("already")]);
		for (const price_id of [shop.silver.id, "x", (await openShop(service)).gold.id]) {
			const shown = await press(customer, "switch", { price_id });
			expect(shown.status).toBe(409);
		}
		expect(await accessOf(service, customer)).toBe("active silver");
	});

	test("what an App writes is shown as text", async () => {
		const own = await openShop(service);
		const name = '<img src=x onerror="alert(1)">';
		const plan = await addPlan(service, own.app.id, own.owner, {
			key: "html",
			name,
			description: name,
			benefits: [name],
		});
		await made(
			send(
				service,
				"POST",
				`/v1/apps/${own.app.id}/plans/${plan.id}/prices`,
				{ amount: 50, currency: "jpy", interval: "year" },
				own.owner,
			),
		);
		const shown = await openCard(await addCustomer(service, own));
		expect(shown.html).not.toContain("<img");
		expect(shown.html).toContain("&lt;img");
		expect(shown.html).toContain("¥50");
	});
});
