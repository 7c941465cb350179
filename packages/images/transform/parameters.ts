import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import * as beside from "./beside.ts";
import { MAX_BLUR, MAX_RADIUS, MAX_SIDE } from "./limits.ts";
import { choice, clamped, decimal, type Kind, type ParameterValue, type ValueOf, whole } from "./values.ts";

/** One parameter of an address. Everything else about it is generated from its entry. */
interface Parameter {
	readonly takes: Kind;
	/** The default value, which is left out of canonical forms. */
	readonly usual?: string | number;
	/** What its numbers count; shares and factors have none. */
	readonly unit?: "px" | "°";
	/**
	 * The value that results beside the other sent parameters; undefined where it has no effect. Without this function a
	 * value stays as it was sent.
	 */
	readonly beside?: (sent: Sent) => ParameterValue | undefined;
	/** The reference's text, in Markdown: whole sentences. */
	readonly meaning: string;
	/** True for what changes no picture: it is in no canonical form, and no step of the renderer answers for it. */
	readonly apart?: true;
	/** A canonical query in which the parameter changes the picture. */
	readonly example: string;
}

/**
 * Every parameter of the transform host (specification, "transform host"), in the order of the reference. A parameter that is added
 * here is parsed, written into canonical forms, offered by the SDK and listed in the reference (`npm run generate`); it does not compile
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
		takes: choice(...OUTPUT_FORMATS, "auto"),
		beside: beside.format,
		meaning:
			"What the picture is encoded as. By default the format stays, and a `social` card is a JPEG. `auto` is AVIF or WebP where the request's `Accept` names them, AVIF for stills of up to 2 megapixels.",
		example: "format=webp",
	},
	w: {
		takes: whole(1, MAX_SIDE),
		unit: "px",
		beside: beside.width,
		meaning: "The width in pixels, after turning. Alone it keeps the proportions.",
		example: "w=300",
	},
	h: {
		takes: whole(1, MAX_SIDE),
		unit: "px",
		beside: beside.height,
		meaning: "The height in pixels, after turning. Alone it keeps the proportions.",
		example: "h=300",
	},
	dpr: {
		takes: decimal(1, 3, 2),
		usual: 1,
		meaning:
			"How many pixels a screen has for each that is asked for: `w`, `h`, `blur`, `radius` and the short side of `s`, `m` and `l` are multiplied by it, within their bounds.",
		example: "dpr=1.5&size=s",
	},
	fit: {
		takes: choice("scale-down", "contain", "cover", "crop", "pad", "squeeze"),
		usual: "scale-down",
		beside: beside.fit,
		meaning:
			"How `w` and `h` are filled: `scale-down` and `crop` never enlarge, `cover` and `crop` cut, `contain` and `pad` add bars, `squeeze` distorts.",
		example: "fit=cover&h=300&w=300",
	},
	gravity: {
		takes: choice("auto", "face", "left", "right", "top", "bottom"),
		usual: "auto",
		beside: beside.gravity,
		meaning:
			"What a cut keeps: faces, where there are none the subject, and without one what the eye goes to; or the named side.",
		example: "fit=cover&gravity=left&h=300&w=300",
	},
	zoom: {
		takes: decimal(0, 1),
		usual: 0,
		beside: beside.zoom,
		meaning: "How close a cut with `gravity=face` comes to the faces.",
		example: "fit=cover&gravity=face&h=300&w=300&zoom=0.5",
	},
	focus: {
		takes: {
			kind: "point",
			decimals: 4,
			words: {
				center: { x: 0.5, y: 0.5 },
				"top-left": { x: 0, y: 0 },
				"top-right": { x: 1, y: 0 },
				"bottom-left": { x: 0, y: 1 },
				"bottom-right": { x: 1, y: 1 },
			},
		},
		beside: beside.focus,
		meaning:
			"The point that a cut keeps as near to its middle as can be: shares of the turned picture's width and height. `gravity` and `zoom` then mean nothing.",
		example: "fit=cover&focus=0.25%2C0.4&h=300&w=300",
	},
	q: {
		takes: whole(1, 100, { high: 90, "medium-high": 75, "medium-low": 60, low: 45 }, "auto"),
		meaning:
			"The quality of a JPEG, WebP or AVIF. By default 80, 85 for WebP and 67 for AVIF, which look alike; `auto` is the lowest from 40 to 90 that is still close to the picture.",
		example: "format=webp&q=40",
	},
	lossless: {
		takes: choice(true),
		meaning: "A WebP of exactly the picture's pixels; `q` then means nothing.",
		example: "format=webp&lossless=true",
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
		beside: beside.gamma,
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
		takes: whole(0, MAX_BLUR),
		unit: "px",
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
		unit: "°",
		beside: beside.rotate,
		meaning: "Degrees, clockwise.",
		example: "rotate=90",
	},
	flip: {
		takes: choice("h", "v", "hv"),
		beside: beside.flip,
		meaning: "Mirrors sideways, upside down or both, before `rotate`.",
		example: "flip=h",
	},
	trim: {
		takes: choice("border"),
		meaning: "A border of one colour goes.",
		example: "trim=border",
	},
	crop: {
		takes: { kind: "piece" },
		unit: "px",
		meaning:
			"A piece of the upright picture, in its own pixels: `x,y,w,h`. All else sees only the piece. What lies outside of the picture is ignored, and so is `trim` beside it.",
		example: "crop=100%2C50%2C300%2C200",
	},
	frame: {
		takes: whole(0, 499),
		meaning: "That frame of an animation, as a still; past its end the last one. The first is 0.",
		example: "frame=1",
	},
	metadata: {
		takes: choice("copyright", "none", "keep"),
		usual: "copyright",
		beside: beside.metadata,
		meaning:
			"What the file says about itself: with `copyright`, who made it, but neither place nor device; nothing; or with `keep` all of it, to whoever has the address: an App forbids that by its delivery policy.",
		example: "metadata=none",
	},
	hdr: {
		takes: choice("off"),
		meaning:
			"A JPEG of a photo with a gain map (Ultra HDR) brings it along, made smaller and cut like the picture: a screen that can be brighter than white shows it so, and every other one shows the picture as ever. `off` leaves it out; so does every parameter that changes colours or lays something over the picture, and `metadata=none`.",
		example: "hdr=off&w=300",
	},
	segment: {
		takes: choice("foreground"),
		meaning:
			"Everything behind the subject becomes transparent, or `background`. An animation stays as it is: `frame` makes a still of it.",
		example: "segment=foreground",
	},
	background: {
		takes: { kind: "colour" },
		beside: beside.background,
		meaning: "Fills bars and what is transparent.",
		example: "background=%23008080&fit=pad&h=300&w=300",
	},
	fx: {
		takes: choice("blur-bg", "color-pop", "darken-bg", "blur-faces"),
		beside: beside.fx,
		meaning:
			"The subject stays as it is; what is behind it is blurred, greyed or darkened. Not beside `segment`. An animation stays as it is. `blur-faces` makes every face unrecognisable, and a still of an animation; nothing that the file says about itself stays. Better one too many: now and then something that only resembles a face is hidden as well (in 3 of 12 pictures without faces, such as a spoon and foxes of stone).",
		example: "fx=color-pop",
	},
	strength: {
		takes: clamped(0, 250),
		beside: beside.strength,
		meaning:
			"How strong `fx` is: the radius of `blur-bg` (0 to 250, by default 60), the light that `darken-bg` leaves (0.05 to 1, by default 0.5).",
		example: "fx=darken-bg&strength=0.2",
	},
	tile: {
		takes: { kind: "image" },
		beside: beside.tile,
		meaning: "Another image of the same storage is laid over this one, again and again.",
		example: "tile=img_TQT69ZbHuwN4iFAAb71zxt",
	},
	tile_opacity: {
		takes: decimal(0, 1, 2),
		usual: 1,
		beside: beside.tileOpacity,
		meaning: "How much of `tile` is seen.",
		example: "tile=img_TQT69ZbHuwN4iFAAb71zxt&tile_opacity=0.3",
	},
	overlay: {
		takes: { kind: "image" },
		beside: beside.overlay,
		meaning: "Another image of the same storage is laid over this one, once.",
		example: "overlay=img_TQT69ZbHuwN4iFAAb71zxt",
	},
	overlay_at: {
		takes: choice("bottom-right", "bottom", "bottom-left", "left", "center", "right", "top-left", "top", "top-right"),
		usual: "bottom-right",
		beside: beside.overlayAt,
		meaning: "Where `overlay` lies, a fortieth of the short side from the edges.",
		example: "overlay=img_TQT69ZbHuwN4iFAAb71zxt&overlay_at=center",
	},
	overlay_w: {
		takes: decimal(0.01, 1, 2),
		usual: 0.25,
		beside: beside.overlayWidth,
		meaning: "The width of `overlay`, as a share of the picture's; less where it would be too high.",
		example: "overlay=img_TQT69ZbHuwN4iFAAb71zxt&overlay_w=0.5",
	},
	overlay_opacity: {
		takes: decimal(0, 1, 2),
		usual: 1,
		beside: beside.overlayOpacity,
		meaning: "How much of `overlay` is seen.",
		example: "overlay=img_TQT69ZbHuwN4iFAAb71zxt&overlay_opacity=0.4",
	},
	radius: {
		takes: whole(1, MAX_RADIUS, undefined, "max"),
		unit: "px",
		meaning:
			"Rounded corners of the finished picture, in pixels; `max` rounds half of its short side. Outside it is transparent, or `background` where the format has no transparency.",
		example: "format=png&radius=40",
	},
	info: {
		takes: choice("json"),
		apart: true,
		meaning:
			"The answer is about the picture: its size and format, those of the stored one, a placeholder, colours, faces and where the eye goes.",
		example: "info=json",
	},
	dl: {
		takes: { kind: "name" },
		apart: true,
		meaning: "The name under which the picture is saved rather than shown; its ending is that of the format.",
		example: "dl=holiday",
	},
} as const;

export type ParameterName = keyof typeof PARAMETERS;

/** The valid values of an address, before they are combined. */
export type Sent = { readonly [N in ParameterName]?: ValueOf<(typeof PARAMETERS)[N]["takes"]> | undefined };

/** The table as a list, for code that loops over all parameters. */
export const PARAMETER_LIST: readonly (Parameter & { readonly name: ParameterName })[] = Object.entries(
	PARAMETERS satisfies Readonly<Record<string, Parameter>>,
).map(([name, parameter]) => ({ name: name as ParameterName, ...parameter }));
