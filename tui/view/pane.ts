import { cut, oneLine, widthOf } from "../text.ts";
import { type Line, paint, type Span } from "./paint.ts";
import type { Theme } from "./theme.ts";

/** A frame around lines, with a title in it. */
interface Pane {
	readonly title: string;
	/** On the right of the title, as where in the list the cursor is. */
	readonly place?: Line;
	/** Keys go here: the frame stands out. */
	readonly hasFocus: boolean;
	/** Cells and lines within the frame. */
	readonly columns: number;
	readonly rows: number;
	readonly lines: readonly Line[];
}

/** Exactly two lines more than there are rows, each two cells wider. */
export function paneRows(pane: Pane, theme: Theme): readonly string[] {
	const { columns, rows, lines, hasFocus } = pane;
	// Without colours the frame of the pane that has the keys is heavier.
	const [corners, across, side] = hasFocus && theme.tones === undefined ? HEAVY : LIGHT;
	const edge = (text: string): Span => ({ text, tone: hasFocus ? "accent" : "border", dim: !hasFocus });
	const upright = paint([edge(side)], 1, theme);
	const inside = Array.from({ length: rows }, (_, row) => upright + paint(lines[row] ?? [], columns, theme) + upright);
	return [
		paint([edge(corners[0]), ...titleLine(pane, edge, across), edge(corners[1])], columns + 2, theme),
		...inside,
		paint([edge(corners[2] + across.repeat(columns) + corners[3])], columns + 2, theme),
	];
}

const LIGHT = [["╭", "╮", "╰", "╯"], "─", "│"] as const;
const HEAVY = [["┏", "┓", "┗", "┛"], "━", "┃"] as const;

/** The title gives way to the place, which is short. */
function titleLine(pane: Pane, edge: (text: string) => Span, across: string): Line {
	const { columns, hasFocus } = pane;
	const place = pane.place ?? [];
	const placeWidth = place.reduce((sum, { text }) => sum + widthOf(text), 0);
	const around = place.length === 0 ? 3 : 6;
	const title = cut(oneLine(pane.title), Math.max(0, columns - placeWidth - around - 1));
	const rest = Math.max(0, columns - widthOf(title) - placeWidth - around);
	const head: Line = [edge(across), title === "" ? edge(across.repeat(2)) : { text: ` ${title} `, bold: hasFocus }];
	const tail: Line = place.length === 0 ? [] : [{ text: " " }, ...place, { text: " " }, edge(across)];
	return [...head, edge(across.repeat(rest)), ...tail];
}
