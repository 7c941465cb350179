import { bindingsOf } from "./bindings.ts";
import { tookTheme } from "./choose-theme.ts";
import { tookNoTerms, tookTerms } from "./forms/app-forms.ts";
import { answered, pastedInForm } from "./forms/form.ts";
import { tookOpening, tookPage, tookPerson, tookRefusal, tookSlow } from "./lists/answers.ts";
import { listened, tookEvents, tookSilence } from "./lists/feed.ts";
import { EMPTY_LIST, listOf, refresh } from "./lists/list.ts";
import { lookAgain } from "./lists/live.ts";
import { type Event, QUEUES, type Queues, type State, type Step, say, stay } from "./model.ts";
import { clicked, move } from "./moves.ts";
import { tookOutput } from "./overlays/output.ts";
import { inOverlay } from "./overlays/overlays.ts";
import { ALL_SCREENS, type ScreenName } from "./screens.ts";

type Start = Pick<State, "columns" | "rows" | "nowMs" | "profile" | "readOnly" | "commands" | "screen" | "pictures"> &
	Partial<Pick<State, "namesScreen" | "theme" | "ground">>;

/** Pixels of a cell, where the terminal does not say. */
const USUAL_CELL = { width: 10, height: 20 };

const LISTS = Object.fromEntries(ALL_SCREENS.map((screen) => [screen, EMPTY_LIST])) as Record<
	ScreenName,
	typeof EMPTY_LIST
>;

const FIRST_QUEUES: Queues = {
	moderation: QUEUES.moderation[0],
	tickets: QUEUES.tickets[0],
	deliveries: QUEUES.deliveries[0],
};

/** The first thing to do is to ask who is there. */
export function start(given: Start): Step {
	return refresh({
		namesScreen: false,
		theme: undefined,
		ground: "dark",
		...given,
		touchedMs: given.nowMs,
		person: undefined,
		absent: [],
		mode: undefined,
		app: undefined,
		pane: "list",
		under: "list",
		scroll: 0,
		queues: FIRST_QUEUES,
		follows: false,
		endpoint: undefined,
		user: undefined,
		feed: undefined,
		lists: LISTS,
		overlay: undefined,
		notice: undefined,
		noticeMs: given.nowMs,
		revealed: new Set(),
		cell: USUAL_CELL,
		preview: undefined,
		changes: [],
		undos: [],
		deletions: [],
		lookUp: undefined,
		seq: 0,
	});
}

/** Everything that happens, in one place, without a terminal and without a service. */
export function reduce(before: State, event: Event): Step {
	const { state, effects } = listened(taken(before, event));
	return { state: state.notice === before.notice ? state : { ...state, noticeMs: state.nowMs }, effects };
}

function taken(state: State, event: Event): Step {
	switch (event.type) {
		case "key":
			return pressed({ ...state, touchedMs: state.nowMs }, event);
		case "paste":
			return pasted(state, event.text);
		case "wheel":
			return turned(state, event.lines);
		case "click":
			return state.overlay === undefined ? clicked(state, event.column, event.row) : stay(state);
		case "resize":
			return stay({ ...state, columns: event.columns, rows: event.rows });
		case "tick":
			return lookAgain(withoutOldNotice({ ...state, nowMs: event.nowMs }));
		case "slow":
			return tookSlow(state, event);
		case "met":
			return tookPerson(state, event);
		case "page":
			return tookPage(state, event);
		case "refused":
			return tookRefusal(state, event);
		case "happened":
			return stay(tookEvents(state, event));
		case "unheard":
			return stay(tookSilence(state, event));
		case "acted":
			return answered(state, event);
		case "opened":
			return stay(tookOpening(state, event));
		case "ran":
			return stay(tookOutput(state, event));
		case "saved":
			return stay(say(state, "good", `Saved ${event.file}.`));
		case "theme-kept":
			return stay(tookTheme(state, event));
		case "answered":
			return stay(state);
		case "ground":
			return stay({ ...state, ground: event.ground });
		case "not-saved":
			return stay(say(state, "danger", event.message));
		case "not-found":
			return stay(tookNoTerms(state, event));
		case "looked-up":
			return stay(tookTerms(state, event));
		case "preview":
			return stay({ ...state, preview: { key: event.key, drawing: event.drawing } });
		case "graphics":
			return stay(state.pictures === "cells" ? { ...state, pictures: "graphics" } : state);
		case "cell-size":
			return stay({ ...state, cell: { width: event.width, height: event.height } });
	}
}

/** The wheel moves what is in front. */
function turned(state: State, lines: number): Step {
	const { overlay } = state;
	if (overlay === undefined) return move(state, lines);
	if (overlay.kind !== "output" && overlay.kind !== "search") return stay(state);
	const name = lines > 0 ? "down" : "up";
	return Array.from({ length: Math.abs(lines) }).reduce<Step>(
		({ state: now }) => (now.overlay === undefined ? stay(now) : inOverlay(now, now.overlay, name)),
		stay(state),
	);
}

/** The text that is being typed; empty where there is none. */
function lineIn(state: State): string {
	const { overlay } = state;
	switch (overlay?.kind) {
		case "filter":
			return listOf(state).filter;
		case "search":
			return overlay.query;
		case "text":
		case "confirm":
			return overlay.typed;
		case "form":
			return overlay.fields[overlay.at]?.value ?? "";
		default:
			return "";
	}
}

/** A slow line sends the escape key and the next one together, as terminals send a letter with alt held. */
function escapedFirst(state: State, name: string): Step {
	const left = pressed(state, { type: "key", name: "escape", ctrl: false });
	const { state: next, effects } = pressed(left.state, { type: "key", name, ctrl: false });
	return { state: next, effects: [...left.effects, ...effects] };
}

/** What was read goes by itself; what went wrong stays until somebody has gone on, and for longer. */
const NOTICE_MS = 10_000;
const ERROR_MS = 30_000;

function withoutOldNotice(state: State): State {
	const { notice, noticeMs, nowMs, touchedMs, overlay } = state;
	const isError = notice?.tone === "danger";
	const isSeen = !isError || touchedMs > noticeMs;
	const isOld = nowMs - noticeMs >= (isError ? ERROR_MS : NOTICE_MS) && isSeen && overlay === undefined;
	return isOld ? { ...state, notice: undefined } : state;
}

function pressed(state: State, { name, ctrl }: Extract<Event, { type: "key" }>): Step {
	const key = ctrl ? `ctrl-${name}` : name;
	if (key === "ctrl-c") return stay(state, { type: "quit", exit: 130 });
	if (key.startsWith("alt-") && lineIn(state) === "") return escapedFirst(state, key.slice("alt-".length));
	if (state.overlay !== undefined) return inOverlay(state, state.overlay, key);
	return (
		bindingsOf(state)
			.find(({ keys }) => keys.includes(key))
			?.run(state) ?? stay(state)
	);
}

/** A paste is text where text is asked for, and never a row of commands. */
function pasted(state: State, text: string): Step {
	if (state.overlay?.kind === "form") return pastedInForm(state, state.overlay, text);
	const kind = state.overlay?.kind;
	if (kind === undefined || kind === "reason" || kind === "secret" || kind === "output") return stay(state);
	let current = state;
	for (const character of text.replace(/\p{Cc}/gu, "")) {
		if (current.overlay === undefined) break;
		current = inOverlay(current, current.overlay, character).state;
	}
	return stay(current);
}
