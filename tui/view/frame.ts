import type { State } from "../state/model.ts";
import { bodyRows, detailColumns, isNarrow, listColumns } from "../state/sizes.ts";
import { detailLines, pictureLines } from "./detail-lines.ts";
import { headerLine, keysLine, noticeLine, searchLines, tabsLine } from "./frame-lines.ts";
import { listLines } from "./list-lines.ts";
import { type Line, paint } from "./paint.ts";

/** Exactly as many rows as the terminal has, each as wide as it. */
export function frameRows(state: State, colour: boolean): readonly string[] {
	const bar = (line: Line) => paint(line, state.columns, colour);
	const head = [headerLine(state), tabsLine(state)].map(bar);
	const foot = [noticeLine(state), keysLine(state)].map(bar);
	return [...head, ...bodyText(state, colour), ...foot].slice(0, state.rows);
}

/** The same for a screen reader, which reads one thing after the other. */
export function frameLines(state: State): readonly Line[] {
	const body = onePane(state) ?? listLines(state, state.columns, bodyRows(state));
	return [headerLine(state), tabsLine(state), ...body, noticeLine(state), keysLine(state)];
}

/** What fills the screen alone; undefined while there are two panes. */
function onePane(state: State): readonly Line[] | undefined {
	const { overlay, columns, pane } = state;
	const rows = bodyRows(state);
	if (overlay?.kind === "search") return searchLines(state, overlay, rows);
	if (pane === "picture") return pictureLines(state, columns);
	if (!isNarrow(state)) return undefined;
	return pane === "list" ? listLines(state, columns, rows) : detailLines(state, columns, rows);
}

function bodyText(state: State, colour: boolean): readonly string[] {
	const { columns, pane } = state;
	const all = Array.from({ length: bodyRows(state) });
	const alone = onePane(state);
	if (alone !== undefined) return all.map((_, row) => paint(alone[row] ?? [], columns, colour));
	// Its last column does not touch the rule.
	const list = listLines(state, listColumns(state) - 1, all.length);
	const detail = detailLines(state, detailColumns(state), all.length);
	const rule = pane === "detail" ? "┃ " : "│ ";
	return all.map((_, row) => {
		const left = paint(list[row] ?? [], listColumns(state), colour);
		return left + rule + paint(detail[row] ?? [], detailColumns(state), colour);
	});
}
