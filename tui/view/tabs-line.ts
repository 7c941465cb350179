import { hasQueues } from "../state/answers.ts";
import { listOf, visibleOf } from "../state/list.ts";
import type { State } from "../state/model.ts";
import { SCREENS, type ScreenName, TABS, tabOf } from "../state/screens.ts";
import { widthOf } from "../text.ts";
import type { Line, Span } from "./paint.ts";

const AWAY = { before: " ‹", after: " ›" };
const GAP = "  ";

/** The screens with their keys, the one that is shown among them, and how much it lists. */
export function tabsLine(state: State): Line {
	const count = `${GAP}${countText(state)}`;
	const room = state.columns - widthOf(count);
	const [first, ...others] = namesWithin(state.screen, room);
	return [...(first === undefined ? [] : [{ ...first, text: first.text.trimStart() }]), ...others, { text: count }];
}

/** By their titles where there is room for all, else by their short names, else those around the one that is shown. */
function namesWithin(here: ScreenName, room: number): Span[] {
	for (const name of ["title", "short"] as const) {
		const all = SCREENS.map((screen) => span(screen, here, name));
		if (widthOfAll(all) <= room) return all;
	}
	return windowed(here, room - AWAY.before.length - AWAY.after.length);
}

function span(screen: (typeof SCREENS)[number], here: ScreenName, name: "title" | "short"): Span {
	const isHere = screen === tabOf(here);
	const text = `${TABS[screen].key} ${TABS[screen][name]}${isHere && here === "deliveries" ? " › Deliveries" : ""}`;
	return { text: isHere ? ` [${text}]` : ` ${text}`, bold: isHere, inverse: isHere, dim: !isHere };
}

function widthOfAll(spans: readonly Span[]): number {
	return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

function windowed(here: ScreenName, room: number): Span[] {
	const all = SCREENS.map((screen) => span(screen, here, "short"));
	let first = SCREENS.indexOf(tabOf(here));
	let end = first + 1;
	for (let turn = 0; turn < 2 * all.length; turn++) {
		const isBefore = turn % 2 === 0;
		const from = isBefore ? Math.max(0, first - 1) : first;
		const to = isBefore ? end : Math.min(all.length, end + 1);
		if (widthOfAll(all.slice(from, to)) > room) continue;
		first = from;
		end = to;
	}
	return [
		...(first > 0 ? [{ text: AWAY.before, dim: true }] : []),
		...all.slice(first, end),
		...(end < all.length ? [{ text: AWAY.after, dim: true }] : []),
	];
}

/** What is listed of the screen's things, and how many there are. */
function countText(state: State): string {
	const { filter, things, nextCursor, marked } = listOf(state);
	const queue = hasQueues(state.screen) ? `${state.queues[state.screen]}: ` : "";
	const visible = visibleOf(listOf(state)).length;
	const count = filter === "" ? `${visible}` : `${visible} of ${things.length}`;
	const more = nextCursor === undefined ? "" : "+";
	return `${queue}${count}${more}${marked.size > 0 ? `, ${marked.size} marked` : ""}${newsText(state)}`;
}

/** What has come meanwhile, and whether the screen hears at once of what comes. */
function newsText(state: State): string {
	const { held, error, filter } = listOf(state);
	if (held !== undefined) {
		const fresh = held.things.filter(({ id }) => held.fresh.has(id));
		const count = visibleOf({ things: fresh, filter }).length;
		return count === 0 ? "" : `, ${count} new: g`;
	}
	return state.screen === "events" && state.feed?.seq !== undefined && error === undefined ? ", live" : "";
}
