import type { Section } from "../screens/describe.ts";
import { DESCRIPTIONS } from "../screens/screens.ts";
import { listOf, selectedOf } from "../state/list.ts";
import type { State } from "../state/model.ts";
import { previewOf } from "../state/preview.ts";
import { cell, widthOf, wrap } from "../text.ts";
import { type Line, line } from "./lines.tsx";

const WIDEST_NAME = 12;

function rowLines(key: string, [name, value]: Section["rows"][number], names: number, columns: number): Line[] {
	const room = Math.max(4, columns - names - 1);
	return wrap(value, room).map((text, index) =>
		line(`${key}-${index}`, { text: `${cell(index === 0 ? name : "", names)} `, dim: true }, { text }),
	);
}

function sectionLines({ title, rows }: Section, at: number, columns: number): Line[] {
	const names = Math.min(WIDEST_NAME, Math.max(0, ...rows.map(([name]) => widthOf(name))));
	return [
		line(`section-${at}`, { text: title, bold: true }),
		...rows.flatMap((row, index) => rowLines(`row-${at}-${index}`, row, names, columns)),
		line(`gap-${at}`, { text: " " }),
	];
}

function previewLines(state: State): Line[] {
	const preview = previewOf(state);
	if (preview === undefined) return [];
	const lines = preview.lines.map((text, index) => line(`preview-${index}`, { text }));
	return lines.length === 0 ? [] : [...lines, line("preview-gap", { text: " " })];
}

/** From the line on that the person has scrolled to. */
export function detailLines(state: State, columns: number, rows: number): Line[] {
	const thing = selectedOf(listOf(state));
	if (thing === undefined) return [];
	const sections = DESCRIPTIONS[state.screen].sections(thing, state.nowMs);
	const lines = [...previewLines(state), ...sections.flatMap((section, at) => sectionLines(section, at, columns))];
	const first = Math.min(state.scroll, Math.max(0, lines.length - rows));
	return lines.slice(first, first + rows);
}
