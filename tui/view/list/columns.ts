import type { Screen } from "../../screens/describe.ts";
import type { Thing } from "../../state/things.ts";
import { oneLine, widthOf } from "../../text.ts";

/* How wide the columns of a list are. */

export const GAP = 1;
/** The cursor's sign and the mark's. */
export const SIGNS = 3;
/** What things are called is worth more than the last columns, */
const NARROWEST = 16;
/** and whole names are worth more than what is shown where there is room for more. */
const WHOLE = 44;
/** More things than these are not measured: what is said further down may be cut. */
const MEASURED = 200;
/** Columns of so many cells hold words and lists, of which a part says something, if it is not too small. */
const WORDY = 32;
const LEAST_PART = 16;
const SAYS_NOTHING = /^—?$/;

/** What is younger than a minute does not move the columns while it grows older. */
const STEADY = 7;

interface Held {
	readonly nowMs: number;
	readonly cells: readonly number[];
}

const measured = new WeakMap<readonly Thing[], Map<Screen, Held>>();

/** The widths that columns get of a row: what they hold, up to their own. The last ones go when there is no room. */
export function widthsOf(screen: Screen, things: readonly Thing[], room: number, nowMs: number): readonly number[] {
	const held = heldIn(screen, things, nowMs);
	const widths = screen.columns.map(({ width }, index) =>
		width === undefined ? 0 : Math.min(width, held[index] ?? 0),
	);
	const taken = () => SIGNS + widths.reduce((sum, width) => sum + (width > 0 ? width + GAP : 0), 0);
	const open = screen.columns.findIndex(({ width }) => width === undefined);
	const whole = Math.max(NARROWEST, Math.min(WHOLE, held[open] ?? 0));
	for (let last = widths.length - 1; last > 0; last--) {
		const least = screen.columns[last]?.more ? whole : NARROWEST;
		if (taken() + least > room) widths[last] = 0;
	}
	// The first one that went comes back in part, where the names leave room for that.
	const first = widths.findIndex((width, index) => index !== open && width === 0 && (held[index] ?? 0) > 0);
	const column = screen.columns[first];
	const left = room - taken() - GAP;
	// What is shown only where there is room takes none from the names; any other one shares with them.
	const part = column?.more ? left - whole : Math.max(left - whole, Math.min(held[first] ?? 0, Math.floor(left / 2)));
	if ((column?.width ?? 0) >= WORDY && part >= LEAST_PART && left - part >= NARROWEST) widths[first] = part;
	widths[open] = Math.max(NARROWEST, room - taken());
	return widths;
}

/** Cells of the longest text in each column, its title included; none where nothing is said of any thing. */
function heldIn(screen: Screen, things: readonly Thing[], nowMs: number): readonly number[] {
	const known = measured.get(things) ?? new Map<Screen, Held>();
	const before = known.get(screen);
	if (before?.nowMs === nowMs) return before.cells;
	const rows = things.slice(0, MEASURED).map((thing) => screen.cells(thing, nowMs).map(({ text }) => oneLine(text)));
	const cells = screen.columns.map(({ title }, index) => {
		const texts = rows.flatMap((row) => row[index] ?? []);
		if (texts.length > 0 && texts.every((text) => SAYS_NOTHING.test(text))) return 0;
		return Math.max(STEADY, widthOf(title), ...texts.map(widthOf));
	});
	measured.set(things, known.set(screen, { nowMs, cells }));
	return cells;
}
