import { type ImageFormat, OUTPUT_FORMATS, type OutputFormat } from "@svc/base/enumerations";
import type { Shape } from "../layout/extent.ts";
import { pieceOf } from "../layout/piece.ts";
import { folded } from "./beside.ts";
import { colourText } from "./colours/css-colours.ts";
import { PARAMETER_LIST, type PARAMETERS, type ParameterName, type Sent } from "./parameters.ts";
import { type ParameterValue, parseValue, textOf, type ValueOf } from "./values.ts";

type ParameterEntry<N extends ParameterName> = (typeof PARAMETERS)[N];
type Usual<P> = P extends { readonly usual: infer U } ? U : never;
type Resulting<N extends ParameterName> =
	ParameterEntry<N> extends { readonly apart: true }
		? undefined
		: ParameterEntry<N> extends { readonly beside: (sent: Sent) => infer V }
			? V
			: ValueOf<ParameterEntry<N>["takes"]>;

/**
 * A transform address in canonical form: every value valid, every default and every parameter without effect left out, so
 * that two addresses that mean the same are equal. The table of parameters has the names and ranges, and which ones exclude each other.
 */
export type Transform = { readonly [N in ParameterName]?: Exclude<Resulting<N>, Usual<ParameterEntry<N>> | undefined> };

/** The parameters that name another image, which lies over this one; the lowest first. */
export const LAYERS = ["tile", "overlay"] as const satisfies readonly ParameterName[];
export type LayerName = (typeof LAYERS)[number];

/** No animation has more. */
const MAX_FRAMES = 500;

/**
 * What an encoder uses where `q` is not given; formats without an entry have no quality. All three look alike: 80 of SSIMULACRA2 in the mean of
 * seven photographs of 512 pixels, which 28, 24 and 20 KB take.
 */
export const DEFAULT_QUALITY: Readonly<Partial<Record<OutputFormat, number>>> = { jpg: 80, webp: 85, avif: 67 };

/**
 * The canonical transform of an address. Never throws: unknown names and invalid values are ignored. A parameter
 * sent twice with different valid values contradicts itself and is dropped, since the order of parameters may not matter.
 */
export function parseTransform(params: URLSearchParams): Transform {
	const sent = folded(readSent(params));
	const values = PARAMETER_LIST.filter(({ apart }) => !apart).map(({ name, beside, usual }) => {
		const value = beside ? beside(sent) : sent[name];
		return [name, value === usual ? undefined : value] as const;
	});
	return defined(values);
}

/** What an address asks for besides a picture: whether its format follows what the request accepts, the name of a download, and whether the answer only tells about it. */
export function parseManner(params: URLSearchParams): {
	readonly isAuto: boolean;
	readonly download?: string | undefined;
	readonly tells: boolean;
} {
	const { format, dl, info } = readSent(params);
	return { isAuto: format === "auto", download: dl, tells: info === "json" };
}

