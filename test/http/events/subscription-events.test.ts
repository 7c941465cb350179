import { describe, expect, test } from "bun:test";
import type { List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { advanceTo, simulate } from "../../support/billing.ts";
import { addPerson, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	openShop,
	periodEndOf,
	press,
	type Status,
	statusOf,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* What an App's backend is told of what its users buy: each change of their Billing status once, as the status is after it. */

const service = serviceFor({ SVC_VARIANT: "current" });
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const shop = madeBefore(() => openShop(service));

interface Told {
	readonly id: string;
	readonly type: string;
	readonly user_id: string;
	readonly data: { readonly object: Status };
}

/** What the feed says of one user's subscription, oldest first. */
async function told({ user }: Customer): Promise<readonly Told[]> {
	const query = "?limit=100&types=subscription.*";
	const headers = { "X-Svc-User": user.id };
	const answer = await made<{ readonly data: readonly Told[] }>(
		send(service, "GET", `/v1/events${query}`, undefined, { key: shop.app.key, headers }),
	);
	for (const { user_id } of answer.data) expect(user_id).toBe(user.id);
	return answer.data;
}

/** The types that were told since, of which the last one shows what the call answers now. */
async function since(customer: Customer, before: readonly Told[]): Promise<readonly string[]> {
	const known = new Set(before.map(({ id }) => id));
	const events = (await told(customer)).filter(({ id }) => !known.has(id));
	if (events.length > 0) expect(events.at(-1)?.data.object).toEqual(await statusOf(service, customer));
	return events.map(({ type }) => type.replace("subscription.", ""));
}

async function subscribed(price = shop.silver): Promise<Customer> {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, price);
	return customer;
}

const now = () => service.rooms.clock.now();
const catchUp = () => service.catchUpBilling();
const outcome = async (customer: Customer, word: string) =>
	await simulate(service, operator, (await subscriptionOf(service, customer)).id, word);

test("a subscription that begins, renews, and is cancelled at the end of its term", async () => {
	const customer = await subscribed();
	expect(await since(customer, [])).toEqual(["created"]);
	const begun = await told(customer);
	await catchUp();
	expect(await since(customer, begun)).toEqual([]);
	await advanceTo(service, operator, (await periodEndOf(service, customer)) + 60_000);
	expect(await since(customer, begun)).toEqual(["updated"]);
	const renewed = await told(customer);
	await press(customer, "cancel");
	expect(await since(customer, renewed)).toEqual(["updated"]);
	await press(customer, "resume");
	expect(await since(customer, renewed)).toEqual(["updated", "updated"]);
	await press(customer, "cancel");
	const cancelled = await told(customer);
	await advanceTo(service, operator, (await periodEndOf(service, customer)) + 60_000);
	expect(await since(customer, cancelled)).toEqual(["ended"]);
	const over = await told(customer);
	await catchUp();
	expect(await since(customer, over)).toEqual([]);
	await subscribe(customer, shop.gold);
	expect(await since(customer, over)).toEqual(["created"]);
});

test("a change that waits for the renewal, and one at once", async () => {
	const customer = await subscribed(shop.gold);
	const begun = await told(customer);
	await press(customer, "switch", { price_id: shop.silver.id });
	expect(await since(customer, begun)).toEqual(["updated"]);
	expect((await told(customer)).at(-1)?.data.object.subscription?.pending_plan_key).toBe("silver");
	await press(customer, "switch", { price_id: shop.gold.id });
	expect(await since(customer, begun)).toEqual(["updated", "updated"]);
});

test("a payment that fails leaves a grace, which ends by the clock also while the processor is away", async () => {
	const customer = await subscribed();
	await outcome(customer, "decline");
	const end = await periodEndOf(service, customer);
	const begun = await told(customer);
	await advanceTo(service, operator, end + 60_000);
	expect(await since(customer, begun)).toEqual(["updated"]);
	const late = await told(customer);
	expect(late.at(-1)?.data.object.access.status).toBe("grace");
	const { processor } = service.rooms.billing;
	const { retrieve } = processor;
	processor.retrieve = () => Promise.reject(new Error("away"));
	await advanceTo(service, operator, end + 3 * DAY_MS + 60_000).finally(() => {
		processor.retrieve = retrieve;
	});
	expect(await since(customer, late)).toEqual(["ended"]);
	const ended = await told(customer);
	expect(ended.at(-1)?.data.object.subscription?.status).toBe("past_due");
	await catchUp();
	expect(await since(customer, ended)).toEqual(["updated"]);
	expect((await told(customer)).at(-1)?.data.object.subscription?.status).toBe("canceled");
});

test("who withdraws has lost access with that, and what the processor does about it later is told as a change", async () => {
	const customer = await subscribed(shop.trial);
	const begun = await told(customer);
	expect(begun[0]?.data.object).toMatchObject({ trial_eligible: false, access: { status: "trialing" } });
	await press(customer, "withdraw");
	expect(await since(customer, begun)).toEqual(["ended", "updated"]);
});

test("what is given, and taken back or over, is told where nothing is paid for", async () => {
	const customer = await addCustomer(service, shop);
	const at = `/v1/apps/${shop.app.id}/users/${customer.user.id}/grant`;
	const give = (plan_key: string, days: number) => {
		const until = new Date(now() + days * DAY_MS).toISOString();
		return made(send(service, "PUT", at, { plan_key, until, reason: "Thanks" }, shop.owner));
	};
	await give("gold", 30);
	expect(await since(customer, [])).toEqual(["updated"]);
	await give("silver", 30);
	expect(await since(customer, [])).toEqual(["updated", "updated"]);
	await made(send(service, "DELETE", at, undefined, shop.owner));
	expect(await since(customer, [])).toEqual(["updated", "updated", "ended"]);
	await give("gold", 2);
	const given = await told(customer);
	await advanceTo(service, operator, now() + 3 * DAY_MS);
	expect(await since(customer, given)).toEqual(["ended"]);
	await subscribe(customer, shop.silver);
	const bought = await told(customer);
	await give("gold", 30);
	expect(await since(customer, bought)).toEqual([]);
	// Its end leaves what is given.
	await press(customer, "withdraw");
	expect(await since(customer, bought)).toEqual(["updated"]);
});

test("an operator who ends a subscription, and one that gives more time for a payment", async () => {
	const customer = await subscribed();
	const deed = async (path: string, body: object) => {
		const { id } = await subscriptionOf(service, customer);
		await made(send(service, "POST", `/v1/operator/subscriptions/${id}/${path}`, body, as(operator)));
	};
	await outcome(customer, "decline");
	await advanceTo(service, operator, (await periodEndOf(service, customer)) + 60_000);
	const late = await told(customer);
	await deed("extend", { days: 20, reason: "They asked for it." });
	expect(await since(customer, late)).toEqual(["updated"]);
	expect((await told(customer)).at(-1)?.data.object.access).toMatchObject({ status: "grace" });
	const given = await told(customer);
	await deed("cancel", { at: "now", reason: "They asked for it." });
	expect(await since(customer, given)).toEqual(["ended"]);
});

/** All that the feed says of a user, oldest first: types, and what is known of access. */
async function allOf({ user }: Customer): Promise<readonly string[]> {
	const at = sql`SELECT type FROM events WHERE user_id = ${user.id} ORDER BY pk`;
	return (await service.database.read(() => service.database.queries.values<[string]>(at))).flat();
}

const own = async ({ user }: Customer) => as({ secret: await lastingSession(service, user.accountId, "console") });
const away = (customer: Customer) => `/v1/me/connections/${customer.shop.app.id}`;

describe("a user who is disconnected has lost access, and is gone, and nothing is told of them after it", () => {
	test.each<[string, (customer: Customer) => Promise<unknown>]>([
		[
			"by the team",
			({ user }) => made(send(service, "DELETE", `/v1/apps/${shop.app.id}/users/${user.id}`, undefined, shop.owner)),
		],
		["withdrawing", async (one) => made(send(service, "DELETE", away(one), undefined, await own(one)))],
		[
			"without withdrawing",
			async (one) => made(send(service, "DELETE", `${away(one)}?withdraw=false`, undefined, await own(one))),
		],
		["with their account", async (one) => made(send(service, "DELETE", "/v1/me", undefined, await own(one)))],
		[
			"with their account, without withdrawing",
			async (one) => made(send(service, "DELETE", "/v1/me?withdraw=false", undefined, await own(one))),
		],
	])("%s", async (_, leave) => {
		const customer = await subscribed();
		const before = await allOf(customer);
		await leave(customer);
		const feed = "/v1/events?limit=100&types=subscription.ended";
		const { data } = await made<List<Told>>(send(service, "GET", feed, undefined, { key: shop.app.key }));
		const ended = data.find(({ user_id }) => user_id === customer.user.id);
		expect(ended?.data.object).toMatchObject({
			object: "billing_status",
			has_subscribed: true,
			access: { plan_key: null, status: "inactive", expires_at: null },
			subscription: { plan_key: "silver" },
		});
		await service.runJobs();
		await catchUp();
		await catchUp();
		expect(await allOf(customer)).toEqual([...before, "subscription.ended", "user.disconnected"]);
	});

	test("what was given is over too; where nothing was bought or given, they are only gone", async () => {
		const [given, none] = [await addCustomer(service, shop), await addCustomer(service, shop)];
		const path = (one: Customer, rest = "") => `/v1/apps/${shop.app.id}/users/${one.user.id}${rest}`;
		const grant = { plan_key: "gold", until: new Date(now() + DAY_MS).toISOString(), reason: "Thanks" };
		await made(send(service, "PUT", path(given, "/grant"), grant, shop.owner));
		const before = await allOf(given);
		for (const one of [given, none]) await made(send(service, "DELETE", path(one), undefined, shop.owner));
		await service.runJobs();
		await catchUp();
		expect(await allOf(given)).toEqual([...before, "subscription.ended", "user.disconnected"]);
		expect(await allOf(none)).toEqual(["user.disconnected"]);
	});
});

test("what was bought before anything was told is told of from its next change on", async () => {
	const customer = await subscribed();
	await press(customer, "cancel");
	await service.database.write([{ run: sql`DELETE FROM told_statuses` }, { run: sql`DELETE FROM events` }]);
	await catchUp();
	expect(await since(customer, [])).toEqual([]);
	await advanceTo(service, operator, (await periodEndOf(service, customer)) + 60_000);
	expect(await since(customer, [])).toEqual(["ended"]);
});
