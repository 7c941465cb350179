import { displayWidth, padEnd, plainLine, truncate } from "./text.ts";

export interface Column<T> {
	readonly name: string;
	/** Typed as a method so that columns of a part of T fit T. */
	value(row: T): unknown;
	/** Gives way when the terminal is too narrow. */
	readonly shrinks?: boolean;
	/** Only for programs: left out of the table. */
	readonly hidden?: boolean;
}

const GAP = 2;
const NARROWEST = 10;

/** A value as one word or line: strings as they are, nothing for null, JSON for what has parts. */
export function cellText(value: unknown): string {
	if (value === null || value === undefined) return "";
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function cell<T>(column: Column<T>, row: T): string {
	return plainLine(cellText(column.value(row)));
}

/** Takes what the terminal lacks from the columns that may shrink, the first one first. */
function fit(widths: readonly number[], mayShrink: readonly boolean[], columns: number): number[] {
	let excess = widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - columns;
	return widths.map((width, index) => {
		const taken = mayShrink[index] ? Math.min(Math.max(0, excess), Math.max(0, width - NARROWEST)) : 0;
		excess -= taken;
		return width - taken;
	});
}

/** Lines of a table that fits `width` cells where its columns allow it; the first line is the header. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): string[] {
	const shown = columns.filter((column) => column.hidden !== true);
	const header = shown.map((column) => column.name.toUpperCase().replaceAll("_", " "));
	const lines = [header, ...rows.map((row) => shown.map((column) => cell(column, row)))];
	const natural = shown.map((_, index) => Math.max(...lines.map((line) => displayWidth(line[index] ?? ""))));
	const widths = fit(
		natural,
		shown.map((column) => column.shrinks === true),
		width,
	);
	return lines.map((line) =>
		line
			.map((text, index) => padEnd(truncate(text, widths[index] ?? 0), widths[index] ?? 0))
			.join(" ".repeat(GAP))
			.trimEnd(),
	);
}

/** One thing as lines of name and value. */
export function recordLines<T>(columns: readonly Column<T>[], row: T): string[] {
	const width = Math.max(...columns.map((column) => displayWidth(column.name)));
	return columns.map((column) =>
		`${padEnd(column.name.replaceAll("_", " "), width + GAP)}${cell(column, row)}`.trimEnd(),
	);
}

export function tsvLine<T>(columns: readonly Column<T>[], row: T): string {
	return columns.map((column) => cell(column, row)).join("\t");
}
