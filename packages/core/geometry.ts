import { MAX_SIDE, type Transform } from "./transform.ts";

/** Pixels; always whole and at least 1. */
export interface Extent {
	readonly width: number;
	readonly height: number;
}

/** Whole pixels, inside of the picture it belongs to. */
export interface Box extends Extent {
	readonly left: number;
	readonly top: number;
}

/** From the left and top edges, as shares of the width and height. */
export interface Point {
	readonly x: number;
	readonly y: number;
}

/** What is known of a master, after its own orientation is applied. */
export interface Picture extends Extent {
	/** Where the picture lies inside a uniform border, for `trim`. */
	readonly content?: Box;
	/** What should stay in view when something has to be cut away. */
	readonly focus?: Point;
}

/** Mirrored sideways first, then rotated clockwise. */
export interface Turn {
	readonly mirrored: boolean;
	readonly degrees: 0 | 90 | 180 | 270;
}

/** How to get from the turned picture (flipped and rotated as asked) to the rendition, step by step. */
export interface Plan {
	/** The part that is read; undefined: all of it. */
	readonly read: Box | undefined;
	/** What that part is resized to, on each axis. */
	readonly resize: Extent;
	/** The part of the resized picture that is kept; undefined: all of it. */
	readonly keep: Box | undefined;
	/** Where what is kept lies on the canvas; without bars at 0, 0. */
	readonly offset: { readonly left: number; readonly top: number };
	/** The canvas, which is what comes out. */
	readonly output: Extent;
}

const SHORT_SIDES = { s: 320, m: 640, l: 1_080 } as const;
export const SOCIAL_CARD: Extent = { width: 1_200, height: 630 };

/** Past this a resized picture is not worth cutting from: an extreme ratio would ask for millions of pixels that nobody sees. */
const MAX_RESIZED_SIDE = 16_384;

/** The longest side that the encoder of a format can write; the others can write any master's. */
export const LONGEST_SIDES = { webp: 16_383, avif: 16_384, jpg: 65_500, gif: 65_535 } as const;

/** What `size=s`, `m` or `l` makes of an upright picture: its short side bounded, never enlarged. */
export function sizeOf(width: number, height: number, size: keyof typeof SHORT_SIDES): Extent {
	return scaled({ width, height }, Math.min(1, SHORT_SIDES[size] / Math.min(width, height)));
}

/** `longestSide` is the encoder's; it only ever bounds what the transform itself leaves unbounded. */
export function planOf(picture: Picture, transform: Transform, longestSide: number = Number.POSITIVE_INFINITY): Plan {
	const turn = turnOf(transform);
	const whole = turnedExtent(picture, turn);
	const content = transform.trim && picture.content ? turnedBox(picture.content, picture, turn) : undefined;
	const source = content ?? { left: 0, top: 0, ...whole };
	const plan = sized(source, focusIn(picture, turn, source), transform, longestSide);
	return moved(plan, source, whole);
}

export function turnOf({ flip, rotate }: Transform): Turn {
	const asked = rotate ?? 0;
	// Mirroring upside down is mirroring sideways and half a turn.
	const degrees = flip === "v" ? (asked + 180) % 360 : asked;
	return { mirrored: flip !== undefined, degrees: degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0 };
}

/** The turn that takes a turned picture back. */
export function inverse({ mirrored, degrees }: Turn): Turn {
	if (mirrored || degrees === 180 || degrees === 0) return { mirrored, degrees };
	return { mirrored, degrees: degrees === 90 ? 270 : 90 };
}

export function turnedExtent({ width, height }: Extent, { degrees }: Turn): Extent {
	return degrees === 90 || degrees === 270 ? { width: height, height: width } : { width, height };
}

/** Where a box of `within` comes to lie when `within` is turned. */
export function turnedBox(box: Box, within: Extent, turn: Turn): Box {
	const left = turn.mirrored ? within.width - box.left - box.width : box.left;
	const right = within.width - left - box.width;
	const bottom = within.height - box.top - box.height;
	const extent = turnedExtent(box, turn);
	if (turn.degrees === 90) return { left: bottom, top: left, ...extent };
	if (turn.degrees === 180) return { left: right, top: bottom, ...extent };
	if (turn.degrees === 270) return { left: box.top, top: right, ...extent };
	return { left, top: box.top, ...extent };
}

/** A plan for one part of a picture as a plan for the whole picture. */
function moved(plan: Plan, source: Box, whole: Extent): Plan {
	const read = plan.read ?? { left: 0, top: 0, width: source.width, height: source.height };
	const all = read.width === whole.width && read.height === whole.height;
	return { ...plan, read: all ? undefined : { ...read, left: read.left + source.left, top: read.top + source.top } };
}

/** The focus in the turned source; the middle where none is known. */
function focusIn({ focus, width, height }: Picture, { mirrored, degrees }: Turn, source: Box): Point {
	if (!focus) return { x: 0.5, y: 0.5 };
	const whole = turnedExtent({ width, height }, { mirrored, degrees });
	const x = mirrored ? 1 - focus.x : focus.x;
	const { y } = focus;
	const turned = { 0: { x, y }, 90: { x: 1 - y, y: x }, 180: { x: 1 - x, y: 1 - y }, 270: { x: y, y: 1 - x } }[degrees];
	return {
		x: (turned.x * whole.width - source.left) / source.width,
		y: (turned.y * whole.height - source.top) / source.height,
	};
}

