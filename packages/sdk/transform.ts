import type { Open } from "./types.ts";

export interface Colour {
	/** 0 to 255. */
	readonly r: number;
	readonly g: number;
	readonly b: number;
	/** 0 to 1. Default: 1. */
	readonly alpha?: number;
}

/** Source: specification, "transform host". The service ignores what it does not understand, so mistakes are refused here. */
export interface TransformOptions {
	/** Short side at 320, 640 or 1080 pixels; `social` is a card of 1200x630. Skips `w`, `h` and `fit`. */
	readonly size?: "s" | "m" | "l" | "social" | undefined;
	readonly format?: "jpg" | "png" | "webp" | "avif" | "gif" | undefined;
	/** Pixels, 1 to 4096. */
	readonly w?: number | undefined;
	readonly h?: number | undefined;
	readonly fit?: "scale-down" | "contain" | "cover" | "crop" | "pad" | "squeeze" | undefined;
	readonly gravity?: "auto" | "face" | "left" | "right" | "top" | "bottom" | undefined;
	/** 0 (most context) to 1, around `gravity: "face"`. */
	readonly zoom?: number | undefined;
	/** 1 to 100, or a level of about 90, 75, 60, 45. Lossy formats only. */
	readonly q?: number | "high" | "medium-high" | "medium-low" | "low" | undefined;
	/** 0 to 10; 1 changes nothing. */
	readonly brightness?: number | undefined;
	readonly contrast?: number | undefined;
	readonly gamma?: number | undefined;
	readonly saturation?: number | undefined;
	/** Radius in pixels, 0 to 250. */
	readonly blur?: number | undefined;
	/** 0 to 10. */
	readonly sharp?: number | undefined;
	/** Clockwise degrees. */
	readonly rotate?: 90 | 180 | 270 | undefined;
	readonly flip?: "h" | "v" | "hv" | undefined;
	readonly trim?: "border" | undefined;
	readonly metadata?: "copyright" | "none" | "keep" | undefined;
	readonly segment?: "foreground" | undefined;
	/** A CSS colour name, `#rrggbb`, `rgb(…)`, `rgba(…)`, or its parts. */
	readonly background?: Open<"white" | "black" | "transparent"> | Colour | undefined;
	readonly fx?: "blur-bg" | "color-pop" | "darken-bg" | undefined;
	/** 0 to 250, with `fx` only: the radius of `blur-bg`; the background's brightness (0.05 to 1) of `darken-bg`. */
	readonly strength?: number | undefined;
	/** The image, or its id, that is tiled over this one. */
	readonly tile?: string | { readonly id: string } | undefined;
}

type Name = keyof TransformOptions;
/** The parameter's text; undefined for a value that the service would ignore. */
type Encoder = (value: unknown) => string | undefined;

// Four decimals are finer than any effect, and keep exponents out of the address.
const DECIMALS = 10_000;

function number(min: number, max: number): Encoder {
	return (value) => {
		const inRange = typeof value === "number" && value >= min && value <= max;
		return inRange ? String(Math.round(value * DECIMALS) / DECIMALS) : undefined;
	};
}

function integer(min: number, max: number): Encoder {
	return (value) => (Number.isInteger(value) ? number(min, max)(value) : undefined);
}

function oneOf(...allowed: readonly (string | number)[]): Encoder {
	return (value) => (allowed.some((known) => known === value) ? String(value) : undefined);
}

function either(first: Encoder, second: Encoder): Encoder {
	return (value) => first(value) ?? second(value);
}

const text: Encoder = (value) => (typeof value === "string" && value !== "" ? value : undefined);

const channel = integer(0, 255);
const opacity = number(0, 1);

const colourParts: Encoder = (value) => {
	if (typeof value !== "object" || value === null) return undefined;
	const { r, g, b, alpha } = value as Partial<Colour>;
	const parts = [channel(r), channel(g), channel(b), opacity(alpha ?? 1)];
	return parts.includes(undefined) ? undefined : `rgba(${parts.join(",")})`;
};

const idOf: Encoder = (value) =>
	typeof value === "object" && value !== null && "id" in value ? text(value.id) : undefined;

/** In the order of the specification's table, which is also the order of the parameters: one address for one meaning. */
const ENCODERS = {
	size: oneOf("s", "m", "l", "social"),
	format: oneOf("jpg", "png", "webp", "avif", "gif"),
	w: integer(1, 4096),
	h: integer(1, 4096),
	fit: oneOf("scale-down", "contain", "cover", "crop", "pad", "squeeze"),
	gravity: oneOf("auto", "face", "left", "right", "top", "bottom"),
	zoom: number(0, 1),
	q: either(integer(1, 100), oneOf("high", "medium-high", "medium-low", "low")),
	brightness: number(0, 10),
	contrast: number(0, 10),
	gamma: number(0, 10),
	saturation: number(0, 10),
	blur: integer(0, 250),
	sharp: number(0, 10),
	rotate: oneOf(90, 180, 270),
	flip: oneOf("h", "v", "hv"),
	trim: oneOf("border"),
	metadata: oneOf("copyright", "none", "keep"),
	segment: oneOf("foreground"),
	background: either(text, colourParts),
	fx: oneOf("blur-bg", "color-pop", "darken-bg"),
	strength: number(0, 250),
	tile: either(text, idOf),
} satisfies Record<Name, Encoder>;

function encodeParameter(name: Name, value: unknown): string {
	const encoded = ENCODERS[name](value);
	if (encoded === undefined) throw new RangeError(`${name} cannot be ${JSON.stringify(value)}.`);
	// A bare `#` would end the address, and a `+` would be read as a space.
	return `${name}=${encodeURIComponent(encoded)}`;
}

/** Parameters of the address that are not asked for anew; the service's own order is not known for foreign ones, so they stay first. */
function keptParameters(query: string, options: TransformOptions): string[] {
	return query.split("&").filter((pair) => {
		const name = pair.split("=", 1)[0] ?? "";
		return pair !== "" && !(Object.hasOwn(options, name) && options[name as Name] !== undefined);
	});
}

/**
 * The address of an image, transformed. The same options always give the same address, whatever their order, so that every cache
 * on the way holds one copy.
 * @throws RangeError for a value that the service would silently ignore.
 */
export function imageUrl(image: string | { readonly url: string }, options: TransformOptions = {}): string {
	const url = typeof image === "string" ? image : image.url;
	const [address = "", query = ""] = (url.split("#", 1)[0] ?? "").split("?", 2);
	const names = Object.keys(ENCODERS) as Name[];
	const asked = names.filter((name) => options[name] !== undefined).map((name) => encodeParameter(name, options[name]));
	const parameters = [...keptParameters(query, options), ...asked];
	return parameters.length === 0 ? address : `${address}?${parameters.join("&")}`;
}
