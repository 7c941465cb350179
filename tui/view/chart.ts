import { cut, widthOf } from "../text.ts";

const EIGHTHS = " ▁▂▃▄▅▆▇█";
/** A bar that is wider than this, with the gap behind it, looks like a wall. */
const WIDEST = 9;

/** The cells that each of so many values gets, the gap behind its bar among them; at least one. */
function cellsOf(count: number, columns: number): number {
	return Math.max(1, Math.min(WIDEST, Math.floor(columns / Math.max(1, count))));
}

/** One bar a value, from the left, the highest one as tall as the chart; what is more than nothing is seen. */
export function barChart(values: readonly number[], columns: number, rows: number): string[] {
	const most = Math.max(1, ...values);
	const width = cellsOf(values.length, columns);
	const shown = values.slice(-Math.max(1, Math.floor(columns / width)));
	const levels = shown.map((value) => Math.ceil((Math.max(0, value) / most) * rows * 8));
	return Array.from({ length: rows }, (_, row) => {
		const below = (rows - 1 - row) * 8;
		return levels.map((level) => barCell(Math.min(8, Math.max(0, level - below)), width)).join("");
	});
}

/** Bars stand apart, unless they are one cell wide. */
function barCell(eighths: number, width: number): string {
	const block = EIGHTHS[eighths] ?? " ";
	return width < 2 ? block.repeat(width) : `${block.repeat(width - 1)} `;
}

/** The same over a line that says what each bar is of, or, where there is no room for that, what the first and the last one are of. */
export function labelledChart(
	bars: readonly { readonly label: string; readonly value: number }[],
	columns: number,
	rows: number,
): string[] {
	const width = cellsOf(bars.length, columns);
	const shown = bars.slice(-Math.max(1, Math.floor(columns / width)));
	const chart = barChart(
		shown.map(({ value }) => value),
		columns,
		rows,
	);
	const labels = shown.map(({ label }) => label);
	const line = "─".repeat(shown.length * width);
	if (labels.every((label) => widthOf(label) < width)) {
		return [...chart, line, labels.map((label) => label.padEnd(width)).join("")];
	}
	const [first = "", last = ""] = [labels[0], labels.at(-1)];
	const gap = line.length - widthOf(first) - widthOf(last);
	return [...chart, line, gap < 1 ? cut(last, line.length) : `${first}${" ".repeat(gap)}${last}`];
}

/** A chart of one row, of one cell a value. */
export function sparkline(values: readonly number[]): string {
	return barChart(values, values.length, 1)[0] ?? "";
}
