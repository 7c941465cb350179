import { expect, test } from "bun:test";
import type { TeamMember } from "@svc/apps/authority";
import { refundBySeller } from "@svc/billing/operators/operator-billing";
import { sql } from "drizzle-orm";
import { addApp, countOf } from "../../support/apps.ts";
import { simulate } from "../../support/billing.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made, setSelling } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { buyAtStripe, openStripeShop } from "../../support/stripe-service.ts";
import { addCustomer, mailsTo, openShop, subscribe, subscriptionOf } from "../../support/subscribers.ts";

/* What an App's Owner pays back to who pays the App. */

const service = serviceFor();
const shop = madeBefore(() => openShop(service));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

interface Sold {
	readonly email: string | null;
	readonly invoices: readonly { readonly id: string; readonly amount_refunded: number }[];
}

const at = (id: string, rest = "") => `/v1/apps/${shop.app.id}/subscriptions/${id}${rest}`;

async function subscribed() {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const { id } = await subscriptionOf(service, customer);
	const sold = () => made<Sold>(send(service, "GET", at(id), undefined, shop.owner));
	const invoice = (await sold()).invoices[0]?.id ?? "";
	const refund = (body: object, caller: Caller = shop.owner) =>
		send(service, "POST", at(id, "/refund"), { invoice, reason: "Was down", ...body }, caller);
	const refunded = async () => (await sold()).invoices[0]?.amount_refunded;
	const told = async () =>
		(await mailsTo(service, customer)).flatMap(({ template, facts }) =>
			template === "plan_by_operator" ? [facts] : [],
		);
	return { customer, id, invoice, sold, refund, refunded, told };
}

async function audited(target: string): Promise<readonly unknown[][]> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, string, string]>(
			sql`SELECT event, actor, changes FROM audit WHERE target = ${target} AND event LIKE '%refunded' ORDER BY pk`,
		),
	);
	return rows.map(([event, actor, changes]) => [event, actor, JSON.parse(changes)]);
}

