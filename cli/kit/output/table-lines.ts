import { cut, widthOf } from "@svc/tui/text";
import type { Process } from "../process.ts";
import { type Paint, paintFor, toneOf } from "./colour.ts";
import { fullValue, shortIds, shownCell } from "./people.ts";
import type { Column } from "./table.ts";

/* Output for people; loaded only where a table is drawn. */

const GAP = 2;
/** A column that shrinks is not made narrower than this while another one can be left out. */
const COMFORTABLE = 16;
const NARROWEST = 10;

export interface Look {
	/** Cells of the terminal; infinite: every column in full. */
	readonly width: number;
	readonly nowMs: number;
	readonly paint: Paint;
}

/** How a table is drawn in this terminal, and now. */
export function lookOf(process: Process, isWide = false): Look {
	const width = isWide ? Number.POSITIVE_INFINITY : process.out.columns;
	return { width, nowMs: process.date().getTime(), paint: paintFor(process) };
}

/** A column with the texts of all its rows. */
interface Drawn {
	readonly name: string;
	readonly header: string;
	readonly texts: readonly string[];
	readonly shrinks: boolean;
	readonly isNumber: boolean;
	readonly worth: number;
	readonly place: number;
	readonly width: number;
}

/** Lines of a table that fits `width` cells; the first line is the header. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], look: Look): string[] {
	const isWide = look.width === Number.POSITIVE_INFINITY;
	const shown = columns.filter((column) => isWide || column.hidden !== true);
	const drawn = shown.map((column, place) => draw(column, place, rows, look));
	const fitted = isWide ? drawn : fit(drawn, look.width);
	const { paint } = look;
	return [
		paint(lineOf(fitted.map((one) => placed(one.header, one))), "header"),
		...rows.map((_, index) =>
			lineOf(
				fitted.map((one) => {
					const text = placed(one.texts[index] ?? "", one);
					const tone = toneOf(one.name, one.texts[index] ?? "");
					return tone === undefined ? text : text.replace(text.trim(), (word) => paint(word, tone));
				}),
			),
		),
	];
}

function lineOf(texts: readonly string[]): string {
	return texts.join(" ".repeat(GAP)).trimEnd();
}

function placed(text: string, { width, isNumber }: Drawn): string {
	const fitting = cut(text, width);
	return isNumber ? " ".repeat(Math.max(0, width - widthOf(fitting))) + fitting : padEnd(fitting, width);
}

function draw<T>(column: Column<T>, place: number, rows: readonly T[], { width, nowMs }: Look): Drawn {
	const isWide = width === Number.POSITIVE_INFINITY;
	const header = (isWide ? column.name : column.name.replace(/_at$/, "")).toUpperCase().replaceAll("_", " ");
	const values = rows.map((row) => column.value(row)).filter((value) => value !== null && value !== undefined);
	return measured({
		name: column.name,
		header,
		texts: rows.map((row) => shownCell(column, row, nowMs, isWide)),
		shrinks: column.shrinks === true,
		isNumber: values.length > 0 && values.every((value) => typeof value === "number"),
		// What all else is about stays.
		worth: place === 0 ? Number.POSITIVE_INFINITY : (column.worth ?? 0),
		place,
	});
}

function measured(column: Omit<Drawn, "width">): Drawn {
	return { ...column, width: Math.max(widthOf(column.header), ...column.texts.map(widthOf)) };
}

/**
 * Makes room: empty columns go, then ids other than the row's own get shorter, then the columns of the least worth go, while those that shrink keep
 * a comfortable width; what is still too much is taken from these.
 */
function fit(columns: readonly Drawn[], width: number): readonly Drawn[] {
	let fitted = columns;
	const lacks = (least: number) => excessOf(fitted, least, width) > 0;
	if (lacks(Number.POSITIVE_INFINITY)) fitted = fitted.filter(({ texts, place }) => place === 0 || texts.some(Boolean));
	if (lacks(Number.POSITIVE_INFINITY)) fitted = fitted.map(withShortIds);
	while (lacks(COMFORTABLE) && fitted.length > 2) {
		const last = fitted.reduce((least, one) => (one.worth <= least.worth ? one : least));
		fitted = fitted.filter((one) => one !== last);
	}
	return shrunk(fitted, width);
}

/** The cells that are missing when columns that shrink are as narrow as `least`. */
function excessOf(columns: readonly Drawn[], least: number, width: number): number {
	const widths = columns.map((one) => (one.shrinks ? Math.min(one.width, least) : one.width));
	return widths.reduce((sum, one) => sum + one, 0) + GAP * (columns.length - 1) - width;
}

function withShortIds(column: Drawn): Drawn {
	return column.name === "id" ? column : measured({ ...column, texts: shortIds(column.texts) });
}

/** Takes what is missing cell by cell from the widest column that may still give. */
function shrunk(columns: readonly Drawn[], width: number): readonly Drawn[] {
	const widths = columns.map((one) => one.width);
	for (let excess = excessOf(columns, Number.POSITIVE_INFINITY, width); excess > 0; excess--) {
		const giving = columns
			.map(({ shrinks }, index) => ({ index, cells: shrinks ? (widths[index] ?? 0) : 0 }))
			.filter(({ cells }) => cells > NARROWEST)
			.sort((one, other) => other.cells - one.cells)[0];
		if (giving === undefined) break;
		widths[giving.index] = giving.cells - 1;
	}
	return columns.map((one, index) => ({ ...one, width: widths[index] ?? 0 }));
}

/** One item as lines of name and value. */
export function recordLines<T>(columns: readonly Column<T>[], row: T, { nowMs, paint }: Look): string[] {
	const width = Math.max(...columns.map((column) => widthOf(column.name)));
	return columns.map((column) => {
		const text = fullValue(column, row, nowMs);
		const name = padEnd(column.name.replaceAll("_", " "), width + GAP);
		return `${name}${paint(text, toneOf(column.name, text))}`.trimEnd();
	});
}

export function padEnd(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
