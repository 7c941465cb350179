import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, type TestApp } from "../../support/apps.ts";
import { payAndReturn } from "../../support/billing.ts";
import { addSession, as } from "../../support/people.ts";
import { type Caller, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

describe("an operator's plan beside a paid one", () => {
	const grant = (app: TestApp, plan: string | null) =>
		made(send(service, "PATCH", `/v1/operator/apps/${app.id}`, { plan }, { key: service.token }));
	const owned = async () => {
		const app = await addApp(service.database);
		return { app, owner: as({ secret: await addSession(service.database, app.ownerId) }) };
	};
	const shownFor = async (app: TestApp, owner: Caller) => {
		const billing = await made<Record<string, unknown>>(
			send(service, "GET", `/v1/apps/${app.id}/billing`, undefined, owner),
		);
		const shown = await made<{ plan: string }>(send(service, "GET", `/v1/apps/${app.id}`, undefined, owner));
		const { plan, paid_plan, granted_plan } = billing;
		return { plan, paid_plan, granted_plan, app: shown.plan, billing };
	};
	const buy = async (app: TestApp, owner: Caller, plan: string) => {
		const { url } = await made<{ url: string }>(
			send(service, "POST", `/v1/apps/${app.id}/billing/checkout`, { plan }, owner),
		);
		await payAndReturn(service, url);
	};

	test("the better one is in force, everywhere the same, and what is paid goes on", async () => {
		const { app, owner } = await owned();
		await buy(app, owner, "pro");
		await grant(app, "unlimited");
		const both = await shownFor(app, owner);
		expect(both).toMatchObject({ plan: "unlimited", app: "unlimited", paid_plan: "pro", granted_plan: "unlimited" });
		expect(both.billing).toMatchObject({
			status: "active",
			next_charge: { amount: 2_000, currency: "usd", at: both.billing.current_period_end },
			locks_at: null,
		});
		await grant(app, "free");
		expect(await shownFor(app, owner)).toMatchObject({ plan: "pro", app: "pro", paid_plan: "pro", granted_plan: null });
		await grant(app, "pro");
		await grant(app, null);
		expect(await shownFor(app, owner)).toMatchObject({ plan: "pro", app: "pro", granted_plan: null });
	});

	test("a grant outlives the end of what was paid for, and none leaves the App with free", async () => {
		const { app, owner } = await owned();
		await grant(app, "pro");
		expect(await shownFor(app, owner)).toMatchObject({ plan: "pro", app: "pro", paid_plan: null, granted_plan: "pro" });
		expect((await shownFor(app, owner)).billing).toMatchObject({ status: "inactive", next_charge: null });
		await buy(app, owner, "unlimited");
		expect(await shownFor(app, owner)).toMatchObject({ plan: "unlimited", app: "unlimited", paid_plan: "unlimited" });
		const paying = sql`app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`;
		const [row] = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT ref FROM subscriptions WHERE ${paying}`),
		);
		await service.rooms.billing.processor.cancel(row?.[0] ?? "", "now");
		expect(await shownFor(app, owner)).toMatchObject({ plan: "pro", app: "pro", paid_plan: null });
		await grant(app, null);
		expect(await shownFor(app, owner)).toMatchObject({ plan: "free", app: "free", granted_plan: null });
	});
});
