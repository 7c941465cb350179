import type { Tone } from "../screens/describe.ts";
import { apart, cut, widthOf } from "../text.ts";
import type { Theme } from "./theme.ts";

/** Part of a line that looks the same throughout. */
export interface Span {
	readonly text: string;
	readonly tone?: Tone | undefined;
	readonly bold?: boolean | undefined;
	readonly dim?: boolean | undefined;
	readonly inverse?: boolean | undefined;
	/** What the cursor is on: it has one colour, whatever its parts have elsewhere. */
	readonly selected?: boolean | undefined;
}

export type Line = readonly Span[];

const BOLD = ["1", "22"] as const;
const INVERSE = ["7", "27"] as const;
const NO_COLOUR = "39";

/** Exactly `columns` cells, so that what follows stands where it should, and nothing is wrapped. */
export function paint(line: Line, columns: number, theme: Theme): string {
	let left = columns;
	let painted = "";
	for (const span of line) {
		const text = cut(apart(span.text), left);
		if (text === "") continue;
		left -= widthOf(text);
		painted += styled({ ...span, text }, theme);
	}
	return painted + " ".repeat(Math.max(0, left));
}

function styled(span: Span, theme: Theme): string {
	const styles = stylesOf(span, theme);
	if (styles.length === 0) return span.text;
	const [on, off] = [styles.map(([start]) => start), styles.map(([, end]) => end)];
	return `\u001b[${on.join(";")}m${span.text}\u001b[${off.join(";")}m`;
}

/** What turns each style on, and off again. */
function stylesOf({ tone, bold, dim, inverse, selected }: Span, theme: Theme): (readonly [string, string])[] {
	const weight = bold ? [BOLD] : [];
	if (selected) return [...weight, [theme.selected, theme.notSelected]];
	const colour = tone === undefined ? undefined : theme.tones?.[tone];
	return [
		...weight,
		...(inverse ? [INVERSE] : []),
		...(colour === undefined ? [] : [[colour, NO_COLOUR] as const]),
		...(dim && colour === undefined ? [[theme.dim, theme.notDim] as const] : []),
	];
}

/** The line as plain text, without styles. */
export function plain(line: Line): string {
	return line.map(({ text }) => text).join("");
}
