import { describe, expect, test } from "bun:test";
import type { AppBilling, AppCheckout, Invoice } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { setAppState } from "../../support/apps.ts";
import { openForm, pay, payAndReturn } from "../../support/billing.ts";
import { errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";
import { openStripeService } from "../../support/stripe-service.ts";
import { held } from "../../support/stripe-state.ts";
import {
	addCustomer,
	type Customer,
	mailsTo,
	openCard,
	openShop,
	readStatus,
	type Shop,
} from "../../support/subscribers.ts";

/* While an App is paused or blocked nobody begins to pay for it: not at a page that was open already, and not for the App itself. */

const service = serviceFor();

const checkout = ({ app, owner }: Shop, plan = "pro") =>
	send(service, "POST", `/v1/apps/${app.id}/billing/checkout`, { plan }, owner);
const pageOf = async (of: Shop) => (await made<AppCheckout>(checkout(of))).url ?? "";
const billing = ({ app, owner }: Shop) =>
	made<AppBilling>(send(service, "GET", `/v1/apps/${app.id}/billing`, undefined, owner));
const ownInvoices = async ({ app, owner }: Shop) =>
	(await made<{ data: Invoice[] }>(send(service, "GET", `/v1/apps/${app.id}/billing/invoices`, undefined, owner))).data;
/** Suspended a moment before, so that what follows is later in whole milliseconds. */
async function suspend(of: Shop, state: "paused" | "blocked") {
	await setAppState(service.database, of.app.id, state);
	service.clock.set(service.clock.now() + 1_000);
}

async function mailsOf(recipient: string) {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, string]>(
			sql`SELECT template, facts FROM emails WHERE recipient = ${recipient} ORDER BY pk`,
		),
	);
	return rows.map(([template, facts]) => ({ template, facts: JSON.parse(facts) as object }));
}

/** The page of the processor that a customer was sent to. */
async function payPage(customer: Customer, price: Shop["silver"]): Promise<string> {
	return (await openCard(customer, { price_id: price.id })).location;
}

describe.each(["paused", "blocked"] as const)("while an App is %s", (state) => {
	test("[C] 409 for its own plan, bought or changed; 200 once it is back", async () => {
		const own = await openShop(service);
		await suspend(own, state);
		expect(await errorOf(await checkout(own))).toMatchObject({ status: 409, code: "state_conflict" });
		await setAppState(service.database, own.app.id, "active");
		await payAndReturn(service, await pageOf(own));
		await suspend(own, state);
		expect((await checkout(own, "unlimited")).status).toBe(409);
		expect(await billing(own)).toMatchObject({ plan: "pro", paid_plan: "pro" });
	});

	test("[C] pages that are open are closed: nothing can be paid there, once it is back neither", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		const pages = [await pageOf(own), await payPage(customer, own.silver)];
		const forms = await Promise.all(pages.map((url) => openForm(service, url)));
		await suspend(own, state);
		await service.catchUpBilling();
		await setAppState(service.database, own.app.id, "active");
		for (const [place, url] of pages.entries()) {
			const shown = await service.open(url, {});
			expect([shown.status, await shown.text()]).toEqual([410, expect.stringContaining("This page is closed")]);
			const posted = await service.open(url, {
				method: "POST",
				headers: {
					cookie: forms[place]?.cookie ?? "",
					origin: new URL(url).origin,
					"content-type": "application/x-www-form-urlencoded",
				},
				body: new URLSearchParams({ form_token: forms[place]?.token ?? "", step: "pay", card: "pays" }).toString(),
			});
			expect(posted.status).toBe(410);
		}
		expect(await billing(own)).toMatchObject({ plan: "free", status: "inactive" });
		expect(await made<{ access: { status: string } }>(readStatus(service, customer))).toMatchObject({
			access: { status: "inactive" },
		});
	});

	test("[C] what is paid before a page is closed comes back at once, with a mail, and leaves nothing", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		const pages = [await pageOf(own), await payPage(customer, own.silver)];
		await suspend(own, state);
		for (const url of pages) await pay(service, url);
		for (let round = 0; round < 2; round++) await service.catchUpBilling();
		expect(await billing(own)).toMatchObject({ plan: "free", status: "inactive" });
		expect(await ownInvoices(own)).toMatchObject([
			{ amount_paid: 2_000, amount_refunded: 2_000, refunds: [{ amount: 2_000, reason: "not_available" }] },
		]);
		expect(await mailsTo(service, customer)).toEqual([
			{
				template: "paid_unavailable",
				facts: expect.objectContaining({ app: "Shop", plan: "Silver", refund: 500, currency: "usd" }),
			},
		]);
		expect(await mailsOf(`${own.app.ownerId.toLowerCase()}@example.com`)).toEqual([
			{ template: "paid_unavailable", facts: expect.objectContaining({ app: "Shop", plan: "Pro", refund: 2_000 }) },
		]);
	});
});

