import type { Interval } from "@svc/base/enumerations";

/**
 * The moment `count` intervals after an anchor, in UTC, on the anchor's day or the last day of a month that has no such day: counted
 * from the anchor and not from the period before, so that the 31st comes back after February.
 */
export function afterIntervals(anchorMs: number, interval: Interval, count: number): number {
	const anchor = new Date(anchorMs);
	const months = anchor.getUTCMonth() + (interval === "month" ? count : count * 12);
	const year = anchor.getUTCFullYear() + Math.floor(months / 12);
	const month = ((months % 12) + 12) % 12;
	const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	const sinceMidnight = anchorMs - Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth(), anchor.getUTCDate());
	return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + sinceMidnight;
}
