import { expect, test } from "bun:test";
import type { ManagedPlan } from "@svc/sdk/shapes";
import { NOW_MS, play, queueOf } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";

test("at 80 columns a plan's prices are there as far as there is room, and its name whole [tui.plans.prices]", () => {
	const at = new Date(NOW_MS).toISOString();
	const price = (amount: number, currency: string) => ({ amount, currency, interval: "month", on_sale: true });
	const plan = {
		...{ id: "pln_1", object: "plan", key: "gold", name: "Gold for families", archived_at: null, created_at: at },
		prices: [price(1_500, "usd"), price(1_400, "eur"), price(2_000, "jpy")],
	} as unknown as ManagedPlan;
	const lines = rowsOf(queueOf([plan], { screen: "plans", columns: 80 }));
	expect(lines.join("\n")).toMatch(/Gold for families +3 +\$15\.00 a month, €14\.00 a month.*…/);
});

test("what a plan does not say has a dash, as elsewhere [tui.plans.empty]", () => {
	const at = new Date(NOW_MS).toISOString();
	const words = { key: "gold", name: "Gold", description: "", benefits: [], display_order: 0 };
	const limits = { images: null, bytes: null };
	const plan: ManagedPlan = {
		id: "pln_1",
		object: "plan",
		...words,
		limits,
		prices: [],
		archived_at: null,
		created_at: at,
	};
	const opened = play(queueOf([plan], { screen: "plans", columns: 80 }), { type: "key", name: "enter", ctrl: false });
	const lines = rowsOf(opened.state).map((row) => row.slice(1, -1).trimEnd());
	expect(lines.filter((line) => /^(about|benefits) /.test(line))).toEqual(["about    —", "benefits —"]);
});
