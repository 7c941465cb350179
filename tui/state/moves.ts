import type { AppThing } from "@svc/nouns/app";
import type { WebhookEndpoint } from "@svc/sdk/shapes";
import { isMakingSecret } from "./acts/actions.ts";
import { chooseApp, chooseQueue } from "./lists/answers.ts";
import {
	EMPTY_LIST,
	ensureAhead,
	ensureLoaded,
	listOf,
	markVisible,
	moveTo,
	refresh,
	selectedOf,
	toggleMark,
	visibleOf,
	withFilter,
	withHeld,
	withList,
} from "./lists/list.ts";
import { type State, type Step, say, stay } from "./model.ts";
import { type ScreenName, screensOf, tabOf } from "./screens.ts";
import { bodyRows, FIRST_ROW, firstRow, isNarrow, listColumns } from "./sizes.ts";

/** The list's cursor, or the detail's lines where that pane has the keys. */
export function move(state: State, by: number): Step {
	if (state.pane === "detail") return stay({ ...state, scroll: Math.max(0, state.scroll + by) });
	return to(state, listOf(state).cursor + by);
}

function to(state: State, cursor: number): Step {
	const moved = withList(state, (list) => moveTo(list, cursor));
	return ensureAhead({ ...moved, scroll: 0 });
}

export function toEdge(state: State, edge: "first" | "last"): Step {
	if (state.pane === "detail") return stay({ ...state, scroll: edge === "first" ? 0 : Number.MAX_SAFE_INTEGER });
	if (edge === "first") return to(withList(state, withHeld), 0);
	const { nextCursor } = listOf(state);
	const last = to(state, visibleOf(listOf(state)).length - 1);
	if (nextCursor === undefined) return last;
	return stay(
		say(last.state, "warn", "This is the last one that is loaded; G goes on once more have come."),
		...last.effects,
	);
}

export function page(state: State, direction: 1 | -1): Step {
	return move(state, direction * Math.max(1, bodyRows(state) - 2));
}

export function show(state: State, screen: ScreenName): Step {
	return ensureLoaded({ ...state, screen, pane: "list", scroll: 0, overlay: undefined, notice: undefined });
}

/** The screen beside this one; after the last one comes the first. */
export function step(state: State, by: 1 | -1): Step {
	const there = screensOf(state);
	const at = there.indexOf(tabOf(state.screen)) + by;
	return show(state, there[(at + there.length) % there.length] ?? state.screen);
}

export function togglePane(state: State): Step {
	return stay({ ...state, pane: state.pane === "list" ? "detail" : "list" });
}

export function mark(state: State): Step {
	return move(withList(state, toggleMark), 1);
}

export function markAll(state: State): Step {
	return stay(withList(state, markVisible));
}

/** The picture alone, or again what it was opened from. */
export function toggleFull(state: State): Step {
	const { pane, under } = state;
	if (pane === "picture") return stay({ ...state, pane: under });
	if (selectedOf(listOf(state)) === undefined) return stay(say(state, "warn", "No image is chosen."));
	return stay({ ...state, pane: "picture", under: pane });
}

/** Closes one layer at a time: the picture, the detail, the marks, then the filter, then the notice. */
export function clear(state: State): Step {
	if (state.pane === "picture") return toggleFull(state);
	if (state.pane === "detail") return stay({ ...state, pane: "list", notice: undefined });
	const list = listOf(state);
	if (list.marked.size > 0) return stay(withList(state, (one) => ({ ...one, marked: new Set() })));
	if (list.filter !== "") return stay(withList(state, (one) => ({ ...one, filter: "", cursor: 0 })));
	if (list.search !== "") return refresh(withList(state, () => EMPTY_LIST));
	return state.screen === "deliveries" ? show(state, "webhooks") : stay({ ...state, notice: undefined });
}

/** Out of the picture or the detail, else out of the program. */
export function back(state: State): Step {
	if (state.pane === "picture") return toggleFull(state);
	if (state.pane === "detail") return stay({ ...state, pane: "list" });
	if (state.screen === "deliveries") return show(state, "webhooks");
	if (isMakingSecret(state)) return stay(say(state, "warn", "A secret is being made: it is shown once, wait for it."));
	return stay(state, { type: "quit", exit: 0 });
}

export function copyId(state: State): Step {
	const id = selectedOf(listOf(state))?.id;
	if (id === undefined) return stay(state);
	return stay(say(state, "good", `Copied ${id}.`), { type: "copy", text: id });
}

export function clicked(state: State, column: number, row: number): Step {
	const line = row - FIRST_ROW;
	const list = listOf(state);
	const isListHidden = state.pane === "picture" || (isNarrow(state) && state.pane === "detail");
	if (line < 1 || line >= bodyRows(state) || isListHidden) return stay(state);
	if (column > listColumns(state)) return stay({ ...state, pane: "detail" });
	const at = firstRow(list.cursor, visibleOf(list).length, bodyRows(state) - 1) + line - 1;
	return at < visibleOf(list).length ? to({ ...state, pane: "list" }, at) : stay(state);
}

/** The screens that list things, by the beginning of a thing's id. */
const SCREEN_OF: readonly (readonly [prefix: string, screen: ScreenName])[] = [
	["img_", "moderation"],
	["app_", "apps"],
	["key_", "keys"],
	["usr_", "users"],
	["sub_", "subscriptions"],
	["pln_", "plans"],
	["upt_", "tickets"],
	["whe_", "webhooks"],
	["pre_", "presets"],
	["sgk_", "signing-keys"],
];

/** The detail; of an App: work in it; of an audit entry, and of an event in its detail: what it was about. */
export function enter(state: State): Step {
	const selected = selectedOf(listOf(state));
	if (selected === undefined) return stay(state);
	if (selected.object === "app" && state.pane === "list") return workIn(state, selected);
	if (selected.object === "webhook_endpoint" && state.pane === "list") return showDeliveries(state, selected);
	if (selected.object === "audit_entry" && state.pane === "list") return jump(state, selected.target);
	if (selected.object === "event" && state.pane === "detail") return jump(state, selected.data.object.id ?? null);
	return stay({ ...state, pane: "detail", scroll: 0 });
}

function workIn(state: State, { id, name, role, selling_enabled: sells }: AppThing): Step {
	return stay(
		say(chooseApp(state, { id, name, role, sells }), "good", `Working in ${name}: keys, users, plans and usage.`),
	);
}

/** Those of another endpoint are forgotten. */
function showDeliveries(state: State, { id, url }: WebhookEndpoint): Step {
	const isSame = state.endpoint?.id === id;
	const chosen = isSame ? state : withList({ ...state, endpoint: { id, url } }, () => EMPTY_LIST, "deliveries");
	return show(chosen, "deliveries");
}

function jump(state: State, target: string | null): Step {
	const [, screen] = SCREEN_OF.find(([prefix]) => target?.startsWith(prefix)) ?? [];
	if (target === null || screen === undefined || (screen !== "moderation" && state.absent.includes(screen)))
		return stay({ ...state, pane: "detail" });
	if (screen === "moderation" && state.person?.operator !== true) {
		return stay(say(state, "warn", "Only operators see single images here; y copies the id."));
	}
	// An image is in one queue or another, and always among all of them.
	const there: State = { ...state, screen, scroll: 0 };
	const { state: next, effects } =
		screen === "moderation" ? chooseQueue(there, { moderation: "all" }) : show(state, screen);
	return stay(
		withList(next, (list) => withFilter(list, target)),
		...effects,
	);
}
