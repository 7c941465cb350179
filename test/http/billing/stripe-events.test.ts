import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addPerson, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { buyAtStripe, lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import { held } from "../../support/stripe-state.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	DAY_MS,
	invoicesOf,
	mailsTo,
	openCard,
	press,
	readStatus,
	type Shop,
	statusOf,
} from "../../support/subscribers.ts";

/* Deliveries of Stripe that are forged, doubled, reordered or lost, and a Stripe that does not answer. */

let world: StripeShop;
let shop: Shop;
beforeAll(async () => {
	world = await openStripeShop();
	({ shop } = world);
});
afterAll(() => world.close());
afterEach(() => world.stripe.heal());

const access = (customer: Customer) => accessOf(world.service, customer);
const count = (query: ReturnType<typeof sql>) => countOf(world.service.database, query);

test("nothing of the simulated processor is there: no clock to move, no outcome to choose", async () => {
	const operator = await addPerson(world.service.database, { operator: true });
	const to = new Date(world.service.clock.now() + DAY_MS).toISOString();
	const moved = await send(world.service, "POST", "/v1/operator/clock/advance", { to }, as(operator));
	expect(moved.status).toBe(404);
	const told = { subscription: "x", outcome: "pay" };
	const simulated = await send(world.service, "POST", "/v1/operator/billing/simulate", told, as(operator));
	expect(simulated.status).toBe(404);
});

test("401 for a delivery that is unsigned, altered, signed with another secret, or old; it changes nothing and is not kept", async () => {
	const customer = await world.subscribed();
	const { stripe, service } = world;
	const sub = lastSubscription(world);
	sub.status = "canceled";
	sub.ended_at = stripe.state.now();
	stripe.state.emit("customer.subscription.deleted", sub);
	const event = held(stripe.takeEvents()[0], "an event");
	const good = await stripe.sign(event);
	const old = await stripe.sign(event, 301);
	const [moment = "", mac = ""] = good.signature.split(",");
	const before = await count(sql`SELECT count(*) FROM processor_events`);
	for (const [raw, signature] of [
		[good.raw, null],
		[good.raw, ""],
		[good.raw, "t=1,v1=00"],
		[`${good.raw} `, good.signature],
		[good.raw.replace(event.id, "evt_other"), good.signature],
		[good.raw, `${moment},${mac.slice(0, -1)}${mac.endsWith("0") ? "1" : "0"}`],
		[good.raw, `t=${stripe.state.now() - 1},${mac}`],
		[good.raw, `${moment},${mac.replace("v1", "v0")}`],
		[old.raw, old.signature],
		["", good.signature],
	] as const) {
		expect(await errorOf(await world.post(raw, signature))).toMatchObject({ status: 401, code: "unauthorized" });
	}
	expect(await count(sql`SELECT count(*) FROM processor_events`)).toBe(before);
	expect(await access(customer)).toBe("active silver");
	const logged = JSON.stringify(service.log.lines);
	for (const secret of [stripe.address.secretKey, stripe.address.webhookSecret, mac])
		expect(logged).not.toContain(secret);
	expect((await world.post(good.raw, good.signature)).status).toBe(200);
	expect(await access(customer)).toBe("inactive");
});

test("deliveries that come doubled, in any order, at once, or never have each effect once", async () => {
	const orders = {
		doubled: (events: readonly { id: string }[]) => events.flatMap((one) => [one, one]),
		reversed: (events: readonly { id: string }[]) => events.toReversed(),
		lost: () => [],
	} as unknown as Record<string, Parameters<StripeShop["deliver"]>[0]>;
	const told: unknown[] = [];
	for (const arrange of Object.values(orders)) {
		const customer = await addCustomer(world.service, shop);
		await buyAtStripe(world, customer, shop.silver);
		await world.deliver(arrange);
		await press(customer, "switch", { price_id: shop.gold.id });
		await world.deliver(arrange);
		await press(customer, "cancel");
		await world.deliver(arrange);
		const { access: has, subscription } = await statusOf(world.service, customer);
		told.push([
			has.status,
			has.plan_key,
			subscription?.cancel_at_period_end,
			(await invoicesOf(world.service, customer)).map(({ status }) => status),
			(await mailsTo(world.service, customer)).map(({ template }) => template),
		]);
	}
	expect(told).toEqual(told.map(() => ["active", "gold", true, ["paid", "paid"], ["subscription_started"]]));
});

