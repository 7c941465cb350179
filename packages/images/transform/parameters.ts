import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import { choice, clamped, decimal, type Kind, type Value, type ValueOf, whole } from "./values.ts";

/** The largest `w` and `h`; no picture is enlarged beyond it on either axis. */
export const MAX_SIDE = 4_096;

/**
 * The radius of the blur, and how much of its light the background keeps. `usual` goes without `strength`, `none` changes nothing,
 * and an effect without an entry takes no strength.
 */
export const EFFECTS = {
	"blur-bg": { min: 0, max: 250, usual: 60, none: 0 },
	"darken-bg": { min: 0.05, max: 1, usual: 0.5, none: 1 },
	"color-pop": undefined,
} as const;

/** One parameter of an address. Everything else about it is generated from its entry. */
interface Parameter {
	readonly takes: Kind;
	/** The default value, which is left out of canonical forms. */
	readonly usual?: string | number;
	/**
	 * The value that results beside the other sent parameters; undefined where it has no effect. Without this function a
	 * value stays as it was sent.
	 */
	readonly beside?: (sent: Sent) => Value | undefined;
	/** The reference's text, in Markdown: whole sentences. */
	readonly meaning: string;
	/** A canonical query in which the parameter changes the picture. */
	readonly example: string;
}

/**
 * Every parameter of the transform host (specification, "transform host"), in the order of the reference. A parameter that is added
 * here is parsed, written into canonical forms, offered by the SDK and listed in the README (`bun run generate`); it does not compile
 * until a step of the renderer answers for it.
 */
export const PARAMETERS = {
	size: {
		takes: choice("s", "m", "l", "social"),
		meaning:
			"The short side becomes 320, 640 or 1080 pixels, never more than it has; `social` is a card of 1200×630. `w`, `h` and `fit` then mean nothing.",
		example: "size=s",
	},
	format: {
		takes: choice(...OUTPUT_FORMATS),
		meaning: "What the picture is encoded as. By default the format stays, and a `social` card is a JPEG.",
		example: "format=webp",
	},
	w: {
		takes: whole(1, MAX_SIDE),
		beside: widthBeside,
		meaning: "The width in pixels, after turning. Alone it keeps the proportions.",
		example: "w=300",
	},
	h: {
		takes: whole(1, MAX_SIDE),
		beside: heightBeside,
		meaning: "The height in pixels, after turning. Alone it keeps the proportions.",
		example: "h=300",
	},
	fit: {
		takes: choice("scale-down", "contain", "cover", "crop", "pad", "squeeze"),
		usual: "scale-down",
		beside: fitBeside,
		meaning:
			"How `w` and `h` are filled: `scale-down` and `crop` never enlarge, `cover` and `crop` cut, `contain` and `pad` add bars, `squeeze` distorts.",
		example: "fit=cover&h=300&w=300",
	},
	gravity: {
		takes: choice("auto", "face", "left", "right", "top", "bottom"),
		usual: "auto",
		beside: gravityBeside,
		meaning: "What a cut keeps: faces, and where there are none what the eye goes to; or the named side.",
		example: "fit=cover&gravity=left&h=300&w=300",
	},
	zoom: {
		takes: decimal(0, 1),
		usual: 0,
		beside: zoomBeside,
		meaning: "How close a cut with `gravity=face` comes to the faces.",
		example: "fit=cover&gravity=face&h=300&w=300&zoom=0.5",
	},
	q: {
		takes: whole(1, 100, { high: 90, "medium-high": 75, "medium-low": 60, low: 45 }),
		meaning: "The quality of a JPEG, WebP or AVIF. By default 85, and 60 for AVIF.",
		example: "format=webp&q=40",
	},
	brightness: {
		takes: decimal(0, 10),
		usual: 1,
		meaning: "0 is black, 2 is twice as bright.",
		example: "brightness=1.5",
	},
	contrast: {
		takes: decimal(0, 10),
		usual: 1,
		meaning: "0 is grey, more than 1 drives bright and dark apart.",
		example: "contrast=1.5",
	},
	gamma: {
		takes: decimal(0, 10),
		usual: 1,
		beside: gammaBeside,
		meaning: "Less than 1 brightens the middle tones, more than 1 darkens them; 0 changes nothing.",
		example: "gamma=1.5",
	},
	saturation: {
		takes: decimal(0, 10),
		usual: 1,
		meaning: "0 takes the colours away.",
		example: "saturation=0",
	},
	blur: {
		takes: whole(0, 250),
		usual: 0,
		meaning: "The radius in pixels.",
		example: "blur=10",
	},
	sharp: {
		takes: decimal(0, 10),
		usual: 0,
		meaning: "How much edges are sharpened.",
		example: "sharp=2",
	},
	rotate: {
		takes: choice(90, 180, 270),
		beside: rotateBeside,
		meaning: "Degrees, clockwise.",
		example: "rotate=90",
	},
	flip: {
		takes: choice("h", "v", "hv"),
		beside: flipBeside,
		meaning: "Mirrors sideways, upside down or both, before `rotate`.",
		example: "flip=h",
	},
	trim: {
		takes: choice("border"),
		meaning: "A border of one colour goes.",
		example: "trim=border",
	},
	metadata: {
		takes: choice("copyright", "none", "keep"),
		usual: "copyright",
		meaning:
			"What the file says about itself: with `copyright`, who made it, but neither place nor device; nothing; or all of it.",
		example: "metadata=none",
	},
	segment: {
		takes: choice("foreground"),
		meaning: "Everything behind the subject becomes transparent, or `background`.",
		example: "segment=foreground",
	},
	background: {
		takes: { kind: "colour" },
		beside: backgroundBeside,
		meaning: "Fills bars and what is transparent.",
		example: "background=%23008080&fit=pad&h=300&w=300",
	},
	fx: {
		takes: choice("blur-bg", "color-pop", "darken-bg"),
		beside: fxBeside,
		meaning: "The subject stays as it is; what is behind it is blurred, greyed or darkened. Not beside `segment`.",
		example: "fx=color-pop",
	},
	strength: {
		takes: clamped(0, 250),
		beside: strengthBeside,
		meaning:
			"How strong `fx` is: the radius of `blur-bg` (0 to 250, by default 60), the light that `darken-bg` leaves (0.05 to 1, by default 0.5).",
		example: "fx=darken-bg&strength=0.2",
	},
	tile: {
		takes: { kind: "image" },
		meaning: "Another image of the same storage is laid over this one, again and again.",
		example: "tile=img_TQT69ZbHuwN4iFAAb71zxt",
	},
} as const;

