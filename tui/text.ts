import stringWidth from "string-width";

/* Text on its way to the screen: what comes from the service may have been written by anybody. */

// C0 and C1 controls can drive a terminal; bidirectional marks and overrides can reorder what is read.
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** One line that moves no cursor. */
export function oneLine(text: string): string {
	return text.replace(/[\t\r\n]+/g, " ").replace(CONTROLS, "");
}

/** Cells on the screen, which are neither characters nor code units. */
export function widthOf(text: string): number {
	return stringWidth(text);
}

/** At most `width` cells; an ellipsis stands for what is cut off. */
export function cut(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	let kept = "";
	let left = width - 1;
	for (const { segment } of segments.segment(text)) {
		left -= widthOf(segment);
		if (left < 0) break;
		kept += segment;
	}
	return width > 0 ? `${kept}…` : "";
}

/** Exactly `width` cells. */
export function cell(text: string, width: number): string {
	const short = cut(oneLine(text), width);
	return short + " ".repeat(Math.max(0, width - widthOf(short)));
}

/** Lines of at most `width` cells, broken between words where there are any. */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = "";
	for (const word of oneLine(text).split(/\s+/)) {
		const longer = line === "" ? word : `${line} ${word}`;
		if (widthOf(longer) <= width) line = longer;
		else {
			if (line !== "") lines.push(line);
			line = cut(word, width);
		}
	}
	return [...lines, line];
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
	const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
	const amount = bytes / 1000 ** power;
	return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}

const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
	[86_400, "d"],
	[3_600, "h"],
	[60, "m"],
	[1, "s"],
];

const NOW_MS = 10_000;

/** As "now", "3m ago" or "in 2d"; an em dash where there is no time. */
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
