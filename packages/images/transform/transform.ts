import { type ImageFormat, OUTPUT_FORMATS, type OutputFormat } from "@svc/base/enumerations";
import { isId } from "@svc/base/ids";
import { colourText, parseColour } from "./css-colours.ts";

export const SIZES = ["s", "m", "l", "social"] as const;
export const FITS = ["scale-down", "contain", "cover", "crop", "pad", "squeeze"] as const;
export const GRAVITIES = ["auto", "face", "left", "right", "top", "bottom"] as const;

export interface Colour {
	/** 0 to 255. */
	readonly r: number;
	readonly g: number;
	readonly b: number;
	/** 0 to 1. */
	readonly alpha: number;
}

/**
 * What a transform address asks for, in canonical form: every value valid, every default and everything without effect left out, so
 * that two addresses that mean the same are equal. Names and ranges: specification, "transform host".
 */
export interface Transform {
	readonly size?: (typeof SIZES)[number];
	readonly format?: OutputFormat;
	readonly w?: number;
	readonly h?: number;
	/** With one of `w` and `h` only: `contain`, and it means no more than that the picture may be enlarged. */
	readonly fit?: Exclude<(typeof FITS)[number], "scale-down">;
	readonly gravity?: Exclude<(typeof GRAVITIES)[number], "auto">;
	readonly zoom?: number;
	/** 1 to 100; named levels are already numbers. */
	readonly q?: number;
	readonly brightness?: number;
	readonly contrast?: number;
	readonly gamma?: number;
	readonly saturation?: number;
	readonly blur?: number;
	readonly sharp?: number;
	readonly rotate?: 90 | 180 | 270;
	/** Before `rotate`. Both ways at once are a rotation by 180. */
	readonly flip?: "h" | "v";
	readonly trim?: "border";
	readonly metadata?: "none" | "keep";
	readonly segment?: "foreground";
	/** Never fully transparent: that is what leaving it out means. */
	readonly background?: Colour;
	readonly fx?: "blur-bg" | "color-pop" | "darken-bg";
	readonly strength?: number;
	/** Image id. */
	readonly tile?: string;
}

/** What an encoder uses where `q` is not given; formats without an entry have no quality. */
export const DEFAULT_QUALITY: Readonly<Partial<Record<OutputFormat, number>>> = { jpg: 85, webp: 85, avif: 60 };

/** The largest `w` and `h`; no picture is enlarged beyond it on either axis. */
export const MAX_SIDE = 4_096;

/** No value of the grammar is longer, so that a hostile one is not even looked at. */
const MAX_VALUE_CHARACTERS = 64;
const DECIMALS = 1_000;

const INTEGER = /^\d+$/;
const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/;
const NAMED_QUALITY = new Map([
	["high", 90],
	["medium-high", 75],
	["medium-low", 60],
	["low", 45],
]);
/** The radius of the blur, and what is left of the background's light. `usual` is what goes without `strength`. */
export const EFFECTS = {
	"blur-bg": { min: 0, max: 250, usual: 60, none: 0 },
	"darken-bg": { min: 0.05, max: 1, usual: 0.5, none: 1 },
	"color-pop": undefined,
} as const;

/** Every value that can be sent, defaults included. Undefined: invalid. */
const GRAMMAR = {
	size: oneOf(SIZES),
	format: oneOf(OUTPUT_FORMATS),
	w: integer(1, MAX_SIDE),
	h: integer(1, MAX_SIDE),
	fit: oneOf(FITS),
	gravity: oneOf(GRAVITIES),
	zoom: decimal(0, 1),
	q: (text: string) => NAMED_QUALITY.get(text) ?? integer(1, 100)(text),
	brightness: decimal(0, 10),
	contrast: decimal(0, 10),
	gamma: decimal(0, 10),
	saturation: decimal(0, 10),
	blur: integer(0, 250),
	sharp: decimal(0, 10),
	rotate: oneOf(["90", "180", "270"]),
	flip: oneOf(["h", "v", "hv"]),
	trim: oneOf(["border"]),
	metadata: oneOf(["copyright", "none", "keep"]),
	segment: oneOf(["foreground"]),
	background: parseColour,
	fx: oneOf(["blur-bg", "color-pop", "darken-bg"]),
	// Its range depends on the effect, and it clamps.
	strength: decimal(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
	tile: (text: string) => (isId("img", text) ? text : undefined),
} satisfies Record<keyof Transform, (text: string) => unknown>;

type Sent = { readonly [K in keyof typeof GRAMMAR]?: ReturnType<(typeof GRAMMAR)[K]> };
type Draft = { readonly [K in keyof Transform]?: Transform[K] | undefined };

/**
 * The canonical transform of an address. Never throws: unknown names and invalid values are as if they were not there. A parameter
 * sent twice with different valid values contradicts itself and is dropped, since the order of parameters may not matter.
 */
export function parseTransform(params: URLSearchParams): Transform {
	const sent = readSent(params);
	return compact({
		...sizing(sent),
		...turning(sent),
		...tones(sent),
		...subject(sent),
		format: sent.format,
		q: sent.q,
		trim: sent.trim,
		metadata: sent.metadata === "copyright" ? undefined : sent.metadata,
		background: sent.background?.alpha === 0 ? undefined : sent.background,
		tile: sent.tile,
	});
}

/** `k=v&k=v` sorted by name: equal for equal transforms, different for different ones, and parses back to the same. */
export function canonicalString(transform: Transform): string {
	return Object.entries(transform)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, value]) => `${name}=${encodeURIComponent(typeof value === "object" ? colourText(value) : value)}`)
		.join("&");
}

