import { askText } from "../acts/actions.ts";
import { listOf, selectedOf } from "../lists/list.ts";
import { type CommandLine, type Event, type State, type Step, say, stay } from "../model.ts";
import { bodyRows, wholeColumns } from "../sizes.ts";
import type { Overlay } from "./overlay.ts";

/* What a command of the CLI prints, in a pane of its own. */

type Output = Extract<Overlay, { kind: "output" }>;

/** One that reads is run here, or asked for its words first; any other one is copied. */
export function choose(state: State, { line, reads, needs }: CommandLine): Step {
	if (!reads) return stay(say(state, "good", `Copied: ${line}`), { type: "copy", text: line });
	if (needs.length === 0) return runLine(state, line);
	const typed = needs.length === 1 ? (selectedOf(listOf(state))?.id ?? "") : "";
	const label = `${line} ${needs.map((name) => `<${name}>`).join(" ")}`;
	return askText(state, label, { kind: "command", line }, typed);
}

export function runLine(state: State, line: string): Step {
	const seq = state.seq + 1;
	const overlay: Output = { kind: "output", line, seq, lines: undefined, first: 0 };
	const size = { columns: wholeColumns(state), rows: bodyRows(state) };
	return stay({ ...state, seq, overlay, notice: undefined }, { type: "run", seq, line, app: state.app?.id, ...size });
}

/** Whoever has closed the pane meanwhile, or run something else, does not wait for this. */
export function tookOutput(state: State, { seq, lines }: Extract<Event, { type: "ran" }>): State {
	const { overlay } = state;
	return overlay?.kind === "output" && overlay.seq === seq ? { ...state, overlay: { ...overlay, lines } } : state;
}

export function inOutput(state: State, overlay: Output, key: string): Step {
	if (key === "escape" || key === "q") return stay({ ...state, overlay: undefined });
	if (key === "y") return stay(say(state, "good", `Copied: ${overlay.line}`), { type: "copy", text: overlay.line });
	if (key === "r") return runLine(state, overlay.line);
	const rows = bodyRows(state);
	const last = Math.max(0, (overlay.lines?.length ?? 0) - rows);
	const by = { j: 1, down: 1, k: -1, up: -1, pagedown: rows, pageup: -rows, G: last, end: last, g: -last, home: -last }[
		key
	];
	const first = Math.max(0, Math.min(last, overlay.first + (by ?? 0)));
	return stay({ ...state, overlay: { ...overlay, first } });
}
