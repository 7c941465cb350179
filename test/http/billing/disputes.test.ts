import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AppCheckout, Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { advanceTo, payAndReturn, simulate } from "../../support/billing.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, type OpenService, serviceFor } from "../../support/service.ts";
import type { FakeDispute } from "../../support/stripe-objects.ts";
import { dispute } from "../../support/stripe-payments.ts";
import { buyAtStripe, lastSubscription, openStripeShop, type StripeShop } from "../../support/stripe-service.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	mailsTo,
	openCard,
	openShop,
	press,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* A payer's bank asks a payment back: access stays and nothing more is charged, until it is won, or lost and over. */

async function managed(service: OpenService, { shop }: Customer, id: string): Promise<ManagedSubscription> {
	return await made(send(service, "GET", `/v1/apps/${shop.app.id}/subscriptions/${id}`, undefined, shop.owner));
}

async function disputeMails(service: OpenService): Promise<[string, string][]> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, string]>(
			sql`SELECT recipient, facts FROM emails WHERE template = 'payment_disputed' ORDER BY pk`,
		),
	);
	return rows.map(([to, facts]) => [to, (JSON.parse(facts) as { state: string }).state]);
}

async function openDisputes(service: OpenService, operator: TestPerson): Promise<number> {
	const { billing } = await made<{ billing: { disputes_open: number } }>(
		send(service, "GET", "/v1/operator/health", undefined, as(operator)),
	);
	return billing.disputes_open;
}

