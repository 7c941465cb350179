import { describe, expect, test } from "bun:test";
import { key, keys, play, started } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import { bindingsOf } from "../bindings.ts";
import { entriesOf } from "../overlays/search.ts";
import { OF_OPERATORS, OF_PLATFORM, TABS } from "../screens.ts";

const app = { id: "app_1", name: "Shop", role: "owner" };
const met = (operator: boolean, absent = OF_PLATFORM) => {
	const person = { email: "a@example.com", operator };
	return play(started({ columns: 200 }), { type: "met", person, app, absent }).state;
};

describe("what is not there", () => {
	test("for people who are no operators, or at a service of an older interface, has no tab, no key and no entry [tui.absent]", () => {
		const state = met(false);
		const line = rowsOf(state)[1] ?? "";
		for (const screen of [
			...OF_PLATFORM.filter((one) => one !== "deliveries"),
			...OF_OPERATORS,
		] as (keyof typeof TABS)[]) {
			expect(line).not.toContain(TABS[screen].title);
			expect(bindingsOf(state).some(({ goes }) => goes === screen)).toBe(false);
			expect(play(state, key(TABS[screen].key)).state.screen).toBe(state.screen);
			expect(entriesOf(state, "palette", `Go to ${TABS[screen].title}`)[0]?.label).not.toBe(
				`Go to ${TABS[screen].title}`,
			);
		}
		expect(line).toContain("Images");
	});

	test("is passed over by [ and ], and is not begun with [tui.absent.steps]", () => {
		const state = met(true);
		const seen = new Set<string>();
		for (let turn = 0; turn < 20; turn++) seen.add(play(state, ...keys(...Array<string>(turn).fill("]"))).state.screen);
		expect([...seen].filter((screen) => (OF_PLATFORM as readonly string[]).includes(screen))).toEqual([]);
		const person = { email: "a@example.com", operator: true };
		expect(play(started({ screen: "events" }), { type: "met", person, app, absent: OF_PLATFORM }).state.screen).toBe(
			"apps",
		);
	});

	test("is said where it was asked for, and why [tui.absent.said]", () => {
		const noticeOf = (operator: boolean, screen: "events" | "trash" | "moderation", namesScreen = true) => {
			const person = { email: "a@example.com", operator };
			const given = { screen, namesScreen };
			return play(started(given), { type: "met", person, app, absent: OF_PLATFORM }).state.notice?.text;
		};
		expect(noticeOf(true, "events")).toBe(
			"There is no screen Events for you: this service has none. These are the Apps.",
		);
		expect(noticeOf(false, "trash")).toContain("no screen Trash for you: it is for operators.");
		expect(noticeOf(false, "moderation")).toContain("no screen Moderation for you");
		expect(noticeOf(false, "moderation", false)).toBeUndefined();
	});

	test("is all there for operators at a service of today [tui.absent.none]", () => {
		expect(rowsOf(met(true, []))[1]).toContain(TABS["signing-keys"].title);
	});
});
