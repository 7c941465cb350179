import type { Screen } from "../screens/describe.ts";
import { DESCRIPTIONS } from "../screens/screens.ts";
import { listOf, visibleOf } from "../state/lists/list.ts";
import type { List, State } from "../state/model.ts";
import { firstRow } from "../state/sizes.ts";
import type { Thing } from "../state/things.ts";
import { cell, widthOf, wrap } from "../text.ts";
import { GAP, SIGNS, widthsOf } from "./columns.ts";
import type { Line, Span } from "./paint.ts";

/** Between the last column and the frame. */
const MARGIN = 1;

const gapBefore = (index: number) => (index === 0 ? "" : " ".repeat(GAP));

interface Row {
	readonly thing: Thing;
	readonly isSelected: boolean;
	readonly isMarked: boolean;
	readonly isGone: boolean;
	readonly hasFocus: boolean;
	readonly nowMs: number;
}

/** Draws only the rows that are on the screen, however many there are. */
export function listLines(state: State, columns: number, rows: number): Line[] {
	const list = listOf(state);
	const screen = DESCRIPTIONS[state.screen];
	const visible = visibleOf(list);
	const widths = widthsOf(screen, visible, columns - MARGIN, state.nowMs);
	const first = firstRow(list.cursor, visible.length, rows - 1);
	const shown = visible.slice(first, first + rows - 1).map((thing, index) =>
		rowLine(screen, widths, columns, {
			thing,
			isSelected: first + index === list.cursor,
			isMarked: list.marked.has(thing.id),
			isGone: list.gone.has(thing.id),
			hasFocus: state.pane === "list",
			nowMs: state.nowMs,
		}),
	);
	return [header(screen, widths), ...(shown.length > 0 ? shown : emptyLines(list, emptyText(state, screen), columns))];
}

function rowLine(screen: Screen, widths: readonly number[], columns: number, row: Row): Line {
	const { thing, isSelected, isMarked, isGone, hasFocus, nowMs } = row;
	const selected = isSelected && hasFocus;
	const signs = `${isSelected ? "▸" : " "}${isMarked ? "✱" : " "} `;
	const cells = screen.cells(thing, nowMs).flatMap(({ text, tone }, index): Span[] => {
		const width = widths[index] ?? 0;
		return width === 0
			? []
			: [{ text: gapBefore(index) + cell(text, width), tone, selected, bold: isSelected, dim: isGone }];
	});
	const sign: Span = { text: signs, bold: isMarked || isSelected, tone: isMarked ? "warn" : "accent", selected };
	const spans = [sign, ...cells];
	// A row may have fewer cells than there are columns: what is chosen has one colour all the same.
	const rest = columns - spans.reduce((sum, { text }) => sum + widthOf(text), 0);
	return [...spans, { text: " ".repeat(Math.max(0, rest)), bold: isSelected, selected }];
}

function header(screen: Screen, widths: readonly number[]): Line {
	const titles = screen.columns.map(({ title }, index) => {
		const width = widths[index] ?? 0;
		return width === 0 ? "" : gapBefore(index) + cell(title, width);
	});
	return [{ text: " ".repeat(SIGNS) + titles.join(""), dim: true }];
}

/** Of a user's images there are none where the App may have some. */
function emptyText({ screen: name, user }: State, screen: Screen): string {
	if (name !== "images" || user === undefined) return screen.empty;
	return `${user.email} has no image here. i shows the App's own.`;
}

function unfoundText({ filter, search, nextCursor }: List): string | undefined {
	if (filter === "" && search === "") return undefined;
	const sought = [search, filter].filter(Boolean).join(" ");
	if (nextCursor !== undefined) return `Nothing that is loaded fits "${sought}". Enter looks through the rest.`;
	return `Nothing fits "${sought}". esc shows all.`;
}

/** Where there is nothing to list: that it is being fetched, why it is not there, or what to do next. */
function emptyLines(list: List, empty: string, width: number): Line[] {
	// A list that is read once more says meanwhile what it said.
	if (!list.loaded && list.pending !== undefined && list.error === undefined) {
		if (!list.pending.slow) return [];
		return [0.7, 0.5, 0.6, 0.4].map(
			(part): Line => [{ text: `   ${"░".repeat(Math.floor(width * part))}`, dim: true }],
		);
	}
	const refused = list.error === undefined ? undefined : `${list.error} r tries again.`;
	const why = refused ?? unfoundText(list) ?? empty;
	return wrap(why, width - SIGNS).map((text): Line => [{ text: `   ${text}` }]);
}
