import { MAX_SIDE } from "./frameworks/framework.ts";
import { checkParameters, imageUrl, type TransformOptions } from "./transform.ts";
import { checkArguments, type Fields } from "./wire/check.ts";
import { PICTURE, PICTURE_HTML, SRC_SET } from "./wire/takes.ts";

/** An image of the service, or its address alone. With its facts no width is offered that it does not have. */
export type Pictured =
	| string
	| {
			readonly url: string;
			readonly width?: number | undefined;
			readonly height?: number | undefined;
			readonly format?: string | undefined;
	  };

export interface SrcSetOptions extends Omit<TransformOptions, "size" | "w" | "h" | "dpr" | "info"> {
	/** Pixels, at most 4096. Default: 320, 640, 960, 1280, 1920, 2560. */
	readonly widths?: readonly number[] | undefined;
	/** Width divided by height: the picture is cut to it. Default: its own. */
	readonly ratio?: number | undefined;
}

export interface PictureOptions extends Omit<SrcSetOptions, "format"> {
	/** Empty for a picture that adds nothing to the text. */
	readonly alt: string;
	/** How wide it is shown, as `(min-width: 60em) 50vw, 100vw`. Default: `100vw`. */
	readonly sizes?: string | undefined;
	/** What browsers choose from, best first. Default: AVIF and WebP; for a GIF or WebP, which may move, WebP alone. */
	readonly formats?: readonly Exclude<Format, "auto">[] | undefined;
	/** For browsers that know none of these. Default: PNG and GIF stay, everything else is a JPEG. With `auto` the
	 * service chooses by what each browser accepts, and there are no others unless they are named. */
	readonly fallback?: Format | undefined;
	/** True for what is seen first: it is loaded before the rest of the page. */
	readonly priority?: boolean | undefined;
	/** What is there until it is loaded: a CSS colour, or `blur` for the picture itself, a few pixels wide. Default: nothing. */
	readonly placeholder?: string | undefined;
}

type Format = NonNullable<TransformOptions["format"]>;

/** The attributes of a `<picture>`, named as in HTML. */
export interface Picture {
	readonly sources: readonly { readonly type: string; readonly srcset: string; readonly sizes: string }[];
	readonly img: {
		readonly src: string;
		readonly srcset: string;
		readonly sizes: string;
		/** Pixels; they reserve the room. Undefined where the image's own are not known. */
		readonly width: number | undefined;
		readonly height: number | undefined;
		readonly alt: string;
		readonly loading: "lazy" | "eager";
		readonly decoding: "async";
		readonly fetchpriority: "high" | undefined;
	};
	/** The CSS value of `background`, where a placeholder was asked for. */
	readonly background: string | undefined;
}

const WIDTHS = [320, 640, 960, 1280, 1920, 2560];
/** Of the address for browsers that know no `srcset`, and for crawlers. */
const USUAL_WIDTH = 1280;
const BLURRED_WIDTH = 24;

/**
 * The value of a `srcset`: the same picture in several widths, narrowest first.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export function srcSet(image: Pictured, options: SrcSetOptions = {}): string {
	check("srcSet", SRC_SET, image, options);
	return setOf(image, options);
}

/** What these functions make themselves. */
const MADE = ["size", "w", "h", "dpr", "info"];

/** The rest of the options goes to `imageUrl`. */
function check(name: string, takes: Fields, image: Pictured, options: SrcSetOptions): void {
	checkArguments(name, takes, [image, options]);
	const own = new Set(
		Object.keys({ ...((takes.options ?? takes["options?"]) as Fields) }).map((key) => key.replace("?", "")),
	);
	const others = Object.entries(options).filter(([option]) => !own.has(option));
	checkParameters(name, Object.fromEntries(others), MADE);
}

function setOf(image: Pictured, options: SrcSetOptions): string {
	return offered(image, options)
		.map((width) => `${oneUrl(image, options, width)} ${width}w`)
		.join(", ");
}

