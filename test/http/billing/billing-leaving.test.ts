import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { connectLink, SIGN_IN_UNLIMITED, signInTo } from "../../support/connect.ts";
import { addSession, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	CALLBACK,
	type Customer,
	openShop,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

/* What becomes of a subscription when its subscriber leaves the App. */

const service = serviceFor(SIGN_IN_UNLIMITED);
const shop = madeBefore(() => openShop(service));

async function subscribed(): Promise<Customer> {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	return customer;
}

async function leave({ user }: Customer): Promise<void> {
	const secret = await addSession(service.database, user.accountId);
	const answer = await send(service, "DELETE", `/v1/me/connections/${shop.app.id}`, undefined, as({ secret }));
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

	test("stops paying by the clock too, whatever becomes of that job", async () => {
		const customer = await subscribed();
		await leave(customer);
		await comeBack(customer);
		await service.catchUpBilling();
		expect(await liveOf(customer)).toBe(0);
	});
});
