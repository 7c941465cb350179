import { type Event, type List, type State, type Step, stay } from "../model.ts";
import type { Thing } from "../things.ts";
import { listOf, refresh, withHeld, withList } from "./list.ts";

/* The events of the App come by themselves: while they are shown, a request waits for more. */

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Older ones go: they are in the feed for whoever asks. */
const MOST = 1_000;

/** The list as it is when the screen is opened, or read again. */
export function tookFirstEvents(state: State, { things, after }: Of<"page">): Step {
	const read = (list: List): List => ({
		...withEvents(withHeld(list), things, true),
		loaded: true,
		pending: undefined,
		error: undefined,
	});
	return stay({ ...withList(state, read, "events"), feed: { after, seq: undefined } });
}

export function tookEvents(state: State, { seq, things }: Of<"happened">): State {
	if (state.feed?.seq !== seq) return state;
	const isAtTop = state.pane === "list" || state.screen !== "events";
	const heard = (list: List): List => ({ ...withEvents(list, things, isAtTop), error: undefined });
	return { ...withList(state, heard, "events"), feed: { after: things[0]?.id ?? state.feed.after, seq: undefined } };
}

/** The newest stand first. Whoever is at the first row sees them come; for others nothing moves. */
function withEvents(list: List, things: readonly Thing[], canShow: boolean): List {
	const base = list.held?.things ?? list.things;
	const known = new Set(base.map(({ id }) => id));
	const fresh = things.filter(({ id }) => !known.has(id));
	if (fresh.length === 0) return list;
	const next = [...fresh, ...base].slice(0, MOST);
	if (canShow && list.cursor === 0) return { ...list, things: next, held: undefined };
	const ids = new Set([...fresh.map(({ id }) => id), ...(list.held?.fresh ?? [])]);
	return { ...list, held: { things: next, nextCursor: undefined, fresh: ids } };
}

export function tookSilence(state: State, { seq, message }: Of<"unheard">): State {
	if (state.feed?.seq !== seq) return state;
	const feed = { ...state.feed, seq: undefined };
	return { ...withList(state, (list) => ({ ...list, error: message }), "events"), feed };
}

/** A while after it could not be heard, the feed is asked again. */
export function listenAgain(state: State): Step {
	if (listOf(state).error === undefined) return stay(state);
	return state.feed === undefined ? refresh(state) : stay(withList(state, (list) => ({ ...list, error: undefined })));
}

/** While the events are on the screen, a request waits for more. */
export function listened({ state, effects }: Step): Step {
	const { feed, app, screen } = state;
	const { loaded, pending, error } = state.lists.events;
	const isDue = screen === "events" && loaded && pending === undefined && error === undefined;
	if (!isDue || app === undefined || feed === undefined || feed.seq !== undefined) return { state, effects };
	const seq = state.seq + 1;
	const listen = { type: "listen", seq, app: app.id, after: feed.after } as const;
	return { state: { ...state, seq, feed: { ...feed, seq } }, effects: [...effects, listen] };
}
