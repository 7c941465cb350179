import { expect, test } from "bun:test";
import type { SubscriptionThing } from "@svc/nouns/subscription";
import { key, play, queueOf } from "@svc/test/support/dashboard";
import { rowsOf, STYLES, styledRows } from "@svc/test/support/frame";
import type { Money } from "../state/things.ts";
import { widthOf } from "../text.ts";
import { everyMonth } from "./subscriptions.ts";

const paid = (month: string, amount: number, currency = "usd") => ({ month, currency, paid: amount, refunded: 0 });

test("months in which nothing came in are among the others, up to this one [tui.subscriptions.months]", () => {
	const months = everyMonth([paid("2025-11", 500), paid("2026-02", 700)], "2026-03");
	expect(months.map(({ month, paid: amount }) => [month, amount])).toEqual([
		["2025-11", 500],
		["2025-12", 0],
		["2026-01", 0],
		["2026-02", 700],
		["2026-03", 0],
	]);
	expect(everyMonth([paid("2026-02", 1), paid("2026-02", 2, "eur")], "2026-02")).toHaveLength(2);
	expect(everyMonth([paid("2026-03", 1)], "2026-02")).toHaveLength(1);
	expect(everyMonth([], "2026-02")).toEqual([]);
});

const money: Money = {
	id: "money",
	object: "money",
	counted: 2,
	hasMore: false,
	months: [paid("2026-01", 500), paid("2026-02", 1_000)],
};

const one = (id: string): SubscriptionThing => ({
	id,
	object: "subscription",
	plan_key: "gold",
	price_id: "prc_1",
	status: "active",
	trial_end: null,
	current_period_end: null,
	cancel_at_period_end: false,
	cancel_at: null,
	pending_plan_key: null,
	pending_effective_at: null,
	price: { amount: 500, currency: "usd", interval: "month" } as SubscriptionThing["price"],
	seller: { kind: "app", id: "app_1", name: "Shop" },
	user_id: "usr_1",
	user_email: "payer@example.com",
	ended_at: null,
	email: null,
	dispute: null,
	invoices: [],
	created_at: "2026-01-01T00:00:00.000Z",
});

test("the row that adds the others up is not counted among them, and the chart says its months [tui.subscriptions.count]", () => {
	const state = queueOf([money, one("sub_1"), one("sub_2")], { screen: "subscriptions", columns: 160 });
	const title = (of: typeof state) => rowsOf(of)[2] ?? "";
	expect(title(state)).toContain("Σ/2");
	expect(title(play(state, key("j")).state)).toContain("1/2");
	const frame = rowsOf({ ...state, columns: 80, pane: "detail" }).join("\n");
	expect(frame).toMatch(/in USD +\$15\.00/);
	expect(frame).toMatch(/2026-01 +2026-02/);
	expect(rowsOf(state).join("\n")).toContain("payer@example.com");
});

test("the row that adds up has the colour of what is chosen from edge to edge as well [tui.subscriptions.selected]", () => {
	const state = queueOf([money, one("sub_1")], { screen: "subscriptions", columns: 80 });
	const row = styledRows(state).find((one) => one.includes("Σ all")) ?? "";
	// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for what is the other way round.
	const [, selected = ""] = /\u001b\[7m(.*)\u001b\[27m/.exec(row) ?? [];
	expect([widthOf(selected.replace(STYLES, "")), selected.includes("\u001b[27m")]).toEqual([78, false]);
});
