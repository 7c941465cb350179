import { expect, test } from "bun:test";
import type { UsageRow } from "@svc/sdk/shapes";
import { everyDay } from "./usage.ts";

const row = (date: string, uploads: number): UsageRow => ({
	object: "usage_row",
	date,
	user_id: null,
	uploads,
	requests: 0,
	image_requests: 0,
	bytes_served: 0,
	renditions: 0,
});

test("the last thirty days, also those on which nothing happened, oldest first [tui.usage.days]", () => {
	const known = [row("2026-02-28", 7), row("2026-01-30", 3), row("2025-12-01", 9)];
	const days = everyDay(known, ({ uploads }) => uploads, Date.parse("2026-02-28T23:59:59Z"));
	expect([days.length, days[0], days.at(-1)]).toEqual([
		30,
		{ date: "2026-01-30", count: 3 },
		{ date: "2026-02-28", count: 7 },
	]);
	expect(days.filter(({ count }) => count > 0)).toHaveLength(2);
});
