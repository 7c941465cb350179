import type { Analysis, Region, Spot } from "../transform/analysis.ts";
import { densityOf } from "../transform/beside.ts";
import { MAX_SIDE, SHORT_SIDES } from "../transform/limits.ts";
import type { Transform } from "../transform/transform.ts";
import { type Bounds, UNBOUNDED, within } from "./bounds.ts";
import type { Box, Extent } from "./extent.ts";
import { pieceOf } from "./piece.ts";
import { subjectSpot } from "./subject-spot.ts";
import { turnedBox, turnedExtent, turnOf } from "./turn.ts";

/** The facts about an upright master. A missing fact has no effect. */
export interface MasterShape extends Extent, Partial<Pick<Analysis, "content" | "faces" | "focus" | "subject">> {}

/** The part that should stay in view after a cut, in pixels of the trimmed picture. */
interface CropTarget {
	/** The surest face is the first. */
	readonly faces: readonly Region[];
	/** A share of each side; used where there are no faces. `shown` are the shares of both sides that are. */
	focus(shown: Extent): Spot;
	/** With 0 as much is shown as fits, with 1 not much more than the faces. */
	readonly zoom: number;
}

/** The steps from the turned picture (flipped and rotated as requested) to the rendition. */
export interface Layout {
	/** The part that is read. Undefined stands for all of it. */
	readonly read: Box | undefined;
	/** The size to which that part is resized, on each axis. */
	readonly resize: Extent;
	/** The part of the resized picture that is kept. Undefined stands for all of it. */
	readonly keep: Box | undefined;
	/** The place of the kept part on the canvas. Without bars this is 0, 0. */
	readonly offset: { readonly left: number; readonly top: number };
	/** The canvas, which is the result. */
	readonly output: Extent;
}

export const SOCIAL_CARD: Extent = { width: 1_200, height: 630 };

/** Above this a resized picture is not worth cutting from: an extreme ratio would need millions of pixels that are never seen. */
const MAX_RESIZED_SIDE = 16_384;
/** The most pixels of a cut without zoom. A turned picture is held in memory as a whole. */
const MAX_RESIZED_PIXELS = MAX_RESIZED_SIDE * MAX_SIDE;

/** How much of the largest face's longer side stays around the faces when zoomed in all the way: hair, chin and some air. */
const FACE_MARGIN = 0.5;

const UNIT: Extent = { width: 1, height: 1 };
const SIDES = {
	left: { x: 0, y: 0.5 },
	right: { x: 1, y: 0.5 },
	top: { x: 0.5, y: 0 },
	bottom: { x: 0.5, y: 1 },
} as const;

/** What `size=s`, `m` or `l` makes of an upright picture: its short side bounded, never enlarged. */
export function sizeOf(width: number, height: number, size: keyof typeof SHORT_SIDES): Extent {
	return shortened({ width, height }, SHORT_SIDES[size]);
}

function shortened(source: Extent, shortSide: number): Extent {
	return scaled(source, Math.min(1, Math.round(shortSide) / Math.min(source.width, source.height)));
}

/** A layout whose result would be beyond `bounds` shows the same, smaller. */
export function layoutOf(picture: MasterShape, transform: Transform, bounds: Bounds = UNBOUNDED): Layout {
	const turn = turnOf(transform);
	const whole = turnedExtent(picture, turn);
	const part = partOf(picture, transform);
	const source = part ? turnedBox(part, picture, turn) : { left: 0, top: 0, ...whole };
	const layout = sized(source, cropTargetOf(picture, transform, source), transform, bounds);
	return moved(layout, source, whole);
}

/** What is left of an upright picture before it is turned; undefined stands for all of it. */
function partOf(picture: MasterShape, { crop, trim }: Transform): Box | undefined {
	const piece = crop && pieceOf(crop, picture);
	if (piece) return piece;
	return trim && picture.content ? pixelsOf(picture.content, picture) : undefined;
}

/** Turns the layout for one part of a picture into one for the whole picture. */
function moved(layout: Layout, source: Box, whole: Extent): Layout {
	const read = layout.read ?? { left: 0, top: 0, width: source.width, height: source.height };
	const all = read.width === whole.width && read.height === whole.height;
	return { ...layout, read: all ? undefined : { ...read, left: read.left + source.left, top: read.top + source.top } };
}

/** Rounds to the nearest whole pixels. */
function pixelsOf({ left, top, width, height }: Region, within: Extent): Box {
	const [x, right] = pixelsAlong(left, width, within.width);
	const [y, bottom] = pixelsAlong(top, height, within.height);
	return { left: x, top: y, width: right - x, height: bottom - y };
}

