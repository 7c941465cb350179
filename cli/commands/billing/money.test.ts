import { expect, test } from "bun:test";
import type { ManagedPlan } from "@svc/sdk/shapes";
import { queueOf } from "@svc/test/support/dashboard";
import { fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { rowsOf } from "@svc/test/support/frame";
import { run } from "../../kit/run.ts";

test("the command line and the dashboard show the same amount of a currency that nobody knows [cli.money.unknown]", async () => {
	const price = { amount: 1_250, currency: "points", interval: "month", trial_days: 0, on_sale: true };
	const plan = {
		...{ id: "pln_1", object: "plan", key: "gold", name: "Gold", archived_at: null, display_order: 0 },
		...{ benefits: [], limits: { images: null, bytes: null }, created_at: "2026-01-01T00:00:00.000Z" },
		prices: [price],
	} as unknown as ManagedPlan;
	const page = { object: "list", data: [plan], pagination: { has_more: false, next_cursor: null } };
	const { fetch } = fakeService(({ path }) =>
		path.startsWith("/v1/apps/app_1/plans") ? Response.json(page) : undefined,
	);
	const world = fakeWorld({ fetch });
	expect(rowsOf(queueOf([plan], { screen: "plans", columns: 120 })).join("\n")).toContain("12.5 points a month");
	await run(["plans", "list", "--app", "app_1"], world);
	expect(world.outText()).toContain("12.50 points a month");
});
