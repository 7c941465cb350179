import type { State } from "./model.ts";

type Size = Pick<State, "columns" | "rows">;

/** Below this there is no room for two panes. */
const TWO_PANES = 100;
/** The rows of the header and of the screens' names. */
export const HEAD_ROWS = 2;
/** Those rows, and the ones of the notice and the keys. */
const FRAME_ROWS = HEAD_ROWS + 2;
/** A rule and a space stand between the panes. */
const RULE_COLUMNS = 2;

export function isNarrow({ columns }: Size): boolean {
	return columns < TWO_PANES;
}

/** Rows between the screens' names and the notice. */
export function bodyRows({ rows }: Size): number {
	return Math.max(2, rows - FRAME_ROWS);
}

/** Cells of the list, of the whole width where it is alone. */
export function listColumns(size: Size): number {
	return isNarrow(size) ? size.columns : Math.floor(size.columns * 0.56);
}

export function detailColumns(size: Size): number {
	return isNarrow(size) ? size.columns : size.columns - detailColumn(size);
}

/** The column at which the detail begins. */
export function detailColumn(size: Size): number {
	return isNarrow(size) ? 0 : listColumns(size) + RULE_COLUMNS;
}

/** The first row to draw, so that the cursor is on the screen, in the middle where it can be. */
export function firstRow(cursor: number, count: number, rows: number): number {
	return Math.max(0, Math.min(cursor - Math.floor(rows / 2), count - rows));
}
