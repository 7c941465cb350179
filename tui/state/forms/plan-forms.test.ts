import { expect, test } from "bun:test";
import type { ManagedPlan } from "@svc/sdk/shapes";
import { key, keys, NOW_MS, play, queueOf, started } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";

const plan: ManagedPlan = {
	id: "pln_1",
	object: "plan",
	key: "gold",
	name: "Gold",
	description: "",
	benefits: [],
	display_order: 0,
	limits: { images: null, bytes: null },
	prices: [],
	archived_at: null,
	created_at: new Date(NOW_MS).toISOString(),
};

function plansOf(operator: boolean, sells: boolean | undefined) {
	const person = { email: "a@example.com", operator };
	const { state } = play(started({ screen: "plans" }), {
		type: "met",
		person,
		app: { id: "app_1", name: "Shop", role: "owner" },
	});
	const seq = state.lists.plans.pending?.seq ?? -1;
	return play(state, { type: "page", screen: "plans", seq, things: [plan], nextCursor: undefined, sells }).state;
}

test("where an App may not sell, no form opens: that is said at once, with what to do first [tui.plans.unsold]", () => {
	for (const name of ["c", "e", "m", "t", "x"]) {
		const asOperator = play(plansOf(true, false), ...keys(name));
		expect([name, asOperator.effects, asOperator.state.overlay]).toEqual([name, [], undefined]);
		expect(asOperator.state.notice?.text).toContain("Shop may not sell plans yet: 2 shows the Apps, and t there");
		expect(play(plansOf(false, false), ...keys(name)).state.notice?.text).toContain("svc selling on");
	}
	expect(rowsOf(plansOf(true, false))[2]).toContain(" Plans · may not be sold yet ━");
});

test("where it may, or where nobody tells, the form opens [tui.plans.sold]", () => {
	for (const sells of [true, undefined]) {
		expect(play(plansOf(true, sells), ...keys("c")).state.overlay).toMatchObject({ kind: "form" });
	}
	expect(rowsOf(plansOf(true, true))[2]).toContain(" Plans ━");
});

test("what a user with the plan may keep is set beside its words: only what was changed is sent [tui.plans.limits]", () => {
	const tabs = Array.from({ length: 4 }, () => "tab");
	const edited = play(plansOf(false, true), ...keys("e", ...tabs, "5", "0"), key("s", true));
	expect(edited.effects).toMatchObject([{ act: { kind: "plan-words", changes: { limits: { images: 50 } } } }]);
});

test("an App that is chosen brings along whether it may sell [tui.plans.chosen]", () => {
	const shop = { id: "app_2", object: "app", name: "Other", selling_enabled: false, role: "owner" } as const;
	const chosen = play(queueOf([shop as never], { screen: "apps" }), ...keys("enter", "5", "c")).state;
	expect(chosen.notice?.text).toContain("Other may not sell plans yet");
});
