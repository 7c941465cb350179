const EIGHTHS = " ▁▂▃▄▅▆▇█";

/** One bar a value, from the left, the highest one as tall as the chart; what is more than nothing is seen. */
export function barChart(values: readonly number[], columns: number, rows: number): string[] {
	const most = Math.max(1, ...values);
	const room = Math.max(1, Math.floor(columns / Math.max(1, values.length)));
	const width = Math.min(3, room);
	const shown = values.slice(-Math.max(1, Math.floor(columns / width)));
	const levels = shown.map((value) => Math.ceil((value / most) * rows * 8));
	return Array.from({ length: rows }, (_, row) => {
		const below = (rows - 1 - row) * 8;
		return levels.map((level) => barCell(Math.min(8, Math.max(0, level - below)), width)).join("");
	});
}

/** Bars of three cells stand apart. */
function barCell(eighths: number, width: number): string {
	const block = EIGHTHS[eighths] ?? " ";
	return width < 3 ? block.repeat(width) : `${block.repeat(width - 1)} `;
}

/** A chart of one row, of one cell a value. */
export function sparkline(values: readonly number[]): string {
	return barChart(values, values.length, 1)[0] ?? "";
}