/** `k=v&k=v` sorted by name: equal for equal transforms, different for different ones, and parses back to the same. */
export function canonicalString(transform: Transform): string {
	return Object.entries(transform)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`)
		.join("&");
}

/** Whether there is no parameter, so that the answer is the master's own bytes. */
export function isEmpty(transform: Transform): boolean {
	return Object.keys(transform).length === 0;
}

/** The format in which a rendition is encoded. */
export function outputFormat(transform: Transform, master: ImageFormat): OutputFormat {
	if (transform.format) return transform.format;
	if (transform.size === "social") return "jpg";
	return OUTPUT_FORMATS.find((format) => format === master) ?? "png";
}

/**
 * The transform without parameters that have no effect on a master of this format. It is empty when the answer is the master itself. Where the
 * master's shape is not known, `crop` and `frame` stay as they were sent.
 */
export function canonicalFor(transform: Transform, master: ImageFormat, shape?: Shape): Transform {
	const output = outputFormat(transform, master);
	const still = framed(transform, master, shape?.frames);
	const { q, format, background, lossless, hdr, ...others } = shape ? cropped(still, shape) : still;
	const rest = {
		...others,
		...(background && backgroundShows(transform, master, output) && { background }),
		...(lossless && output === "webp" && { lossless }),
		...(hdr && master === "jpg" && output === "jpg" && { hdr }),
	};
	const alone = isEmpty(rest);
	// Alone, a format that is not the master's own is a conversion even where it would be chosen anyway (SVG to PNG).
	const formatIsPlain = alone ? format === master : format === outputFormat(rest, master);
	// Alone, the default quality requests a re-encoding, which the master's own bytes are not.
	const converts = !alone || (format !== undefined && !formatIsPlain);
	const usual = rest.lossless ? undefined : DEFAULT_QUALITY[output];
	const qualityIsPlain = usual === undefined || (converts && q === usual);
	return {
		...rest,
		...(format && !formatIsPlain && { format }),
		...(q !== undefined && !qualityIsPlain && { q }),
	};
}

/** Everything else changes light by itself, or shows places about which a gain map says nothing; so do bars. */
const LIGHT_STAYS: ReadonlySet<string> = new Set<ParameterName>([
	"size",
	"w",
	"h",
	"dpr",
	"fit",
	"gravity",
	"zoom",
	"focus",
	"crop",
	"rotate",
	"flip",
	"format",
	"q",
	"metadata",
]);

/** Whether a rendition of this form brings along the gain map that a master may have, and so shows more light than white. */
export function keepsLight(transform: Transform, master: ImageFormat): boolean {
	const isJpeg = master === "jpg" && outputFormat(transform, master) === "jpg";
	return isJpeg && transform.metadata !== "none" && Object.keys(transform).every((name) => LIGHT_STAYS.has(name));
}

/** With the frame that there is. A still has no other, and shows the first one of an animation anyway. */
function framed({ frame, ...others }: Transform, master: ImageFormat, frames = MAX_FRAMES): Transform {
	const last = isAnimatable(master) ? frames - 1 : 0;
	if (frame === undefined || last === 0) return others;
	const there = Math.min(frame, last);
	const showsFirst = isStill(others) || !isAnimatable(outputFormat(others, master));
	return there === 0 && showsFirst ? others : { ...others, frame: there };
}

/** Whether one frame alone is shown of an animation. Faces are looked for in one, and may be anywhere in the others. */
export function isStill({ frame, fx }: Transform): boolean {
	return frame !== undefined || fx === "blur-faces";
}

/** Whether pictures of this format may move. */
export function isAnimatable(format: ImageFormat): boolean {
	return format === "gif" || format === "webp";
}

/** With the piece that there is; outside of the picture there is none, and all of it is no piece. Beside one no border is trimmed. */
function cropped(transform: Transform, extent: Shape): Transform {
	const { crop, ...whole } = transform;
	if (!crop) return transform;
	const piece = pieceOf(crop, extent);
	if (!piece) return whole;
	const { trim, ...untrimmed } = whole;
	return { ...untrimmed, crop: { x: piece.left, y: piece.top, w: piece.width, h: piece.height } };
}

/** Whether the background can be seen at all, and is not the white that opaque formats get anyway. */
function backgroundShows(transform: Transform, master: ImageFormat, output: OutputFormat): boolean {
	const { background, fit, segment, size, radius } = transform;
	const opaque = output === "jpg" || size === "social";
	if (opaque && background !== undefined && colourText(background) === "#ffffff") return false;
	const corners = radius !== undefined && output === "jpg";
	return corners || master !== "jpg" || segment !== undefined || fit === "contain" || fit === "pad";
}

function readSent(params: URLSearchParams): Sent {
	const values = PARAMETER_LIST.map(({ name, takes }) => {
		const valid = params
			.getAll(name)
			.map((text) => parseValue(takes, text))
			.filter((value) => value !== undefined);
		const spellings = new Set(valid.map(textOf));
		return [name, spellings.size === 1 ? valid[0] : undefined] as const;
	});
	return defined(values);
}

/** The caller guarantees the types: each value was made by the entry of its own name. */
function defined<T extends Sent>(values: readonly (readonly [ParameterName, ParameterValue | undefined])[]): T {
	return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as T;
}

export const CONTENT_TYPES = {
	jpg: "image/jpeg",
	png: "image/png",
	webp: "image/webp",
	avif: "image/avif",
	gif: "image/gif",
	svg: "image/svg+xml",
	bmp: "image/bmp",
	ico: "image/x-icon",
} satisfies Record<ImageFormat, string>;

/** Whether renditions are made from it. The others are stored and served as they are, whatever an address requests. */
export function isTransformable(format: ImageFormat): format is OutputFormat {
	return OUTPUT_FORMATS.some((one) => one === format);
}
