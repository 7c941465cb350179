import { expect, test } from "bun:test";
import type { MailContent, PlanFacts } from "@svc/mail/mail";
import { advanceTo, simulate } from "../../support/billing.ts";
import { addMember, addPerson, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { addPlan, addPrice } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	invoicesOf,
	mailsTo,
	openCard,
	openShop,
	payAt,
	press,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

const RECEIPT = /\/account\/invoices\/ivc_\w+$/;

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const shop = madeBefore(() => openShop(service));

const now = () => service.rooms.clock.now();
const templates = async (customer: Customer) => (await mailsTo(service, customer)).map(({ template }) => template);

test("a confirmation right after checkout names the App, and goes once [email.after-checkout]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	await service.catchUpBilling();
	expect(await mailsTo(service, customer)).toMatchObject([
		{ template: "subscription_started", facts: { app: "Shop", plan: "Silver" } },
	]);
});

test("a different one when the plan starts with a trial [email.after-checkout-trial]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.trial);
	const until = (await statusOf(service, customer)).subscription?.trial_end;
	expect(await mailsTo(service, customer)).toMatchObject([
		{ template: "trial_started", facts: { app: "Shop", plan: "Silver", until } },
	]);
});

test("3 days before a trial ends, once [email.trial-ending-3d]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.trial);
	const end = Date.parse((await statusOf(service, customer)).subscription?.trial_end ?? "");
	await advanceTo(service, operator, end - 3 * DAY_MS - 60_000);
	expect(await templates(customer)).toEqual(["trial_started"]);
	await advanceTo(service, operator, end - 3 * DAY_MS + 1_000);
	await service.catchUpBilling();
	expect(await templates(customer)).toEqual(["trial_started", "trial_ending"]);
});

test("at once for a trial that is shorter [email.trial-ending-short]", async () => {
	const { id } = await addPlan(service, shop.app.id, shop.owner, { key: "short", name: "Short" });
	const price = await addPrice(service, shop.app.id, id, shop.owner, { trial_days: 2 });
	const customer = await addCustomer(service, shop);
	await subscribe(customer, price);
	expect(await templates(customer)).toEqual(["trial_started", "trial_ending"]);
	await service.catchUpBilling();
	expect(await templates(customer)).toHaveLength(2);
});

test("never after the subscriber cancels [email.trial-ending-cancelled]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.trial);
	await press(customer, "cancel");
	await advanceTo(service, operator, now() + 6 * DAY_MS);
	expect(await templates(customer)).toEqual(["trial_started"]);
});

test("one for a withdrawal, none for a change of plan [email.withdrawal, email.no-plan-change]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	await press(customer, "switch", { price_id: shop.gold.id });
	await press(customer, "switch", { price_id: shop.silver.id });
	await press(customer, "withdraw");
	expect(await mailsTo(service, customer)).toMatchObject([
		{ template: "subscription_started", facts: { app: "Shop", plan: "Silver" } },
		{ template: "withdrawn", facts: { app: "Shop", plan: "Gold", receipt: expect.stringMatching(RECEIPT) } },
	] as never);
});

test("one when a payment that was held back is paid back after the withdrawal [email.further-refund]", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	await simulate(service, operator, (await statusOf(service, customer)).subscription?.id ?? "", "refund_later");
	await press(customer, "withdraw");
	expect(await templates(customer)).toEqual(["subscription_started", "withdrawn"]);
	expect((await invoicesOf(service, customer))[0]).toMatchObject({ amount_paid: 500, amount_refunded: 0 });
	await advanceTo(service, operator, now() + 2 * 3_600_000);
	await service.catchUpBilling();
	expect((await invoicesOf(service, customer))[0]).toMatchObject({ amount_paid: 500, amount_refunded: 500 });
	await service.catchUpBilling();
	expect(await templates(customer)).toEqual(["subscription_started", "withdrawn", "further_refund"]);
	const [withdrawn, further] = (await mailsTo(service, customer)).slice(-2).map(({ facts }) => facts as PlanFacts);
	expect(further).toMatchObject({ app: "Shop", plan: "Silver", refund: 500, receipt: withdrawn?.receipt });
	const shown = await customer.browser.open(new URL(withdrawn?.receipt ?? "").pathname);
	expect([shown.status, shown.html.includes("$5.00")]).toEqual([200, true]);
});

