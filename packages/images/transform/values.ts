import { isId } from "@svc/base/ids";
import { type Colour, colourText, parseColour } from "./colours/css-colours.ts";

/*
 * The kinds of values of transform parameters. The kinds are data and not functions, so that the SDK, the documents and the tests
 * are generated from what the service itself uses.
 */

/** `true` is the only value of a parameter without values. */
type Literal = string | number | true;

interface Choice<V extends Literal> {
	readonly kind: "choice";
	readonly values: readonly V[];
}

interface Whole<N extends string = string> {
	readonly kind: "whole";
	readonly min: number;
	readonly max: number;
	/** Words that stand for numbers. */
	readonly words?: Readonly<Record<string, number>>;
	/** Words that stand for no number: what they mean depends on the picture. */
	readonly names?: readonly N[];
}

interface Decimal {
	readonly kind: "decimal";
	readonly min: number;
	readonly max: number;
	/** The decimals that are kept: finer steps look alike, but each would be cached. */
	readonly decimals: number;
	/** A value out of range is not refused: its parameter brings it into range. */
	readonly clamps?: true;
}

/** Two shares of a picture's sides, as `x,y`. */
interface PointKind {
	readonly kind: "point";
	readonly decimals: number;
	/** Words that stand for points. */
	readonly words: Readonly<Record<string, Point>>;
}

/** A place in a picture: shares of its width and height. */
interface Point {
	readonly x: number;
	readonly y: number;
}

/** Whole pixels of a picture, as `x,y,w,h`; it may reach beyond the picture. */
export interface Piece extends Point {
	readonly w: number;
	readonly h: number;
}

/** `colour` is a CSS colour, `image` the id of an image, `name` that of a file, `piece` a part of a picture. */
export type Kind =
	| Choice<Literal>
	| Whole
	| Decimal
	| PointKind
	| { readonly kind: "colour" }
	| { readonly kind: "image" }
	| { readonly kind: "name" }
	| { readonly kind: "piece" };

export type ParameterValue = Literal | Colour | Point | Piece;

export type ValueOf<K extends Kind> =
	K extends Choice<infer V>
		? V
		: K extends Whole<infer N>
			? number | N
			: K extends Decimal
				? number
				: K extends PointKind
					? Point
					: K extends { kind: "colour" }
						? Colour
						: K extends { kind: "piece" }
							? Piece
							: string;

/** No value but a name is longer: a longer, hostile one is not even parsed. */
const MAX_CHARACTERS = 64;

/** A file's name, which is no path, without halves of characters. */
const NAME = /^[^\p{Cc}\p{Cs}/\\]{1,100}$/u;

const INTEGER = /^\d+$/;
const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/;

/** More pixels than any picture has along a side. */
const MAX_PIXELS_ALONG = 999_999_999;

/** Undefined when the text is no value of this kind. */
export function parseValue(kind: Kind, text: string): ParameterValue | undefined {
	if (kind.kind === "name") return NAME.test(text) ? text : undefined;
	if (text.length > MAX_CHARACTERS) return undefined;
	switch (kind.kind) {
		case "choice":
			return kind.values.find((value) => String(value) === text);
		case "whole":
			return parseWhole(text, kind);
		case "decimal":
			return DECIMAL.test(text) ? parseDecimal(Number(text), kind) : undefined;
		case "colour":
			return parseColour(text);
		case "image":
			return isId("img", text) ? text : undefined;
		case "point":
			return Object.hasOwn(kind.words, text) ? kind.words[text] : parsePoint(text, kind);
		case "piece":
			return parsePiece(text);
	}
}

/** The one spelling of a value in canonical forms. It parses back to the same value. */
export function textOf(value: ParameterValue): string {
	if (typeof value !== "object") return String(value);
	if ("alpha" in value) return colourText(value);
	return "w" in value ? `${value.x},${value.y},${value.w},${value.h}` : `${value.x},${value.y}`;
}

/** The requirement for a value of this kind: the end of a sentence that refuses another one. */
export function demandOf(kind: Kind): string {
	switch (kind.kind) {
		case "choice":
			return kind.values.length === 1 ? `${kind.values[0]}` : `one of ${kind.values.join(", ")}`;
		case "whole": {
			const range = `a whole number from ${kind.min} to ${kind.max}`;
			const words = wordsOf(kind);
			return words.length === 0 ? range : `${range}, or ${words.length > 1 ? "one of " : ""}${words.join(", ")}`;
		}
		case "decimal":
			return `a number from ${kind.min} to ${kind.max}`;
		case "colour":
			return "a CSS colour";
		case "image":
			return "an image or the id of one";
		case "point":
			return `x,y, each from 0 to 1, or one of ${wordsOf(kind).join(", ")}`;
		case "name":
			return "1 to 100 characters without / and \\";
		case "piece":
			return "x,y,w,h in whole pixels, w and h at least 1";
	}
}

/** The words that may be said in place of numbers. */
export function wordsOf(kind: Kind): readonly string[] {
	if (kind.kind === "point") return Object.keys(kind.words);
	return kind.kind === "whole" ? [...Object.keys(kind.words ?? {}), ...(kind.names ?? [])] : [];
}

export function choice<const V extends Literal>(...values: readonly V[]): Choice<V> {
	return { kind: "choice", values };
}

export function whole<const N extends string = never>(
	min: number,
	max: number,
	words?: Readonly<Record<string, number>>,
	...names: readonly N[]
): Whole<N> {
	return { kind: "whole", min, max, ...(words && { words }), ...(names.length > 0 && { names }) };
}

export function decimal(min: number, max: number, decimals = 3): Decimal {
	return { kind: "decimal", min, max, decimals };
}

export function clamped(min: number, max: number): Decimal {
	return { ...decimal(min, max), clamps: true };
}

function parseWhole(text: string, kind: Whole): number | string | undefined {
	if (kind.words && Object.hasOwn(kind.words, text)) return kind.words[text];
	if (kind.names?.includes(text)) return text;
	return INTEGER.test(text) ? within(Number(text), kind) : undefined;
}

/** The range is checked before rounding. Adding 0 turns -0, which equals 0 and yet is written otherwise, into 0. */
function parseDecimal(value: number, kind: Decimal): number | undefined {
	const valid = kind.clamps ? value : within(value, kind);
	return valid === undefined ? undefined : rounded(valid, kind.decimals);
}

function parsePoint(text: string, { decimals }: PointKind): Point | undefined {
	const [x, y, ...rest] = text.split(",").map((part) => share(part));
	if (x === undefined || y === undefined || rest.length > 0) return undefined;
	return { x: rounded(x, decimals), y: rounded(y, decimals) };
}

function share(text: string): number | undefined {
	return DECIMAL.test(text) ? within(Number(text), { min: 0, max: 1 }) : undefined;
}

function parsePiece(text: string): Piece | undefined {
	const [x, y, w, h, ...rest] = text.split(",").map((part) => (INTEGER.test(part) ? Number(part) : undefined));
	if (x === undefined || y === undefined || !w || !h || rest.length > 0) return undefined;
	return Math.max(x, y, w, h) <= MAX_PIXELS_ALONG ? { x, y, w, h } : undefined;
}

function rounded(value: number, decimals: number): number {
	const steps = 10 ** decimals;
	return Math.round(value * steps) / steps + 0;
}

function within(value: number, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
	return value >= min && value <= max ? value : undefined;
}
