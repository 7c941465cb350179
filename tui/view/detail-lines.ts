import type { Section } from "../screens/describe.ts";
import { stateOf } from "../screens/moderation.ts";
import { DESCRIPTIONS } from "../screens/screens.ts";
import { listOf, selectedOf, visibleOf } from "../state/lists/list.ts";
import type { State } from "../state/model.ts";
import { imageOf, previewOf } from "../state/preview.ts";
import { cell, cut, oneLine, widthOf, wrap } from "../text.ts";
import type { Line } from "./paint.ts";

/** Names take up to a third of the line, and are whole where it is wide enough. */
const NAMES_SHARE = 3;
const NARROWEST_NAMES = 12;

const words = (text: string, columns: number) => wrap(text, columns).map((one): Line => [{ text: one }]);
const blanks = (count: number) => Array.from({ length: count }, (): Line => []);

/** The picture stays; what it is of, from the line on that the person has scrolled to. */
export function detailLines(state: State, columns: number, rows: number): Line[] {
	const thing = selectedOf(listOf(state));
	if (thing === undefined) return [];
	const preview = previewLines(state, columns);
	const { lines, first, room } = scrolled(state, columns, rows - preview.length);
	return [...preview, ...lines.slice(first, first + room)];
}

function scrolled(state: State, columns: number, rows: number) {
	const [head, ...others] = sectionsOf(state);
	// The title of the first one is the pane's.
	const [, ...own] = head === undefined ? [] : sectionLines(head, columns);
	const lines = [...own, ...others.flatMap((section) => sectionLines(section, columns))].slice(0, -1);
	const room = Math.max(0, rows);
	return { lines, room, first: Math.max(0, Math.min(state.scroll, lines.length - room)) };
}

function sectionsOf(state: State): readonly Section[] {
	const thing = selectedOf(listOf(state));
	return thing === undefined ? [] : DESCRIPTIONS[state.screen].sections(thing, state.nowMs);
}

export function detailTitle(state: State): string {
	return sectionsOf(state)[0]?.title ?? "";
}

/** The last line that is shown, of how many, where there are more than fit. */
export function detailPlace(state: State, columns: number, rows: number): Line {
	const { lines, first, room } = scrolled(state, columns, rows - previewLines(state, columns).length);
	return lines.length <= room ? [] : [{ text: `${Math.min(first + room, lines.length)}/${lines.length}`, dim: true }];
}

/** The cells that the picture is written over, or the words in its place. */
function previewLines(state: State, columns: number): Line[] {
	const preview = previewOf(state);
	if (preview === undefined) return [];
	const { drawing, hint } = preview;
	const lines = drawing.kind === "words" ? words(drawing.words, columns) : blanks(drawing.rows);
	return [...lines, ...(hint === "" ? [] : words(hint, columns)), []];
}

function sectionLines({ title, rows, draw }: Section, columns: number): Line[] {
	const widest = Math.max(NARROWEST_NAMES, Math.floor(columns / NAMES_SHARE));
	const names = Math.min(widest, Math.max(0, ...rows.map(([name]) => widthOf(name))));
	const drawn = (draw?.(columns) ?? []).map((text): Line => [{ text, tone: "accent" }]);
	return [
		[{ text: title, bold: true, tone: "accent" }],
		...drawn,
		...rows.flatMap((row) => rowLines(row, names, columns)),
		[],
	];
}

function rowLines([name, value]: Section["rows"][number], names: number, columns: number): Line[] {
	const room = Math.max(4, columns - names - 1);
	return wrap(value, room).map((text, index) => [
		{ text: `${cell(index === 0 ? name : "", names)} `, dim: true },
		{ text },
	]);
}

/** The picture alone, under a line that says what it is; where there is none, what to do about it. */
export function pictureLines(state: State, columns: number): Line[] {
	const thing = selectedOf(listOf(state));
	const image = imageOf(thing);
	const preview = previewOf(state);
	if (preview === undefined || image === undefined) {
		return words("No image is chosen. q shows the list.", columns);
	}
	const { filename, format, width, height } = image;
	const status = thing?.object === "moderation_item" ? stateOf(thing)[0] : image.status;
	const position = `${listOf(state).cursor + 1} of ${visibleOf(listOf(state)).length}`;
	const caption = oneLine(`${position} · ${status} · ${filename}, ${format}, ${width}×${height}`);
	const head: Line = [
		{ text: `${cut(caption, columns - widthOf(preview.hint) - 1)} `, bold: true },
		{ text: preview.hint },
	];
	const { drawing } = preview;
	return [head, ...(drawing.kind === "words" ? words(drawing.words, columns) : [])];
}
