import { describe, expect, test } from "bun:test";
import type { Invoice, OwnPlan } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { advanceTo, simulate } from "../../support/billing.ts";
import { addPerson, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { type ManagedPrice, made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	DAY_MS,
	lastingSession,
	mailsTo,
	openShop,
	type Shop,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* While an App is paused or blocked nobody is charged for it; and deleting one pays back what is left. */

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const now = () => service.rooms.clock.now();

async function subscribed(price: (shop: Shop) => ManagedPrice) {
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	await subscribe(customer, price(shop));
	const payer = as({ secret: await lastingSession(service, customer.user.accountId, "console") });
	const { id } = await subscriptionOf(service, customer);
	const plan = () => made<OwnPlan>(send(service, "GET", `/v1/me/plans/${id}`, undefined, payer));
	const invoices = async () =>
		(await made<{ data: Invoice[] }>(send(service, "GET", `/v1/me/plans/${id}/invoices`, undefined, payer))).data;
	const app = (action: "pause" | "resume") =>
		made(send(service, "POST", `/v1/apps/${shop.app.id}/${action}`, {}, shop.owner));
	const templates = async () => (await mailsTo(service, customer)).map(({ template }) => template);
	return { shop, customer, payer, id, plan, invoices, app, templates };
}

describe("while an App is paused", () => {
	test("renewals are void, terms go on as if they were paid, and the next one after it charges", async () => {
		const { plan, invoices, app, templates } = await subscribed(({ silver }) => silver);
		const first = Date.parse((await plan()).next_charge?.at ?? "");
		await app("pause");
		await service.catchUpBilling();
		expect(await plan()).toMatchObject({ paused_collection: true, next_charge: null, access: { status: "active" } });
		await advanceTo(service, operator, first + DAY_MS);
		const held = await plan();
		expect([held.access.status, held.status]).toEqual(["active", "active"]);
		expect(Date.parse(held.access.expires_at ?? "")).toBeGreaterThan(now());
		expect((await invoices()).map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
			["void", 0],
			["paid", 500],
		]);
		await app("resume");
		await service.catchUpBilling();
		const back = await plan();
		expect(back).toMatchObject({ paused_collection: false, next_charge: { amount: 500 } });
		await advanceTo(service, operator, Date.parse(back.next_charge?.at ?? "") + 60_000);
		expect((await invoices())[0]).toMatchObject({ status: "paid", amount_paid: 500 });
		expect(await templates()).toEqual(["subscription_started", "plan_paused", "plan_resumed"]);
	});

	test("what came due before anybody looked is not charged either", async () => {
		const { plan, invoices, app } = await subscribed(({ silver }) => silver);
		const first = Date.parse((await plan()).next_charge?.at ?? "");
		await app("pause");
		await advanceTo(service, operator, first + 40 * DAY_MS);
		expect((await invoices()).filter(({ amount_paid }) => amount_paid > 0)).toHaveLength(1);
	});

	test("a trial stays one, and ends the day after the App is back, with a new warning", async () => {
		const { plan, invoices, app, templates } = await subscribed(({ trial }) => trial);
		await app("pause");
		await service.catchUpBilling();
		await advanceTo(service, operator, now() + 30 * DAY_MS);
		expect(await plan()).toMatchObject({ status: "trialing", access: { status: "trialing" } });
		await app("resume");
		await service.catchUpBilling();
		const end = Date.parse((await plan()).access.expires_at ?? "");
		expect(end).toBeGreaterThan(now());
		expect(end).toBeLessThanOrEqual(now() + DAY_MS);
		await service.catchUpBilling();
		expect(await templates()).toEqual(["trial_started", "plan_paused", "plan_resumed", "trial_ending"]);
		await advanceTo(service, operator, end + 60_000);
		expect((await invoices()).map(({ amount_paid }) => amount_paid)).toEqual([500]);
	});
});

const remove = ({ app, owner }: Shop) =>
	send(service, "DELETE", `/v1/apps/${app.id}?confirm_name=Shop&cancel_subscriptions=true`, undefined, owner);

test("deleting an App pays back the rest of a running term by the day, and mails its payer", async () => {
	const { shop, invoices, templates, customer } = await subscribed(({ gold }) => gold);
	await advanceTo(service, operator, now() + 10 * DAY_MS);
	await made(remove(shop));
	await service.runJobs();
	await service.catchUpBilling();
	const [invoice] = await invoices();
	const days = Math.round((Date.parse(invoice?.period_end ?? "") - Date.parse(invoice?.period_start ?? "")) / DAY_MS);
	const back = Math.round((1_500 * (days - 10)) / days);
	expect(invoice).toMatchObject({ amount_refunded: back, refunds: [{ amount: back, reason: "app_deleted" }] });
	expect(await templates()).toEqual(["subscription_started", "plan_gone"]);
	expect((await mailsTo(service, customer)).at(-1)?.facts).toMatchObject({ app: "Shop", plan: "Gold", refund: back });
});

test("an end that is interrupted goes on: its payer is told once, of all that was paid back", async () => {
	const { shop, invoices, customer, plan } = await subscribed(({ gold }) => gold);
	const { processor } = service.rooms.billing;
	const { cancel } = processor;
	const away = async (): Promise<never> => {
		throw new Error("the processor is away");
	};
	Object.assign(processor, { cancel: away });
	await made(remove(shop));
	await service.catchUpBilling();
	Object.assign(processor, { cancel });
	await service.catchUpBilling();
	expect((await plan()).ended_at).not.toBeNull();
	expect((await invoices()).map(({ amount_refunded }) => amount_refunded)).toEqual([1_500]);
	const told = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_gone");
	expect(told.map(({ facts }) => facts)).toMatchObject([{ refund: 1_500 }]);
});

test("an earlier payment that a bank has asked back keeps nothing of the running term", async () => {
	const { shop, invoices, id, customer } = await subscribed(({ gold }) => gold);
	await simulate(service, operator, id, "dispute");
	await simulate(service, operator, id, "dispute_won");
	await service.catchUpBilling();
	await advanceTo(service, operator, now() + 32 * DAY_MS);
	await asksBackFirst(id);
	await made(remove(shop));
	await service.runJobs();
	await service.catchUpBilling();
	const [running, first] = await invoices();
	expect(running?.amount_refunded).toBeGreaterThan(1_000);
	expect(first?.amount_refunded).toBe(0);
	const told = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_gone");
	expect(told.map(({ facts }) => facts)).toMatchObject([{ refund: running?.amount_refunded }]);
});

/** The simulation disputes the newest payment: here the bank comes back to the dispute of the first one. */
async function asksBackFirst(id: string) {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT ref FROM subscriptions WHERE id = ${id}`),
	);
	const set = sql`json_set(value, '$.dispute.state', 'open')`;
	await service.database.write([
		{ run: sql`UPDATE sim_objects SET value = ${set} WHERE kind = 'subscription' AND id = ${rows[0]?.[0]}` },
	]);
	await service.catchUpBilling();
}
