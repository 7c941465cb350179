import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { as } from "../../support/people.ts";
import { removeData } from "../../support/process.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { addCustomer, type Customer, lastingSession, openShop, payAt, press } from "../../support/subscribers.ts";

/* Who cancels what would have ended anyhow, because it is not sold at present, has cancelled it for good. */

let dataDir: string;
let service: OpenService;
let customer: Customer;
let caller: Caller;
let id: string;

async function serve(variant: string): Promise<void> {
	await service?.close();
	service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
	// The browser of the test goes on with the service that runs now.
	if (customer) customer = { ...(await addCustomer(service, customer.shop, customer.user)) };
	if (customer) caller = as({ secret: await lastingSession(service, customer.user.accountId, "console") });
}

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
	await serve("legacy");
	customer = await addCustomer(service, await openShop(service));
	await payAt(customer, await press(customer, "checkout", { plan: "scale", interval: "monthly" }));
	await serve("current");
	for (let round = 0; round < 2; round++) await service.catchUpBilling();
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT id FROM subscriptions`),
	);
	id = row?.[0] ?? "";
});
afterAll(async () => {
	await service.close();
	await removeData(dataDir);
});

const own = (verb: string, deed = "") => send(service, verb, `/v1/me/plans/${id}${deed}`, undefined, caller);
const ends = async () => ((await (await own("GET")).json()) as { cancel_at: string | null }).cancel_at !== null;
const page = async () => (await customer.browser.open(`/account/plans/${id}`)).html;

test("409 for whoever wants to keep what is not sold at present, and the page does not offer it", async () => {
	expect(await ends()).toBe(true);
	expect(await errorOf(await own("POST", "/resume"))).toMatchObject({ status: 409, code: "state_conflict" });
	const html = await page();
	expect([html.includes("/resume"), html.includes("/cancel")]).toEqual([false, true]);
});

test("a payer's own cancellation wins: back where it is sold, it still ends with its term", async () => {
	const asked = await customer.browser.open(`/account/plans/${id}/cancel`);
	expect(asked.html).toContain("not renewed either");
	expect((await customer.browser.submit(asked, "/cancel")).status).toBe(303);
	expect(await page()).not.toContain("/cancel");
	expect((await own("POST", "/cancel")).status).toBe(200);
	await serve("legacy");
	for (let round = 0; round < 3; round++) await service.catchUpBilling();
	expect(await ends()).toBe(true);
	const audited = await service.database.read(() =>
		service.database.queries.values<[string, string]>(
			sql`SELECT event, actor FROM audit WHERE target = ${id} AND event LIKE 'subscription.%' ORDER BY pk`,
		),
	);
	expect(audited.map(([event, actor]) => [event, actor === "billing"])).toEqual([
		["subscription.started", true],
		["subscription.not_renewed", true],
		["subscription.updated", true],
		["subscription.cancelled", false],
	]);
	// Where it is sold again, they may still change their mind.
	expect((await own("POST", "/resume")).status).toBe(200);
	expect(await ends()).toBe(false);
});

test("a payer who cancels in the moment in which a round lets the plan go on has cancelled it", async () => {
	await serve("current");
	for (let round = 0; round < 2; round++) await service.catchUpBilling();
	expect(await ends()).toBe(true);
	await serve("legacy");
	const { processor } = service.rooms.billing;
	const { resume, cancel } = processor;
	const begun = Promise.withResolvers<void>();
	const asked = Promise.withResolvers<void>();
	const goesOn = Promise.withResolvers<void>();
	Object.assign(processor, {
		async cancel(ref: string, when: "period_end" | "now") {
			const ended = await cancel(ref, when);
			asked.resolve();
			return ended;
		},
		async resume(ref: string) {
			begun.resolve();
			await goesOn.promise;
			return await resume(ref);
		},
	});
	const round = service.catchUpBilling();
	await begun.promise;
	const cancelled = own("POST", "/cancel");
	// The payer's wish has reached the processor, and the round's is still to come.
	await asked.promise;
	goesOn.resolve();
	await round;
	expect((await cancelled).status).toBe(200);
	for (let again = 0; again < 2; again++) await service.catchUpBilling();
	expect(await ends()).toBe(true);
});
