import { isId } from "@svc/base/ids";
import { type Colour, colourText, parseColour } from "./css-colours.ts";

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

interface Whole {
	readonly kind: "whole";
	readonly min: number;
	readonly max: number;
	/** Words that stand for numbers. */
	readonly words?: Readonly<Record<string, number>>;
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

/** `colour` is a CSS colour, `image` the id of an image. */
export type Kind = Choice<Literal> | Whole | Decimal | { readonly kind: "colour" } | { readonly kind: "image" };

export type Value = Literal | Colour;

export type ValueOf<K extends Kind> =
	K extends Choice<infer V> ? V : K extends Whole | Decimal ? number : K extends { kind: "colour" } ? Colour : string;

/** No value is longer: a longer, hostile one is not even parsed. */
const MAX_CHARACTERS = 64;

const INTEGER = /^\d+$/;
const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/;

/** Undefined when the text is no value of this kind. */
export function parseValue(kind: Kind, text: string): Value | undefined {
	if (text.length > MAX_CHARACTERS) return undefined;
	switch (kind.kind) {
		case "choice":
			return kind.values.find((value) => String(value) === text);
		case "whole":
			if (kind.words && Object.hasOwn(kind.words, text)) return kind.words[text];
			return INTEGER.test(text) ? within(Number(text), kind) : undefined;
		case "decimal":
			return DECIMAL.test(text) ? parseDecimal(Number(text), kind) : undefined;
		case "colour":
			return parseColour(text);
		case "image":
			return isId("img", text) ? text : undefined;
	}
}

/** The one spelling of a value in canonical forms. It parses back to the same value. */
export function textOf(value: Value): string {
	return typeof value === "object" ? colourText(value) : String(value);
}

/** The requirement for a value of this kind: the end of a sentence that refuses another one. */
export function demandOf(kind: Kind): string {
	switch (kind.kind) {
		case "choice":
			return kind.values.length === 1 ? `${kind.values[0]}` : `one of ${kind.values.join(", ")}`;
		case "whole": {
			const range = `a whole number from ${kind.min} to ${kind.max}`;
			return kind.words ? `${range}, or one of ${Object.keys(kind.words).join(", ")}` : range;
		}
		case "decimal":
			return `a number from ${kind.min} to ${kind.max}`;
		case "colour":
			return "a CSS colour";
		case "image":
			return "an image or the id of one";
	}
}

export function choice<const V extends Literal>(...values: readonly V[]): Choice<V> {
	return { kind: "choice", values };
}

export function whole(min: number, max: number, words?: Readonly<Record<string, number>>): Whole {
	return { kind: "whole", min, max, ...(words && { words }) };
}

export function decimal(min: number, max: number): Decimal {
	return { kind: "decimal", min, max, decimals: 3 };
}

export function clamped(min: number, max: number): Decimal {
	return { ...decimal(min, max), clamps: true };
}

/** The range is checked before rounding. Adding 0 turns -0, which equals 0 and yet is written otherwise, into 0. */
function parseDecimal(value: number, kind: Decimal): number | undefined {
	const valid = kind.clamps ? value : within(value, kind);
	const steps = 10 ** kind.decimals;
	return valid === undefined ? undefined : Math.round(valid * steps) / steps + 0;
}

function within(value: number, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
	return value >= min && value <= max ? value : undefined;
}
