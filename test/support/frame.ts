import type { State } from "@svc/tui/state/model";
import type { ThemeName } from "@svc/tui/state/theme";
import { widthOf } from "@svc/tui/text";
import { Dashboard } from "@svc/tui/view/dashboard";
import { THEMES } from "@svc/tui/view/theme";
import chalk from "chalk";
import { renderToString } from "ink";

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
export const STYLES = /\u001b\[[0-9;]*m/g;

/** The rows of a frame of the dashboard with their styles, each as wide as the terminal. */
export function styledRows(state: State, theme: ThemeName = "none"): string[] {
	const { columns } = state;
	const { level } = chalk;
	chalk.level = 2;
	const frame = renderToString(Dashboard({ state, theme: THEMES[theme] }), { columns });
	chalk.level = level;
	// Ink leaves out what is blank at the end of a row.
	return frame.split("\n").map((row) => row + " ".repeat(Math.max(0, columns - widthOf(row.replace(STYLES, "")))));
}

/** The same as plain text. */
export function rowsOf(state: State): string[] {
	return styledRows(state).map((row) => row.replace(STYLES, ""));
}
