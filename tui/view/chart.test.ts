import { expect, test } from "bun:test";
import { barChart, labelledChart, sparkline } from "./chart.ts";

test("the highest value fills its bar, nothing is empty, and a little is still seen [tui.chart]", () => {
	expect(barChart([0, 1, 100, 50], 4, 2)).toEqual(["  █ ", " ▁██"]);
	expect(barChart([0, 0], 2, 1)).toEqual(["  "]);
	expect(barChart([-5, 8], 2, 1)).toEqual([" █"]);
	expect(sparkline([0, 8, 4, 1])).toBe(" █▄▁");
});

test("bars use the room that there is, with a gap between them; without room for all the last ones are shown [tui.chart.width]", () => {
	expect(barChart([1, 1], 4, 1)).toEqual(["█ █ "]);
	expect(barChart([1, 1], 80, 1)).toEqual(["████████ ████████ "]);
	expect(barChart([9, 1, 1], 2, 1)).toEqual(["▁▁"]);
});

test("below stands what each bar is of, or the first and the last one, in the same width [tui.chart.labels]", () => {
	const months = ["2026-08", "2026-09", "2026-10"].map((label, index) => ({ label, value: index }));
	expect(labelledChart(months, 80, 1).slice(1)).toEqual(["─".repeat(27), "2026-08  2026-09  2026-10  "]);
	const days = Array.from({ length: 30 }, (_, day) => ({ label: `2026-11-${String(day + 1)}`, value: day }));
	expect(labelledChart(days, 60, 1).at(-1)).toBe(`2026-11-1${" ".repeat(41)}2026-11-30`);
	for (const columns of [20, 40, 86]) {
		expect(Math.max(...labelledChart(days, columns, 3).map((line) => line.length))).toBeLessThanOrEqual(columns);
	}
});
