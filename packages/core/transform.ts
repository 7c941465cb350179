import type { OutputFormat } from "./formats.ts";

export const SIZES = ["s", "m", "l", "social"] as const;
export const FITS = ["scale-down", "contain", "cover", "crop", "pad", "squeeze"] as const;
export const GRAVITIES = ["auto", "face", "left", "right", "top", "bottom"] as const;

export interface Colour {
	/** 0 to 255. */
	readonly r: number;
	readonly g: number;
	readonly b: number;
	/** 0 to 1. */
	readonly alpha: number;
}

/**
 * What a transform address asks for, in canonical form: every value valid, every default left out, so that two addresses
 * that mean the same are equal. Names and ranges: specification, "transform host".
 */
export interface Transform {
	readonly size?: (typeof SIZES)[number];
	readonly format?: OutputFormat;
	readonly w?: number;
	readonly h?: number;
	readonly fit?: Exclude<(typeof FITS)[number], "scale-down">;
	readonly gravity?: Exclude<(typeof GRAVITIES)[number], "auto">;
	readonly zoom?: number;
	/** 1 to 100; named levels are already numbers. */
	readonly q?: number;
	readonly brightness?: number;
	readonly contrast?: number;
	readonly gamma?: number;
	readonly saturation?: number;
	readonly blur?: number;
	readonly sharp?: number;
	readonly rotate?: 90 | 180 | 270;
	readonly flip?: "h" | "v" | "hv";
	readonly trim?: "border";
	readonly metadata?: "none" | "keep";
	readonly segment?: "foreground";
	readonly background?: Colour;
	readonly fx?: "blur-bg" | "color-pop" | "darken-bg";
	readonly strength?: number;
	/** Image id. */
	readonly tile?: string;
}
