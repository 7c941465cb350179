import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { advanceTo } from "../../support/billing.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	DAY_MS,
	mailsTo,
	openCard,
	openShop,
	press,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

/* A plan that is given for nothing. */

const service = serviceFor({ SVC_VARIANT: "current" });
const shop = madeBefore(() => openShop(service));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const now = () => service.rooms.clock.now();
const inDays = (days: number) => new Date(now() + days * DAY_MS).toISOString();
const wish = (days: number, plan_key = "gold") => ({ plan_key, until: inDays(days), reason: "Thank you" });

interface Grant {
	readonly id: string;
	readonly ended_at: string | null;
}

const pathOf = ({ user }: Customer) => `/v1/apps/${shop.app.id}/users/${user.id}`;
function give(customer: Customer, body: object, caller: Caller = shop.owner): Promise<Response> {
	return send(service, "PUT", `${pathOf(customer)}/grant`, body, caller);
}
function take(customer: Customer, caller: Caller = shop.owner): Promise<Response> {
	return send(service, "DELETE", `${pathOf(customer)}/grant`, undefined, caller);
}
const mails = async (customer: Customer) =>
	(await mailsTo(service, customer)).filter(({ template }) => template === "plan_granted").map(({ facts }) => facts);

test("a user who is given a plan has it everywhere: status, user, card and account, without a subscription", async () => {
	const customer = await addCustomer(service, shop);
	const body = wish(30);
	expect(await made<Grant>(give(customer, body))).toMatchObject({
		object: "grant",
		user_id: customer.user.id,
		plan_key: "gold",
		plan_name: "Gold",
		until: body.until,
		reason: "Thank you",
		granted_by: shop.app.ownerId,
		ended_at: null,
	} as never);
	const status = await statusOf(service, customer);
	const access = { plan_key: "gold", status: "active", expires_at: body.until };
	expect(status).toMatchObject({ access, subscription: null, has_subscribed: false } as never);
	const user = await made<object>(send(service, "GET", pathOf(customer), undefined, shop.owner));
	expect(user).toMatchObject({ access, grant: { plan_key: "gold", until: body.until } });
	for (const page of [await openCard(customer), await customer.browser.open("/account/plans")]) {
		expect(page.html.replace(/<[^>]+>/g, "")).toContain("Gold at Shop, free of charge until");
	}
	const page = "http://localhost:3000/account/plans";
	const facts = { app: "Shop", plan: "Gold", page, until: body.until, reason: "Thank you" };
	expect(await mails(customer)).toEqual([{ ...facts, deed: "given" }]);
	// The same again changes nothing.
	await made(give(customer, body));
	expect(await mails(customer)).toHaveLength(1);
});

test("it ends by time, or when it is taken back; each is audited, and told once", async () => {
	const [timed, taken] = [await addCustomer(service, shop), await addCustomer(service, shop)];
	await made(give(timed, wish(2)));
	await made(give(taken, wish(300)));
	expect((await made<Grant>(take(taken))).ended_at).not.toBeNull();
	expect((await take(taken)).status).toBe(404);
	expect(await accessOf(service, taken)).toBe("inactive");
	await advanceTo(service, operator, now() + 2 * DAY_MS + 1_000);
	expect(await accessOf(service, timed)).toBe("inactive");
	await service.catchUpBilling();
	for (const customer of [timed, taken]) {
		expect(await mails(customer)).toMatchObject([{ deed: "given" }, { deed: "ended", reason: "Thank you" }]);
		const rows = await service.database.read(() =>
			service.database.queries.values<[string, string]>(
				sql`SELECT event, actor FROM audit WHERE changes ->> 'user' = ${customer.user.id} ORDER BY pk`,
			),
		);
		expect(rows).toEqual([
			["plan.granted", shop.app.ownerId],
			["plan.ungranted", customer === timed ? "billing" : shop.app.ownerId],
		]);
	}
});

test("what is paid for goes before what is given, and what is given is there when that ends", async () => {
	const customer = await addCustomer(service, shop);
	await made(give(customer, wish(90)));
	await subscribe(customer, shop.silver);
	expect(await accessOf(service, customer)).toBe("active silver");
	expect((await statusOf(service, customer)).subscription).toMatchObject({ plan_key: "silver" } as never);
	await press(customer, "withdraw");
	expect(await accessOf(service, customer)).toBe("active gold");
	expect(await statusOf(service, customer)).toMatchObject({ subscription: null, has_subscribed: true } as never);
	// Another one takes its place.
	await made(give(customer, wish(10, "silver")));
	expect(await accessOf(service, customer)).toBe("active silver");
});

test("a person who leaves and comes back has nothing of it", async () => {
	const customer = await addCustomer(service, shop);
	await made(give(customer, wish(90)));
	expect((await send(service, "DELETE", pathOf(customer), undefined, shop.owner)).status).toBe(202);
	await service.runJobs();
	await service.catchUpBilling();
	expect(await mails(customer)).toMatchObject([{ deed: "given" }]);
	const open = sql`SELECT count(*) FROM plan_grants JOIN connections ON connections.pk = connection_pk
		WHERE user_id = ${customer.user.id} AND plan_grants.ended_ms IS NULL`;
	const [row] = await service.database.read(() => service.database.queries.values<[number]>(open));
	expect(row).toEqual([0]);
	expect([(await give(customer, wish(1))).status, (await take(customer)).status]).toEqual([409, 409]);
});

describe("refusals", () => {
	test.each([
		["plan_key", { plan_key: "platinum", until: "2030-01-01T00:00:00Z", reason: "x" }],
		["until", { plan_key: "gold", until: "2020-01-01T00:00:00Z", reason: "x" }],
		["until", { plan_key: "gold", until: "2099-01-01T00:00:00Z", reason: "x" }],
		["until", { plan_key: "gold", until: "soon", reason: "x" }],
		["reason", { plan_key: "gold", until: "2030-01-01T00:00:00Z", reason: " " }],
	])("422 under %s", async (field, body) => {
		const customer = await addCustomer(service, shop);
		expect(await errorOf(await give(customer, body))).toMatchObject({ status: 422, fields: [field] });
	});

	test("an archived plan cannot be given any more; who has it keeps it", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		const path = `/v1/apps/${own.app.id}`;
		const grant = `${path}/users/${customer.user.id}/grant`;
		await made(send(service, "PUT", grant, wish(30), own.owner));
		const { data } = await made<{ data: { id: string; key: string }[] }>(
			send(service, "GET", `${path}/plans`, undefined, own.owner),
		);
		const gold = data.find(({ key }) => key === "gold")?.id ?? "";
		await made(send(service, "POST", `${path}/plans/${gold}/archive`, undefined, own.owner));
		const again = await errorOf(await send(service, "PUT", grant, wish(31), own.owner));
		expect(again).toMatchObject({ status: 422, fields: ["plan_key"] });
		expect(await accessOf(service, customer)).toBe("active gold");
	});

	test("for the Owner and operators alone; an operator's session has to be fresh", async () => {
		const customer = await addCustomer(service, shop);
		expect((await give(customer, wish(1), as(await addPerson(service.database)))).status).toBe(404);
		const stale = { secret: await addSession(service.database, operator.id, { freshForMs: 0 }) };
		expect(await errorOf(await give(customer, wish(1), as(stale)))).toMatchObject({ status: 403, code: "forbidden" });
		expect(await accessOf(service, customer)).toBe("inactive");
		expect(await made<Grant>(give(customer, wish(1), { key: service.token }))).toMatchObject({
			plan_key: "gold",
		} as never);
		expect((await take(customer, { key: service.token })).status).toBe(200);
	});
});
