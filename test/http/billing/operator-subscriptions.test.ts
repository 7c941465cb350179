import { expect, test } from "bun:test";
import type { Snapshot } from "@svc/billing/ports";
import { sql } from "drizzle-orm";
import { advanceTo, simulate } from "../../support/billing.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	DAY_MS,
	invoicesOf,
	lastingSession,
	mailsTo,
	openCard,
	openShop,
	periodEndOf,
	press,
	statusOf,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";

/* What operators see of subscriptions, and do for their payers. */

const service = serviceFor();
const shop = madeBefore(() => openShop(service));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

interface Shown {
	readonly id: string;
	readonly cancel_at_period_end: boolean;
	readonly ended_at: string | null;
	readonly invoices: readonly { readonly id: string; readonly amount_paid: number; readonly amount_refunded: number }[];
}

const at = (rest: string) => `/v1/operator/subscriptions${rest}`;
const token = () => ({ key: service.token });
const list = async (query: string) =>
	(await made<{ data: readonly Shown[] }>(send(service, "GET", at(query), undefined, token()))).data;

async function subscribed() {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const { id } = await subscriptionOf(service, customer);
	const [shown] = (await list("?limit=100")).filter((one) => one.id === id);
	return { customer, id, invoice: shown?.invoices[0]?.id ?? "" };
}

async function audited(target: string): Promise<readonly unknown[][]> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, string, string]>(
			sql`SELECT event, actor, changes FROM audit WHERE target = ${target} AND event LIKE 'operator.%' ORDER BY pk`,
		),
	);
	return rows.map(([event, actor, changes]) => [event, actor === "billing", JSON.parse(changes)]);
}

test("the list is filtered by App, state and payer, and is for operators alone", async () => {
	const { customer, id } = await subscribed();
	const email = `${customer.user.accountId.toLowerCase()}@example.com`;
	expect((await list(`?email=${email}`)).map((one) => one.id)).toEqual([id]);
	expect((await list(`?app=${shop.app.id}&state=live`)).map((one) => one.id)).toContain(id);
	expect((await list(`?app=${shop.app.id}&state=ended&email=${email}`)).map((one) => one.id)).toEqual([]);
	expect((await send(service, "GET", at("?state=odd"), undefined, token())).status).toBe(422);
	const person = await addPerson(service.database);
	expect((await send(service, "GET", at(""), undefined, as(person))).status).toBe(403);
	expect((await send(service, "GET", at(""), undefined, shop.owner)).status).toBe(403);
});

test("a cancellation at the end of the term or at once is audited with its reason, and told the payer", async () => {
	const { customer, id } = await subscribed();
	const cancel = (body: object, caller: Parameters<typeof send>[4] = token()) =>
		send(service, "POST", at(`/${id}/cancel`), body, caller);
	for (const bad of [{ at: "soon", reason: "x" }, { at: "now" }, { at: "now", reason: " " }]) {
		expect((await cancel(bad)).status).toBe(422);
	}
	const stale = { secret: await addSession(service.database, operator.id, { freshForMs: 0 }) };
	expect(await errorOf(await cancel({ at: "now", reason: "x" }, as(stale)))).toMatchObject({
		status: 403,
		code: "forbidden",
	});
	expect(await accessOf(service, customer)).toBe("active silver");
	expect(await made<Shown>(cancel({ at: "period_end", reason: "Asked by phone" }))).toMatchObject({
		cancel_at_period_end: true,
		ended_at: null,
	});
	expect((await made<Shown>(cancel({ at: "now", reason: "Fraud" }))).ended_at).not.toBeNull();
	expect(await accessOf(service, customer)).toBe("inactive");
	expect(await audited(id)).toEqual([
		["operator.subscription_cancelled", false, { at: "period_end", reason: "Asked by phone" }],
		["operator.subscription_cancelled", false, { at: "now", reason: "Fraud" }],
	]);
	const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
	const page = `http://localhost:3000/account/plans/${id}`;
	const plan = { app: "Shop", plan: "Silver", seller: "app", amount: 500, currency: "usd", interval: "month", page };
	expect(mails.map(({ facts }) => facts)).toEqual([
		{ ...plan, deed: "cancelled", until: expect.any(String), reason: "Asked by phone" },
		{ ...plan, deed: "ended", reason: "Fraud" },
	]);
	expect((await cancel({ at: "now", reason: "again" })).status).toBe(409);
	expect((await send(service, "POST", at("/sub_none/cancel"), { at: "now", reason: "x" }, token())).status).toBe(404);
});

