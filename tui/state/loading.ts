import { listOf, visibleOf, withList } from "./list.ts";
import { type Effect, type ScreenName, type State, type Step, stay } from "./model.ts";

/** An answer within this time needs no sign that something is under way. */
const SKELETON_MS = 150;
/** Rows before the end at which the next page is fetched. */
const AHEAD = 20;

/** The first page again; what is there stays until it has come. An older request's answer is no longer waited for. */
export function refresh(state: State): Step {
	return load(state, false);
}

function load(state: State, more: boolean): Step {
	const { screen } = state;
	const seq = state.seq + 1;
	const cursor = more ? listOf(state).nextCursor : undefined;
	const next = withList({ ...state, seq }, (list) => ({ ...list, pending: { seq, more, slow: false } }));
	return stay(next, effectFor(state, screen, seq, cursor), { type: "wait", screen, seq, milliseconds: SKELETON_MS });
}

function effectFor(state: State, screen: ScreenName, seq: number, cursor: string | undefined): Effect {
	if (state.person === undefined) return { type: "meet", screen, seq };
	const { queue, app, person } = state;
	return { type: "load", screen, seq, cursor, queue, app: app?.id, operator: person.operator };
}

/** What the screen shows, unless it is there as it should be, or under way. */
export function ensureLoaded(state: State): Step {
	const { loaded, pending, error } = listOf(state);
	return pending !== undefined || (loaded && error === undefined) ? stay(state) : load(state, false);
}

/** The next page, once the cursor comes near the end of what is there. */
export function ensureAhead(state: State): Step {
	const list = listOf(state);
	const isNear = visibleOf(list).length - list.cursor <= AHEAD;
	const canLoad = list.nextCursor !== undefined && list.pending === undefined && list.error === undefined;
	return isNear && canLoad ? load(state, true) : stay(state);
}
