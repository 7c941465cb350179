import { describe, expect, test } from "bun:test";
import { key, keys, play, queueOf } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import { widthOf } from "../../text.ts";
import type { State } from "../model.ts";
import { promptLines } from "./prompt.ts";

const shop = {
	id: "app_1",
	object: "app",
	name: "Sunday Hikers of the North",
	state: "active",
	plan: "free",
	limits: { images: 1, users: 1 },
} as const;
const apps = (columns: number) => queueOf([shop as never], { screen: "apps", columns, rows: 15 });
const typed = (text: string) => Array.from(text, (letter) => key(letter));

describe("a question", () => {
	test("that is longer than the screen is wide goes on in further lines, with what has to be typed and what was [tui.prompt.whole]", () => {
		const asked = play(apps(60), ...keys("x"), ...typed("Sunday")).state;
		expect(promptLines(asked)).toEqual([
			"Delete Sunday Hikers of the North with its keys, users and",
			"images for good? Type Sunday Hikers of the North and Enter:",
			"Sunday▏",
		]);
		expect(promptLines({ ...asked, columns: 200 })).toHaveLength(1);
		const frame = rowsOf(asked);
		expect([frame.length, new Set(frame.map(widthOf))]).toEqual([15, new Set([60])]);
	});

	test("shows what is typed around its caret, however long it is [tui.prompt.caret]", () => {
		const shownOf = (state: State) => promptLines(state).at(-1) ?? "";
		const long = play(
			queueOf([], { screen: "signing-keys", columns: 60 }),
			...keys("c"),
			...typed("ab".repeat(60)),
		).state;
		expect(shownOf(long)).toMatch(/…(ab|b)+▏$/);
		expect(shownOf(play(long, key("home")).state)).toMatch(/▏(ab)+a?…$/);
		for (const name of ["home", "left", "word-left"])
			expect(widthOf(shownOf(play(long, key(name)).state))).toBeLessThanOrEqual(60);
		const filtered = play(queueOf([], { columns: 60 }), ...keys("/"), ...typed("日本".repeat(40))).state;
		expect(shownOf(filtered)).toMatch(/^\/….+本▏$/);
		expect(widthOf(shownOf(filtered))).toBeLessThanOrEqual(60);
	});
});