test("an invoice is paid back in parts, never more than is left of it", async () => {
	const { customer, id, invoice } = await subscribed();
	const refund = (body: object) => send(service, "POST", at(`/${id}/refund`), { reason: "Was down", ...body }, token());
	expect(await made<object>(refund({ invoice, amount: 120 }))).toMatchObject({
		amount_paid: 500,
		amount_refunded: 120,
	});
	const more = await refund({ invoice, amount: 381 });
	expect([more.status, await more.text()]).toEqual([422, expect.stringMatching(/"amount":\[".*380/)]);
	expect(await made<object>(refund({ invoice }))).toMatchObject({ amount_paid: 500, amount_refunded: 500 });
	expect((await refund({ invoice })).status).toBe(422);
	const other = await errorOf(await refund({ invoice: "ivc_none" }));
	expect([other.status, other.fields]).toEqual([422, ["invoice"]]);
	expect(await accessOf(service, customer)).toBe("active silver");
	expect(await audited(id)).toEqual([
		["operator.invoice_refunded", false, { invoice, amount: 120, reason: "Was down" }],
		["operator.invoice_refunded", false, { invoice, amount: 380, reason: "Was down" }],
	]);
	const receipt = `http://localhost:3000/account/invoices/${invoice}`;
	const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
	expect(mails).toMatchObject([{ facts: { deed: "refunded", receipt } }, { facts: { deed: "refunded", receipt } }]);
});

/** Lets a call of the processor happen, and its answer get lost. */
function losingAnswers(deed: "cancel" | "refund"): () => void {
	const { processor } = service.rooms.billing;
	const really = processor[deed].bind(processor) as (...asked: unknown[]) => Promise<Snapshot>;
	const lost = async (...asked: unknown[]): Promise<never> => {
		await really(...asked);
		throw new Error("the answer got lost");
	};
	Object.assign(processor, { [deed]: lost });
	return () => Object.assign(processor, { [deed]: really });
}

test.each(["cancel", "refund"] as const)(
	"a %s whose answer gets lost is done once, audited once and told once, by itself",
	async (deed) => {
		const { customer, id, invoice } = await subscribed();
		const wish = deed === "cancel" ? { at: "now" } : { invoice, amount: 120 };
		const ask = () => send(service, "POST", at(`/${id}/${deed}`), { ...wish, reason: "Was down" }, token());
		const found = losingAnswers(deed);
		expect((await ask()).status).toBe(503);
		expect((await audited(id)).length).toBe(1);
		found();
		service.clock.advance(60_000);
		await service.runJobs();
		await service.runJobs();
		expect((await audited(id)).length).toBe(1);
		const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
		expect(mails).toHaveLength(1);
		const [shown] = (await list("?limit=100")).filter((one) => one.id === id);
		expect(deed === "cancel" ? shown?.ended_at : shown?.invoices[0]?.amount_refunded).toEqual(
			deed === "cancel" ? expect.any(String) : 120,
		);
	},
);

test("an order that is sent again while it is under way is the same one; another one has to wait", async () => {
	const { customer, id, invoice } = await subscribed();
	await simulate(service, operator, id, "silent");
	const ask = (amount: number) =>
		send(service, "POST", at(`/${id}/refund`), { invoice, amount, reason: "Was down" }, token());
	expect([(await ask(120)).status, (await ask(120)).status, (await ask(130)).status]).toEqual([503, 503, 409]);
	await simulate(service, operator, id, "pay");
	expect(await made<object>(ask(120))).toMatchObject({ amount_refunded: 120 });
	const refunds = (await audited(id)).filter(([event]) => event === "operator.invoice_refunded");
	expect(refunds).toHaveLength(1);
	service.clock.advance(60_000);
	await service.runJobs();
	const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
	expect(mails.map(({ facts }) => facts)).toMatchObject([{ deed: "refunded", refund: 120 }]);
});

test.each([
	["trial", "trialing"],
	["term", "active"],
	["grace", "grace"],
])("more time in a %s moves its end, charges nothing, is audited, and told the payer", async (end, status) => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, end === "trial" ? shop.trial : shop.silver);
	const { id } = await subscriptionOf(service, customer);
	if (end === "grace") {
		await simulate(service, operator, id, "decline");
		await advanceTo(service, operator, (await periodEndOf(service, customer)) + 1_000);
	}
	const before = (await statusOf(service, customer)).access;
	expect(before.status).toBe(status);
	const extend = (days: number, caller: Parameters<typeof send>[4] = token()) =>
		send(service, "POST", at(`/${id}/extend`), { days, reason: "Was down" }, caller);
	for (const days of [0, 366, 1.5]) expect((await extend(days)).status).toBe(422);
	const stale = { secret: await addSession(service.database, operator.id, { freshForMs: 0 }) };
	// A session of before the clock was moved has ended by now.
	expect((await extend(10, as(stale))).status).toBe(end === "grace" ? 401 : 403);
	await made(extend(10));
	const until = new Date(Date.parse(before.expires_at ?? "") + 10 * DAY_MS).toISOString();
	expect((await statusOf(service, customer)).access).toEqual({ ...before, expires_at: until });
	const paid = async () => (await invoicesOf(service, customer)).map(({ amount_paid }) => amount_paid);
	const charged = await paid();
	await advanceTo(service, operator, Date.parse(until) - 60_000);
	await service.catchUpBilling();
	expect(await paid()).toEqual(charged);
	expect((await statusOf(service, customer)).access.status).toBe(status);
	await advanceTo(service, operator, Date.parse(until) + 60_000);
	await service.catchUpBilling();
	expect(await accessOf(service, customer)).toBe(end === "grace" ? "inactive" : "active silver");
	expect(await paid()).toEqual(end === "grace" ? charged : [500, ...charged]);
	const entries = (await audited(id)).filter(([event]) => event === "operator.subscription_extended");
	expect(entries.map(([, , changes]) => changes)).toEqual([{ days: 10, until_at: until, reason: "Was down" }]);
	const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
	expect(mails.map(({ facts }) => facts)).toMatchObject([{ deed: "extended", until, reason: "Was down" }]);
	if (end === "grace") expect((await extend(1)).status).toBe(409);
});

test("during an extended term a dearer plan costs nothing, and begins with what is charged next", async () => {
	const { customer, id } = await subscribed();
	await made(send(service, "POST", at(`/${id}/extend`), { days: 10, reason: "Was down" }, token()));
	const until = await periodEndOf(service, customer);
	expect((await openCard(customer)).html).toContain("given more time at no charge");
	const web = as({ secret: await lastingSession(service, customer.user.accountId, "console") });
	const preview = `/v1/me/plans/${id}/preview?price_id=${shop.gold.id}`;
	expect(await made<object>(send(service, "GET", preview, undefined, web))).toMatchObject({
		amount_now: 0,
		next_amount: 1_500,
		effective_at: new Date(until).toISOString(),
	});
	expect((await press(customer, "switch", { price_id: shop.gold.id })).location).toContain("done=switching");
	expect((await statusOf(service, customer)).subscription).toMatchObject({ pending_plan_key: "gold" });
	expect(await accessOf(service, customer)).toBe("active silver");
	const paid = async () => (await invoicesOf(service, customer)).map(({ amount_paid }) => amount_paid);
	expect(await paid()).toEqual([500]);
	await advanceTo(service, operator, until + 60_000);
	expect(await accessOf(service, customer)).toBe("active gold");
	expect(await paid()).toEqual([500, 1_500]);
	expect((await openCard(customer)).html).not.toContain("given more time at no charge");
});

test("a mail about a cancellation names the end of the term that runs, and says of an unpaid plan that it has ended", async () => {
	const ends = async (outcome: "pay" | "decline") => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.trial);
		const { id } = await subscriptionOf(service, customer);
		await simulate(service, operator, id, outcome);
		await advanceTo(service, operator, (await periodEndOf(service, customer)) + 1_000);
		await made(send(service, "POST", at(`/${id}/cancel`), { at: "period_end", reason: "Asked" }, token()));
		const mails = (await mailsTo(service, customer)).filter(({ template }) => template === "plan_by_operator");
		return { facts: mails.map(({ facts }) => facts), customer };
	};
	const paid = await ends("pay");
	const until = new Date(await periodEndOf(service, paid.customer)).toISOString();
	expect(paid.facts).toMatchObject([{ deed: "cancelled", until }]);
	expect((await ends("decline")).facts).toMatchObject([{ deed: "ended" }]);
});

test("more time for one failed payment is not more time for the next one", async () => {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const { id } = await subscriptionOf(service, customer);
	const fail = async () => {
		await simulate(service, operator, id, "decline");
		const endMs = await periodEndOf(service, customer);
		await advanceTo(service, operator, endMs + 1_000);
		const { status, expires_at } = (await statusOf(service, customer)).access;
		return { status, days: Math.round((Date.parse(expires_at ?? "") - endMs) / DAY_MS) };
	};
	const first = await fail();
	expect(first.status).toBe("grace");
	await made(send(service, "POST", at(`/${id}/extend`), { days: 90, reason: "Is away" }, token()));
	await simulate(service, operator, id, "pay");
	expect(await accessOf(service, customer)).toBe("active silver");
	expect(await fail()).toEqual(first);
});
