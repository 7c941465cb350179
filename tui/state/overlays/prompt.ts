import { cut, oneLine, widthOf, wrap } from "../../text.ts";
import { charactersOf } from "../forms/line.ts";
import { listOf } from "../lists/list.ts";
import { SEARCHES } from "../lists/seek.ts";
import { REASON_KEYS, type State } from "../model.ts";
import type { Overlay } from "./overlay.ts";

/* What is asked at the bottom, and what was typed so far. */

type Asking = Pick<State, "columns" | "overlay" | "lists" | "screen">;

/** More lines than this would hide what the question is about. */
const MOST_LINES = 3;
/** With less room for what is typed, it gets a line of its own. */
const LEAST_TYPED = 16;

/** The lines of the question, whole where there is any room; what is typed is on the last one, around its caret. */
export function promptLines(state: Asking): readonly string[] {
	const { overlay, columns } = state;
	if (overlay === undefined) return [];
	if (overlay.kind === "confirm") {
		return asked(`${overlay.question} Type ${overlay.expected} and Enter:`, overlay, columns);
	}
	if (overlay.kind === "text") return asked(`${overlay.label}:`, overlay, columns);
	return [cut(oneLine(promptOf(state, overlay)), columns)];
}

function asked(question: string, { typed, caret }: { typed: string; caret: number }, columns: number): string[] {
	const lines = wrap(question, columns);
	const whole = lines.length <= MOST_LINES ? lines : [cut(oneLine(question), columns)];
	const last = `${whole.at(-1)} `;
	const least = Math.min(LEAST_TYPED, widthOf(oneLine(typed)) + 1);
	const room = columns - widthOf(last);
	if (room < least) return [...whole, aroundCaret(typed, caret, columns)];
	return [...whole.slice(0, -1), last + aroundCaret(typed, caret, room)];
}

function promptOf(state: Asking, overlay: Exclude<Overlay, { kind: "confirm" | "text" }>): string {
	const room = state.columns - 1;
	switch (overlay.kind) {
		case "filter": {
			const { filter } = listOf(state);
			return `/${aroundCaret(filter, overlay.caret, room)}${filter === "" ? hintOf(state) : ""}`;
		}
		case "reason":
			return `Block for: ${REASON_KEYS.map(({ key, reason }) => `${key} ${reason}`).join("  ")}`;
		case "search":
			return `${overlay.of === "keys" ? "?" : ":"}${aroundCaret(overlay.query, overlay.caret, room)}`;
		case "form":
			return formText(overlay);
		case "output":
			return overlay.lines === undefined ? "… under way" : "";
		case "secret":
			return `${overlay.secret}  shown this once`;
	}
}

/** The part of a line around its caret that has room, the caret as a bar in it. */
function aroundCaret(text: string, caret: number, room: number): string {
	const characters = charactersOf(text).map(oneLine);
	const before = characters.slice(0, caret);
	const after = characters.slice(caret).join("");
	// The end of a line is worth more than its beginning while it is typed.
	const least = Math.min(widthOf(after), Math.floor(room / 4));
	while (before.length > 0 && widthOf(before.join("")) + 1 + least > room) before.shift();
	const isCut = before.length < caret;
	const shown = isCut ? `…${before.slice(1).join("")}` : before.join("");
	return `${shown}▏${cut(after, room - widthOf(shown) - 1)}`;
}

/** How a search is written here, until something is. */
function hintOf({ screen }: Asking): string {
	const search = SEARCHES[screen];
	return search === undefined ? "" : `  words, or for the service: ${search}`;
}

function formText({ isLeaving, sent, errors }: Extract<Overlay, { kind: "form" }>): string {
	if (isLeaving) return "Leave, and forget what was typed?";
	if (sent !== undefined) return "… under way";
	const count = Object.keys(errors).length;
	return count === 0 ? "" : `✗ ${count === 1 ? "A field" : `${count} fields`} cannot be as it is`;
}
