import { expect, test } from "bun:test";
import { barChart, sparkline } from "./chart.ts";

test("the highest value fills its bar, nothing is empty, and a little is still seen [tui.chart]", () => {
	expect(barChart([0, 1, 100, 50], 4, 2)).toEqual(["  █ ", " ▁██"]);
	expect(barChart([0, 0], 2, 1)).toEqual(["  "]);
	expect(sparkline([0, 8, 4, 1])).toBe(" █▄▁");
});

test("bars are as wide as there is room, up to two cells and a gap; without room for all the last ones are shown [tui.chart.width]", () => {
	expect(barChart([1, 1], 4, 1)).toEqual(["████"]);
	expect(barChart([1, 1], 80, 1)).toEqual(["██ ██ "]);
	expect(barChart([9, 1, 1], 2, 1)).toEqual(["▁▁"]);
});
