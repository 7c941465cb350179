import { expect, test } from "bun:test";
import { key, keys, play, queueOf } from "@svc/test/support/dashboard";
import { rowsOf, STYLES } from "@svc/test/support/frame";
import { Box, renderToString } from "ink";
import type { ReactElement } from "react";
import { createPlan } from "../state/forms/plan-forms.ts";
import { widthOf } from "../text.ts";
import { FormLines } from "./form.tsx";

const opened = createPlan(queueOf([], { screen: "plans" })).state;

function linesIn(shown: ReactElement, columns: number): string[] {
	return renderToString(shown, { columns })
		.replace(STYLES, "")
		.split("\n")
		.map((line) => line.trimEnd());
}

function linesOf(state: typeof opened, columns: number, rows: number): string[] {
	if (state.overlay?.kind !== "form") throw new Error("There is no form.");
	const form = <FormLines form={state.overlay} columns={columns} rows={rows} />;
	return linesIn(<Box flexDirection="column">{form}</Box>, columns);
}

test("each field has its line, the one with the keys its hint, and each error a line below [tui.form.lines]", () => {
	expect(linesOf(opened, 80, 20)).toEqual([
		"   New plan of Shop",
		"",
		"▸  Key",
		"                What the App's code knows it by; it never changes",
		"   Name         —",
		"   Description  —",
		"   Gives        —",
		"   Order        0",
	]);
	const { state } = play(opened, key("s", true));
	expect(linesOf(state, 80, 20).slice(2, 5)).toEqual([
		"▸  Key",
		"                ✗ is needed, as gold",
		"                What the App's code knows it by; it never changes",
	]);
});

test("the field with the keys and its hint are on the screen, however few rows there are [tui.form.scrolls]", () => {
	for (const rows of [2, 3, 5]) {
		for (let at = 0; at < 5; at++) {
			const { state } = play(opened, ...keys(...Array.from({ length: at }, () => "tab")));
			const lines = linesOf(state, 80, rows);
			expect([lines.length, lines.filter((line) => line.startsWith("▸")).length]).toEqual([rows, 1]);
		}
	}
});

test("of a long text the part around the caret is shown, within the width [tui.form.long]", () => {
	const typed = play(opened, ...keys(...Array.from({ length: 200 }, (_, at) => String(at % 10)))).state;
	const atEnd = linesOf(typed, 60, 20)[2] ?? "";
	expect(atEnd).toMatch(/^▸ {2}Key {10}…\d+9$/);
	const atStart = linesOf(play(typed, key("home")).state, 60, 20)[2] ?? "";
	expect(atStart).toMatch(/^▸ {2}Key {10}0123\d+…$/);
	for (const [columns, rows] of [
		[60, 15],
		[80, 24],
		[120, 40],
	] as const) {
		const frame = rowsOf({ ...typed, columns, rows });
		expect([frame.length, new Set(frame.map(widthOf))]).toEqual([rows, new Set([columns])]);
	}
});

test("a field that is left empty says what that means, also while it has the keys; what is typed has its unit [tui.form.empty]", () => {
	const asked = play(queueOf([], { screen: "keys" }), ...keys("c", "backtab")).state;
	expect(linesOf(asked, 80, 20)).toContain("▸  Expires in    never");
	expect(linesOf(play(asked, ...keys("9", "0")).state, 80, 20)).toContain("▸  Expires in  90  days");
	expect(linesOf(play(asked, ...keys("9", "0"), key("u", true)).state, 80, 20)).toContain("▸  Expires in    never");
});