test("at Stripe open sessions are expired, and one that is paid nevertheless is paid back", async () => {
	const world = await openStripeService();
	const { stripe } = world;
	const own = await openShop(world.service);
	const [first, second] = [await addCustomer(world.service, own), await addCustomer(world.service, own)];
	const sessions: string[] = [];
	for (const customer of [first, second]) {
		sessions.push((await payPage(customer, own.silver)).split("/").at(-1) ?? "");
	}
	const [open = "", paid = ""] = sessions;
	await setAppState(world.service.database, own.app.id, "paused");
	world.service.clock.set(world.service.clock.now() + 2_000);
	expect(stripe.complete(paid)).toBeTrue();
	for (let round = 0; round < 2; round++) await world.service.catchUpBilling();
	expect(held(stripe.state.sessions.get(open), open).status).toBe("expired");
	expect(stripe.complete(open)).toBeFalse();
	const [charge] = stripe.state.charges;
	expect([stripe.state.charges.length, charge?.amount, charge?.amount_refunded]).toEqual([1, 500, 500]);
	const expired = () => stripe.seen.filter(({ path }) => path.endsWith("/expire")).length;
	expect(expired()).toBe(1);
	await world.service.catchUpBilling();
	expect(expired()).toBe(1);
	expect((await mailsTo(world.service, second)).map(({ template }) => template)).toEqual(["paid_unavailable"]);
	await world.close();
});

test("what was paid before the pause, and is told of after it, is kept, and held at Stripe: renewals are void until the App is back", async () => {
	const world = await openStripeService();
	const { stripe } = world;
	const own = await openShop(world.service);
	const customer = await addCustomer(world.service, own);
	const session = (await payPage(customer, own.silver)).split("/").at(-1) ?? "";
	expect(stripe.complete(session)).toBeTrue();
	stripe.takeEvents();
	world.service.clock.set(world.service.clock.now() + 2_000);
	const act = (what: string) => made(send(world.service, "POST", `/v1/apps/${own.app.id}/${what}`, {}, own.owner));
	await act("pause");
	for (let round = 0; round < 2; round++) await world.service.catchUpBilling();
	const [sub] = [...stripe.state.subscriptions.values()];
	expect(sub).toMatchObject({ status: "active", pause_collection: { behavior: "void" } });
	const renewal = () => (sub?.items.data[0]?.current_period_end ?? 0) * 1_000;
	const statuses = () => stripe.state.invoicesOf(sub?.id ?? "").map(({ status }) => status);
	await world.advanceTo(renewal() + 60_000);
	expect([statuses(), stripe.state.charges.length]).toEqual([["paid", "void"], 1]);
	await act("resume");
	await world.service.catchUpBilling();
	expect(sub?.pause_collection).toBeNull();
	await world.advanceTo(renewal() + 60_000);
	expect([statuses(), stripe.state.charges.length]).toEqual([["paid", "void", "paid"], 2]);
	const mails = (await mailsTo(world.service, customer)).map(({ template }) => template);
	expect(mails).toEqual(["subscription_started", "plan_paused", "plan_resumed"]);
	await world.close();
});

test("a trial at Stripe does not end while its App is paused, and what is unpaid is void", async () => {
	const world = await openStripeService();
	const { stripe } = world;
	const own = await openShop(world.service);
	const [trial, failing] = [await addCustomer(world.service, own), await addCustomer(world.service, own)];
	for (const [customer, price] of [
		[trial, own.trial],
		[failing, own.silver],
	] as const) {
		stripe.complete((await payPage(customer, price)).split("/").at(-1) ?? "");
		await world.deliver();
	}
	const [tried, unpaid] = [...stripe.state.subscriptions.values()];
	for (const card of stripe.state.cards.keys()) stripe.state.cards.set(card, "declines");
	const pastDue = (unpaid?.items.data[0]?.current_period_end ?? 0) * 1_000 + 60_000;
	const act = (what: string) => made(send(world.service, "POST", `/v1/apps/${own.app.id}/${what}`, {}, own.owner));
	await act("pause");
	await world.service.catchUpBilling();
	await world.advanceTo(pastDue);
	expect(tried).toMatchObject({ status: "trialing", pause_collection: { behavior: "void" } });
	expect(unpaid?.status).toBe("active");
	const open = [...stripe.state.invoices.values()].filter(({ status }) => status === "open");
	expect([open, stripe.state.charges.length]).toEqual([[], 1]);
	await act("resume");
	await world.service.catchUpBilling();
	const left = (tried?.trial_end ?? 0) * 1_000 - world.service.clock.now();
	expect(left).toBeGreaterThan(0);
	expect(left).toBeLessThanOrEqual(86_400_000);
	await world.close();
});

test("a page that began what is nobody's is over, so that it keeps no other waiting", async () => {
	const world = await openStripeService();
	const own = await openShop(world.service);
	const customer = await addCustomer(world.service, own);
	await payPage(customer, own.silver);
	const { processor } = world.service.rooms.billing;
	Object.assign(processor, { closeCheckout: async () => false, findCompleted: async () => "sub_of_nobody" });
	await setAppState(world.service.database, own.app.id, "paused");
	await world.service.catchUpBilling();
	const open = await world.service.database.rows("SELECT count(*) FROM checkouts WHERE done_ms IS NULL", []);
	expect(open).toEqual([[0]]);
	await world.close();
});
