import type { TrashedBlob } from "@svc/sdk/shapes";
import type { AuditThing, Gauge } from "../state/things.ts";
import { ageText, bytesText } from "../text.ts";
import { labelledChart, sparkline } from "../view/chart.ts";
import { named, type Section, screenOf } from "./describe.ts";

const BAR_CELLS = 10;
const SHARE_CELLS = 15;
const CHART_ROWS = 6;

const amount = (value: number, unit: Gauge["unit"]) =>
	unit === "bytes" ? bytesText(value) : value.toLocaleString("en");

export const usage = screenOf<Gauge>({
	object: "gauge",
	columns: [
		{ title: "What", text: ({ label }) => label },
		{
			title: "Used",
			width: 9,
			text: ({ used, unit }) => amount(used, unit),
			tone: ({ wrong }) => (wrong ? "danger" : undefined),
		},
		{ title: "Limit", width: 9, text: ({ limit, unit }) => (limit === null ? "—" : amount(limit, unit)) },
		{
			title: "Share",
			width: SHARE_CELLS,
			text: bar,
			tone: (gauge) => ((share(gauge) ?? 0) >= 0.9 ? "danger" : "accent"),
		},
	],
	empty: "Nothing is counted yet. r looks again.",
	sections: (gauge) => [
		{
			title: gauge.label,
			rows: [
				["used", amount(gauge.used, gauge.unit)],
				["limit", gauge.limit === null ? "none" : amount(gauge.limit, gauge.unit)],
			],
		},
		...byDay(gauge),
	],
});

export const audit = screenOf<AuditThing>({
	object: "audit_entry",
	columns: [
		{ title: "When", width: 9, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "What", width: 24, text: ({ event }) => event },
		{ title: "About", text: ({ target, target_name }) => target_name ?? target ?? "—" },
		{ title: "Who", width: 32, text: ({ actor, actor_name }) => actor_name ?? actor },
		{ title: "Id", width: 28, more: true, text: ({ target, target_name }) => (target_name && target) ?? "—" },
	],
	empty: "Nothing has been recorded yet. r looks again.",
	sections: (entry, nowMs) => [
		{
			title: "Audit entry",
			rows: [
				["id", entry.id],
				["what", entry.event],
				["about", named(entry.target_name, entry.target ?? "—")],
				["who", named(entry.actor_name, entry.actor)],
				["when", `${entry.created_at} (${ageText(entry.created_at, nowMs)})`],
				["request", entry.request_id ?? "—"],
			],
		},
		...changesOf(entry),
	],
});

export const trash = screenOf<TrashedBlob>({
	object: "trashed_blob",
	columns: [
		{ title: "State", width: 10, text: ({ known }) => (known ? "○ known" : "▣ unknown") },
		{ title: "Image", text: ({ image_id }) => image_id },
		{ title: "Size", width: 9, text: ({ bytes }) => bytesText(bytes) },
		{ title: "Found", width: 9, text: ({ trashed_at }, nowMs) => ageText(trashed_at, nowMs) },
		{ title: "Kept until", width: 11, text: ({ removed_at }) => removed_at.slice(0, "2026-01-01".length) },
		{ title: "Id", width: 30, more: true, text: ({ id }) => id },
	],
	empty: "The trash is empty: the database knows all that is stored. r looks again.",
	sections: (blob, nowMs) => [
		{
			title: "Stored bytes that no image belongs to",
			rows: [
				["id", blob.id],
				["image", blob.image_id],
				["bytes", bytesText(blob.bytes)],
				["found", `${blob.trashed_at} (${ageText(blob.trashed_at, nowMs)})`],
				["kept until", blob.removed_at],
				[
					"then",
					blob.known ? "the database knows it by now, so it comes back by itself" : "it is removed; m brings it back",
				],
			],
		},
	],
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

function byDay({ days, unit }: Gauge): readonly Section[] {
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

function changesOf({ changes }: AuditThing): readonly Section[] {
	const rows = Object.entries(changes ?? {}).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
	return rows.length === 0 ? [] : [{ title: "Changes", rows }];
}
