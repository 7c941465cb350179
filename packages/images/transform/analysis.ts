import type { FoundMends } from "./mends.ts";

/* Facts about a picture that are found once and used for every rendition of it. Places are fractions of the upright picture. */

/** The long side of the picture that facts are found on; a smaller picture is analysed at its own size. */
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
export interface Analysis {
	/** The faces, surest first; empty when there are none. */
	readonly faces: readonly Region[];
	/** The most salient point. */
	readonly focus: Spot;
	/** The region inside a uniform border. */
	readonly content: Region | null;
	readonly subject: Mask | null;
	/** The picture seen from afar: a ThumbHash in base64, about 35 characters. */
	readonly thumbhash: string;
	/** The colour of most pixels: `#rrggbb`. */
	readonly colour: string;
	/** Up to five colours that differ, the one of most pixels first: `#rrggbb` each. */
	readonly colours: readonly string[];
	/** When it was taken, by its EXIF data, in milliseconds since 1970. */
	readonly taken: number | null;
	readonly header: FileHead;
	/** All that may be faces, for who wants none of them seen; of `faces` one can be sure. */
	readonly every_face: readonly Region[];
	/** Which of what was mended since the first release concerns it. */
	readonly mends: FoundMends;
	/** The small grey picture by which it is compared with others; null where it has too little detail for that. */
	readonly likeness: Uint8Array | null;
	/** A digest of all its pixels, hexadecimal; null where there are too many. */
	readonly pixels: string | null;
}

/** What the head of a stored file says. */
export interface FileHead {
	/** 1 for a still. */
	readonly frames: number;
	/** Whether its pixels may be transparent. */
	readonly alpha: boolean;
}

/** A preview until the picture itself is loaded. */
export type Placeholder = Pick<Analysis, "thumbhash" | "colour">;

/** What one look at a picture from afar finds. */
export type Overview = Pick<Analysis, "thumbhash" | "colour" | "colours" | "taken" | "likeness">;

/** What an inspection finds out about a picture on the way. */
export type SeenFacts = Partial<Overview & Pick<Analysis, "mends">>;
