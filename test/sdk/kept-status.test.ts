import { expect, test } from "bun:test";
import { type Client, createClient } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { sql } from "drizzle-orm";
import { advanceTo, simulate } from "../support/billing.ts";
import { addPerson } from "../support/people.ts";
import { serviceFor } from "../support/service.ts";
import { addCustomer, openShop, subscribe } from "../support/subscribers.ts";

const service = serviceFor();

/** A subscriber's App, just after the renewal that the processor says nothing about. */
async function renewing(): Promise<{ client: Client; kept: Awaited<ReturnType<Client["billing"]["status"]>> }> {
	const operator = await addPerson(service.database, { operator: true });
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const client = createClient({
		baseUrl: service.rooms.addresses.base,
		apiKey: shop.app.key,
		user: customer.user.id,
		fetch: service.open,
	});
	const kept = await client.billing.status();
	if (!kept.subscription) throw new Error("no subscription");
	await simulate(service, operator, kept.subscription.id, "silent");
	await advanceTo(service, operator, Date.parse(kept.subscription.current_period_end ?? "") + 60_000);
	return { client, kept };
}

test("while a renewal is confirmed the kept access stands, to be asked for again after 30 s [billing.status.renewal-client-keeps]", async () => {
	const { client, kept } = await renewing();
	expect(kept.access).toMatchObject({ status: "active", plan_key: "silver" });
	const waiting = await client.billing.statusOr(kept);
	expect(waiting).toEqual({ status: kept, retryAfterSeconds: 30 });
	const refusal = await client.billing.status({ retries: 0 }).catch((error: unknown) => error);
	expect(refusal).toBeInstanceOf(ApiError);
	await service.database.write([
		{ run: sql`UPDATE sim_objects SET value = json_set(value, '$.outcome', 'pay') WHERE value LIKE '%"silent"%'` },
	]);
	const fresh = await client.billing.statusOr(kept);
	expect(fresh.retryAfterSeconds).toBeUndefined();
	expect(fresh.status.access).toMatchObject({ status: "active", plan_key: "silver" });
	expect(fresh.status.subscription?.current_period_end).not.toBe(kept.subscription?.current_period_end);
});

test("any other refusal is told: nothing is kept for somebody who is not connected [billing.status.renewal-client-keeps]", async () => {
	const { client, kept } = await renewing();
	const refusal = client.billing.statusOr(kept, { user: "usr_0000000000000000000000" });
	expect(await refusal.catch((error: unknown) => error instanceof ApiError && error.status)).toBeOneOf([403, 422]);
});
