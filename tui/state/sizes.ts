import type { State } from "./model.ts";
import { saidRows } from "./said.ts";

type Size = Pick<State, "columns" | "rows">;

/** Below this there is no room for two panes. */
const TWO_PANES = 100;
/** The rows of the header and of the screens' names. */
const HEAD_ROWS = 2;
/** The row of the keys. */
const KEY_ROWS = 1;
/** Cells of a pane's frame on each side of it. */
const EDGE = 1;
/** The part of the screen that the list gets beside the detail. */
const LIST_SHARE = 0.56;

/** The first row within a pane's frame, and the first column within the list's. */
export const FIRST_ROW = HEAD_ROWS + EDGE;
export const FIRST_COLUMN = EDGE;

export function isNarrow({ columns }: Size): boolean {
	return columns < TWO_PANES;
}

/** Rows within a pane's frame: those that what is said below leaves. */
export function bodyRows(state: Parameters<typeof saidRows>[0]): number {
	return rowsAbove(state, saidRows(state));
}

/** Rows within a pane's frame while one line is enough below, so that a long notice does not make pictures anew. */
export function usualRows(size: Size): number {
	return rowsAbove(size, 1);
}

function rowsAbove({ rows }: Size, said: number): number {
	return Math.max(2, rows - HEAD_ROWS - said - KEY_ROWS - 2 * EDGE);
}

/** Cells within the only pane's frame. */
export function wholeColumns({ columns }: Size): number {
	return columns - 2 * EDGE;
}

/** Cells within the list's frame. */
export function listColumns(size: Size): number {
	return isNarrow(size) ? wholeColumns(size) : Math.floor(size.columns * LIST_SHARE) - 2 * EDGE;
}

export function detailColumns(size: Size): number {
	return isNarrow(size) ? wholeColumns(size) : size.columns - detailColumn(size) - EDGE;
}

/** The column at which the detail begins, within its frame. */
export function detailColumn(size: Size): number {
	return isNarrow(size) ? FIRST_COLUMN : listColumns(size) + 3 * EDGE;
}

/**
 * The first row to draw, so that the cursor is on the screen with a quarter of it above and below, where there are rows. It moves by half a screen at once: between,
 * a key changes two rows, and not all of them.
 */
export function firstRow(cursor: number, count: number, rows: number): number {
	const half = Math.max(1, Math.floor(rows / 2));
	const above = Math.max(0, cursor - Math.floor(rows / 4));
	return Math.max(0, Math.min(Math.floor(above / half) * half, count - rows));
}