/**
 * All that a `<picture>` needs: for each format and width an address, the room that it takes, and what is seen meanwhile.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export function picture(image: Pictured, options: PictureOptions): Picture {
	check("picture", PICTURE, image, options);
	return pictureOf(image, options);
}

function pictureOf(image: Pictured, options: PictureOptions): Picture {
	const { alt, sizes = "100vw", formats, fallback, priority = false, placeholder, ...asked } = options;
	const own = typeof image === "string" ? undefined : image.format;
	const last = { ...asked, format: fallback ?? fallbackOf(own) };
	const room = largest(image, asked);
	const widths = offered(image, asked);
	return {
		sources: (formats ?? (fallback === "auto" ? [] : formatsOf(own))).map((format) => ({
			type: `image/${format === "jpg" ? "jpeg" : format}`,
			srcset: setOf(image, { ...asked, format }),
			sizes,
		})),
		img: {
			src: oneUrl(image, last, widths.findLast((width) => width <= USUAL_WIDTH) ?? widths[0]),
			srcset: setOf(image, last),
			sizes,
			width: room?.width,
			height: room?.height,
			alt,
			loading: priority ? "eager" : "lazy",
			decoding: "async",
			fetchpriority: priority ? "high" : undefined,
		},
		background: placeholder === undefined ? undefined : backgroundOf(placeholder, image, last),
	};
}

/**
 * The same as HTML, escaped.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export function pictureHtml(image: Pictured, options: PictureOptions): string {
	check("pictureHtml", PICTURE_HTML, image, options);
	const { sources, img, background } = pictureOf(image, options);
	const style = background === undefined ? undefined : `background: ${background}`;
	const tags = [...sources.map((source) => tag("source", source)), tag("img", { ...img, style })];
	return `<picture>${tags.join("")}</picture>`;
}

function oneUrl(image: Pictured, options: SrcSetOptions, width: number | undefined): string {
	const { widths: _, ratio, ...transform } = options;
	if (width === undefined) return imageUrl(image, transform);
	if (ratio === undefined) return imageUrl(image, { ...transform, w: width });
	return imageUrl(image, { fit: "cover", ...transform, w: width, h: Math.max(1, Math.round(width / ratio)) });
}

/** The widths that the picture has, and its own in place of those that are more. */
function offered(image: Pictured, options: SrcSetOptions): readonly number[] {
	const { widths = WIDTHS } = options;
	const most = largest(image, options)?.width ?? Number.POSITIVE_INFINITY;
	return [...new Set(widths.map((width) => Math.min(width, most)))].sort((a, b) => a - b);
}

/** The largest picture of these proportions that can be had without enlarging; undefined where the image's own size is not known. */
function largest(image: Pictured, { ratio, rotate, crop }: SrcSetOptions) {
	if (typeof image === "string" || !image.width || !image.height) return undefined;
	const shown = pieceOf({ width: image.width, height: image.height }, crop);
	const lies = rotate === 90 || rotate === 270;
	const [width, height] = lies ? [shown.height, shown.width] : [shown.width, shown.height];
	const proportion = ratio ?? width / height;
	const most = Math.min(width, height * proportion, MAX_SIDE, MAX_SIDE * proportion);
	return { width: Math.max(1, Math.floor(most)), height: Math.max(1, Math.round(most / proportion)) };
}

/** What is left of a picture; a piece that lies outside of it is ignored. */
function pieceOf(all: { width: number; height: number }, crop: SrcSetOptions["crop"]) {
	if (!crop) return all;
	const width = Math.min(crop.w, all.width - crop.x);
	const height = Math.min(crop.h, all.height - crop.y);
	return width < 1 || height < 1 ? all : { width, height };
}

function formatsOf(own: string | undefined): readonly Format[] {
	return own === "gif" || own === "webp" ? ["webp"] : ["avif", "webp"];
}

function fallbackOf(own: string | undefined): Format {
	return own === "png" || own === "gif" ? own : "jpg";
}

/** @throws RangeError for what is neither a colour nor `blur`: it would be read as CSS */
function backgroundOf(placeholder: string, image: Pictured, options: SrcSetOptions): string {
	if (placeholder === "blur") {
		const url = oneUrl(image, { ...options, format: "webp" }, BLURRED_WIDTH);
		return `center / cover no-repeat url("${url.replaceAll(/["\\\s]/g, encodeURIComponent)}")`;
	}
	if (/^#?[\w(),.%/ -]+$/.test(placeholder)) return placeholder;
	throw new RangeError(`placeholder must be "blur" or a CSS colour, not ${JSON.stringify(placeholder)}.`);
}

function tag(name: string, attributes: Readonly<Record<string, string | number | undefined>>): string {
	const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
	return `<${name}${given.map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("")}>`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
