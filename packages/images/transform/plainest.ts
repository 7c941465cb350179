import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { boundsOf } from "../layout/bounds.ts";
import type { Box, Extent, Shape } from "../layout/extent.ts";
import { type Layout, layoutOf } from "../layout/geometry.ts";
import { followsSubject } from "./analysis-needs.ts";
import { densityOf } from "./beside.ts";
import { overWhite } from "./colours/css-colours.ts";
import { MAX_SIDE } from "./limits.ts";
import { plainestOverlay } from "./overlay.ts";
import {
	canonicalFor,
	DEFAULT_QUALITY,
	isAnimatable,
	isStill,
	keepsLight,
	outputFormat,
	type Transform,
} from "./transform.ts";

/*
 * Many forms mean one picture: a width that it does not have, `contain` and `pad`, a height in place of a width. What follows from the form, from the
 * picture's format and from its size is found out before anything is rendered; what only its pixels decide is not.
 */

/** A picture whose renditions are meant. */
interface Meant extends Shape {
	readonly format: ImageFormat;
	/** The size of the picture that is laid over it. */
	readonly overlay?: Extent | undefined;
}

type Sizing = Pick<Transform, "size" | "w" | "h" | "fit" | "gravity" | "focus">;

/** Frames share the pixels that an animation may have; one with so many in each has all of them however many there are. */
const NEVER_TOO_MANY = 80_000;
/** Nothing is near the bounds of any format below these. */
const FAR_FROM_BOUNDS = { pixels: 16_000_000, side: 16_000 };

/**
 * The plainest form that gives the same bytes, so that forms which mean the same are kept once and have one validator. `said` is canonical for
 * this picture; so is what comes back, and without parameters it stands for the picture encoded anew. A few µs.
 */
export function plainest(said: Transform, picture: Meant): Transform {
	const format = outputFormat(said, picture.format);
	const quality = said.q ?? (said.lossless ? undefined : DEFAULT_QUALITY[format]);
	const plain: Transform = { ...laidOutPlainly(said, format, picture), format, ...(quality && { q: quality }) };
	const { hdr, ...bright } = canonicalFor(plain, picture.format, picture);
	return hdr && keepsLight(bright, picture.format) ? { ...bright, hdr } : bright;
}

function laidOutPlainly(said: Transform, format: OutputFormat, picture: Meant): Transform {
	const frames = framesOf(said, format, picture);
	const laidOut = (transform: Transform) => layoutOf(picture, transform, boundsOf(format, frames ?? 1, said));
	const layout = laidOut(said);
	const isAlike = (other: Transform) => JSON.stringify(laidOut(other)) === JSON.stringify(layout);
	// Where a border ends and how far faces reach stands in the pixels.
	const isUnknown = said.trim !== undefined || said.zoom !== undefined;
	const output = isUnknown && !hasFixedOutput(said) ? undefined : layout.output;
	const lengths = output ? onOutput(said, output, picture) : said;
	const { size, w, h, dpr, fit, gravity, focus, background, ...apart } = lengths;
	const seen = seenBackground(said, format, picture, isUnknown ? undefined : layout);
	if (isUnknown) return isUnsized(said, frames) && isAlike(apart) ? { ...apart, ...seen } : asSaid(said, lengths, seen);
	const follows = followsSubject(said) && cutsPiece(said, picture);
	const sizing = sizingsOf(layout, follows, format, size)
		.filter(mayStandFor(said, layout, frames))
		.find((one) => isAlike({ ...apart, ...one }));
	return sizing ? withoutUnseenCorners({ ...apart, ...seen, ...sizing }, format, layout) : asSaid(said, lengths, seen);
}

/** Whether it makes a picture smaller or nothing: what it does not make smaller with its border it does not without. */
function isUnsized(said: Transform, frames: number | undefined): boolean {
	return said.zoom === undefined && !said.fit && kindOf(said) === "whole" && frames !== undefined;
}

/** With its own sizing. A density that stays multiplies lengths of its own, and `face` without a zoom is what is done anyway. */
function asSaid(said: Transform, lengths: Transform, seen: Pick<Transform, "background">): Transform {
	const { background, gravity, ...same } = said.dpr === undefined ? lengths : said;
	const isAsked = gravity !== undefined && (gravity !== "face" || said.zoom !== undefined);
	return { ...same, ...seen, ...(isAsked && { gravity }) };
}

/** How many frames come out; undefined where nobody knows. */
function framesOf(transform: Transform, format: OutputFormat, { format: master, frames }: Meant): number | undefined {
	return isAnimatable(master) && isAnimatable(format) && !isStill(transform) ? frames : 1;
}

/** Which other sizings come out alike, also where an animation is made smaller because of all its frames. */
function mayStandFor(said: Transform, { output }: Layout, frames: number | undefined): (one: Sizing) => boolean {
	const pixels = output.width * output.height;
	if (frames !== undefined || pixels <= NEVER_TOO_MANY) return () => true;
	const isFar = pixels < FAR_FROM_BOUNDS.pixels && Math.max(output.width, output.height) < FAR_FROM_BOUNDS.side;
	const kind = kindOf(said);
	return (one) => isFar && kindOf(one) === kind;
}