function pixelsAlong(from: number, share: number, length: number): [from: number, to: number] {
	const first = bound(Math.round(from * length), 0, length - 1);
	return [first, bound(Math.round((from + share) * length), first + 1, length)];
}

/** The target lies in the turned source. A side that is named is not cut, and overrides everything else. */
function cropTargetOf(
	picture: MasterShape,
	{ gravity, zoom, focus, ...transform }: Transform,
	source: Box,
): CropTarget {
	if (focus) return { faces: [], focus: () => focus, zoom: 0 };
	if (gravity && gravity !== "face") return { faces: [], focus: () => SIDES[gravity], zoom: 0 };
	const turn = turnOf(transform);
	const whole = turnedExtent(picture, turn);
	const placed = (region: Region): Region => {
		const turned = turnedBox(region, UNIT, turn);
		return {
			left: turned.left * whole.width - source.left,
			top: turned.top * whole.height - source.top,
			width: turned.width * whole.width,
			height: turned.height * whole.height,
		};
	};
	const faces = (picture.faces ?? []).map((face) => clipped(placed(face), source));
	const salient = picture.focus && placed({ left: picture.focus.x, top: picture.focus.y, width: 0, height: 0 });
	// What the eye goes to outside of a piece is not in the picture that was asked for.
	const { left, top } =
		salient && (!transform.crop || isInside(salient, source))
			? salient
			: { left: source.width / 2, top: source.height / 2 };
	const eye = { x: left / source.width, y: top / source.height };
	return {
		faces: faces.filter(({ width, height }) => width > 0 && height > 0),
		focus: (shown) => subjectFocus(picture, transform, shown) ?? eye,
		zoom: zoom ?? 0,
	};
}

/** Where a cut shows the subject, in the turned source; undefined where none of it is there. */
function subjectFocus(picture: MasterShape, transform: Transform, shown: Extent): Spot | undefined {
	if (!picture.subject) return undefined;
	const turn = turnOf(transform);
	const box = partOf(picture, transform) ?? { left: 0, top: 0, ...picture };
	const part = {
		left: box.left / picture.width,
		top: box.top / picture.height,
		width: box.width / picture.width,
		height: box.height / picture.height,
	};
	const spot = subjectSpot(picture.subject, part, turnedExtent(shown, turn));
	if (!spot) return undefined;
	const { left, top } = turnedBox({ left: spot.x, top: spot.y, width: 0, height: 0 }, UNIT, turn);
	return { x: left, y: top };
}

function isInside({ left, top }: Region, { width, height }: Extent): boolean {
	return left >= 0 && top >= 0 && left <= width && top <= height;
}

/** A region that lies outside is returned without width or height. */
function clipped({ left, top, width, height }: Region, within: Extent): Region {
	const [x, y] = [Math.max(0, left), Math.max(0, top)];
	const right = Math.min(within.width, left + width);
	const bottom = Math.min(within.height, top + height);
	return { left: x, top: y, width: right - x, height: bottom - y };
}

function sized(source: Extent, target: CropTarget, transform: Transform, bounds: Bounds): Layout {
	const { size, w, h, fit } = transform;
	const { longestSide, askedPixels } = bounds;
	if (size === "social") return covering(source, within(SOCIAL_CARD, askedPixels), target);
	if (size) return plain(within(shortened(source, SHORT_SIDES[size] * densityOf(transform)), askedPixels, longestSide));
	if (w === undefined || h === undefined)
		return plain(within(proportional(source, w, h, fit !== undefined), bounds.pixels, longestSide));
	if (fit === undefined) return plain(within(shrunkInto(source, { width: w, height: h }), askedPixels));
	return boxed(source, target, fit, within({ width: w, height: h }, askedPixels));
}

/** All of the box is filled, or as much of it as can be without enlarging. */
function boxed(source: Extent, target: CropTarget, fit: NonNullable<Transform["fit"]>, box: Extent): Layout {
	if (fit === "squeeze") return plain(box);
	if (fit === "cover") return covering(source, box, target);
	if (fit === "crop") return covering(source, shrunkToFit(source, box), target, 1);
	return letterboxed(inside(source, box), box);
}

function plain(resize: Extent): Layout {
	return { read: undefined, resize, keep: undefined, offset: { left: 0, top: 0 }, output: resize };
}

function letterboxed(resize: Extent, canvas: Extent): Layout {
	const left = Math.floor((canvas.width - resize.width) / 2);
	const top = Math.floor((canvas.height - resize.height) / 2);
	return { read: undefined, resize, keep: undefined, offset: { left, top }, output: canvas };
}

