import type { Transform } from "./transform.ts";

/* What can be found out about a picture once and used for every rendition of it. Places are fractions of the upright picture. */

/** The long side of the picture that facts are found on; a smaller picture is looked at as it is. */
export const ANALYSIS_SIDE = 640;

export interface Region {
	/** 0 to 1, from the left edge; likewise the others. */
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
}

export interface Spot {
	/** 0 to 1, from the left and from the top. */
	readonly x: number;
	readonly y: number;
}

/** How much of each place belongs to the subject. */
export interface Mask {
	readonly width: number;
	readonly height: number;
	/** One byte for each place, row by row: 0 is background, 255 subject. */
	readonly alpha: Uint8Array;
}

/** `null`: looked for, and not there. */
export interface Facts {
	/** Surest first; empty when there are none. */
	readonly faces: readonly Region[];
	/** Where the eye goes. */
	readonly focus: Spot;
	/** What lies inside a uniform border. */
	readonly content: Region | null;
	readonly subject: Mask | null;
}

export type FactKind = keyof Facts;

/** What a rendition of this form cannot be made without. `focus` counts only where no face is found. */
export function factsNeeded(transform: Transform): readonly FactKind[] {
	const { size, w, h, fit, gravity, trim, segment, fx } = transform;
	const cuts = size === "social" || (w !== undefined && h !== undefined && (fit === "cover" || fit === "crop"));
	const needed: FactKind[] = [];
	if (trim) needed.push("content");
	if (cuts && (gravity === undefined || gravity === "face")) needed.push("faces", "focus");
	if (segment || fx) needed.push("subject");
	return needed;
}
