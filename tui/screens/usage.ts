import { type NounSection, noun } from "@svc/nouns/noun";
import { bytesText } from "@svc/nouns/words";
import type { Gauge } from "../state/things.ts";
import { labelledChart, sparkline } from "../view/chart.ts";

const BAR_CELLS = 10;
const SHARE_CELLS = 15;
const CHART_ROWS = 6;

const amount = (value: number, unit: Gauge["unit"]) =>
	unit === "bytes" ? bytesText(value) : value.toLocaleString("en");

/** How much of something is used. */
export const GAUGE = noun<Gauge>()({
	fields: {
		label: { title: "What" },
		used: {
			title: "Used",
			width: 9,
			cell: ({ used, unit }) => amount(used, unit),
			tone: ({ wrong }) => (wrong ? "danger" : undefined),
			line: ({ used, unit }) => amount(used, unit),
		},
		limit: {
			title: "Limit",
			width: 9,
			cell: ({ limit, unit }) => (limit === null ? "—" : amount(limit, unit)),
			line: ({ limit, unit }) => (limit === null ? "none" : amount(limit, unit)),
		},
		share: {
			value: bar,
			title: "Share",
			width: SHARE_CELLS,
			tone: (gauge) => ((share(gauge) ?? 0) >= 0.9 ? "danger" : "accent"),
		},
	},
	list: [],
	detail: [],
	dashboard: {
		title: ({ label }) => label,
		empty: "Nothing is counted yet. r looks again.",
		columns: ["label", "used", "limit", "share"],
		lines: ["used", "limit"],
		more: byDay,
	},
});

function bar(gauge: Gauge): string {
	const part = share(gauge);
	if (part === undefined) return gauge.days.length > 0 ? sparkline(lately(gauge)) : "";
	const full = Math.min(BAR_CELLS, Math.round(part * BAR_CELLS));
	return `${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)} ${Math.round(part * 100)}%`;
}

/** As many days as the bar has cells. */
function lately({ days }: Gauge): readonly number[] {
	return days.slice(-SHARE_CELLS).map(({ count }) => count);
}

function share({ used, limit }: Gauge): number | undefined {
	return limit === null || limit === 0 ? undefined : used / limit;
}

function byDay({ days, unit }: Gauge): readonly NounSection[] {
	if (days.length === 0) return [];
	const counts = days.map(({ count }) => count);
	const rows = days.toReversed().map(({ date, count }): [string, string] => [date, amount(count, unit)]);
	const title = `By day, ${days[0]?.date} to ${days.at(-1)?.date}; at most ${amount(Math.max(...counts), unit)}`;
	return [
		{
			title,
			rows: [],
			draw: (columns) =>
				labelledChart(
					days.map(({ date: label, count: value }) => ({ label, value })),
					columns,
					CHART_ROWS,
				),
		},
		{ title: "Each day", rows },
	];
}
