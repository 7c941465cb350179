import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { accessOf, addCustomer, mailsTo, openShop, subscribe, subscriptionOf } from "../../support/subscribers.ts";

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

async function audited(target: string): Promise<unknown[]> {
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
	expect(mails.map(({ facts }) => facts)).toEqual([
		{ app: "Shop", plan: "Silver", deed: "cancelled", reason: "Asked by phone" },
		{ app: "Shop", plan: "Silver", deed: "ended", reason: "Fraud" },
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
});
