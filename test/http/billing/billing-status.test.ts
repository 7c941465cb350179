import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, countOf } from "../../support/apps.ts";
import { advanceTo, simulate } from "../../support/billing.ts";
import { addPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { made, setSelling } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	DAY_MS,
	invoicesOf,
	mailsTo,
	openCard,
	openShop,
	payAt,
	periodEndOf,
	press,
	readStatus,
	type Status,
	statusOf,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const shop = madeBefore(() => openShop(service));

const newCustomer = () => addCustomer(service, shop);
const periodEnd = (customer: Customer) => periodEndOf(service, customer);
const tell = async (customer: Customer, outcome: string) =>
	simulate(service, operator, (await subscriptionOf(service, customer)).id, outcome);
const now = () => service.rooms.clock.now();

async function subscribed(price = shop.silver): Promise<Customer> {
	const customer = await newCustomer();
	await subscribe(customer, price);
	return customer;
}

describe("the answer", () => {
	test("200 for a user who never subscribed [billing.status.object, billing.status.app, billing.status.purchasing_enabled, billing.status.trial_eligible, billing.status.has_subscribed, billing.status.never-subscribed, billing.status.subscription-null, billing.status.billing_url, billing.status.old-fields-gone, billing.status.app-wide-with-user]", async () => {
		expect(await statusOf(service, await newCustomer())).toEqual({
			object: "billing_status",
			app: { id: shop.app.id, object: "app", name: "Shop" },
			purchasing_enabled: true,
			trial_eligible: true,
			has_subscribed: false,
			access: { plan_key: null, status: "inactive", expires_at: null },
			subscription: null,
			billing_url: `http://localhost:3000/billing?app=${shop.app.id}`,
		});
	});

	test("200 for a subscriber [billing.status.access.plan_key, billing.status.access.status, billing.status.access.expires_at, billing.status.subscription.id, billing.status.subscription.object, billing.status.subscription.plan_key, billing.status.subscription.price_id, billing.status.subscription.status, billing.status.subscription.trial_end, billing.status.subscription.current_period_end, billing.status.subscription.cancel_at_period_end, billing.status.subscription.cancel_at, billing.status.subscription.pending_plan_key, billing.status.subscription.pending_effective_at, billing.status.dates-iso-utc, sub.checkout-active]", async () => {
		const customer = await subscribed(shop.gold);
		const status = await statusOf(service, customer);
		const end = status.subscription?.current_period_end ?? "";
		expect(status).toMatchObject({
			has_subscribed: true,
			access: { plan_key: "gold", status: "active", expires_at: end },
			subscription: {
				id: expect.stringMatching(/^sub_/),
				object: "subscription",
				plan_key: "gold",
				price_id: shop.gold.id,
				status: "active",
				trial_end: null,
				cancel_at_period_end: false,
				cancel_at: null,
				pending_plan_key: null,
				pending_effective_at: null,
			},
		} as never);
		expect(end).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	});

	test("purchasing_enabled follows the operators' switch; access stays [billing.status.purchasing_enabled]", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await subscribe(customer, own.silver);
		await setSelling(service.database, own.app.id, false);
		expect(await statusOf(service, customer)).toMatchObject({
			purchasing_enabled: false,
			access: { plan_key: "silver", status: "active" },
		});
	});
});

describe("who", () => {
	const get = (key: string, headers = {}) => send(service, "GET", "/v1/billing/status", undefined, { key, headers });

	test("[C] 200 for a user's own key without a header [billing.status.user-key]", async () => {
		const customer = await subscribed();
		const key = await addUserKey(service.database, shop.app, customer.user);
		expect(await made<Status>(get(key))).toEqual(await statusOf(service, customer));
	});

	test("[C] 403 forbidden, each with what is missing [billing.status.no-user-403, billing.status.403-says-missing]", async () => {
		const customer = await newCustomer();
		const headers = { "X-Svc-User": customer.user.id };
		const refused = async (answer: Promise<Response>) => {
			const { status, code, message } = await errorOf(await answer);
			expect([status, code]).toEqual([403, "forbidden"]);
			return message;
		};
		const messages = [
			await refused(get(shop.app.key)),
			await refused(get(await addKey(service.database, shop.app, { permissions: ["write"] }), headers)),
			await refused(get(await addKey(service.database, shop.app, { reach: "bucket" }))),
		];
		expect(messages[0]).toContain("X-Svc-User");
		expect(messages[1]).toContain("read");
		expect(messages[2]).toContain("App-wide");
	});

	test("403 user_forbidden for a stranger and for a user of another App; 422 for no user id; 401 without a key", async () => {
		const other = await addApp(service.database);
		const stranger = await connectUser(service.database, other);
		for (const id of [stranger.id, `usr_${"0".repeat(22)}`]) {
			expect((await errorOf(await get(shop.app.key, { "X-Svc-User": id }))).code).toBe("user_forbidden");
		}
		for (const id of ["", "x"]) {
			expect(await errorOf(await get(shop.app.key, { "X-Svc-User": id }))).toMatchObject({
				status: 422,
				fields: ["X-Svc-User"],
			});
		}
		expect((await service.api("/v1/billing/status", { headers: {} })).status).toBe(401);
	});
});

