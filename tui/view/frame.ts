import type { Overlay, State } from "../state/model.ts";
import { entriesOf } from "../state/overlays/search.ts";
import { bodyRows, detailColumns, isNarrow, listColumns, wholeColumns } from "../state/sizes.ts";
import { cell, oneLine } from "../text.ts";
import { headerLine, noticeLines } from "./bars.ts";
import { detailLines, detailPlace, detailTitle, pictureLines } from "./detail-lines.ts";
import { formLines } from "./form-lines.ts";
import { listLines } from "./list-lines.ts";
import { listPlace, listTitle } from "./list-title.ts";
import { type Line, paint, plain } from "./paint.ts";
import { paneRows } from "./pane.ts";
import { keysLine } from "./prompt-lines.ts";
import { tabsLine } from "./tabs-line.ts";
import type { Theme } from "./theme.ts";

/** Exactly as many rows as the terminal has, each as wide as it. */
export function frameRows(state: State, theme: Theme): readonly string[] {
	const bar = (line: Line) => paint(line, state.columns, theme);
	const head = [headerLine(state), tabsLine(state)].map(bar);
	const foot = [...noticeLines(state), keysLine(state)].map(bar);
	const body = panesOf(state).map((pane) => paneRows({ ...pane, rows: bodyRows(state) }, theme));
	const rows = (body[0] ?? []).map((left, row) => left + (body[1]?.[row] ?? ""));
	return [...head, ...rows, ...foot].slice(0, state.rows);
}

/** Lines of the frame for a screen reader, which reads one thing after the other. */
export function frameLines(state: State): readonly Line[] {
	const [{ title, place = [], lines }] = onePane(state) ?? [listPane(state, wholeColumns(state))];
	const head: Line = [{ text: [title, plain(place)].filter(Boolean).join(": ") }];
	return [headerLine(state), tabsLine(state), head, ...lines, ...noticeLines(state), keysLine(state)];
}

type Pane = Omit<Parameters<typeof paneRows>[0], "rows">;

function panesOf(state: State): readonly Pane[] {
	return onePane(state) ?? [listPane(state, listColumns(state)), detailPane(state)];
}

/** What fills the screen alone; undefined while there are two panes. */
function onePane(state: State): readonly [Pane] | undefined {
	const { overlay, pane } = state;
	const rows = bodyRows(state);
	const alone = { columns: wholeColumns(state), hasFocus: true };
	if (overlay?.kind === "search") {
		const title = overlay.of === "keys" ? "Keys" : "Find";
		const entries = entriesOf(state, overlay.of, overlay.query);
		const place: Line = [{ text: entries.length === 0 ? "0" : `${overlay.cursor + 1}/${entries.length}`, bold: true }];
		return [{ ...alone, title, place, lines: searchLines(overlay, entries, alone, rows) }];
	}
	if (overlay?.kind === "form") {
		return [{ ...alone, title: listTitle(state), lines: formLines(overlay, alone.columns, rows) }];
	}
	if (overlay?.kind === "output") {
		const { line, lines = [], first } = overlay;
		const shown = lines.slice(first, first + rows).map((text): Line => [{ text: oneLine(text) }]);
		const place: Line =
			lines.length <= rows ? [] : [{ text: `${Math.min(first + rows, lines.length)}/${lines.length}` }];
		return [{ ...alone, title: line, place, lines: shown }];
	}
	if (pane === "picture") return [{ ...alone, title: listTitle(state), lines: pictureLines(state, alone.columns) }];
	if (!isNarrow(state)) return undefined;
	return [pane === "list" ? listPane(state, alone.columns) : detailPane(state)];
}

function listPane(state: State, columns: number): Pane {
	const lines = listLines(state, columns, bodyRows(state));
	return { title: listTitle(state), place: listPlace(state), columns, hasFocus: state.pane === "list", lines };
}

function detailPane(state: State): Pane {
	const [columns, rows] = [detailColumns(state), bodyRows(state)];
	const lines = detailLines(state, columns, rows);
	const hasFocus = state.pane === "detail";
	const scroll = detailPlace(state, columns, rows);
	if (!isNarrow(state)) return { title: detailTitle(state), place: scroll, columns, hasFocus, lines };
	// Alone it says which of the list it shows.
	const lower: Line = scroll.length === 0 ? [] : [{ text: " · line ", dim: true }, ...scroll];
	return {
		title: `${listTitle(state)} › ${detailTitle(state)}`,
		place: [...listPlace(state), ...lower],
		columns,
		hasFocus,
		lines,
	};
}

/** Names of keys are short, commands are not. */
const NAME_CELLS = { keys: 20, palette: 28 } as const;

/** The list of keys, or the palette. */
function searchLines(
	{ cursor, of }: Extract<Overlay, { kind: "search" }>,
	entries: ReturnType<typeof entriesOf>,
	{ columns }: { readonly columns: number },
	rows: number,
): Line[] {
	const first = Math.max(0, Math.min(cursor - Math.floor(rows / 2), entries.length - rows));
	if (entries.length === 0) return [[{ text: "   Nothing fits. backspace, or esc." }]];
	return entries.slice(first, first + rows).map(({ left, label }, index) => {
		const selected = first + index === cursor;
		const key = `${selected ? "▸" : " "}  ${cell(left, NAME_CELLS[of])} `;
		return [
			{ text: key, tone: "accent", selected },
			{ text: cell(label, columns - NAME_CELLS[of] - 4), selected },
		];
	});
}
