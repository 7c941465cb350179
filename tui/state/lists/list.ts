import { type Effect, type List, type State, type Step, stay } from "../model.ts";
import type { ScreenName } from "../screens.ts";
import type { Thing } from "../things.ts";

export const EMPTY_LIST: List = {
	things: [],
	nextCursor: undefined,
	loaded: false,
	pending: undefined,
	error: undefined,
	cursor: 0,
	filter: "",
	search: "",
	marked: new Set(),
	held: undefined,
	gone: new Set(),
};

const texts = new WeakMap<Thing, string>();

/** Addresses and times hold too much of everything to be looked for by a part of them. */
const UNSOUGHT = /^(?:https?:\/\/|\d{4}-\d\d-\d\dT)/;

/** Things that hold every word of the filter. */
export function visibleOf({ things, filter }: Pick<List, "things" | "filter">): readonly Thing[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return words.length === 0
		? things
		: things.filter((thing) => words.every((word) => searchText(thing).includes(word)));
}

/** All that a thing says, in lower case; kept, since a filter asks again with each key. */
function searchText(thing: Thing): string {
	const known = texts.get(thing);
	if (known !== undefined) return known;
	const text = wordsIn(thing).join("\n").toLowerCase();
	texts.set(thing, text);
	return text;
}

function wordsIn(value: unknown): readonly string[] {
	if (typeof value === "string") return UNSOUGHT.test(value) ? [] : [value];
	if (typeof value === "number") return [String(value)];
	if (typeof value !== "object" || value === null) return [];
	// What kind of thing it is says the same of all of them.
	return Object.entries(value).flatMap(([name, part]) => (name === "object" ? [] : wordsIn(part)));
}

export function moveTo(list: List, cursor: number): List {
	return { ...list, cursor: clamp(cursor, visibleOf(list).length) };
}

function clamp(value: number, count: number): number {
	return Math.max(0, Math.min(value, count - 1));
}

export function selectedOf(list: List): Thing | undefined {
	return visibleOf(list)[list.cursor];
}

/** The targets of an action: the marked things, else the one under the cursor. */
export function targetsOf(list: List): readonly Thing[] {
	if (list.marked.size > 0) return list.things.filter(({ id }) => list.marked.has(id));
	const selected = selectedOf(list);
	return selected === undefined ? [] : [selected];
}

/** Other things, with the cursor still on the same one, and no mark on one that is gone. */
export function withThings(list: List, things: readonly Thing[]): List {
	const id = selectedOf(list)?.id;
	const next = { ...list, things };
	const at = visibleOf(next).findIndex((thing) => thing.id === id);
	const ids = new Set(things.map((thing) => thing.id));
	const marked = new Set([...list.marked].filter((mark) => ids.has(mark)));
	return { ...moveTo(next, at === -1 ? list.cursor : at), marked };
}

export function withFilter(list: List, filter: string): List {
	const id = selectedOf(list)?.id;
	const next = { ...list, filter };
	const at = visibleOf(next).findIndex((thing) => thing.id === id);
	return { ...next, cursor: Math.max(0, at) };
}

export function toggleMark(list: List): List {
	const id = selectedOf(list)?.id;
	if (id === undefined) return list;
	const marked = new Set(list.marked);
	if (!marked.delete(id)) marked.add(id);
	return { ...list, marked };
}

export function markVisible(list: List): List {
	return { ...list, marked: new Set([...list.marked, ...visibleOf(list).map(({ id }) => id)]) };
}

export function listOf(state: Pick<State, "lists" | "screen">): List {
	return state.lists[state.screen];
}

export function withList(state: State, change: (list: List) => List, screen = state.screen): State {
	return { ...state, lists: { ...state.lists, [screen]: change(state.lists[screen]) } };
}

/** What was held back is there, except for what is gone meanwhile; what was changed meanwhile stays as it is now. */
export function withHeld(list: List): List {
	const { held } = list;
	if (held === undefined) return list;
	const now = new Map(list.things.map((thing) => [thing.id, thing]));
	const things = held.things.flatMap((thing) => now.get(thing.id) ?? (held.fresh.has(thing.id) ? [thing] : []));
	return { ...withThings(list, things), nextCursor: held.nextCursor, held: undefined };
}

/** An answer within this time needs no sign that something is under way. */
const SKELETON_MS = 150;
/** Rows before the end at which the next page is fetched. */
const AHEAD = 20;

/** The first page again; what is there stays until it has come. An older request's answer is no longer waited for. */
export function refresh(state: State): Step {
	return load(state, "first");
}

/** What has changed since, without a sign that something is under way. */
export function lookForNews(state: State): Step {
	return load(state, "news");
}

function load(state: State, kind: NonNullable<List["pending"]>["kind"]): Step {
	const { screen } = state;
	const seq = state.seq + 1;
	const next = withList({ ...state, seq }, (list) => ({ ...list, pending: { seq, kind, slow: false } }));
	const effect = effectFor(state, screen, seq, kind);
	return kind === "news"
		? stay(next, effect)
		: stay(next, effect, { type: "wait", screen, seq, milliseconds: SKELETON_MS });
}

function effectFor(state: State, screen: ScreenName, seq: number, kind: NonNullable<List["pending"]>["kind"]): Effect {
	if (state.person === undefined) return { type: "meet", screen, seq };
	const { queues, app, person, feed, endpoint, user } = state;
	const { operator } = person;
	const { search } = listOf(state);
	const cursor = kind === "more" ? listOf(state).nextCursor : undefined;
	const selected = kind === "news" ? selectedOf(listOf(state))?.id : undefined;
	const place = { app: app?.id, endpoint: endpoint?.id, after: feed?.after, selected };
	return { type: "load", screen, seq, cursor, queues, operator, search, user: user?.id, ...place };
}

/** Fetches the list of the screen, or what is new in it, unless it is under way. */
export function ensureLoaded(state: State): Step {
	const { loaded, pending, error } = listOf(state);
	if (pending !== undefined) return stay(state);
	if (!loaded || error !== undefined) return refresh(state);
	return state.screen === "events" ? stay(state) : lookForNews(state);
}

/** Fetches the next page, once the cursor comes near the end of the list. */
export function ensureAhead(state: State): Step {
	const list = listOf(state);
	const isNear = visibleOf(list).length - list.cursor <= AHEAD;
	const canLoad = list.nextCursor !== undefined && list.pending === undefined && list.error === undefined;
	return isNear && canLoad ? load(state, "more") : stay(state);
}
