/* How values are written for people who read them on a terminal. */

const UNITS = ["B", "kB", "MB", "GB", "TB"];

const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
	[86_400, "d"],
	[3_600, "h"],
	[60, "m"],
	[1, "s"],
];

const NOW_MS = 10_000;

export function bytesText(bytes: number): string {
	const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
	const amount = bytes / 1000 ** power;
	return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}

/** An age as "now", "3m ago" or "in 2d"; an em dash where there is no time. */
export function ageText(at: string | null | undefined, nowMs: number): string {
	const atMs = Date.parse(at ?? "");
	if (Number.isNaN(atMs)) return "—";
	// The clock here is read every few seconds, and is not the service's own.
	if (Math.abs(atMs - nowMs) < NOW_MS) return "now";
	const seconds = Math.abs(nowMs - atMs) / 1000;
	const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, "s"];
	const amount = `${Math.floor(seconds / size)}${unit}`;
	return atMs > nowMs ? `in ${amount}` : `${amount} ago`;
}

/** The time as it is, with its age beside it. */
export function timeText(at: string, nowMs: number): string {
	return `${at} (${ageText(at, nowMs)})`;
}

/** The day of a time, UTC; an em dash where there is none. */
export function dayText(at: string | null): string {
	return at === null ? "—" : at.slice(0, "2026-11-24".length);
}

export function countText(count: number | undefined): string {
	return count?.toLocaleString("en") ?? "—";
}

export const onOff = (is: boolean): string => (is ? "on" : "off");

/** The name with its id beside it; the id alone where there is no name. */
export function named(name: string | undefined, id: string): string {
	return name === undefined ? id : `${name} (${id})`;
}

/** `album=x,year=2026`, or with another sign between two of them. */
export function pairsText(map: Readonly<Record<string, string>>, between = ","): string {
	return Object.entries(map)
		.map(([key, value]) => `${key}=${value}`)
		.join(between);
}
