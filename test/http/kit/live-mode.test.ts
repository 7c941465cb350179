import { beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, countOf, type TestApp } from "../../support/apps.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { addPlan, addPrice, setSelling } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";

/* A live deployment takes no simulated money, and nobody moves its clock. */

const service = serviceFor({ SVC_MODE: "live" });
let app: TestApp;
let owner: Caller;
let operator: TestPerson;
beforeAll(async () => {
	app = await addApp(service.database);
	owner = as({ secret: await addSession(service.database, app.ownerId) });
	operator = await addPerson(service.database, { operator: true });
});

test("[C] 403 for buying the App's own plan, which stays as it is", async () => {
	const answer = await send(service, "POST", `/v1/apps/${app.id}/billing/checkout`, { plan: "pro" }, owner);
	expect(await errorOf(answer)).toMatchObject({ status: 403, code: "forbidden" });
	expect((await send(service, "GET", `/v1/apps/${app.id}/billing`, undefined, owner)).status).toBe(200);
	expect(await countOf(service.database, sql`SELECT count(*) FROM apps WHERE plan <> 'free'`)).toBe(0);
});

test("[C] an App's plans are shown, but nobody can buy them", async () => {
	await setSelling(service.database, app.id);
	const plan = await addPlan(service, app.id, owner, { key: "gold" });
	await addPrice(service, app.id, plan.id, owner);
	const answer = await send(service, "GET", "/v1/billing/plans", undefined, { key: app.key });
	expect(await answer.json()).toMatchObject({ purchasing_enabled: false, data: [{ key: "gold" }] });
});

test("there is no simulated processor: no page of it, no events for it, no clock to move", async () => {
	const tried = await Promise.all([
		send(service, "POST", "/v1/operator/clock/advance", { to: "2030-01-01T00:00:00Z" }, as(operator)),
		send(service, "POST", "/v1/operator/billing/simulate", { subscription: "x", outcome: "pay" }, as(operator)),
		send(service, "POST", "/v1/processor/events", {}),
		service.open("http://localhost:3000/checkout/anything", { headers: { Accept: "text/html" } }),
	]);
	expect(tried.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
	await service.catchUpBilling();
});
