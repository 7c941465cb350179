import { change } from "../acts/changes.ts";
import { blockFor } from "../acts/moderation.ts";
import { inForm } from "../forms/form.ts";
import { edited } from "../forms/line.ts";
import { listOf, withFilter, withList } from "../lists/list.ts";
import { seek } from "../lists/seek.ts";
import { type State, type Step, say, stay } from "../model.ts";
import { move } from "../moves.ts";
import { inOutput, runLine } from "./output.ts";
import type { Overlay } from "./overlay.ts";
import { entriesOf } from "./search.ts";
import { actOf } from "./wanted.ts";

/* While one of these is open, it gets every key. */

type Of<K extends Overlay["kind"]> = Extract<Overlay, { kind: K }>;

/** The longest that has to be typed is an e-mail address. */
const LONGEST = 254;

const MOVES: Readonly<Record<string, number>> = {
	down: 1,
	up: -1,
	tab: 1,
	backtab: -1,
	"ctrl-n": 1,
	"ctrl-p": -1,
	pagedown: 10,
	pageup: -10,
};

export function inOverlay(state: State, overlay: Overlay, key: string): Step {
	switch (overlay.kind) {
		case "filter":
			return inFilter(state, overlay, key);
		case "reason":
			return blockFor(state, overlay, key);
		case "search":
			return inSearch(state, overlay, key);
		case "confirm":
			return inConfirm(state, overlay, key);
		case "text":
			return inText(state, overlay, key);
		case "form":
			return inForm(state, overlay, key);
		case "output":
			return inOutput(state, overlay, key);
		case "secret":
			return inSecret(state, overlay, key);
	}
}

function inFilter(state: State, overlay: Of<"filter">, key: string): Step {
	if (key === "enter") return seek(close(state));
	if (key === "escape") return stay(withList(close(state), (list) => withFilter(list, "")));
	// What the filter shows can be chosen while it is typed.
	const by = MOVES[key];
	if (by !== undefined) return move(state, by);
	const line = edited({ text: listOf(state).filter, caret: overlay.caret }, key, LONGEST);
	if (line === undefined) return stay(state);
	const typed = { ...state, overlay: { ...overlay, caret: line.caret } };
	return stay(withList(typed, (list) => withFilter(list, line.text)));
}

function close(state: State): State {
	return { ...state, overlay: undefined };
}

function inSearch(state: State, overlay: Of<"search">, key: string): Step {
	const entries = entriesOf(state, overlay.of, overlay.query);
	const by = MOVES[key];
	if (key === "escape") return stay(close(state));
	if (key === "enter") return entries[overlay.cursor]?.run(close(state)) ?? stay(close(state));
	if (by !== undefined) {
		const cursor = Math.max(0, Math.min(overlay.cursor + by, entries.length - 1));
		return stay({ ...state, overlay: { ...overlay, cursor } });
	}
	const line = edited({ text: overlay.query, caret: overlay.caret }, key, LONGEST);
	if (line === undefined) return stay(state);
	// What is chosen stays chosen while the caret alone moves.
	const place = line.text === overlay.query ? overlay.cursor : 0;
	return stay({ ...state, overlay: { ...overlay, query: line.text, caret: line.caret, cursor: place } });
}

function inConfirm(state: State, overlay: Of<"confirm">, key: string): Step {
	if (key === "escape") return stay(say(close(state), "warn", "Nothing was changed."));
	if (key === "enter") {
		if (overlay.typed === overlay.expected) return change(close(state), overlay.act);
		return stay(say(state, "warn", "That is not what has to be typed; esc leaves everything as it is."));
	}
	return typedInto(state, overlay, key);
}

function inText(state: State, overlay: Of<"text">, key: string): Step {
	if (key === "escape") return stay(say(close(state), "warn", "Nothing was changed."));
	if (key === "enter") {
		const asked = actOf(overlay.wanted, overlay.typed.trim(), state.nowMs);
		if (typeof asked === "string") return stay(say(state, "warn", asked));
		if ("copy" in asked)
			return stay(say(close(state), "good", `Copied ${asked.copy}`), { type: "copy", text: asked.copy });
		if ("run" in asked) return runLine(close(state), asked.run);
		return change(close(state), asked);
	}
	return typedInto(state, overlay, key);
}

function typedInto(state: State, overlay: Of<"confirm" | "text">, key: string): Step {
	const line = edited({ text: overlay.typed, caret: overlay.caret }, key, LONGEST);
	return stay(line === undefined ? state : { ...state, overlay: { ...overlay, typed: line.text, caret: line.caret } });
}

/** Only esc closes it: a key that was meant for something else must not. */
function inSecret(state: State, { secret }: Of<"secret">, key: string): Step {
	if (key === "escape") return stay(close(state));
	return key === "y" ? stay(say(state, "good", "Copied."), { type: "copy", text: secret }) : stay(state);
}