function sized(source: Extent, focus: Point, transform: Transform, longestSide: number): Plan {
	const { size, w, h, fit } = transform;
	if (size === "social") return covering(source, SOCIAL_CARD, placed(focus, transform));
	if (size) return plain(bounded(sizeOf(source.width, source.height, size), longestSide));
	if (w === undefined || h === undefined)
		return plain(bounded(proportional(source, w, h, fit !== undefined), longestSide));
	const box = { width: w, height: h };
	if (fit === "squeeze") return plain(box);
	if (fit === "contain" || fit === "pad") return letterboxed(inside(source, box), box);
	if (fit === "cover") return covering(source, box, placed(focus, transform));
	if (fit === "crop") return covering(source, shrunkToFit(source, box), placed(focus, transform));
	return plain(fits(source, box) ? { width: source.width, height: source.height } : inside(source, box));
}

function plain(resize: Extent): Plan {
	return { read: undefined, resize, keep: undefined, offset: { left: 0, top: 0 }, output: resize };
}

function letterboxed(resize: Extent, canvas: Extent): Plan {
	const left = Math.floor((canvas.width - resize.width) / 2);
	const top = Math.floor((canvas.height - resize.height) / 2);
	return { read: undefined, resize, keep: undefined, offset: { left, top }, output: canvas };
}

/** One axis given, or none. Enlarges only when allowed, and never past `MAX_SIDE` on either axis. */
function proportional(source: Extent, w: number | undefined, h: number | undefined, enlarge: boolean): Extent {
	const wanted = w === undefined ? { width: MAX_SIDE, height: h ?? source.height } : { width: w, height: MAX_SIDE };
	const scale = w === undefined ? (h ?? source.height) / source.height : w / source.width;
	if (scale > 1) return enlarge && fits(source, wanted) ? inside(source, wanted) : scaled(source, 1);
	return w === undefined
		? { width: atLeastOne(source.width * scale), height: h ?? source.height }
		: { width: w, height: atLeastOne(source.height * scale) };
}

/** The largest extent of the same ratio that fits into the box; one axis of it is the box's own. */
function inside(source: Extent, box: Extent): Extent {
	const across = box.width / source.width;
	const down = box.height / source.height;
	return across <= down
		? { width: box.width, height: Math.min(box.height, atLeastOne(source.height * across)) }
		: { width: Math.min(box.width, atLeastOne(source.width * down)), height: box.height };
}

/** What of a box can be filled without enlarging: all of it, its ratio on the axis that is too short, or the source as it is. */
function shrunkToFit(source: Extent, box: Extent): Extent {
	if (source.width < box.width && source.height < box.height) return { width: source.width, height: source.height };
	const scale = Math.min(1, source.width / box.width, source.height / box.height);
	return scaled(box, scale);
}

/** Fills the canvas and cuts what stands out on one axis. `at` says which part stays: 0 left or top, 1 right or bottom. */
function covering(source: Extent, canvas: Extent, at: (room: Extent, canvas: Extent) => Point): Plan {
	const scale = Math.max(canvas.width / source.width, canvas.height / source.height);
	const resize = {
		width: Math.max(canvas.width, Math.round(source.width * scale)),
		height: Math.max(canvas.height, Math.round(source.height * scale)),
	};
	if (Math.max(resize.width, resize.height) <= MAX_RESIZED_SIDE) {
		const keep = cut(resize, canvas, at);
		return { ...plain(canvas), resize, keep: fits(resize, canvas) ? undefined : keep };
	}
	// Cut first, to the nearest whole pixel of the source, which is as near as so extreme a ratio can get.
	const part = { width: atLeastOne(canvas.width / scale), height: atLeastOne(canvas.height / scale) };
	const visible = { width: Math.min(source.width, part.width), height: Math.min(source.height, part.height) };
	return { ...plain(canvas), read: cut(source, visible, at) };
}

function cut(from: Extent, part: Extent, at: (room: Extent, part: Extent) => Point): Box {
	const { x, y } = at(from, part);
	return {
		left: Math.round(x * (from.width - part.width)),
		top: Math.round(y * (from.height - part.height)),
		...part,
	};
}

/** A side that is named is not cut; else the focus comes as near to the middle as the edges allow. */
function placed(focus: Point, { gravity }: Transform): (from: Extent, part: Extent) => Point {
	return (from, part) => ({
		x: gravity === "left" ? 0 : gravity === "right" ? 1 : share(focus.x, from.width, part.width),
		y: gravity === "top" ? 0 : gravity === "bottom" ? 1 : share(focus.y, from.height, part.height),
	});
}

function share(focus: number, from: number, part: number): number {
	const room = from - part;
	return room <= 0 ? 0 : Math.min(1, Math.max(0, (focus * from - part / 2) / room));
}

function bounded(extent: Extent, longestSide: number): Extent {
	return scaled(extent, Math.min(1, longestSide / Math.max(extent.width, extent.height)));
}

function fits(extent: Extent, box: Extent): boolean {
	return extent.width <= box.width && extent.height <= box.height;
}

function scaled({ width, height }: Extent, scale: number): Extent {
	return { width: atLeastOne(width * scale), height: atLeastOne(height * scale) };
}

function atLeastOne(length: number): number {
	return Math.max(1, Math.round(length));
}
