import { bindingsOf } from "./bindings.ts";
import { type State, type Step, say, stay } from "./model.ts";

/** A line of the list of keys, or of the palette. */
interface Entry {
	readonly left: string;
	readonly label: string;
	run(state: State): Step;
}

const NAMES: Readonly<Record<string, string>> = { " ": "space", escape: "esc", pagedown: "PgDn", pageup: "PgUp" };

export function keyName(key: string): string {
	return NAMES[key] ?? key;
}

/** What fits the query, the best first. */
export function entriesOf(state: State, of: "keys" | "palette", query: string): readonly Entry[] {
	const wanted = query.toLowerCase().replaceAll(" ", "");
	return allOf(state, of)
		.map((entry) => ({ entry, gaps: score(`${entry.left} ${entry.label}`.toLowerCase(), wanted) }))
		.filter((one): one is { entry: Entry; gaps: number } => one.gaps !== undefined)
		.sort((one, other) => (wanted === "" ? 0 : one.gaps - other.gaps))
		.map(({ entry }) => entry);
}

function allOf(state: State, of: "keys" | "palette"): readonly Entry[] {
	const keys = bindingsOf(state).map(({ keys: names, label, run }) => ({ left: keyName(names[0]), label, run }));
	if (of === "keys") return keys;
	const lines = state.commands.map(({ line, summary }) => ({ left: line, label: summary, run: copyLine(line) }));
	return [...keys, ...lines];
}

function copyLine(line: string) {
	return (state: State): Step => stay(say(state, "good", `Copied: ${line}`), { type: "copy", text: line });
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