describe("a term", () => {
	test("a renewal that fails leaves a grace of three days [sub.renewal-fails-grace, sub.grace-keeps-access, sub.grace-ends]", async () => {
		const customer = await subscribed();
		await tell(customer, "decline");
		const end = await periodEnd(customer);
		await advanceTo(service, operator, end + 60_000);
		expect(await accessOf(service, customer)).toBe("grace silver");
		await advanceTo(service, operator, end + 3 * DAY_MS - 60_000);
		expect(await accessOf(service, customer)).toBe("grace silver");
		await advanceTo(service, operator, end + 3 * DAY_MS + 60_000);
		expect(await statusOf(service, customer)).toMatchObject({
			access: { status: "inactive", plan_key: null, expires_at: null },
			subscription: { status: "canceled" },
		});
	});

	test("a payment in grace makes it active again", async () => {
		const customer = await subscribed();
		await tell(customer, "decline");
		await advanceTo(service, operator, (await periodEnd(customer)) + 60_000);
		await payAt(customer, await press(customer, "payment-method"));
		expect(await accessOf(service, customer)).toBe("active silver");
	});

	test("cancelled, it stays to its end [sub.cancel-keeps-term, sub.cancel-then-inactive, billing.status.subscription.cancel_at_period_end]", async () => {
		const customer = await subscribed();
		await press(customer, "cancel");
		const { cancel_at_period_end, cancel_at, current_period_end } = await subscriptionOf(service, customer);
		expect([cancel_at_period_end, cancel_at]).toEqual([true, current_period_end]);
		expect(await accessOf(service, customer)).toBe("active silver");
		await press(customer, "resume");
		expect(await subscriptionOf(service, customer)).toMatchObject({ cancel_at_period_end: false, cancel_at: null });
		await press(customer, "cancel");
		await advanceTo(service, operator, Date.parse(current_period_end) + 60_000);
		expect(await accessOf(service, customer)).toBe("inactive");
	});

	test("[C] 503 with Retry-After 30 while a renewal is being confirmed [billing.status.renewal-503, billing.status.renewal-retry-after, billing.status.renewal-wait-action]", async () => {
		const customer = await subscribed();
		await tell(customer, "silent");
		await advanceTo(service, operator, (await periodEnd(customer)) + 60_000);
		const answer = await readStatus(service, customer);
		expect(answer.headers.get("retry-after")).toBe("30");
		expect(await errorOf(answer)).toMatchObject({
			status: 503,
			type: "api_error",
			code: "server_error",
			action: { type: "wait", retry_after: 30 },
		});
		const card = await openCard(customer);
		expect([card.status, card.html]).toEqual([200, expect.stringContaining("just being confirmed")]);
		await service.database.write([
			{ run: sql`UPDATE sim_objects SET value = json_set(value, '$.outcome', 'pay') WHERE value LIKE '%"silent"%'` },
		]);
		expect(await accessOf(service, customer)).toBe("active silver");
	});
});

describe("another plan", () => {
	test("a dearer one holds once it is paid, and access never pauses [sub.upgrade-once-paid]", async () => {
		const customer = await subscribed();
		await tell(customer, "decline");
		const unpaid = await press(customer, "switch", { price_id: shop.gold.id });
		expect(await accessOf(service, customer)).toBe("active silver");
		await payAt(customer, unpaid);
		expect(await accessOf(service, customer)).toBe("active gold");
		expect(await subscriptionOf(service, customer)).toMatchObject({ plan_key: "gold", price_id: shop.gold.id });
	});

	test("a cheaper one comes with the renewal [sub.downgrade-at-renewal, sub.downgrade-pending-fields]", async () => {
		const customer = await subscribed(shop.gold);
		await press(customer, "switch", { price_id: shop.silver.id });
		const { current_period_end: end } = await subscriptionOf(service, customer);
		expect(await subscriptionOf(service, customer)).toMatchObject({
			plan_key: "gold",
			pending_plan_key: "silver",
			pending_effective_at: end,
		});
		expect(await accessOf(service, customer)).toBe("active gold");
		await advanceTo(service, operator, Date.parse(end) + 60_000);
		expect(await subscriptionOf(service, customer)).toMatchObject({
			pending_plan_key: null,
			pending_effective_at: null,
		});
		expect(await accessOf(service, customer)).toBe("active silver");
	});
});

