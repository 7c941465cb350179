import type { State } from "../state/model.ts";
import { type ScreenName, screensOf, TABS, tabOf } from "../state/screens.ts";
import { widthOf } from "../text.ts";
import type { Line, Span } from "./paint.ts";

const AWAY = { before: " ‹", after: " ›" };

/** The screens with their keys, the one that is shown among them. */
export function tabsLine(state: State): Line {
	const [first, ...others] = namesWithin(state);
	return first === undefined ? [] : [{ ...first, text: first.text.trimStart() }, ...others].flatMap(accented);
}

/** The key stands out from the name. */
function accented(span: Span): readonly Span[] {
	const [, before = "", key = "", name = ""] = /^( ?)(\S)(.+)$/.exec(span.text) ?? [];
	if (span.selected && before !== "") return [{ text: before }, { ...span, text: span.text.slice(1) }];
	if (span.selected || key === "") return [span];
	return [
		{ text: before + key, tone: "accent" },
		{ ...span, text: name },
	];
}

/** By their titles where there is room for all, else by their short names, else those around the one that is shown. */
function namesWithin(state: State): Span[] {
	const { screen: here, columns: room } = state;
	const there = screensOf(state);
	for (const name of ["title", "short"] as const) {
		const all = there.map((screen) => span(screen, here, name));
		if (widthOfAll(all) <= room) return all;
	}
	return windowed(there, here, room - AWAY.before.length - AWAY.after.length);
}

function span(screen: keyof typeof TABS, here: ScreenName, name: "title" | "short"): Span {
	const isHere = screen === tabOf(here);
	const text = `${TABS[screen].key} ${TABS[screen][name]}${isHere && here === "deliveries" ? " › Deliveries" : ""}`;
	return { text: isHere ? ` [${text}]` : ` ${text}`, bold: isHere, selected: isHere };
}

function widthOfAll(spans: readonly Span[]): number {
	return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

function windowed(there: readonly (keyof typeof TABS)[], here: ScreenName, room: number): Span[] {
	const all = there.map((screen) => span(screen, here, "short"));
	let first = there.indexOf(tabOf(here));
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