/** Resizes by one axis or none. It enlarges only when that is allowed, and never above `MAX_SIDE` on either axis. */
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

/** The part of a box that is filled without enlarging: all of it, its ratio on the axis that is too short, or the source itself. */
function shrunkToFit(source: Extent, box: Extent): Extent {
	if (source.width < box.width && source.height < box.height) return { width: source.width, height: source.height };
	const scale = Math.min(1, source.width / box.width, source.height / box.height);
	return scaled(box, scale);
}

/** Fills the canvas and cuts off the rest, around the target. Above `maxScale` the canvas becomes smaller instead. */
function covering(source: Extent, canvas: Extent, target: CropTarget, maxScale = Number.POSITIVE_INFINITY): Layout {
	const widest = Math.max(canvas.width / source.width, canvas.height / source.height);
	const faces = together(target.faces, divided(canvas, widest));
	const scale = widest * closeness(faces, divided(canvas, widest), target.zoom);
	const seen = divided(canvas, scale);
	const output = scaled(canvas, Math.min(1, maxScale / scale));
	const focus = faces.length > 0 ? middleOf(around(faces), source) : target.focus(sharesOf(seen, source));
	const resize = {
		width: Math.max(output.width, Math.round((source.width * output.width) / seen.width)),
		height: Math.max(output.height, Math.round((source.height * output.height) / seen.height)),
	};
	const isLarge = resize.width * resize.height > MAX_RESIZED_PIXELS;
	if (!isLarge && Math.max(resize.width, resize.height) <= MAX_RESIZED_SIDE) {
		return { ...plain(output), resize, keep: fits(resize, output) ? undefined : cut(resize, output, focus) };
	}
	// The cut comes first, to the nearest whole pixel of the source, which is as near as so extreme a ratio can get.
	const part = { width: atLeastOne(seen.width), height: atLeastOne(seen.height) };
	const visible = { width: Math.min(source.width, part.width), height: Math.min(source.height, part.height) };
	return { ...plain(output), read: cut(source, visible, focus) };
}

function sharesOf(seen: Extent, source: Extent): Extent {
	return { width: seen.width / source.width, height: seen.height / source.height };
}

/** The surest face, and all others that can be shown with it. */
function together(faces: readonly Region[], part: Extent): readonly Region[] {
	const kept: Region[] = [];
	for (const face of faces) {
		if (kept.length === 0 || fits(around([...kept, face]), part)) kept.push(face);
	}
	return kept;
}

function around(regions: readonly Region[]): Region {
	const left = Math.min(...regions.map((region) => region.left));
	const top = Math.min(...regions.map((region) => region.top));
	const right = Math.max(...regions.map((region) => region.left + region.width));
	const bottom = Math.max(...regions.map((region) => region.top + region.height));
	return { left, top, width: right - left, height: bottom - top };
}

function middleOf({ left, top, width, height }: Region, within: Extent): Spot {
	return { x: (left + width / 2) / within.width, y: (top + height / 2) / within.height };
}

/** How many times larger the faces are shown than `part` shows them. Equal steps of zoom enlarge by equal factors. */
function closeness(faces: readonly Region[], part: Extent, zoom: number): number {
	if (faces.length === 0) return 1;
	const { width, height } = around(faces);
	const margin = FACE_MARGIN * Math.max(...faces.map((face) => Math.max(face.width, face.height)));
	const tightest = Math.max((width + 2 * margin) / part.width, (height + 2 * margin) / part.height);
	return Math.min(1, tightest) ** -zoom;
}

/** The part that has the focus as near to its middle as the edges allow. */
function cut(from: Extent, part: Extent, focus: Spot): Box {
	const at = (share: number, length: number, kept: number) =>
		bound(Math.round(share * length - kept / 2), 0, length - kept);
	return { left: at(focus.x, from.width, part.width), top: at(focus.y, from.height, part.height), ...part };
}

/** Fits into the box, and is never enlarged. */
function shrunkInto(source: Extent, box: Extent): Extent {
	return fits(source, box) ? { width: source.width, height: source.height } : inside(source, box);
}

function fits(extent: Extent, box: Extent): boolean {
	return extent.width <= box.width && extent.height <= box.height;
}

function scaled({ width, height }: Extent, scale: number): Extent {
	return { width: atLeastOne(width * scale), height: atLeastOne(height * scale) };
}

/** The result is not rounded. */
function divided({ width, height }: Extent, by: number): Extent {
	return { width: width / by, height: height / by };
}

function bound(value: number, least: number, most: number): number {
	return Math.min(most, Math.max(least, value));
}

function atLeastOne(length: number): number {
	return Math.max(1, Math.round(length));
}