/** How a sizing is made smaller: as the whole picture, or as the box that it fills. */
function kindOf({ size, w, h, fit }: Sizing): string {
	if (size === "social") return size;
	if (size || w === undefined || h === undefined || fit === undefined || fit === "squeeze") return "whole";
	return fit === "contain" ? "pad" : fit;
}

/** The sizings that may give a layout, the plainest first. They depend on nothing but the layout. */
function sizingsOf(layout: Layout, follows: boolean, format: OutputFormat, size: Transform["size"]): readonly Sizing[] {
	// A card that is no JPEG is opaque all the same, which nothing else is.
	if (size === "social" && format !== "jpg") return placesOf(layout, follows).map((place) => ({ size, ...place }));
	const { width: w, height: h } = layout.output;
	if (Math.max(w, h) > MAX_SIDE) return [{}];
	const whole: readonly Sizing[] = [
		...([{}, { size: "s" }, { size: "m" }, { size: "l" }, { w }, { h }, { w, h }, { w, fit: "contain" }] as const),
		...([
			{ h, fit: "contain" },
			{ w, h, fit: "squeeze" },
			{ w, h, fit: "pad" },
		] as const),
	];
	const cuts = placesOf(layout, follows).flatMap((place): readonly Sizing[] => [
		...(format === "jpg" ? [{ size: "social", ...place } as const] : []),
		{ w, h, fit: "cover", ...place },
		{ w, h, fit: "crop", ...place },
	]);
	return follows ? cuts : [...whole, ...cuts];
}

/** The ways to say which part is kept; where the picture itself decides, none. */
function placesOf({ resize, keep, read }: Layout, follows: boolean): readonly Pick<Sizing, "gravity" | "focus">[] {
	if (follows || (!keep && !read)) return [{}];
	const sides = (["left", "right", "top", "bottom"] as const).map((gravity) => ({ gravity }));
	return keep ? [...sides, { focus: middleOf(keep, resize) }] : [...sides, { focus: { x: 0.5, y: 0.5 } }];
}

/** As exactly as an address can say it. */
function middleOf({ left, top, width, height }: Box, within: Extent): NonNullable<Transform["focus"]> {
	const share = (from: number, length: number, whole: number) => Math.round(((from + length / 2) / whole) * 1e4) / 1e4;
	return { x: share(left, width, within.width), y: share(top, height, within.height) };
}

function cutsPiece({ crop, ...transform }: Transform, picture: Extent): boolean {
	const piece = crop ? { width: crop.w, height: crop.h } : { width: picture.width, height: picture.height };
	const { read, keep } = layoutOf(piece, transform);
	return read !== undefined || keep !== undefined;
}

/** Whether the size of what comes out is the same whatever is in the picture. */
function hasFixedOutput({ size, w, h, fit }: Transform): boolean {
	return size === "social" || (w !== undefined && h !== undefined && fit !== undefined && fit !== "crop");
}

/** With what depends on the size of what comes out said plainly: lengths in its pixels, and where an overlay lies. */
function onOutput(transform: Transform, output: Extent, { overlay }: Meant): Transform {
	const { overlay_at, overlay_w, ...others } = transform;
	const placed = { ...(overlay_at && { overlay_at }), ...(overlay_w && { overlay_w }) };
	const { blur, radius, ...same } = others;
	const times = (length: number) => Math.round(length * densityOf(transform));
	const most = Math.min(output.width, output.height) / 2;
	const isRound = radius === "max" || (radius !== undefined && times(radius) >= most);
	return {
		...same,
		...(transform.overlay && overlay ? plainestOverlay(overlay, output, transform) : placed),
		...(blur !== undefined && { blur: times(blur) }),
		...(radius !== undefined && { radius: isRound ? "max" : times(radius) }),
	};
}

/** Corners of transparent bars that are wider than them are none, where nothing lies over or behind the bars. */
function withoutUnseenCorners(transform: Transform, format: OutputFormat, { offset }: Layout): Transform {
	const { radius, ...others } = transform;
	const { size, background, tile, overlay } = transform;
	const isClear = format !== "jpg" && size !== "social" && !background && !tile && !overlay;
	return isClear && typeof radius === "number" && radius <= Math.max(offset.left, offset.top) ? others : transform;
}

/** The background as it is seen: not at all on a JPEG without bars, and on what has no transparency mixed with the white behind it. */
function seenBackground(
	{ background, segment, radius, size }: Transform,
	format: OutputFormat,
	picture: Meant,
	layout: Layout | undefined,
): Pick<Transform, "background"> {
	if (!background) return {};
	const hasCorners = radius !== undefined && format === "jpg";
	const hasBars = !layout || !coversCanvas(layout);
	if (picture.format === "jpg" && !segment && !hasCorners && !hasBars) return {};
	return { background: format === "jpg" || size === "social" ? overWhite(background) : background };
}

/** Whether a layout has no bars. */
export function coversCanvas({ output, resize, keep }: Layout): boolean {
	const { width, height } = keep ?? resize;
	return width === output.width && height === output.height;
}
