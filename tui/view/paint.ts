import type { Tone } from "../screens/describe.ts";
import { cut, widthOf } from "../text.ts";

/** Part of a line that looks the same throughout. */
export interface Span {
	readonly text: string;
	readonly tone?: Tone | undefined;
	readonly bold?: boolean | undefined;
	readonly dim?: boolean | undefined;
	readonly inverse?: boolean | undefined;
}

export type Line = readonly Span[];

/** Parameters of a terminal's styles: on, and off again. */
const COLOURS: Record<Tone, number> = { good: 32, warn: 33, danger: 31, accent: 36 };
const NO_COLOUR = 39;
const BOLD = 1;
const DIM = 2;
const NEITHER = 22;
const INVERSE = 7;
const NOT_INVERSE = 27;

/** Exactly `columns` cells, so that what follows stands where it should, and nothing is wrapped. */
export function paint(line: Line, columns: number, colour: boolean): string {
	let left = columns;
	let painted = "";
	for (const span of line) {
		const text = cut(span.text, left);
		if (text === "") continue;
		left -= widthOf(text);
		painted += styled({ ...span, text }, colour);
	}
	return painted + " ".repeat(Math.max(0, left));
}

function styled({ text, tone, bold, dim, inverse }: Span, colour: boolean): string {
	const on: number[] = [];
	const off: number[] = [];
	const add = (wanted: boolean | undefined, start: number, end: number) => {
		if (wanted !== true) return;
		on.push(start);
		off.push(end);
	};
	add(bold, BOLD, NEITHER);
	add(dim, DIM, NEITHER);
	add(inverse, INVERSE, NOT_INVERSE);
	if (tone !== undefined) add(colour, COLOURS[tone], NO_COLOUR);
	return on.length === 0 ? text : `\u001b[${on.join(";")}m${text}\u001b[${off.join(";")}m`;
}

/** The line as plain text, without styles. */
export function plain(line: Line): string {
	return line.map(({ text }) => text).join("");
}