/** Whether nothing is asked for: the master's own bytes. */
export function isEmpty(transform: Transform): boolean {
	return Object.keys(transform).length === 0;
}

/** What a rendition is encoded as. */
export function outputFormat(transform: Transform, master: ImageFormat): OutputFormat {
	if (transform.format) return transform.format;
	if (transform.size === "social") return "jpg";
	return OUTPUT_FORMATS.find((format) => format === master) ?? "png";
}

/** The transform without what has no effect on a master of this format; empty when the master itself is the answer. */
export function canonicalFor(transform: Transform, master: ImageFormat): Transform {
	const output = outputFormat(transform, master);
	const { q, format, background, ...others } = transform;
	const rest = compact({ ...others, background: groundShows(transform, master, output) ? background : undefined });
	const alone = isEmpty(rest);
	// Alone, a format that is not the master's own is a conversion even where it would be chosen anyway (SVG to PNG).
	const formatIsPlain = alone ? format === master : format === outputFormat(rest, master);
	// Alone, the usual quality asks for a re-encoding, which the master's own bytes are not.
	const converts = !alone || (format !== undefined && !formatIsPlain);
	const usual = DEFAULT_QUALITY[output];
	return compact({
		...rest,
		format: formatIsPlain ? undefined : format,
		q: usual === undefined || (converts && q === usual) ? undefined : q,
	});
}

/** Whether what lies behind the picture can be seen at all, and is not the white that opaque formats get anyway. */
function groundShows(transform: Transform, master: ImageFormat, output: OutputFormat): boolean {
	const { background, fit, segment, size } = transform;
	const opaque = output === "jpg" || size === "social";
	if (opaque && background !== undefined && colourText(background) === "#ffffff") return false;
	return master !== "jpg" || segment !== undefined || fit === "contain" || fit === "pad";
}

function readSent(params: URLSearchParams): Sent {
	const entries = Object.entries(GRAMMAR).map(([name, parse]) => {
		const values = params
			.getAll(name)
			.map((text) => (text.length > MAX_VALUE_CHARACTERS ? undefined : parse(text)))
			.filter((value) => value !== undefined);
		const distinct = new Set(values.map((value) => JSON.stringify(value)));
		return [name, distinct.size === 1 ? values[0] : undefined] as const;
	});
	return Object.fromEntries(entries) as Sent;
}

function sizing({ size, w, h, fit, gravity, zoom }: Sent): Draft {
	if (size === "social") return { size, ...placing(gravity, zoom) };
	if (size) return { size };
	if (w === undefined && h === undefined) return {};
	const given = fit === "scale-down" ? undefined : fit;
	if (w === undefined || h === undefined) return { w, h, fit: given && given !== "crop" ? "contain" : undefined };
	const cuts = given === "cover" || given === "crop";
	return { w, h, fit: given, ...(cuts ? placing(gravity, zoom) : {}) };
}

function placing(gravity: Sent["gravity"], zoom: Sent["zoom"]): Draft {
	if (gravity === "auto") return {};
	return { gravity, zoom: gravity === "face" ? unless(zoom, 0) : undefined };
}

/** Flips and rotations make eight different turns; each gets one spelling. */
function turning({ flip, rotate }: Sent): Draft {
	const mirrored = flip === "h" || flip === "v";
	// Mirroring upside down is mirroring sideways and half a turn.
	const half = flip === "v" || flip === "hv" ? 180 : 0;
	const degrees = (Number(rotate ?? 0) + half) % 360;
	if (mirrored && degrees === 180) return { flip: "v" };
	const turned = degrees === 90 || degrees === 180 || degrees === 270 ? degrees : undefined;
	return { flip: mirrored ? "h" : undefined, rotate: turned };
}

function tones({ brightness, contrast, gamma, saturation, blur, sharp }: Sent): Draft {
	return {
		brightness: unless(brightness, 1),
		contrast: unless(contrast, 1),
		gamma: unless(unless(gamma, 0), 1),
		saturation: unless(saturation, 1),
		blur: unless(blur, 0),
		sharp: unless(sharp, 0),
	};
}

function subject({ segment, fx, strength }: Sent): Draft {
	// Effects act on the background, and segmenting leaves none.
	if (segment || fx === undefined) return { segment };
	const range = EFFECTS[fx];
	if (!range) return { fx };
	const clamped = Math.min(Math.max(strength ?? range.usual, range.min), range.max);
	return clamped === range.none ? {} : { fx, strength: unless(clamped, range.usual) };
}

function unless(value: number | undefined, usual: number): number | undefined {
	return value === usual ? undefined : value;
}

function compact(draft: Draft): Transform {
	return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
}

function oneOf<const T extends string>(values: readonly T[]): (text: string) => T | undefined {
	return (text) => values.find((value) => value === text);
}

function integer(min: number, max: number): (text: string) => number | undefined {
	return (text) => (INTEGER.test(text) ? within(Number(text), min, max) : undefined);
}

/** Rounded to thousandths: finer steps could not be told apart, but would each be cached. */
function decimal(min: number, max: number): (text: string) => number | undefined {
	return (text) => {
		const value = DECIMAL.test(text) ? within(Number(text), min, max) : undefined;
		// Adding 0 turns -0, which equals 0 and yet is not the same, into it.
		return value === undefined ? undefined : Math.round(value * DECIMALS) / DECIMALS + 0;
	};
}

function within(value: number, min: number, max: number): number | undefined {
	return value >= min && value <= max ? value : undefined;
}
