import { bindingsOf } from "../state/bindings.ts";
import { charactersOf } from "../state/line.ts";
import { listOf } from "../state/list.ts";
import { type Overlay, REASON_KEYS, type State } from "../state/model.ts";
import { keyName } from "../state/search.ts";
import { SEARCHES } from "../state/seek.ts";
import { cut, oneLine, widthOf } from "../text.ts";
import type { Line, Span } from "./paint.ts";

/** What is asked, and what was typed so far. */
export function promptOf(current: State, overlay: Overlay): string {
	switch (overlay.kind) {
		case "filter":
			return `/${withCaret(listOf(current).filter, overlay.caret)}${hintOf(current)}`;
		case "reason":
			return `Block for: ${REASON_KEYS.map(({ key, reason }) => `${key} ${reason}`).join("  ")}  (esc: not at all)`;
		case "search":
			return `${overlay.of === "keys" ? "?" : ":"}${withCaret(overlay.query, overlay.caret)}`;
		case "confirm":
			return withTail(overlay.question, ` Type ${overlay.expected} and Enter: ${typedOf(overlay)}`, current.columns);
		case "text":
			return withTail(overlay.label, `: ${typedOf(overlay)}`, current.columns);
		case "form":
			return formText(overlay);
		case "output":
			return overlay.lines === undefined ? "… under way" : "";
		case "secret":
			return `${overlay.secret}  shown this once`;
	}
}

function typedOf({ typed, caret }: Extract<Overlay, { kind: "confirm" | "text" }>): string {
	return withCaret(typed, caret);
}

function withCaret(text: string, caret: number): string {
	const characters = charactersOf(text);
	return `${characters.slice(0, caret).join("")}▏${characters.slice(caret).join("")}`;
}

/** How a search is written here, until something is. */
function hintOf(current: State): string {
	const search = SEARCHES[current.screen];
	return listOf(current).filter === "" && search !== undefined ? `  words, or for the service: ${search}` : "";
}

function formText({ isLeaving, sent, errors }: Extract<Overlay, { kind: "form" }>): string {
	if (isLeaving) return "Leave, and forget what was typed?";
	if (sent !== undefined) return "… under way";
	const count = Object.keys(errors).length;
	return count === 0 ? "" : `✗ ${count === 1 ? "A field" : `${count} fields`} cannot be as it is`;
}

/** What has to be typed, and what was, is on the screen, however long the question is. */
function withTail(question: string, tail: string, columns: number): string {
	return cut(oneLine(question), Math.max(10, columns - widthOf(tail))) + tail;
}

/** The number of keys that are always shown: how to find the others, and how to leave. */
const LAST_KEYS = 3;

type KeyWord = readonly [key: string, word: string];

/** While something is asked, the keys of the list do nothing. */
const KEYS_OF: Record<Overlay["kind"], readonly KeyWord[]> = {
	filter: [
		["enter", "keep it"],
		["esc", "show all"],
	],
	reason: [["esc", "not at all"]],
	search: [
		["↑ ↓", "choose"],
		["enter", "do it"],
		["esc", "back"],
	],
	confirm: [
		["enter", "do it"],
		["esc", "change nothing"],
	],
	text: [
		["enter", "do it"],
		["esc", "change nothing"],
	],
	form: [
		["enter, tab, ↑ ↓", "go on"],
		["ctrl-s", "save"],
		["esc", "leave"],
	],
	output: [
		["↑ ↓", "scroll"],
		["r", "run again"],
		["y", "copy the command"],
		["esc", "back"],
	],
	secret: [
		["y", "copy it"],
		["esc", "forget it"],
	],
};

/** The keys that do something now, as many as there is room for. */
export function keysLine(current: State): Line {
	return keyWords(current).flatMap(([key, word], index): Span[] => [
		{ text: (index === 0 ? "" : GAP) + key, tone: "accent", bold: true },
		{ text: ` ${word}`, dim: true },
	]);
}

const GAP = "  ";

function keyWords(current: State): readonly KeyWord[] {
	const { overlay, pane, screen, columns } = current;
	if (overlay?.kind === "form" && overlay.isLeaving) {
		return [
			["y", "leave"],
			["any other key", "goes on"],
		];
	}
	if (overlay !== undefined) return KEYS_OF[overlay.kind];
	const all = bindingsOf(current).flatMap(({ keys, short }): KeyWord[] => {
		const word = typeof short === "function" ? short(current) : short;
		if (word === undefined) return [];
		return [[keyName(keys[0]), word === "quit" && (pane !== "list" || screen === "deliveries") ? "back" : word]];
	});
	const last = all.splice(-LAST_KEYS);
	const widthOfAll = () => widthOf([...all, ...last].map((pair) => pair.join(" ")).join(GAP));
	while (all.length > 0 && widthOfAll() > columns) all.pop();
	return [...all, ...last];
}