describe("with the simulated processor", () => {
	const service = serviceFor();
	const operator = madeBefore(() => addPerson(service.database, { operator: true }));
	const shop = madeBefore(() => openShop(service));
	const now = () => service.rooms.clock.now();

	async function subscriber(): Promise<{ customer: Customer; id: string; read: () => Promise<ManagedSubscription> }> {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		const { id } = await subscriptionOf(service, customer);
		return { customer, id, read: () => managed(service, customer, id) };
	}
	const told = (id: string, outcome: string) =>
		send(service, "POST", "/v1/operator/billing/simulate", { subscription: id, outcome }, as(operator));

	test("opened: access stays, renewals are held, it is seen, and the Owner and operators get one mail each", async () => {
		const { customer, id, read } = await subscriber();
		expect((await read()).dispute).toBeNull();
		const before = (await disputeMails(service)).length;
		await simulate(service, operator, id, "dispute");
		expect((await read()).dispute).toEqual({ state: "open", amount: 500, at: expect.stringMatching(/Z$/) });
		expect([await accessOf(service, customer), await openDisputes(service, operator)]).toEqual(["active silver", 1]);
		expect((await told(id, "dispute")).status).toBe(200);
		const mails = (await disputeMails(service)).slice(before);
		expect(mails.filter(([, state]) => state !== "open")).toEqual([]);
		expect(mails.map(([to]) => to)).toEqual(
			expect.arrayContaining([operator.email, `${shop.app.ownerId.toLowerCase()}@example.com`]),
		);
		expect(new Set(mails.map(([to]) => to)).size).toBe(mails.length);
		await advanceTo(service, operator, now() + 40 * DAY_MS);
		expect((await read()).invoices.map(({ status }) => status)).toEqual(["paid", "void"]);
		expect(await accessOf(service, customer)).toBe("active silver");
		// Nobody is told that an App is away, or back, which was there all the time.
		await simulate(service, operator, id, "dispute_won");
		await service.catchUpBilling();
		expect((await mailsTo(service, customer)).map(({ template }) => template)).toEqual(["subscription_started"]);
		expect([(await read()).dispute?.state, await openDisputes(service, operator)]).toEqual(["won", 0]);
		await advanceTo(service, operator, now() + 40 * DAY_MS);
		expect((await read()).invoices.at(-1)?.status).toBe("paid");
	});

	test("while it is open the plan is not changed: nothing would be charged for a dearer one, and the card says so", async () => {
		const { customer, id, read } = await subscriber();
		const before = await openCard(customer);
		await simulate(service, operator, id, "dispute");
		const refused = await customer.browser.submit(before, "/billing/switch", { price_id: shop.gold.id });
		expect([refused.status, refused.html.includes("Nothing is charged for your plan at present")]).toEqual([409, true]);
		expect([(await read()).invoices.length, await accessOf(service, customer)]).toEqual([1, "active silver"]);
		await simulate(service, operator, id, "dispute_won");
		await press(customer, "switch", { price_id: shop.gold.id });
		expect(await accessOf(service, customer)).toBe("active gold");
	});

	test("an App's own plan is not changed either [C]", async () => {
		const own = await openShop(service);
		const buy = (plan: string) => send(service, "POST", `/v1/apps/${own.app.id}/billing/checkout`, { plan }, own.owner);
		await payAndReturn(service, (await made<AppCheckout>(buy("pro"))).url ?? "");
		const { data } = await made<{ data: { id: string }[] }>(send(service, "GET", "/v1/me/plans", undefined, own.owner));
		const { id = "" } = data[0] ?? {};
		await simulate(service, operator, id, "dispute");
		expect((await buy("unlimited")).status).toBe(409);
		await simulate(service, operator, id, "dispute_won");
		expect(await made<AppCheckout>(buy("unlimited"))).toMatchObject({ effective: "now" });
	});

	test("lost: it ends at once, what it took counts as paid back, and the audit tells each step", async () => {
		const { customer, id, read } = await subscriber();
		await simulate(service, operator, id, "dispute");
		await simulate(service, operator, id, "dispute_lost");
		const after = await read();
		expect(after).toMatchObject({ status: "canceled", dispute: { state: "lost", amount: 500 } });
		expect(after.invoices).toMatchObject([
			{ amount_paid: 500, amount_refunded: 500, refunds: [{ reason: "dispute" }] },
		]);
		expect([after.ended_at !== null, await accessOf(service, customer)]).toEqual([true, "inactive"]);
		const { data } = await made<{ data: { event: string; changes: Record<string, unknown> | null }[] }>(
			send(service, "GET", `/v1/apps/${shop.app.id}/audit?limit=20`, undefined, shop.owner),
		);
		expect(data.flatMap(({ changes }) => changes?.dispute ?? [])).toEqual(expect.arrayContaining(["open", "lost"]));
	});

	test("lost before anybody told of it: the same end, and one mail", async () => {
		const { customer, id, read } = await subscriber();
		const before = (await disputeMails(service)).length;
		await simulate(service, operator, id, "dispute_lost");
		expect([(await read()).dispute?.state, await accessOf(service, customer)]).toEqual(["lost", "inactive"]);
		const mails = (await disputeMails(service)).slice(before);
		expect([...new Set(mails.map(([, state]) => state))]).toEqual(["lost"]);
		expect(new Set(mails.map(([to]) => to)).size).toBe(mails.length);
		// Who has lost it may buy again.
		await subscribe(customer, shop.silver);
		expect(await accessOf(service, customer)).toBe("active silver");
	});

	test("409 for what nobody has paid, and for a decision about nothing", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.trial);
		const { id } = await subscriptionOf(service, customer);
		for (const outcome of ["dispute", "dispute_won", "dispute_lost"])
			expect((await told(id, outcome)).status).toBe(409);
		expect((await managed(service, customer, id)).dispute).toBeNull();
	});

	test("who withdraws while the bank has the money is paid back once it is won, and promised no more before", async () => {
		const { customer, id, read } = await subscriber();
		await simulate(service, operator, id, "dispute");
		await press(customer, "withdraw");
		expect((await read()).invoices).toMatchObject([{ amount_refunded: 0 }]);
		const { facts } = (await mailsTo(service, customer)).find(({ template }) => template === "withdrawn") ?? {};
		expect(facts).toMatchObject({ refund: 0, held: 500, invoices: "" });
		await simulate(service, operator, id, "dispute_won");
		await service.catchUpBilling();
		expect((await read()).invoices).toMatchObject([{ amount_refunded: 500 }]);
	});

	test("won after its App was deleted, the days that were left are paid back like those of everybody else", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await subscribe(customer, own.silver);
		const { id } = await subscriptionOf(service, customer);
		const payer = as({ secret: await lastingSession(service, customer.user.accountId, "console") });
		const path = `/v1/me/plans/${id}/invoices`;
		const back = async () =>
			(await made<{ data: Invoice[] }>(send(service, "GET", path, undefined, payer))).data.map(
				({ amount_refunded, refunds }) => [amount_refunded, refunds.map(({ reason }) => reason)],
			);
		await simulate(service, operator, id, "dispute");
		await made(
			send(
				service,
				"DELETE",
				`/v1/apps/${own.app.id}?confirm_name=Shop&cancel_subscriptions=true`,
				undefined,
				own.owner,
			),
		);
		await service.runJobs();
		await service.catchUpBilling();
		expect(await back()).toEqual([[0, []]]);
		const told = async () => (await mailsTo(service, customer)).slice(1);
		expect(await told()).toMatchObject([{ template: "plan_gone", facts: { refund: 0, held: 500 } }]);
		await advanceTo(service, operator, now() + 60 * DAY_MS);
		await simulate(service, operator, id, "dispute_won");
		for (let round = 0; round < 2; round++) await service.catchUpBilling();
		expect(await back()).toEqual([[500, ["app_deleted"]]]);
		expect((await told()).slice(1)).toMatchObject([
			{ template: "further_refund", facts: { refund: 500, gone: true, app: "Shop" } },
		]);
	});

	test("who pays hears of an App that is paused, and of its return, although a dispute came before it", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await subscribe(customer, own.silver);
		const { id } = await subscriptionOf(service, customer);
		const act = (what: string) => made(send(service, "POST", `/v1/apps/${own.app.id}/${what}`, {}, own.owner));
		await simulate(service, operator, id, "dispute");
		await service.catchUpBilling();
		await act("pause");
		for (let round = 0; round < 2; round++) await service.catchUpBilling();
		await simulate(service, operator, id, "dispute_won");
		for (let round = 0; round < 2; round++) await service.catchUpBilling();
		const told = async () => (await mailsTo(service, customer)).map(({ template }) => template);
		expect(await told()).toEqual(["subscription_started", "plan_paused"]);
		await act("resume");
		for (let round = 0; round < 2; round++) await service.catchUpBilling();
		expect(await told()).toEqual(["subscription_started", "plan_paused", "plan_resumed"]);
		await advanceTo(service, operator, now() + 40 * DAY_MS);
		expect((await managed(service, customer, id)).invoices.at(-1)?.status).toBe("paid");
	});

	test("what was interrupted after it was read is done by a later round", async () => {
		const { customer, id, read } = await subscriber();
		const set = (state: string) => ({
			run: sql`UPDATE subscriptions SET dispute_state = ${state}, dispute_amount = 500, dispute_ms = ${now()} WHERE id = ${id}`,
		});
		await service.database.write([set("lost")]);
		expect(await accessOf(service, customer)).toBe("inactive");
		await service.catchUpBilling();
		expect((await read()).status).toBe("canceled");
	});
});

