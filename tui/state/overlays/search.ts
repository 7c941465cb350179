import { bindingsOf } from "../bindings.ts";
import { THEME_CHOICES } from "../choose-theme.ts";
import type { CommandLine, State, Step } from "../model.ts";
import { choose } from "./output.ts";

/** A line of the list of keys, or of the palette. */
interface Entry {
	readonly left: string;
	readonly label: string;
	/** Screens come first, then keys, then commands that are run here, then those that can only be copied. */
	readonly rank: number;
	run(state: State): Step;
}

const NAMES: Readonly<Record<string, string>> = {
	" ": "space",
	escape: "esc",
	pagedown: "PgDn",
	pageup: "PgUp",
	down: "↓",
	up: "↑",
	left: "←",
	right: "→",
	backtab: "shift-tab",
};

export function keyName(key: string): string {
	return NAMES[key] ?? key;
}

/** The entries that fit the query: screens, keys, then commands, of each the best first. */
export function entriesOf(state: State, of: "keys" | "palette", query: string): readonly Entry[] {
	const wanted = query.toLowerCase().replaceAll(" ", "");
	return allOf(state, of)
		.map((entry) => ({ entry, gaps: score(`${entry.left} ${entry.label}`.toLowerCase(), wanted) }))
		.filter((one): one is { entry: Entry; gaps: number } => one.gaps !== undefined)
		.sort((one, other) => one.entry.rank - other.entry.rank || (wanted === "" ? 0 : one.gaps - other.gaps))
		.map(({ entry }) => entry);
}

function allOf(state: State, of: "keys" | "palette"): readonly Entry[] {
	const rank = (goes: string | undefined) => (of === "palette" && goes !== undefined ? 0 : 1);
	const keys = bindingsOf(state).map(
		({ keys: names, label, goes, run }): Entry => ({
			left: names.map(keyName).join(" "),
			label,
			rank: rank(goes),
			run,
		}),
	);
	if (of === "keys") return keys;
	const themes = THEME_CHOICES.map(({ name, label, run }): Entry => ({ left: name, label, rank: 1, run }));
	return [...keys, ...themes, ...state.commands.map(commandEntry)];
}

function commandEntry(command: CommandLine): Entry {
	const { line, summary, reads } = command;
	const label = reads ? summary : `${summary} (copied)`;
	return { left: line, label, rank: reads ? 2 : 3, run: (state) => choose(state, command) };
}

/** How well the letters of the query follow one another in the text; undefined where they do not. */
function score(text: string, query: string): number | undefined {
	let at = -1;
	let gaps = 0;
	for (const letter of query) {
		const next = text.indexOf(letter, at + 1);
		if (next === -1) return undefined;
		gaps += next - at - 1;
		at = next;
	}
	return gaps;
}