test("twenty deliveries of one event at once are worked off once", async () => {
	await world.subscribed();
	const { stripe } = world;
	stripe.state.emit("customer.subscription.updated", lastSubscription(world));
	const event = held(stripe.takeEvents()[0], "an event");
	const { raw, signature } = await stripe.sign(event);
	const reads = stripe.seen.length;
	const answers = await Promise.all(Array.from({ length: 20 }, () => world.post(raw, signature)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(await count(sql`SELECT count(*) FROM processor_events WHERE id = ${event.id} AND done_ms IS NOT NULL`)).toBe(
		1,
	);
	expect(stripe.seen.slice(reads).filter(({ path }) => path.startsWith("/v1/subscriptions/"))).toHaveLength(1);
});

test("an event of a renewal that is lost is made up for when the term is over", async () => {
	const customer = await world.subscribed();
	const end = Date.parse((await statusOf(world.service, customer)).subscription?.current_period_end ?? "");
	world.service.clock.set(end + 60_000);
	world.stripe.advance();
	world.stripe.takeEvents();
	expect(await access(customer)).toBe("active silver");
	expect(await invoicesOf(world.service, customer)).toHaveLength(2);
});

test("a delivery that comes while Stripe fails is taken, and worked off later", async () => {
	const customer = await world.subscribed();
	const { stripe, service } = world;
	stripe.setCard(lastSubscription(world).id, "declines");
	const end = Date.parse((await statusOf(service, customer)).subscription?.current_period_end ?? "");
	service.clock.set(end + 60_000);
	stripe.advance();
	stripe.fail({ kind: "refuse", status: 400 }, 1_000, /subscriptions/);
	expect(new Set(await world.deliver())).toEqual(new Set([200]));
	stripe.heal();
	service.clock.advance(31_000);
	await service.catchUpBilling();
	expect(await access(customer)).toBe("grace silver");
	expect(await count(sql`SELECT count(*) FROM processor_events WHERE done_ms IS NULL`)).toBe(0);
});

test("a subscription of somebody else's at the same account, and one that never began, are nobody's plan", async () => {
	const customer = await addCustomer(world.service, shop);
	const session = (await openCard(customer, { price_id: shop.silver.id })).location.split("/").at(-1) ?? "";
	world.stripe.complete(session);
	const sub = lastSubscription(world);
	sub.status = "incomplete";
	await world.deliver();
	expect(await access(customer)).toBe("inactive");
	expect(await mailsTo(world.service, customer)).toEqual([]);
	world.stripe.state.subscriptions.set(sub.id, { ...sub, status: "active", metadata: {} });
	world.stripe.state.emit("customer.subscription.updated", sub);
	expect(await world.deliver()).toEqual([200]);
	expect(await access(customer)).toBe("inactive");
});

test.each(["silence", "refuse"] as const)(
	"[C] 503 with Retry-After while a renewal is not confirmed: %s",
	async (kind) => {
		const customer = await world.subscribed();
		const end = Date.parse((await statusOf(world.service, customer)).subscription?.current_period_end ?? "");
		world.service.clock.set(end + 60_000);
		world.stripe.fail(kind === "silence" ? { kind } : { kind, status: 500 }, 1_000);
		const answer = await readStatus(world.service, customer);
		expect(answer.headers.get("retry-after")).toBe("30");
		expect(await errorOf(answer)).toMatchObject({ status: 503, code: "server_error" });
		world.stripe.heal();
		world.stripe.advance();
		expect(await access(customer)).toBe("active silver");
	},
);

test("[C] 503 with Retry-After for the App's own plan while Stripe fails; nothing of it is kept, and later it is bought", async () => {
	const { stripe, service } = world;
	const path = `/v1/apps/${shop.app.id}/billing/checkout`;
	stripe.fail({ kind: "refuse", status: 500 }, 1_000);
	const failed = await send(service, "POST", path, { plan: "pro" }, shop.owner);
	expect(failed.headers.get("retry-after")).toBe("30");
	expect(await errorOf(failed)).toMatchObject({ status: 503, code: "server_error" });
	stripe.heal();
	const answer = await send(service, "POST", path, { plan: "pro" }, shop.owner);
	const { url } = (await answer.json()) as { url: string };
	expect(stripe.complete(url.split("/").at(-1) ?? "")).toBeTrue();
	await world.deliver();
	const billing = () => send(service, "GET", `/v1/apps/${shop.app.id}/billing`, undefined, shop.owner);
	expect(await (await billing()).json()).toMatchObject({ plan: "pro", status: "active" });
	const dearer = await send(service, "POST", path, { plan: "unlimited" }, shop.owner);
	expect(await dearer.json()).toMatchObject({ effective: "now", url: null });
	expect(await (await billing()).json()).toMatchObject({ plan: "unlimited" });
});

test("a withdrawal does not wait for Stripe: access ends at once, and the money comes back once it answers", async () => {
	const customer = await world.subscribed();
	world.stripe.fail({ kind: "refuse", status: 500 }, 1_000);
	await press(customer, "withdraw");
	expect(await access(customer)).toBe("inactive");
	world.stripe.heal();
	await world.service.catchUpBilling();
	expect(await invoicesOf(world.service, customer)).toMatchObject([{ status: "paid", amount_refunded: 500 }]);
	expect((await mailsTo(world.service, customer)).map(({ template }) => template)).toEqual([
		"subscription_started",
		"withdrawn",
	]);
});
