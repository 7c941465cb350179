import { PARAMETERS } from "./transform-parameters.ts";
import type { Open } from "./types.ts";
import { checkArguments, unknownOption } from "./wire/check.ts";
import { IMAGE_URL } from "./wire/takes.ts";

export interface Colour {
	/** 0 to 255. */
	readonly r: number;
	readonly g: number;
	readonly b: number;
	/** 0 to 1. Default: 1. */
	readonly alpha?: number;
}

/** Shares of a picture's width and height, from 0 to 1. */
export interface Point {
	readonly x: number;
	readonly y: number;
}

/** A part of a picture in whole pixels of it. */
export interface Piece extends Point {
	readonly w: number;
	readonly h: number;
}

/**
 * Every parameter of a transform address. The service ignores what it does not understand, so mistakes are refused here. A colour is
 * a CSS name, `#rrggbb`, `rgb(…)`, `rgba(…)`, or its parts; an image is the image itself or its id.
 */
export type TransformOptions = { readonly [N in Name]?: OptionOf<(typeof PARAMETERS)[N]> | undefined };

type Name = keyof typeof PARAMETERS;

/** A file's name, which is no path, without halves of characters. */
const NAME = /^[^\p{Cc}\p{Cs}/\\]{1,100}$/u;

/** No picture has more along a side. */
const MAX_PIXELS_ALONG = 999_999_999;

type OptionOf<P extends Parameter> = P extends { kind: "choice"; values: readonly (infer V)[] }
	? V
	: P extends { kind: "colour" }
		? Open<"white" | "black" | "transparent"> | Colour
		: P extends { kind: "image" }
			? string | { readonly id: string }
			: P extends { kind: "point"; words: readonly (infer W)[] }
				? W | Point
				: P extends { kind: "piece" }
					? Piece
					: P extends { kind: "name" }
						? string
						: number | (P extends { words: readonly (infer W)[] } ? W : never);

/** What the service takes, as its table of parameters says. `demand` ends the sentence that refuses a value; of a choice its values do. */
type Parameter = {
	readonly demand?: string;
	/** The value that goes without saying. */
	readonly usual?: string | number;
	/** What its numbers count. */
	readonly unit?: "px" | "°";
} & (
	| { readonly kind: "choice"; readonly values: readonly (string | number | true)[] }
	| { readonly kind: "whole"; readonly min: number; readonly max: number; readonly words?: readonly string[] }
	| { readonly kind: "decimal"; readonly min: number; readonly max: number; readonly decimals: number }
	| { readonly kind: "point"; readonly decimals: number; readonly words: readonly string[] }
	| { readonly kind: "colour" | "image" | "name" | "piece" }
);

/**
 * The address of an image, transformed. The same options always give the same address, whatever their order, so that every cache
 * on the way holds one copy.
 * @throws TypeError for a parameter that there is not, RangeError for a value that the service would silently ignore
 */
export function imageUrl(image: string | { readonly url: string }, options: TransformOptions = {}): string {
	checkArguments("imageUrl", IMAGE_URL, [image, options]);
	checkParameters("imageUrl", options);
	const url = typeof image === "string" ? image : image.url;
	if (url === "" || /^img_\w+$/.test(url))
		throw new TypeError("imageUrl: image must be an image, or its url, not its id.");
	const [address = "", query = ""] = (url.split("#", 1)[0] ?? "").split("?", 2);
	// The order is that of the table, which is also the order of the reference.
	const asked = Object.entries<Parameter>(PARAMETERS)
		.map(([name, parameter]) => ({ name, parameter, value: options[name as Name] }))
		.filter(({ value }) => value !== undefined)
		.map(({ name, parameter, value }) => `${name}=${encodedText(name, parameter, value)}`);
	const parameters = [...keptParameters(query, options), ...asked];
	return parameters.length === 0 ? address : `${address}?${parameters.join("&")}`;
}

/**
 * The service would ignore a parameter that it does not know, in silence.
 * @throws TypeError for one that is unknown, or among those that the function makes itself
 * @internal
 */
export function checkParameters(name: string, options: object, made: readonly string[] = []): void {
	const known = Object.keys(PARAMETERS).filter((one) => !made.includes(one));
	const strange = Object.entries(options).find(
		([option, value]) => value !== undefined && !known.includes(option),
	)?.[0];
	if (strange !== undefined) throw unknownOption(`${name}: options`, strange, known);
}

/** Whether the service takes this value of a parameter, so that `imageUrl` does, too. @internal */
export function isTaken(name: string, value: unknown): boolean {
	const parameters: Readonly<Record<string, Parameter>> = PARAMETERS;
	const parameter = Object.hasOwn(PARAMETERS, name) ? parameters[name] : undefined;
	return parameter !== undefined && textOf(parameter, value) !== undefined;
}

