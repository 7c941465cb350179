import type { Extent } from "@svc/images/layout/extent";

/** The size that browsers give an SVG that says nothing about it. */
const DEFAULT: Extent = { width: 300, height: 150 };

/** CSS pixels to a unit. What depends on a font or on the page around it tells nothing here. */
const UNITS: ReadonlyMap<string, number> = new Map([
	["", 1],
	["px", 1],
	["pt", 4 / 3],
	["pc", 16],
	["mm", 96 / 25.4],
	["cm", 96 / 2.54],
	["in", 96],
]);

const LENGTH = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z%]*)\s*$/;
/** Lengths that say something are short. */
const MAX_LETTERS = 100;

/**
 * The size of a root element in whole CSS pixels: its own lengths, one of them with the shape of its view box, the view box itself, or
 * what browsers take. 0 where it says that nothing is to be seen.
 */
export function svgExtent(attributes: ReadonlyMap<string, string>): Extent {
	const box = viewBox(attributes.get("viewBox"));
	const width = pixels(attributes.get("width"));
	const height = pixels(attributes.get("height"));
	const shape = box ?? DEFAULT;
	const free = box
		? { width: (height ?? 0) * (box.width / box.height), height: (width ?? 0) * (box.height / box.width) }
		: DEFAULT;
	if (width !== undefined) return whole(width, height ?? free.height);
	return height === undefined ? whole(shape.width, shape.height) : whole(free.width, height);
}

function whole(width: number, height: number): Extent {
	return { width: rounded(width), height: rounded(height) };
}

/** A size above zero is at least one pixel. */
function rounded(length: number): number {
	return length > 0 ? Math.max(1, Math.round(length)) : 0;
}

/** Undefined for a negative length as well, which is an error that browsers overlook. */
function pixels(sent: string | undefined): number | undefined {
	if (sent === undefined || sent.length > MAX_LETTERS) return undefined;
	const [, number = "", unit = ""] = LENGTH.exec(sent) ?? [];
	const factor = UNITS.get(unit.toLowerCase());
	if (number === "" || factor === undefined || Number(number) < 0) return undefined;
	return Number(number) * factor;
}

function viewBox(sent: string | undefined): Extent | undefined {
	if (sent === undefined || sent.length > 4 * MAX_LETTERS) return undefined;
	const [, , width = 0, height = 0, ...more] = sent
		.trim()
		.split(/[\s,]+/)
		.map(Number);
	const shown = width > 0 && height > 0 && more.length === 0 && Number.isFinite(width * height);
	return shown ? { width, height } : undefined;
}
