import { expect, test } from "bun:test";
import { everyMonth } from "./usage.ts";

test("the last twelve months, also those without an upload, oldest first [tui.usage.months]", () => {
	const known = [
		{ object: "month_usage", month: "2026-02", uploads: 7 },
		{ object: "month_usage", month: "2025-12", uploads: 3 },
		{ object: "month_usage", month: "2024-01", uploads: 9 },
	] as const;
	const months = everyMonth(known, Date.parse("2026-02-28T23:59:59Z"));
	expect([months.length, months[0]?.month, months.at(-1)]).toEqual([12, "2025-03", known[0]]);
	expect(months.map(({ uploads }) => uploads)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 7]);
});
