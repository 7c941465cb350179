import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { advanceTo } from "../../support/billing.ts";
import { addPerson, type TestPerson } from "../../support/people.ts";
import { removeData } from "../../support/process.ts";
import { errorOf, send } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	mailsTo,
	openShop,
	payAt,
	press,
	type Shop,
} from "../../support/subscribers.ts";

/* One data directory, served as one interface and then as another: what the running one does not sell is not renewed. */

interface Held {
	readonly ends: number;
	readonly endsMs: number;
	readonly endedMs: number | null;
}

describe.each(["current", "transition"])("a tier of legacy, served as %s", (variant) => {
	let dataDir: string;
	let service: OpenService;
	let shop: Shop;
	let customer: Customer;
	const serve = async (name: string): Promise<void> => {
		await service?.close();
		service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: name });
	};
	beforeAll(async () => {
		dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
		await serve("legacy");
		shop = await openShop(service);
		customer = await addCustomer(service, shop);
		await payAt(customer, await press(customer, "checkout", { plan: "scale", interval: "monthly" }));
		await service.catchUpBilling();
	});
	afterAll(async () => {
		await service.close();
		await removeData(dataDir);
	});

	async function rows<Row extends unknown[]>(query: ReturnType<typeof sql>): Promise<readonly Row[]> {
		return await service.database.read(() => service.database.queries.values<Row>(query));
	}
	async function held(): Promise<Held> {
		const [row] = await rows<[number, number, number | null]>(
			sql`SELECT cancel_at_period_end, period_end_ms, ended_ms FROM subscriptions`,
		);
		const [ends = 0, endsMs = 0, endedMs = null] = row ?? [];
		return { ends, endsMs, endedMs };
	}
	const audited = async () =>
		(
			await rows<[string]>(
				sql`SELECT event FROM audit WHERE event IN ('subscription.not_renewed', 'subscription.renewed_again') ORDER BY pk`,
			)
		).map(([event]) => event);
	const mails = async () => (await mailsTo(service, customer)).filter(({ template }) => template === "not_renewed");

	test("is set to end with its term, once, with an entry in the audit and a mail", async () => {
		expect(await held()).toMatchObject({ ends: 0, endedMs: null });
		await serve(variant);
		for (let round = 0; round < 3; round++) await service.catchUpBilling();
		expect(await held()).toMatchObject({ ends: 1, endedMs: null });
		expect(await audited()).toEqual(["subscription.not_renewed"]);
		const sent = await mails();
		expect(sent).toHaveLength(1);
	});

	test("goes on where the version that sells it is back within the term", async () => {
		await serve("legacy");
		for (let round = 0; round < 3; round++) await service.catchUpBilling();
		expect(await held()).toMatchObject({ ends: 0, endedMs: null });
		expect(await audited()).toEqual(["subscription.not_renewed", "subscription.renewed_again"]);
	});

	test("is not charged again once its term is over", async () => {
		await serve(variant);
		await service.catchUpBilling();
		const before = await held();
		const operator: TestPerson = await addPerson(service.database, { operator: true });
		await service.database.write([
			{ run: sql`UPDATE sessions SET fresh_ms = ${4e12}, expires_ms = ${4e12}, last_used_ms = ${4e12}` },
		]);
		await advanceTo(service, operator, before.endsMs + DAY_MS);
		await service.catchUpBilling();
		expect((await held()).endedMs).toBe(before.endsMs);
		expect(await rows<[number]>(sql`SELECT count(*) FROM invoices WHERE amount_paid > 0`)).toEqual([[1]]);
	});
});

test("422 details.plan for an App's own plan where it would give nothing", async () => {
	const service = await openService({ SVC_VARIANT: "transition" });
	const shop = await openShop(service);
	for (const plan of ["pro", "unlimited"]) {
		const answer = await send(service, "POST", `/v1/apps/${shop.app.id}/billing/checkout`, { plan }, shop.owner);
		expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["plan"] });
	}
	await service.close();
});