describe("with Stripe", () => {
	let world: StripeShop;
	beforeAll(async () => {
		world = await openStripeShop();
	});
	afterAll(() => world.close());

	async function subscriber() {
		const customer = await addCustomer(world.service, world.shop);
		await buyAtStripe(world, customer, world.shop.silver);
		await world.deliver();
		const { id } = await subscriptionOf(world.service, customer);
		const { id: ref } = lastSubscription(world);
		const told = (status: FakeDispute["status"]) => dispute(world.stripe.state, ref, status);
		return { customer, id, ref, told, read: () => managed(world.service, customer, id) };
	}

	test("a dispute that is delivered holds renewals; won, they go on; delivered twice or the wrong way round, too", async () => {
		const { customer, ref, told, read } = await subscriber();
		told("needs_response");
		const opened = world.stripe.takeEvents();
		await world.deliver(() => [...opened, ...opened]);
		expect([(await read()).dispute?.state, await accessOf(world.service, customer)]).toEqual(["open", "active silver"]);
		expect(world.stripe.state.subscriptions.get(ref)?.pause_collection).toEqual({ behavior: "void" });
		told("won");
		const events = world.stripe.takeEvents();
		await world.deliver(() => [...events, ...opened].toReversed());
		await world.service.catchUpBilling();
		expect([(await read()).dispute?.state, await accessOf(world.service, customer)]).toEqual(["won", "active silver"]);
		expect(world.stripe.state.subscriptions.get(ref)?.pause_collection).toBeNull();
		const mails = await disputeMails(world.service);
		expect(new Set(mails.map(([, state]) => state))).toEqual(new Set(["open", "won"]));
		expect(new Set(mails.map(String)).size).toBe(mails.length);
	});

	test("lost before its opening arrives: it ends, and the late opening changes nothing", async () => {
		const { customer, ref, told, read } = await subscriber();
		told("lost");
		await world.deliver((events) => events.toReversed());
		expect(await read()).toMatchObject({ status: "canceled", dispute: { state: "lost", amount: 500 } });
		expect((await read()).invoices).toMatchObject([{ amount_refunded: 500 }]);
		expect([await accessOf(world.service, customer), world.stripe.state.subscriptions.get(ref)?.status]).toEqual([
			"inactive",
			"canceled",
		]);
	});

	test("one that no delivery told of is found within the hour; decided months later, again", async () => {
		const { told, read } = await subscriber();
		told("needs_response");
		world.stripe.takeEvents();
		const anHourOn = async (ms: number) => {
			world.service.clock.advance(ms);
			world.stripe.advance();
			world.stripe.takeEvents();
			await world.service.catchUpBilling();
		};
		await anHourOn(3_700_000);
		expect((await read()).dispute?.state).toBe("open");
		await anHourOn(70 * DAY_MS);
		told("lost");
		world.stripe.takeEvents();
		await anHourOn(3_700_000);
		await world.service.catchUpBilling();
		expect(await read()).toMatchObject({ status: "canceled", dispute: { state: "lost" } });
	});

	test("an inquiry takes no money, and changes nothing", async () => {
		const { told, read } = await subscriber();
		told("warning_needs_response");
		await world.deliver();
		expect(await read()).toMatchObject({ status: "active", dispute: null });
	});
});