/** The value that a text stands for, as in an address: a word, a number, yes, a point or a piece; undefined where the service would ignore it. @internal */
export function readValue(name: string, text: string): unknown {
	const [x, y, w, h] = text.split(",").map(Number);
	const number = text.trim() === "" ? [] : [Number(text)];
	const meant = [text, ...number, ...(text === "true" ? [true] : []), { x, y }, { x, y, w, h }];
	return meant.find((value) => isTaken(name, value));
}

/** Parameters of the address that are not asked for anew; the service's own order is not known for foreign ones, so they stay first. */
function keptParameters(query: string, options: TransformOptions): string[] {
	return query.split("&").filter((pair) => {
		const name = pair.split("=", 1)[0] ?? "";
		return pair !== "" && !(Object.hasOwn(options, name) && options[name as Name] !== undefined);
	});
}

/** A bare `#` would end the address, and a `+` would be read as a space. */
function encodedText(name: string, parameter: Parameter, value: unknown): string {
	const text = textOf(parameter, value);
	if (text === undefined) {
		const Fault = typesOf(parameter).includes(typeof value) ? RangeError : TypeError;
		const demand = "values" in parameter ? valuesOf(parameter.values) : parameter.demand;
		throw new Fault(`${name} must be ${demand}, not ${JSON.stringify(value)}.`);
	}
	return encodeURIComponent(text);
}

function valuesOf(values: readonly unknown[]): string {
	return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

/** What `typeof` says of values that may be right. */
function typesOf(parameter: Parameter): readonly string[] {
	const words = "words" in parameter && parameter.words ? ["string"] : [];
	switch (parameter.kind) {
		case "choice":
			return parameter.values.map((one) => typeof one);
		case "whole":
		case "decimal":
			return ["number", ...words];
		case "point":
		case "piece":
			return ["object", ...words];
		case "name":
			return ["string"];
		default:
			return ["string", "object"];
	}
}

/** Undefined for a value that the service would ignore. */
function textOf(parameter: Parameter, value: unknown): string | undefined {
	if ("words" in parameter && parameter.words?.some((word) => word === value)) return String(value);
	switch (parameter.kind) {
		case "choice":
			return parameter.values.some((one) => one === value) ? String(value) : undefined;
		case "whole":
			return Number.isInteger(value) ? numberText(value, parameter.min, parameter.max, 0) : undefined;
		case "decimal":
			return numberText(value, parameter.min, parameter.max, parameter.decimals);
		case "colour":
			return nonEmpty(value) ?? colourText(value);
		case "image":
			return nonEmpty(value) ?? nonEmpty(partsOf(value).id);
		case "point":
			return pointText(partsOf(value), parameter.decimals);
		case "name":
			return nameText(value);
		case "piece":
			return pieceText(partsOf(value));
	}
}

function nameText(value: unknown): string | undefined {
	return typeof value === "string" && NAME.test(value) ? value : undefined;
}

/** Rounded as the service rounds, which also keeps exponents out of the address. */
function numberText(value: unknown, min: number, max: number, decimals: number): string | undefined {
	const steps = 10 ** decimals;
	const inRange = typeof value === "number" && value >= min && value <= max;
	return inRange ? String(Math.round(value * steps) / steps) : undefined;
}

function colourText(value: unknown): string | undefined {
	const { r, g, b, alpha = 1 } = partsOf(value);
	const channels = [r, g, b].map((channel) => (Number.isInteger(channel) ? numberText(channel, 0, 255, 0) : undefined));
	const parts = joinedText([...channels, numberText(alpha, 0, 1, 3)]);
	return parts && `rgba(${parts})`;
}

function pointText({ x, y }: Parts, decimals: number): string | undefined {
	return joinedText([x, y].map((share) => numberText(share, 0, 1, decimals)));
}

function pieceText({ x, y, w, h }: Parts): string | undefined {
	const from = [x, y].map((at) => wholeText(at, 0));
	return joinedText([...from, ...[w, h].map((length) => wholeText(length, 1))]);
}

function wholeText(value: unknown, min: number): string | undefined {
	return Number.isInteger(value) ? numberText(value, min, MAX_PIXELS_ALONG, 0) : undefined;
}

function joinedText(parts: readonly (string | undefined)[]): string | undefined {
	return parts.includes(undefined) ? undefined : parts.join(",");
}

function nonEmpty(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

type Parts = Readonly<Record<string, unknown>>;

function partsOf(value: unknown): Parts {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
