import colourNames from "color-name";

export interface Colour {
	/** 0 to 255. */
	readonly r: number;
	readonly g: number;
	readonly b: number;
	/** 0 to 1. */
	readonly alpha: number;
}

/** The 148 names of CSS Color 4, section 6.1. A map, since an object would also know `constructor`. */
const NAMES: ReadonlyMap<string, readonly [number, number, number]> = new Map(Object.entries(colourNames));

const HEX = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;
const FUNCTION = /^rgba?\(([^()]*)\)$/;
const NUMBER = /^(?:\d+(?:\.\d+)?|\.\d+)(%?)$/;

/**
 * A CSS colour: a name, `#` with 3, 4, 6 or 8 digits, `rgb()` or `rgba()` with commas or with blanks and a slash. As in CSS the case
 * is free and both function names take an alpha. Unlike CSS, channels out of range are not clamped: the whole colour is refused.
 */
export function parseColour(text: string): Colour | undefined {
	const lower = text.trim().toLowerCase();
	if (lower === "transparent") return { r: 0, g: 0, b: 0, alpha: 0 };
	const [r, g, b] = NAMES.get(lower) ?? [];
	if (r !== undefined && g !== undefined && b !== undefined) return { r, g, b, alpha: 1 };
	return HEX.test(lower) ? fromHex(lower.slice(1)) : fromFunction(FUNCTION.exec(lower)?.[1]);
}

/** `#rrggbb`, or `rgba(r,g,b,a)` where it is not opaque; parses back to the same colour. */
export function colourText({ r, g, b, alpha }: Colour): string {
	if (alpha !== 1) return `rgba(${r},${g},${b},${alpha})`;
	return `#${((r << 16) | (g << 8) | b).toString(16).padStart(6, "0")}`;
}

/** What is seen of a colour in front of white. */
export function overWhite({ r, g, b, alpha }: Colour): Colour {
	const over = (channel: number) => Math.round(channel * alpha + 255 * (1 - alpha));
	return { r: over(r), g: over(g), b: over(b), alpha: 1 };
}

function fromHex(digits: string): Colour {
	const long = digits.length <= 4 ? digits.replace(/./g, "$&$&") : digits;
	const byte = (at: number) => Number.parseInt(long.slice(at, at + 2) || "ff", 16);
	return { r: byte(0), g: byte(2), b: byte(4), alpha: rounded(byte(6) / 255) };
}

function fromFunction(list: string | undefined): Colour | undefined {
	const [red, green, blue, opacity = "1", ...rest] = listed(list ?? "");
	const [r, g, b] = [red, green, blue].map((part) => scaled(part, 255));
	const alpha = scaled(opacity, 1);
	if (r === undefined || g === undefined || b === undefined || alpha === undefined || rest.length > 0) return undefined;
	return { r: Math.round(r), g: Math.round(g), b: Math.round(b), alpha: rounded(alpha) };
}

/** The parts of `1, 2, 3, 0.5` or `1 2 3 / 0.5`; a mixture of both forms leaves parts that are no numbers. */
function listed(list: string): string[] {
	if (list.includes(",")) return list.split(",").map((part) => part.trim());
	const [channels = "", ...opacity] = list.split("/").map((part) => part.trim());
	const parts = channels.split(/\s+/);
	// The slash is what marks an alpha here, so a fourth blank-separated number is malformed, as is a slash after two.
	return parts.length === 3 ? [...parts, ...opacity] : [];
}

/** A number from 0 to `full`, or a percentage of it. */
function scaled(text: string | undefined, full: number): number | undefined {
	const match = NUMBER.exec(text ?? "");
	if (!match) return undefined;
	const value = match[1] === "%" ? (Number.parseFloat(match[0]) / 100) * full : Number(match[0]);
	return value <= full ? value : undefined;
}

/** Thousandths are finer than the 255 steps that a pixel has, so every hexadecimal alpha keeps its own value. */
function rounded(alpha: number): number {
	return Math.round(alpha * 1_000) / 1_000;
}
