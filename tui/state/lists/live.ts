import { type Event, type List, type State, type Step, stay } from "../model.ts";
import type { ScreenName } from "../screens.ts";
import type { Thing } from "../things.ts";
import { listenAgain } from "./feed.ts";
import { ensureAhead, listOf, lookForNews, refresh, selectedOf, withList, withThings } from "./list.ts";

/* Lists are read again by themselves, so that two people at one queue see each other's decisions. */

type NewPage = Extract<Event, { type: "page" }>;

/** Seconds between two readings. */
const OFTEN = 5;
/** What changes seldom, or costs the service more, is read less often. */
const SELDOM: Partial<Record<ScreenName, number>> = {
	apps: 15,
	keys: 15,
	users: 15,
	plans: 15,
	presets: 30,
	"signing-keys": 30,
	trash: 30,
	usage: 30,
};

/** On each tick: what is shown is read again, unless that is under way or the person types or changes something. */
export function lookAgain(state: State): Step {
	const { loaded, pending, error } = listOf(state);
	if (state.overlay !== undefined || state.changes.length > 0 || pending !== undefined) return stay(state);
	if (!loaded) return error === undefined ? stay(state) : refresh(state);
	if (state.screen === "events") return listenAgain(state);
	return error !== undefined || isDue(state) ? lookForNews(state) : stay(state);
}

/** A dashboard that nobody has touched for so long costs the service little. */
const LEFT_ALONE_MS = 15 * 60_000;
const WHEN_ALONE = 30;

function isDue({ screen, nowMs, touchedMs }: State): boolean {
	const wanted = SELDOM[screen] ?? OFTEN;
	const everySeconds = nowMs - touchedMs > LEFT_ALONE_MS ? Math.max(wanted, WHEN_ALONE) : wanted;
	return Math.floor(nowMs / 1_000 / OFTEN) % (everySeconds / OFTEN) === 0;
}

/** What is there changes in its place; what is new waits until the person asks for it. */
export function tookNews(state: State, event: NewPage): Step {
	const { screen } = event;
	const isPinned = screen === "audit" && state.follows && state.pane === "list";
	const next = withList(state, (list) => ({ ...withNews(list, event, isPinned), ...READ }), screen);
	return screen === state.screen ? ensureAhead(next) : stay(next);
}

const READ = { loaded: true, pending: undefined, error: undefined } as const;

/** @param isPinned whoever is at the first row stays there, and sees the new ones come */
function withNews(list: List, event: NewPage, isPinned: boolean): List {
	const page = new Map(event.things.map((thing) => [thing.id, thing]));
	const end = readUntil(list, event);
	// Where a whole page is new, there may be more of it before what is known.
	const tail = end === 0 ? [] : list.things.slice(end).filter(({ id }) => !page.has(id));
	const nextCursor = tail.length > 0 ? list.nextCursor : event.nextCursor;
	const merged = { things: [...event.things, ...tail], nextCursor };
	const known = new Set(list.things.map(({ id }) => id));
	const fresh = new Set(event.things.map(({ id }) => id).filter((id) => !known.has(id)));
	if (isPinned && list.cursor === 0) return { ...list, ...merged, held: undefined };
	if (list.things.length === 0) return { ...withThings(list, merged.things), nextCursor, held: undefined };
	const { things, gone } = inPlace(list, event, end);
	const shown = { ...withThings(list, things), gone };
	return fresh.size === 0 ? { ...shown, nextCursor, held: undefined } : { ...shown, held: { ...merged, fresh } };
}

/** How many of the things that are shown the page speaks of: what stands behind them was not read again. */
function readUntil({ things }: List, { things: page, nextCursor }: NewPage): number {
	if (nextCursor === undefined) return things.length;
	const ids = new Set(page.map(({ id }) => id));
	return things.findLastIndex(({ id }) => ids.has(id)) + 1;
}

/** The things in their order, each as it is now. What is gone stays while it is marked or under the cursor. */
function inPlace(list: List, { things: page, selected }: NewPage, end: number): Pick<List, "things" | "gone"> {
	const now = new Map([...page, ...(selected === undefined ? [] : [selected])].map((thing) => [thing.id, thing]));
	const listed = new Set(page.map(({ id }) => id));
	const current = selectedOf(list)?.id;
	const isGone = ({ id }: Thing, index: number) => index < end && !listed.has(id);
	const isInUse = ({ id }: Thing) => id === current || list.marked.has(id);
	const left = list.things.filter((thing, index) => !isGone(thing, index) || isInUse(thing));
	const gone = new Set(
		list.things
			.filter(isGone)
			.filter(isInUse)
			.map(({ id }) => id),
	);
	return { things: left.map((thing) => now.get(thing.id) ?? thing), gone };
}