test("one about money that went back leads to its receipt, any other to the plan", () => {
	const [page, receipt] = [
		"https://svc.example.com/account/plans/sub_1",
		"https://svc.example.com/account/invoices/ivc_1",
	];
	const facts = { app: "Shop", plan: "Gold", page, refund: 500, currency: "usd", reason: "Thanks", deed: "refunded" };
	for (const template of ["withdrawn", "further_refund", "plan_by_operator"] as const) {
		const linked = (more: object) =>
			service.rooms.mail.render({ template, facts: { ...facts, ...more } } as MailContent).text;
		expect([linked({}).includes(page), linked({ receipt }).includes(page)]).toEqual([true, false]);
		expect(linked({ receipt })).toContain(receipt);
	}
});

test("one to somebody who paid twice, in two tabs: the second payment comes back, and the plan goes on", async () => {
	const customer = await addCustomer(service, shop);
	const chosen = { price_id: shop.silver.id };
	const [one, two] = [await openCard(customer, chosen), await openCard(customer, chosen)];
	await payAt(customer, one);
	const back = await payAt(customer, two);
	expect(back.location).not.toContain("billing=");
	await service.catchUpBilling();
	expect(await invoicesOf(service, customer)).toMatchObject([
		{ amount_paid: 500, amount_refunded: 500 },
		{ amount_paid: 500, amount_refunded: 0 },
	]);
	expect((await statusOf(service, customer)).access).toMatchObject({ status: "active", plan_key: "silver" });
	const page = expect.stringMatching(/\/account\/plans\/sub_\w+$/);
	expect((await mailsTo(service, customer)).filter(({ template }) => template === "paid_twice")).toMatchObject([
		{ facts: { app: "Shop", plan: "Silver", refund: 500, currency: "usd", page } },
	] as never);
});

test("each of these mails names the App, in its subject and in its text [email.named-app]", () => {
	const facts = { app: "Shop", plan: "Gold", until: "2026-12-01T10:00:00.000Z" };
	const ends = ["withdrawn", "further_refund", "paid_twice"] as const;
	const named = ["subscription_started", "trial_started", "trial_ending", ...ends] as const;
	const rendered = named.map((template) => service.rooms.mail.render({ template, facts } as MailContent));
	for (const { subject, text, html } of rendered) {
		for (const part of [subject, text, html]) expect(part).toContain("Shop");
	}
	expect(new Set(rendered.map(({ text }) => text)).size).toBe(named.length);
	expect(rendered[2]?.text).toContain("December 1, 2026");
});

test("the App's team sees its subscribers with what they were charged; every role, and nobody else", async () => {
	const own = await openShop(service);
	const customer = await addCustomer(service, own);
	await subscribe(customer, own.silver);
	const path = `/v1/apps/${own.app.id}/subscriptions`;
	const { data } = (await (await send(service, "GET", path, undefined, own.owner)).json()) as {
		data: { id: string }[];
	};
	expect(data).toMatchObject([
		{
			object: "subscription",
			user_id: customer.user.id,
			plan_key: "silver",
			price_id: own.silver.id,
			status: "active",
			invoices: [
				{ object: "invoice", status: "paid", amount_due: 500, amount_paid: 500, amount_refunded: 0, currency: "usd" },
			],
		},
	] as never);
	const viewer = await addPerson(service.database);
	await addMember(service.database, own.app, viewer, "viewer");
	const one = `${path}/${data[0]?.id}`;
	for (const [caller, status] of [
		[as(viewer), 200],
		[as(await addPerson(service.database)), 404],
	] as const) {
		expect((await send(service, "GET", path, undefined, caller)).status).toBe(status);
		expect((await send(service, "GET", one, undefined, caller)).status).toBe(status);
	}
	const foreign = `/v1/apps/${shop.app.id}/subscriptions/${data[0]?.id}`;
	expect((await send(service, "GET", foreign, undefined, shop.owner)).status).toBe(404);
});
