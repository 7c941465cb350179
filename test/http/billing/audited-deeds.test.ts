import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp } from "../../support/apps.ts";
import { advanceTo, payAndReturn, simulate } from "../../support/billing.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addCustomer, openShop, press, subscribe } from "../../support/subscribers.ts";
import { ask } from "../../support/teams.ts";

/* Who did what to a subscription, as the audit has it: `billing` is what time or the payment processor did, and nothing else. */

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

interface Entry {
	readonly actor: string;
	readonly event: string;
	readonly request_id: string | null;
	readonly changes: Readonly<Record<string, unknown>> | null;
}

/** Newest first, without the making of plans. */
async function entriesOf(appId: string): Promise<readonly Entry[]> {
	const { body } = await ask(service, operator, "GET", `/v1/operator/audit?app=${appId}&limit=100`);
	return (body.data as Entry[]).filter(({ event }) => /^(subscription|operator)\./.test(event));
}

test("[C] cancelling and resuming an App's own plan is its Admin's deed, by request; the renewal is billing's", async () => {
	const app = await addApp(service.database, "Pictures");
	const admin = await addPerson(service.database);
	await addMember(service.database, app, admin, "admin");
	const owner = as({ secret: await addSession(service.database, app.ownerId) });
	const checkout = `/v1/apps/${app.id}/billing/checkout`;
	const { url } = await made<{ url: string }>(send(service, "POST", checkout, { plan: "pro" }, owner));
	await payAndReturn(service, url);
	for (const verb of ["cancel", "resume"]) {
		const answer = await send(service, "POST", `/v1/apps/${app.id}/billing/${verb}`, undefined, as(admin));
		expect(answer.status).toBe(200);
		expect((await entriesOf(app.id))[0]).toMatchObject({
			actor: admin.id,
			event: "subscription.updated",
			request_id: answer.headers.get("x-request-id"),
			changes: { cancel_at_period_end: verb === "cancel" },
		});
	}
	expect((await entriesOf(app.id)).filter(({ actor }) => actor === "billing").map(({ event }) => event)).toEqual([
		"subscription.started",
	]);
	await service.database.write([{ run: sql`UPDATE sessions SET expires_ms = ${4e12}, last_used_ms = ${4e12}` }]);
	await advanceTo(service, operator, service.rooms.billing.clock.now() + 32 * 86_400_000);
	expect((await entriesOf(app.id))[0]).toMatchObject({
		actor: "billing",
		request_id: null,
		changes: { period_end_at: expect.stringMatching(/Z$/) },
	});
});

test("what a subscriber does on the card is theirs: cancel, resume, another plan, withdraw", async () => {
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const newest = async () => (await entriesOf(shop.app.id))[0];
	for (const [action, fields, event] of [
		["cancel", {}, "subscription.updated"],
		["resume", {}, "subscription.updated"],
		["switch", { price_id: shop.gold.id }, "subscription.updated"],
		["withdraw", {}, "subscription.ended"],
	] as const) {
		await press(customer, action, fields);
		const { actor, request_id: requestId, event: found } = (await newest()) ?? {};
		expect([action, actor, found, typeof requestId]).toEqual([action, customer.user.accountId, event, "string"]);
	}
});

test("deciding how payments go is the operator's deed", async () => {
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const [row] = await service.database.rows("SELECT id FROM subscriptions ORDER BY pk DESC LIMIT 1", []);
	await simulate(service, operator, String(row?.[0]), "decline");
	expect((await entriesOf(shop.app.id)).find(({ event }) => event.startsWith("operator."))).toMatchObject({
		actor: operator.id,
		event: "operator.billing_simulated",
		request_id: expect.any(String),
		changes: { outcome: "decline" },
	});
});
