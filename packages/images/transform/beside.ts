import { EFFECTS, MAX_BLUR, MAX_RADIUS, MAX_SIDE, SHORT_SIDES } from "./limits.ts";
import type { Sent } from "./parameters.ts";

/* What becomes of a parameter beside the others of an address. Every result is declared: inferred ones would make the type of the table
   depend on itself. */

export function width({ size, w }: Sent): number | undefined {
	return size ? undefined : w;
}

export function height({ size, h }: Sent): number | undefined {
	return size ? undefined : h;
}

/** `auto` is resolved before, with what the request accepts; where that is not known it asks for nothing. */
export function format({ format }: Sent): Exclude<Sent["format"], "auto"> {
	return format === "auto" ? undefined : format;
}

/** With one axis it only says whether the picture may be enlarged, and `contain` replaces all values that allow it. */
export function fit({ size, w, h, fit }: Sent): Sent["fit"] {
	if (size || (w === undefined && h === undefined)) return undefined;
	if (w !== undefined && h !== undefined) return fit;
	return fit === undefined || fit === "scale-down" || fit === "crop" ? undefined : "contain";
}

export function gravity(sent: Sent): Sent["gravity"] {
	return cuts(sent) && !sent.focus ? sent.gravity : undefined;
}

/** The middle is not the default: without a focus, faces and what the eye goes to decide. */
export function focus(sent: Sent): Sent["focus"] {
	return cuts(sent) ? sent.focus : undefined;
}

export function zoom(sent: Sent): number | undefined {
	return gravity(sent) === "face" ? sent.zoom : undefined;
}

export function tile({ tile, tile_opacity }: Sent): string | undefined {
	return tile_opacity === 0 ? undefined : tile;
}

export function tileOpacity(sent: Sent): number | undefined {
	return tile(sent) === undefined ? undefined : sent.tile_opacity;
}

export function overlay({ overlay, overlay_opacity }: Sent): string | undefined {
	return overlay_opacity === 0 ? undefined : overlay;
}

export function overlayAt(sent: Sent): Sent["overlay_at"] {
	return overlay(sent) === undefined ? undefined : sent.overlay_at;
}

export function overlayWidth(sent: Sent): number | undefined {
	return overlay(sent) === undefined ? undefined : sent.overlay_w;
}

export function overlayOpacity(sent: Sent): number | undefined {
	return overlay(sent) === undefined ? undefined : sent.overlay_opacity;
}

export function gamma({ gamma }: Sent): number | undefined {
	return gamma === 0 ? undefined : gamma;
}

export function rotate(sent: Sent): Turned["rotate"] {
	return turned(sent).rotate;
}

export function flip(sent: Sent): Turned["flip"] {
	return turned(sent).flip;
}

export function background({ background }: Sent): Sent["background"] {
	return background?.alpha === 0 ? undefined : background;
}

export function fx(sent: Sent): Sent["fx"] {
	return effectOf(sent).fx;
}

/** What is embedded may show the faces, or name who they are. */
export function metadata({ fx, metadata }: Sent): Sent["metadata"] {
	return fx === "blur-faces" ? undefined : metadata;
}

export function strength(sent: Sent): number | undefined {
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
	// Faces that are to be hidden are not to be seen in a subject either.
	if (fx === "blur-faces") return { fx };
	if (segment || fx === undefined) return {};
	const range = EFFECTS[fx];
	if (!range) return { fx };
	const inRange = Math.min(Math.max(strength ?? range.usual, range.min), range.max);
	if (inRange === range.none) return {};
	return inRange === range.usual ? { fx } : { fx, strength: inRange };
}

type Scaled = Pick<Sent, "dpr" | "size" | "w" | "h" | "blur">;

/** By how much `dpr` really multiplies: less than asked where a side or a blur would leave its bounds. */
export function densityOf({ dpr = 1, size, w = 1, h = 1, blur = 1 }: Scaled): number {
	if (size === "social") return 1;
	const sides = size ? MAX_SIDE : MAX_SIDE / Math.max(w, h);
	return Math.max(1, Math.min(dpr, sides, MAX_BLUR / Math.max(1, blur)));
}

/** With `dpr` multiplied into what it multiplies. It stays only beside a size whose short side has no name when it is multiplied. */
export function folded(sent: Sent): Sent {
	const { dpr, ...others } = sent;
	const { size, w, h, blur, radius } = others;
	if (dpr === undefined || dpr === 1) return others;
	const factor = densityOf(sent);
	const times = (length: number | undefined) => length && Math.round(length * factor);
	const lengths = {
		...others,
		blur: times(blur),
		radius: typeof radius === "number" ? Math.min(MAX_RADIUS, Math.round(radius * factor)) : radius,
	};
	if (!size) return { ...lengths, w: times(w), h: times(h) };
	if (size === "social") return others;
	const side = Math.round(SHORT_SIDES[size] * factor);
	const named = SIZES.find((one) => SHORT_SIDES[one] === side);
	if (named) return { ...lengths, size: named };
	// What is multiplied besides would no longer know by how much.
	return blur || typeof radius === "number" ? sent : { ...others, ...spelled(side, size, dpr) };
}

const SIZES = ["l", "m", "s"] as const;

/** The largest size from which a density makes this short side, so that equal pictures have one spelling. */
function spelled(side: number, size: (typeof SIZES)[number], dpr: number): Pick<Sent, "size" | "dpr"> {
	for (const one of SIZES) {
		const density = Math.round((side / SHORT_SIDES[one]) * 100) / 100;
		if (density > 1 && Math.round(SHORT_SIDES[one] * density) === side) return { size: one, dpr: density };
	}
	return { size, dpr };
}
