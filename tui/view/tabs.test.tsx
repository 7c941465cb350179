import { expect, test } from "bun:test";
import { queueOf } from "@svc/test/support/dashboard";
import { renderToString } from "ink";
import type { State } from "../state/model.ts";
import { SCREENS, TABS } from "../state/screens.ts";
import { widthOf } from "../text.ts";
import { Tabs } from "./tabs.tsx";

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
const STYLES = /\u001b\[[0-9;]*m/g;

const lineOf = (state: State) => renderToString(<Tabs state={state} />, { columns: state.columns }).replace(STYLES, "");

test("in each width the screen that is shown, and its neighbours fit; nothing is cut off [tui.view.tabs]", () => {
	for (const screen of SCREENS) {
		for (const columns of [40, 60, 80, 100, 120, 200]) {
			const line = lineOf(queueOf([], { screen, columns }));
			expect([screen, columns, widthOf(line) <= columns]).toEqual([screen, columns, true]);
			expect(line).toMatch(new RegExp(`\\[${TABS[screen].key} (${TABS[screen].title}|${TABS[screen].short})\\]`));
		}
	}
});

test("all screens are named where there is room, in full or in short; else an arrow says that there are more [tui.view.tabs]", () => {
	const at = (columns: number) => lineOf(queueOf([], { screen: "tickets", columns }));
	for (const screen of SCREENS) expect(at(200)).toContain(`${TABS[screen].key} ${TABS[screen].title}`);
	expect(at(40)).toMatch(/^‹ /);
	expect(at(40)).not.toContain("Mod");
});

test("no two screens have the same key [tui.screens.keys-once]", () => {
	expect(new Set(SCREENS.map((screen) => TABS[screen].key)).size).toBe(SCREENS.length);
});
