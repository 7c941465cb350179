import { cut, widthOf } from "@svc/tui/text";
import { type Column, cell } from "./table.ts";

/* Output for people; loaded only where a table is drawn. */

const GAP = 2;
const NARROWEST = 10;

/** Lines of a table that fits `width` cells where its columns allow it; the first line is the header. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): string[] {
	const shown = columns.filter((column) => column.hidden !== true);
	const header = shown.map((column) => column.name.toUpperCase().replaceAll("_", " "));
	const lines = [header, ...rows.map((row) => shown.map((column) => cell(column, row)))];
	const natural = shown.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ""))));
	const widths = fit(
		natural,
		shown.map((column) => column.shrinks === true),
		width,
	);
	return lines.map((line) =>
		line
			.map((text, index) => padEnd(cut(text, widths[index] ?? 0), widths[index] ?? 0))
			.join(" ".repeat(GAP))
			.trimEnd(),
	);
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

/** One item as lines of name and value. */
export function recordLines<T>(columns: readonly Column<T>[], row: T): string[] {
	const width = Math.max(...columns.map((column) => widthOf(column.name)));
	return columns.map((column) =>
		`${padEnd(column.name.replaceAll("_", " "), width + GAP)}${cell(column, row)}`.trimEnd(),
	);
}

export function padEnd(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