test("an Owner pays an invoice back in parts, never more than is left; each part is audited, and told the payer in the App's name", async () => {
	const { customer, id, invoice, sold, refund, told } = await subscribed();
	expect((await sold()).email).toBe(`${customer.user.accountId.toLowerCase()}@example.com`);
	expect(await made<object>(refund({ amount: 120 }))).toMatchObject({
		id: invoice,
		amount_paid: 500,
		amount_refunded: 120,
		refunds: [{ amount: 120, reason: "refund" }],
	});
	const more = await refund({ amount: 381 });
	expect([more.status, await more.text()]).toEqual([422, expect.stringMatching(/"amount":\[".*380/)]);
	// Who has bought is paid back, whether or not the App may sell by now.
	await setSelling(service.database, shop.app.id, false);
	expect(await made<object>(refund({}))).toMatchObject({ amount_refunded: 500 });
	await setSelling(service.database, shop.app.id);
	expect((await refund({})).status).toBe(422);
	for (const [bad, field] of [
		[{ invoice: "ivc_none" }, "invoice"],
		[{ amount: 0 }, "amount"],
		[{ amount: 1.5 }, "amount"],
		[{ reason: " " }, "reason"],
	] as const)
		expect(await errorOf(await refund(bad))).toMatchObject({ status: 422, fields: [field] });
	const owner = shop.app.ownerId;
	expect(await audited(id)).toEqual([
		["subscription.refunded", owner, { invoice, amount: 120, reason: "Was down" }],
		["subscription.refunded", owner, { invoice, amount: 380, reason: "Was down" }],
	]);
	const receipt = `http://localhost:3000/account/invoices/${invoice}`;
	const returned = { deed: "returned", app: "Shop", plan: "Silver", reason: "Was down", receipt };
	expect(await told()).toMatchObject([
		{ ...returned, refund: 120 },
		{ ...returned, refund: 380 },
	]);
});

test("it is for the Owner of the App that sold it, by a fresh session; who may not is told so before anything is done", async () => {
	const { id, refund, refunded } = await subscribed();
	for (const role of ["viewer", "editor", "admin"] as const) {
		const person = await addPerson(service.database);
		await addMember(service.database, shop.app, person, role);
		expect((await refund({}, as(person))).status).toBe(403);
	}
	const stale = as({ secret: await addSession(service.database, shop.app.ownerId, { freshForMs: 0 }) });
	expect(await errorOf(await refund({}, stale))).toMatchObject({ status: 403, fields: ["session"] });
	// What could not be done anyhow is said first.
	expect((await refund({ amount: 501 }, stale)).status).toBe(422);
	expect((await refund({}, { key: service.token })).status).toBe(404);
	const elsewhere = await addApp(service.database, "Elsewhere");
	const other = as({ secret: await addSession(service.database, elsewhere.ownerId) });
	expect((await refund({}, other)).status).toBe(404);
	const path = `/v1/apps/${elsewhere.id}/subscriptions/${id}/refund`;
	expect((await send(service, "POST", path, { invoice: "ivc_1", reason: "x" }, other)).status).toBe(404);
	expect(await refunded()).toBe(0);
	expect(await audited(id)).toEqual([]);
});

test("who loses the App in that very moment pays nothing back", async () => {
	const { id, invoice, refunded } = await subscribed();
	const [person, pk] = [await addPerson(service.database), await pkOf("apps", shop.app.id)];
	const accountPk = await pkOf("accounts", person.id);
	const nowMs = service.clock.now();
	const owner = {
		app: { id: shop.app.id, pk },
		role: "owner",
		person: { account: { pk: accountPk }, session: { kind: "console", freshMs: nowMs + 60_000 } },
		by: { actor: person.id, requestId: null, nowMs },
	} as unknown as TeamMember;
	const asked = refundBySeller(service.rooms.billing, owner, id, { invoice, reason: "x" });
	await expect(asked).rejects.toMatchObject({ code: "not_found" });
	expect([await refunded(), await audited(id)]).toEqual([0, []]);
});

const pkOf = (table: string, id: string) =>
	countOf(service.database, sql`SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id}`);

test("of several that pay the same invoice back at once, one does; none pays more than was paid", async () => {
	const { id, refund, refunded, told } = await subscribed();
	const answers = await Promise.all([1, 2, 3, 4].map(() => refund({})));
	for (const { status } of answers) expect([200, 409, 422]).toContain(status);
	expect([await refunded(), (await audited(id)).length, (await told()).length]).toEqual([500, 1, 1]);
	const parts = await subscribed();
	const several = await Promise.all([300, 301, 302].map((amount) => parts.refund({ amount })));
	const done = several.filter(({ status }) => status === 200).length;
	expect([done, (await audited(parts.id)).length, (await parts.told()).length]).toEqual([1, 1, 1]);
	expect([300, 301, 302]).toContain((await parts.refunded()) ?? 0);
});

test("an order is counted from what was there when it was made: one that saw less paid back is refused, and does nothing", async () => {
	const { id, invoice, refund, refunded } = await subscribed();
	const { billing } = service.rooms;
	const [read, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const { findOwned } = billing.subscriptions;
	let first = true;
	Object.assign(billing.subscriptions, {
		async findOwned(wanted: string) {
			const seen = await findOwned(wanted);
			if (first) {
				first = false;
				read.resolve();
				await stalled.promise;
			}
			return seen;
		},
	});
	const late = refund({ amount: 300 });
	await read.promise;
	expect((await refund({ amount: 300 })).status).toBe(200);
	stalled.resolve();
	const answer = await late;
	Object.assign(billing.subscriptions, { findOwned });
	expect([answer.status, await refunded(), (await audited(id)).length]).toEqual([409, 300, 1]);
	expect(await made<object>(refund({ amount: 200, invoice }))).toMatchObject({ amount_refunded: 500 });
});

test("an order that the processor does not answer is done by itself, once, and no operator's order comes in between", async () => {
	const { id, invoice, refund, refunded, told } = await subscribed();
	await simulate(service, operator, id, "silent");
	const path = `/v1/operator/subscriptions/${id}/refund`;
	const byOperator = () =>
		send(service, "POST", path, { invoice, amount: 120, reason: "Was down" }, { key: service.token });
	const statuses = [(await refund({ amount: 120 })).status, (await refund({ amount: 120 })).status];
	expect([...statuses, (await byOperator()).status]).toEqual([503, 503, 409]);
	await simulate(service, operator, id, "pay");
	service.clock.advance(60_000);
	await service.runJobs();
	expect([await refunded(), (await audited(id)).length]).toEqual([120, 1]);
	expect(await told()).toMatchObject([{ deed: "returned", refund: 120 }]);
});

test("with Stripe it is one refund of that payment, however often it is sent", async () => {
	const world = await openStripeShop();
	const customer = await addCustomer(world.service, world.shop);
	await buyAtStripe(world, customer, world.shop.silver);
	const path = `/v1/apps/${world.shop.app.id}/subscriptions`;
	const { data } = await made<{ data: readonly (Sold & { readonly id: string })[] }>(
		send(world.service, "GET", path, undefined, world.shop.owner),
	);
	const body = { invoice: data[0]?.invoices[0]?.id, amount: 120, reason: "Was down" };
	world.stripe.fail({ kind: "lose-answer" }, 1, /refunds/);
	const once = { ...world.shop.owner, headers: { "Idempotency-Key": "once" } };
	const refund = () => send(world.service, "POST", `${path}/${data[0]?.id}/refund`, body, once);
	let answer = await refund();
	if (answer.status === 503) answer = await refund();
	expect(await made<object>(Promise.resolve(answer))).toMatchObject({ amount_paid: 500, amount_refunded: 120 });
	expect(await made<object>(refund())).toMatchObject({ amount_refunded: 120 });
	const mails = (await mailsTo(world.service, customer)).filter(({ template }) => template === "plan_by_operator");
	expect(mails).toMatchObject([{ facts: { deed: "returned", refund: 120 } }]);
	await world.close();
});