describe("withdrawal", () => {
	test("ends it at once and pays everything back [sub.withdraw-inactive, sub.withdraw-refunds, sub.withdraw-status-canceled, sub.withdraw-has-subscribed, sub.withdraw-trial-ineligible, billing.status.subscription.status]", async () => {
		const customer = await subscribed();
		await press(customer, "switch", { price_id: shop.gold.id });
		await advanceTo(service, operator, now() + 13 * DAY_MS);
		await press(customer, "withdraw");
		expect(await statusOf(service, customer)).toMatchObject({
			access: { status: "inactive", plan_key: null },
			has_subscribed: true,
			trial_eligible: false,
			subscription: { status: "canceled" },
		});
		const invoices = await invoicesOf(service, customer);
		expect(invoices).toHaveLength(2);
		for (const { amount_paid, amount_refunded } of invoices) expect(amount_refunded).toBe(amount_paid);
	});

	test("voids what is open [sub.withdraw-voids-open]", async () => {
		const customer = await subscribed();
		await tell(customer, "decline");
		await press(customer, "switch", { price_id: shop.gold.id });
		await press(customer, "withdraw");
		expect((await invoicesOf(service, customer)).map(({ status }) => status)).toEqual(["paid", "void"]);
	});

	test("is offered and honoured for 20 days and 1 hour [limits.withdrawal-card-window]", async () => {
		const customer = await subscribed();
		const { startedMs } = (await service.rooms.billing.subscriptions.find(
			(
				await subscriptionOf(service, customer)
			).id,
		)) ?? {
			startedMs: 0,
		};
		const end = startedMs + 20 * DAY_MS + 3_600_000;
		await advanceTo(service, operator, end - 60_000);
		const card = await openCard(customer);
		expect(card.html).toContain("Withdraw now");
		await advanceTo(service, operator, end + 60_000);
		expect((await openCard(customer)).html).not.toContain("Withdraw now");
		expect((await customer.browser.submit(card, "/billing/withdraw")).status).toBe(409);
		expect(await accessOf(service, customer)).toBe("active silver");
	});

	test("ends access at once although the processor is silent, and is ended when it answers", async () => {
		const customer = await subscribed();
		const { id } = await subscriptionOf(service, customer);
		await tell(customer, "silent");
		await press(customer, "withdraw");
		expect(await accessOf(service, customer)).toBe("inactive");
		await simulate(service, operator, id, "pay");
		expect(await statusOf(service, customer)).toMatchObject({ subscription: { status: "canceled" } });
		expect((await invoicesOf(service, customer))[0]).toMatchObject({ amount_refunded: 500 });
	});

	test("10 presses at once are one", async () => {
		const customer = await subscribed();
		const card = await openCard(customer);
		const answers = await Promise.all(
			Array.from({ length: 10 }, () => customer.browser.submit(card, "/billing/withdraw")),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(409)]);
		expect((await mailsTo(service, customer)).filter(({ template }) => template === "withdrawn")).toHaveLength(1);
	});
});

describe("an App's team", () => {
	test("sees what each user has", async () => {
		const own = await openShop(service);
		const [subscriber, other] = [await addCustomer(service, own), await addCustomer(service, own)];
		await subscribe(subscriber, own.gold);
		const path = `/v1/apps/${own.app.id}/users`;
		const { data } = await made<{ data: { id: string; access: object }[] }>(
			send(service, "GET", path, undefined, own.owner),
		);
		const seen = new Map(data.map(({ id, access }) => [id, access]));
		expect(seen.get(subscriber.user.id)).toEqual((await statusOf(service, subscriber)).access);
		expect(seen.get(other.user.id)).toEqual({ plan_key: null, status: "inactive", expires_at: null });
		await press(subscriber, "withdraw");
		const one = await made<{ access: object }>(
			send(service, "GET", `${path}/${subscriber.user.id}`, undefined, own.owner),
		);
		expect(one.access).toEqual({ plan_key: null, status: "inactive", expires_at: null });
	});

	test("409 for deleting an App that somebody subscribes to, unless the subscriptions are to end with it", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await subscribe(customer, own.silver);
		const path = `/v1/apps/${own.app.id}?confirm_name=Shop`;
		for (const query of ["", "&cancel_subscriptions=false", "&cancel_subscriptions=1"]) {
			const answer = await errorOf(await send(service, "DELETE", `${path}${query}`, undefined, own.owner));
			expect([answer.status, answer.code]).toEqual([409, "state_conflict"]);
		}
		expect(await accessOf(service, customer)).toBe("active silver");
		await made(send(service, "DELETE", `${path}&cancel_subscriptions=true`, undefined, own.owner));
		await service.catchUpBilling();
		const live = sql`SELECT count(*) FROM subscriptions JOIN apps ON apps.pk = app_pk
			WHERE apps.id = ${own.app.id} AND ended_ms IS NULL`;
		expect(await countOf(service.database, live)).toBe(0);
	});
});

describe("whoever is not connected any more", () => {
	test("pays nothing any more, and the App's team still sees what was paid", async () => {
		const customer = await subscribed();
		const { id } = await subscriptionOf(service, customer);
		const { app, owner } = shop;
		await made(send(service, "DELETE", `/v1/apps/${app.id}/users/${customer.user.id}`, undefined, owner));
		await service.catchUpBilling();
		const seen = await made<{ status: string; ended_at: string | null }>(
			send(service, "GET", `/v1/apps/${app.id}/subscriptions/${id}`, undefined, owner),
		);
		expect([seen.status, typeof seen.ended_at]).toEqual(["canceled", "string"]);
		expect(await invoicesOf(service, customer)).toHaveLength(1);
	});
});
