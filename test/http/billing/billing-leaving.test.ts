import { describe, expect, test } from "bun:test";
import type { App } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { simulate } from "../../support/billing.ts";
import { Browser } from "../../support/browser.ts";
import { connectLink, SIGN_IN_UNLIMITED, signInTo } from "../../support/connect.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	CALLBACK,
	type Customer,
	invoicesOf,
	lastingSession,
	mailsTo,
	openShop,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

/* What becomes of a subscription when its subscriber leaves the App. */

const service = serviceFor(SIGN_IN_UNLIMITED);
const shop = madeBefore(() => openShop(service));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

async function subscribed(): Promise<Customer> {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	return customer;
}

async function leave({ user }: Customer, withdraw = false): Promise<void> {
	const secret = await addSession(service.database, user.accountId);
	const answer = await send(
		service,
		"DELETE",
		`/v1/me/connections/${shop.app.id}?withdraw=${withdraw}`,
		undefined,
		as({ secret }),
	);
	expect(answer.status).toBe(202);
}

/** Signs in to the App as anybody does who comes for the first time. */
async function comeBack({ user }: Customer): Promise<void> {
	const email = `${user.accountId.toLowerCase()}@example.com`;
	const link = connectLink(shop.app, { redirectUri: CALLBACK });
	const back = await signInTo(service, new Browser(service), link, email);
	expect(back.location).toContain(`${CALLBACK}?code=`);
}

const liveOf = ({ user }: Customer) =>
	countOf(
		service.database,
		sql`SELECT count(*) FROM subscriptions JOIN connections ON connections.pk = subscriptions.connection_pk
			WHERE connections.user_id = ${user.id} AND subscriptions.ended_ms IS NULL`,
	);

describe("a subscriber who disconnects", () => {
	test("stops paying with the job that their leaving starts", async () => {
		const customer = await subscribed();
		expect(await liveOf(customer)).toBe(1);
		await leave(customer);
		await service.runJobs();
		expect(await liveOf(customer)).toBe(0);
	});

	test("and comes back before anything was worked off begins anew, and keeps what they buy then", async () => {
		const customer = await subscribed();
		await leave(customer);
		await comeBack(customer);
		await service.runJobs();
		expect(await statusOf(service, customer)).toMatchObject({ access: { status: "inactive" }, has_subscribed: true });
		await subscribe(customer, shop.gold);
		await service.catchUpBilling();
		await service.runJobs();
		expect(await accessOf(service, customer)).toBe("active gold");
	});

	test("and withdraws is paid back by the clock too, whatever becomes of that job, and told once", async () => {
		const customer = await subscribed();
		await leave(customer, true);
		await service.catchUpBilling();
		expect((await invoicesOf(service, customer))[0]).toMatchObject({ amount_paid: 500, amount_refunded: 500 });
		await service.runJobs();
		const told = (await mailsTo(service, customer)).map(({ template }) => template);
		expect(told).toEqual(["subscription_started", "withdrawn"]);
	});

	test("stops paying by the clock too, whatever becomes of that job", async () => {
		const customer = await subscribed();
		await leave(customer);
		await comeBack(customer);
		await service.catchUpBilling();
		expect(await liveOf(customer)).toBe(0);
	});
});

