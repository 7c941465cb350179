import { cut, wrap } from "../text.ts";
import { listOf } from "./lists/list.ts";
import type { Notice, State } from "./model.ts";
import { promptLines } from "./overlays/prompt.ts";

/* What the dashboard says at the bottom, whole. */

const SIGNS = { good: "✓", warn: "!", danger: "✗" } as const;

/** More lines than this would hide what they are about. */
const MOST_LINES = 4;
/** The part of the screen that a notice may take: one row of so many. */
const ROWS_FOR_EACH = 5;

type Seen = Pick<State, "columns" | "rows" | "notice" | "overlay" | "lists" | "screen">;

/** The notice, else the error of a list that was there before; undefined where there is neither. */
function saidOf(state: Seen): Notice | undefined {
	const { notice, overlay } = state;
	const { error, loaded } = listOf(state);
	if (overlay === undefined && notice?.tone !== "danger" && error !== undefined && loaded) {
		return { tone: "danger", text: `STALE, tries again by itself: ${error}` };
	}
	return notice;
}

/** The lines of what is said, as many as it needs; an ellipsis ends what is longer than there is room for. */
export function saidLines(state: Seen): readonly { readonly tone: Notice["tone"]; readonly text: string }[] {
	const said = saidOf(state);
	if (said === undefined) return [];
	const { tone, text } = said;
	const most = Math.max(1, Math.min(MOST_LINES, Math.floor(state.rows / ROWS_FOR_EACH)));
	const lines = wrap(`${SIGNS[tone]} ${text}`, state.columns);
	const rest = cut(lines.slice(most - 1).join(" "), state.columns);
	return [...lines.slice(0, most - 1), rest].filter((line) => line !== "").map((line) => ({ tone, text: line }));
}

/** A question has lines of its own; there is one line where nothing is said. */
export function saidRows(state: Seen): number {
	const count = saidLines(state).length;
	return state.overlay === undefined ? Math.max(1, count) : count + promptLines(state).length;
}
