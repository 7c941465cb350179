import { describe, expect, test } from "bun:test";
import type { Invoice, ManagedSubscription, OwnPlan } from "@svc/sdk/shapes";
import { setAppState } from "../../support/apps.ts";
import { advanceTo, payAndReturn } from "../../support/billing.ts";
import { addPerson, as } from "../../support/people.ts";
import { type Caller, send } from "../../support/requests.ts";
import { addPrice, made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	openShop,
	press,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* What people pay for, without the App: they see it, stop it and take it back, whatever became of the App. */

const service = serviceFor();
const shop = madeBefore(() => openShop(service));

async function subscriber(own = shop): Promise<{ customer: Customer; payer: Caller; id: string }> {
	const customer = await addCustomer(service, own);
	await subscribe(customer, own.silver);
	const payer = as({ secret: await lastingSession(service, customer.user.accountId, "console") });
	return { customer, payer, id: (await subscriptionOf(service, customer)).id };
}

const call = <T>(payer: Caller, path: string, method = "GET") =>
	made<T>(send(service, method, `/v1/me/${path}`, method === "GET" ? undefined : {}, payer));
const plans = async (payer: Caller) => (await call<{ data: OwnPlan[] }>(payer, "plans")).data;
const invoices = async (payer: Caller, id: string) =>
	(await call<{ data: Invoice[] }>(payer, `plans/${id}/invoices`)).data;

describe("a plan of an App", () => {
	test("is listed with what it costs, when it is charged next, and until when it can be taken back", async () => {
		const { payer, id } = await subscriber();
		const now = service.clock.now();
		const [plan] = await plans(payer);
		expect(plan).toMatchObject({
			id,
			object: "own_plan",
			seller: { kind: "app", id: shop.app.id, name: "Shop" },
			storage: "user",
			app: { id: shop.app.id, name: "Shop" },
			plan_name: "Silver",
			price: { id: shop.silver.id, object: "price", amount: 500, currency: "usd", interval: "month", trial_days: 0 },
			access: { plan_key: "silver", status: "active" },
			status: "active",
			next_charge: { amount: 500, currency: "usd" },
			credit: 0,
			cancel_at: null,
			waiting_change: null,
			paused_collection: false,
			grace_until: null,
			ended_at: null,
		});
		expect(plan?.next_charge?.at).toBe(plan?.access.expires_at ?? "");
		expect(Date.parse(plan?.withdraw_until ?? "")).toBeGreaterThan(now + 14 * DAY_MS);
		expect(await call<OwnPlan>(payer, `plans/${id}`)).toEqual(plan as OwnPlan);
	});

	test("is cancelled at the end of its term, which can be repeated, and resumed", async () => {
		const { payer, id } = await subscriber();
		for (let time = 0; time < 2; time++) {
			const cancelled = await call<OwnPlan>(payer, `plans/${id}/cancel`, "POST");
			expect([cancelled.cancel_at, cancelled.next_charge]).toEqual([cancelled.access.expires_at, null]);
		}
		const resumed = await call<OwnPlan>(payer, `plans/${id}/resume`, "POST");
		expect([resumed.cancel_at, resumed.next_charge?.amount]).toEqual([null, 500]);
	});

	test("is taken back with all that it cost, once, and not after its time", async () => {
		const { payer, id } = await subscriber();
		const withdrawn = await call<OwnPlan>(payer, `plans/${id}/withdraw`, "POST");
		expect(withdrawn).toMatchObject({ status: "canceled", access: { status: "inactive" }, withdraw_until: null });
		expect(await invoices(payer, id)).toMatchObject([
			{ status: "paid", amount_paid: 500, amount_refunded: 500, refunds: [{ amount: 500, reason: "withdrawal" }] },
		]);
		for (const action of ["withdraw", "cancel", "resume"]) {
			expect((await send(service, "POST", `/v1/me/plans/${id}/${action}`, {}, payer)).status).toBe(409);
		}
	});

	test.each(["paused", "blocked"] as const)("stays its payer's while the App is %s", async (state) => {
		const own = await openShop(service);
		const { payer, id } = await subscriber(own);
		await setAppState(service.database, own.app.id, state);
		expect((await plans(payer)).map((plan) => plan.id)).toEqual([id]);
		expect((await call<OwnPlan>(payer, `plans/${id}/cancel`, "POST")).cancel_at).not.toBeNull();
		expect((await call<OwnPlan>(payer, `plans/${id}/withdraw`, "POST")).status).toBe("canceled");
	});

	test("stays its payer's after the App is deleted, under the name that it had", async () => {
		const own = await openShop(service);
		const { payer, id } = await subscriber(own);
		const path = `/v1/apps/${own.app.id}?confirm_name=Shop&cancel_subscriptions=true`;
		expect((await send(service, "DELETE", path, undefined, own.owner)).status).toBe(202);
		await service.runJobs();
		await service.catchUpBilling();
		expect(await plans(payer)).toMatchObject([
			{ id, status: "canceled", seller: { name: "Shop" }, plan_name: "Silver" },
		]);
		const [invoice] = await invoices(payer, id);
		expect((await call<Invoice>(payer, `invoices/${invoice?.id}`)).number).toMatch(/-\d{6}$/);
	});

	test("is nobody else's", async () => {
		const [{ payer, id }, other] = [await subscriber(), await subscriber()];
		const [invoice] = await invoices(payer, id);
		for (const path of [`plans/${id}`, `plans/${id}/invoices`, `plans/${id}/preview`, `invoices/${invoice?.id}`]) {
			expect((await send(service, "GET", `/v1/me/${path}`, undefined, other.payer)).status).toBe(404);
		}
		expect((await send(service, "POST", `/v1/me/plans/${id}/cancel`, {}, other.payer)).status).toBe(404);
		expect((await call<OwnPlan>(payer, `plans/${id}`)).cancel_at).toBeNull();
	});
});

describe("a change", () => {
	test("is previewed: what is paid now, what comes next, and when", async () => {
		const { payer, id } = await subscriber();
		const dearer = await call<Record<string, unknown>>(payer, `plans/${id}/preview?price_id=${shop.gold.id}`);
		expect(dearer).toMatchObject({
			object: "change_preview",
			amount_now: 1_000,
			next_amount: 1_500,
			currency: "usd",
			credit: 0,
		});
		expect(dearer.lines).toMatchObject([{ amount: -500 }, { amount: 1_500, description: "Gold" }]);
		const same = await call<Record<string, unknown>>(payer, `plans/${id}/preview?price_id=${shop.trial.id}`);
		expect(same).toMatchObject({ amount_now: 0, next_amount: 500, lines: [] });
	});

	test("to an unknown price, or one of another seller, is refused under price_id", async () => {
		const { payer, id } = await subscriber();
		const other = await openShop(service);
		for (const price of [other.gold.id, `prc_${"0".repeat(22)}`, "gold", ""]) {
			const refused = await send(service, "GET", `/v1/me/plans/${id}/preview?price_id=${price}`, undefined, payer);
			expect(refused.status).toBe(422);
			const { error } = (await refused.json()) as { error: { details: object } };
			expect(Object.keys(error.details)).toEqual(["price_id"]);
		}
	});
});

describe("invoices", () => {
	test("hold what was charged for, and are numbered without gaps by their seller", async () => {
		const own = await openShop(service);
		const first = await subscriber(own);
		const second = await subscriber(own);
		const [one] = await invoices(first.payer, first.id);
		const [two] = await invoices(second.payer, second.id);
		expect(one).toMatchObject({
			object: "invoice",
			status: "paid",
			lines: [{ description: "Silver", quantity: 1, amount: 500 }],
			subtotal: 500,
			tax: 0,
			total: 500,
			amount_due: 500,
			amount_paid: 500,
			refunds: [],
			processor_url: null,
			receipt_url: `http://localhost:3000/account/invoices/${one?.id}`,
		});
		expect([one?.number, two?.number].map((number) => Number(/\d+$/.exec(number ?? "")?.[0]))).toEqual([1, 2]);
		expect(one?.paid_at).not.toBeNull();
		const listed = await made<{ data: ManagedSubscription[] }>(
			send(service, "GET", `/v1/apps/${own.app.id}/subscriptions`, undefined, own.owner),
		);
		expect(listed.data.map(({ price }) => [price.id, price.amount])).toEqual([
			[own.silver.id, 500],
			[own.silver.id, 500],
		]);
		expect(listed.data.at(-1)?.invoices).toEqual([one as Invoice]);
	});
});

describe("an App's own plan", () => {
	test("[C] is its Owner's, and moves with the App", async () => {
		const own = await openShop(service);
		const { url } = await made<{ url: string }>(
			send(service, "POST", `/v1/apps/${own.app.id}/billing/checkout`, { plan: "pro" }, own.owner),
		);
		await payAndReturn(service, url);
		const [plan] = await plans(own.owner);
		expect(plan).toMatchObject({
			seller: { kind: "service", id: null, name: "Svc" },
			storage: "app",
			app: { id: own.app.id },
			plan_name: "Pro",
			price: { id: "app_plan:pro:usd:2000", amount: 2_000, currency: "usd", interval: "month" },
		});
		const withdrawn = await call<OwnPlan>(own.owner, `plans/${plan?.id}/withdraw`, "POST");
		expect(withdrawn.status).toBe("canceled");
		const [invoice] = await invoices(own.owner, plan?.id ?? "");
		expect(invoice).toMatchObject({ amount_refunded: 2_000 });
		const app = await made<{ plan: string }>(
			send(service, "GET", `/v1/apps/${own.app.id}/billing`, undefined, own.owner),
		);
		expect(app.plan).toBe("free");
	});
});

test("credit of a change pays later invoices, and is shown", async () => {
	const own = await openShop(service);
	const { customer, payer, id } = await subscriber(own);
	const operator = await addPerson(service.database, { operator: true });
	const { data } = await made<{ data: { id: string; key: string }[] }>(
		send(service, "GET", `/v1/apps/${own.app.id}/plans`, undefined, own.owner),
	);
	const gold = data.find(({ key }) => key === "gold")?.id ?? "";
	const year = await addPrice(service, own.app.id, gold, own.owner, { amount: 9_000, interval: "year" });
	const dear = await addPrice(service, own.app.id, gold, own.owner, { amount: 1_000 });
	await press(customer, "switch", { price_id: year.id });
	await advanceTo(service, operator, service.clock.now() + 30 * DAY_MS);
	await press(customer, "switch", { price_id: dear.id });
	const plan = await call<OwnPlan>(payer, `plans/${id}`);
	expect(plan.credit).toBeGreaterThan(7_000);
	expect(plan.next_charge?.amount).toBe(0);
});