describe("a subscriber who leaves while they may still withdraw", () => {
	const paidBack = async (customer: Customer) =>
		(await invoicesOf(service, customer)).map(({ amount_paid, amount_refunded }) => [amount_paid, amount_refunded]);
	const path = () => `/account/apps/${shop.app.id}/disconnect`;

	test("is offered their money back, with the box ticked; left ticked, all is paid back", async () => {
		const customer = await subscribed();
		const asked = await customer.browser.open(path());
		expect(asked.html.replace(/<[^>]+>/g, "")).toContain("Withdraw from Silver and get $5.00 back");
		const [, field = ""] = /<input type="checkbox"[^>]* name="(withdraw_sub_\w+)"[^>]*checked/.exec(asked.html) ?? [];
		expect(field).toStartWith("withdraw_sub_");
		expect((await customer.browser.submit(asked, "/disconnect", { [field]: "yes" })).status).toBe(303);
		await service.runJobs();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, 500]]]);
	});

	test("in a trial is offered no money, since none was paid; before anything is pressed the page says what will happen", async () => {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.trial);
		for (const at of [path(), "/account/delete"]) {
			const { html } = await customer.browser.open(at);
			const said = html.replace(/<[^>]+>/g, "");
			expect(said).toContain("Withdraw from Silver. There is nothing to pay back.");
			expect(said).not.toContain("$0.00");
			expect(said).not.toContain("You are disconnected");
		}
		const { html } = await customer.browser.open("/account/delete");
		expect(html).toContain("You will be disconnected from 1 App.");
	});

	test("gets nothing back where they take the tick away", async () => {
		const customer = await subscribed();
		await customer.browser.submit(await customer.browser.open(path()), "/disconnect");
		await service.runJobs();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, 0]]]);
	});

	const deletion = { about: "deletes their account", path: "/account/delete" };

	test(`and ${deletion.about} is offered the same; left ticked, all is paid back and a mail says so`, async () => {
		const customer = await subscribed();
		const email = `${customer.user.accountId.toLowerCase()}@example.com`;
		const asked = await customer.browser.open(deletion.path);
		expect(asked.html.replace(/<[^>]+>/g, "")).toContain("Withdraw from Silver and get $5.00 back");
		const [, field = ""] = /<input type="checkbox"[^>]* name="(withdraw_sub_\w+)"[^>]*checked/.exec(asked.html) ?? [];
		const wrong = await customer.browser.submit(asked, deletion.path, { email: "other@example.com", [field]: "yes" });
		expect([wrong.status, await liveOf(customer), await paidBack(customer)]).toEqual([422, 1, [[500, 0]]]);
		expect((await customer.browser.submit(asked, deletion.path, { email, [field]: "yes" })).status).toBe(303);
		await service.runJobs();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, 500]]]);
		expect(
			await countOf(
				service.database,
				sql`SELECT count(*) FROM emails WHERE template = 'withdrawn' AND recipient = ${email}`,
			),
		).toBe(1);
	});

	test(`and ${deletion.about} without the tick gets nothing back`, async () => {
		const customer = await subscribed();
		const email = `${customer.user.accountId.toLowerCase()}@example.com`;
		await customer.browser.submit(await customer.browser.open(deletion.path), deletion.path, { email });
		await service.runJobs();
		await service.catchUpBilling();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, 0]]]);
	});

	test.each([
		["", 500],
		["?withdraw=false", 0],
	])("by DELETE /v1/me%s %d come back, and nothing while the account cannot be deleted", async (query, refunded) => {
		const customer = await subscribed();
		const { accountId } = customer.user;
		const secret = await lastingSession(service, accountId, "console");
		const leaveAll = () => send(service, "DELETE", `/v1/me${query}`, undefined, as({ secret }));
		const app = (await (await send(service, "POST", "/v1/apps", { name: "Mine" }, as({ secret }))).json()) as App;
		expect((await leaveAll()).status).toBe(409);
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([1, [[500, 0]]]);
		const gone = await send(service, "DELETE", `/v1/apps/${app.id}?confirm_name=Mine`, undefined, as({ secret }));
		expect(gone.status).toBe(202);
		await service.runJobs();
		expect((await leaveAll()).status).toBe(202);
		await service.runJobs();
		await service.catchUpBilling();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, refunded]]]);
	});

	test.each([
		["", 500],
		["?withdraw=false", 0],
	])("over the API%s %d come back, also when the processor is away just then", async (query, refunded) => {
		const customer = await subscribed();
		const secret = await lastingSession(service, customer.user.accountId, "console");
		await simulate(service, operator, (await statusOf(service, customer)).subscription?.id ?? "", "silent");
		const left = await send(service, "DELETE", `/v1/me/connections/${shop.app.id}${query}`, undefined, as({ secret }));
		expect(left.status).toBe(202);
		const [row] = await service.database.rows(
			"SELECT subscriptions.id FROM subscriptions JOIN connections ON connections.pk = connection_pk WHERE user_id = ?",
			[customer.user.id],
		);
		await simulate(service, operator, String(row?.[0]), "pay");
		await service.runJobs();
		await service.catchUpBilling();
		expect([await liveOf(customer), await paidBack(customer)]).toEqual([0, [[500, refunded]]]);
	});
});