export type ParameterName = keyof typeof PARAMETERS;

/** The valid values of an address, before they are combined. */
export type Sent = { readonly [N in ParameterName]?: ValueOf<(typeof PARAMETERS)[N]["takes"]> | undefined };

/** The table as a list, for code that loops over all parameters. */
export const PARAMETER_LIST: readonly (Parameter & { readonly name: ParameterName })[] = Object.entries(
	PARAMETERS satisfies Readonly<Record<string, Parameter>>,
).map(([name, parameter]) => ({ name: name as ParameterName, ...parameter }));

/* The functions `beside` have names and declared results: written into the table they would make its type depend on itself. */

function widthBeside({ size, w }: Sent): number | undefined {
	return size ? undefined : w;
}

function heightBeside({ size, h }: Sent): number | undefined {
	return size ? undefined : h;
}

/** With one axis it only says whether the picture may be enlarged, and `contain` replaces all values that allow it. */
function fitBeside({ size, w, h, fit }: Sent): Sent["fit"] {
	if (size || (w === undefined && h === undefined)) return undefined;
	if (w !== undefined && h !== undefined) return fit;
	return fit === undefined || fit === "scale-down" || fit === "crop" ? undefined : "contain";
}

function gravityBeside(sent: Sent): Sent["gravity"] {
	return cuts(sent) ? sent.gravity : undefined;
}

function zoomBeside(sent: Sent): number | undefined {
	return gravityBeside(sent) === "face" ? sent.zoom : undefined;
}

function gammaBeside({ gamma }: Sent): number | undefined {
	return gamma === 0 ? undefined : gamma;
}

function rotateBeside(sent: Sent): Turned["rotate"] {
	return turned(sent).rotate;
}

function flipBeside(sent: Sent): Turned["flip"] {
	return turned(sent).flip;
}

function backgroundBeside({ background }: Sent): Sent["background"] {
	return background?.alpha === 0 ? undefined : background;
}

function fxBeside(sent: Sent): Sent["fx"] {
	return effectOf(sent).fx;
}

function strengthBeside(sent: Sent): number | undefined {
	return effectOf(sent).strength;
}

/** Whether a part may be cut away, so that its place matters. */
function cuts({ size, w, h, fit }: Sent): boolean {
	if (size) return size === "social";
	return w !== undefined && h !== undefined && (fit === "cover" || fit === "crop");
}

interface Turned {
	readonly flip?: "h" | "v" | undefined;
	readonly rotate?: 90 | 180 | 270 | undefined;
}

/** Flips and rotations make eight different turns, and each has one spelling. */
function turned({ flip, rotate }: Sent): Turned {
	const mirrored = flip === "h" || flip === "v";
	// Mirroring upside down is mirroring sideways and half a turn.
	const half = flip === "v" || flip === "hv" ? 180 : 0;
	const degrees = ((rotate ?? 0) + half) % 360;
	if (mirrored && degrees === 180) return { flip: "v" };
	const turn = degrees === 90 || degrees === 180 || degrees === 270 ? degrees : undefined;
	return { flip: mirrored ? "h" : undefined, rotate: turn };
}

/** Effects act on the background, and segmenting leaves none. */
function effectOf({ segment, fx, strength }: Sent): Pick<Sent, "fx" | "strength"> {
	if (segment || fx === undefined) return {};
	const range = EFFECTS[fx];
	if (!range) return { fx };
	const inRange = Math.min(Math.max(strength ?? range.usual, range.min), range.max);
	if (inRange === range.none) return {};
	return inRange === range.usual ? { fx } : { fx, strength: inRange };
}
