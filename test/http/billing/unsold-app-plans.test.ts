import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppBilling, AppCheckout } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, type TestApp } from "../../support/apps.ts";
import { advanceTo, payAndReturn } from "../../support/billing.ts";
import { Browser } from "../../support/browser.ts";
import { addPerson, as } from "../../support/people.ts";
import { removeData } from "../../support/process.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { DAY_MS, lastingSession } from "../../support/subscribers.ts";

/* What an App pays for itself, and the running interface version does not sell. */

describe.each([
	["current", "pro", "legacy", "pro"],
	["current", "unlimited", "transition", "unlimited"],
	["legacy", "scale", "current", "pro"],
	["legacy", "max", "transition", "unlimited"],
] as const)("an App's plan of %s, %s, in %s", (home, plan, away, meanwhile) => {
	let dataDir: string;
	let service: OpenService;
	let app: TestApp;
	let owner: Caller;
	const serve = async (name: string) => {
		await service?.close();
		service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: name });
	};
	beforeAll(async () => {
		dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
		await serve(home);
		app = await addApp(service.database, "Pictures");
		owner = as({ secret: await lastingSession(service, app.ownerId, "console") });
		const path = `/v1/apps/${app.id}/billing/checkout`;
		const { url } = await made<AppCheckout>(send(service, "POST", path, { plan }, owner));
		await payAndReturn(service, url ?? "");
	});
	afterAll(async () => {
		await service.close();
		await removeData(dataDir);
	});

	const billing = () => made<AppBilling>(send(service, "GET", `/v1/apps/${app.id}/billing`, undefined, owner));
	const rows = <Row extends unknown[]>(query: ReturnType<typeof sql>) =>
		service.database.read(() => service.database.queries.values<Row>(query));
	const audited = async () =>
		(
			await rows<[string]>(
				sql`SELECT event FROM audit WHERE event IN ('subscription.not_renewed', 'subscription.renewed_again') ORDER BY pk`,
			)
		).map(([event]) => event);
	const mails = async () =>
		(await rows<[string, string]>(sql`SELECT recipient, facts FROM emails WHERE template = 'not_renewed'`)).map(
			([to, facts]) => ({ to, facts: JSON.parse(facts) as object }),
		);

	test("is not renewed: once, with an entry in the audit and a mail to its Owner; what is paid counts to the end", async () => {
		await serve(away);
		for (let round = 0; round < 3; round++) await service.catchUpBilling();
		const held = await billing();
		expect(held).toMatchObject({ plan: meanwhile, paid_plan: plan, cancel_at_period_end: true, next_charge: null });
		expect(held.plans.filter(({ prices }) => prices.length > 0).length).toBe(
			{ current: 2, legacy: 3, transition: 0 }[away],
		);
		expect((await send(service, "POST", `/v1/apps/${app.id}/billing/resume`, undefined, owner)).status).toBe(409);
		expect(await audited()).toEqual(["subscription.not_renewed"]);
		const name = `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
		expect(await mails()).toEqual([
			{
				to: `${app.ownerId.toLowerCase()}@example.com`,
				facts: {
					app: "Pictures",
					plan: name,
					goods: "app_plan",
					until: held.current_period_end,
					page: expect.stringContaining("/account/plans/sub_"),
				},
			},
		]);
	});

	test("can be exchanged for nothing until it is over, and nobody is told to resume it", async () => {
		const other = away === "legacy" ? "scale" : "unlimited";
		const path = `/v1/apps/${app.id}/billing/checkout`;
		const refused = await errorOf(await send(service, "POST", path, { plan: other }, owner));
		const said = [409, "This is not sold any more: it ends with its term."];
		expect([refused.status, refused.message]).toEqual(away === "transition" ? [422, expect.any(String)] : said);
		if (away !== "legacy") return;
		const browser = new Browser(service, undefined, "de");
		const value = await lastingSession(service, app.ownerId, "web");
		browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
		const page = await browser.open(`/account/apps/${app.id}/own-plan`);
		expect(page.html).toContain("endet mit seiner Laufzeit");
		expect(page.html).not.toContain("/choose");
	});

	test("goes on where the version that sells it is back within the term", async () => {
		await serve(home);
		for (let round = 0; round < 3; round++) await service.catchUpBilling();
		expect(await billing()).toMatchObject({ plan, paid_plan: plan, cancel_at_period_end: false });
		expect(await audited()).toEqual(["subscription.not_renewed", "subscription.renewed_again"]);
		expect(await mails()).toHaveLength(1);
	});

	test("ends with its term, and is not charged again", async () => {
		await serve(away);
		await service.catchUpBilling();
		const end = Date.parse((await billing()).current_period_end ?? "");
		const operator = await addPerson(service.database, { operator: true });
		await service.database.write([
			{ run: sql`UPDATE sessions SET fresh_ms = ${4e12}, expires_ms = ${4e12}, last_used_ms = ${4e12}` },
		]);
		await advanceTo(service, operator, end + DAY_MS);
		await service.catchUpBilling();
		expect(await billing()).toMatchObject({ plan: "free", paid_plan: null, status: "inactive" });
		expect(await rows<[number]>(sql`SELECT count(*) FROM invoices WHERE amount_paid > 0`)).toEqual([[1]]);
	});
});
