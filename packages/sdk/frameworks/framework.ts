import { imageUrl, isTaken, type TransformOptions } from "../transform.ts";
import { PARAMETERS } from "../transform-parameters.ts";

/* What image components of frameworks ask for, in their words, said in ours. A component computes what it asks for, and a page must not fail
   over it: what the service would not take is made to fit, or left out. */

/** The longest side that the service makes. */
export const MAX_SIDE = PARAMETERS.w.max;

/** What all frameworks know; each calls the rest differently. Our own parameters may stand beside them. */
export interface Asked extends Omit<TransformOptions, "format" | "fit"> {
	/** CSS pixels times density. */
	readonly width?: number | string | undefined;
	readonly height?: number | string | undefined;
	readonly quality?: number | string | null | undefined;
	readonly format?: string | undefined;
	/** Default, where both width and height are asked for: `cover`. */
	readonly fit?: string | undefined;
}

/** The ways to fill a box, in the words of CSS and of frameworks. */
const FITS: Readonly<Record<string, TransformOptions["fit"]>> = {
	fill: "squeeze",
	inside: "scale-down",
	outside: "cover",
	none: "crop",
};

const QUALITIES: Readonly<Record<string, TransformOptions["q"]>> = { mid: "medium-high", max: 100 };

/**
 * The address of an image as a component asks for it; the same options always give the same address. Addresses of other places than a web
 * server, and outside of `cdnUrl` where that is given, stay as they are.
 */
export function askedUrl(src: string, asked: Asked, cdnUrl?: string | undefined): string {
	return isServed(src, cdnUrl) ? imageUrl(src, optionsOf(asked)) : src;
}

/** Whether the service transforms what is at this address, as far as can be told. */
export function isServed(src: string, cdnUrl: string | undefined): boolean {
	if (cdnUrl !== undefined) return src.startsWith(`${cdnUrl.replace(/\/+$/, "")}/`);
	return /^(https?:)?\/\//i.test(src);
}

function optionsOf({ width, height, quality, format, fit, ...ours }: Asked): TransformOptions {
	const box = boxOf(numberOf(width ?? ours.w), numberOf(height ?? ours.h));
	const both = box.w !== undefined && box.h !== undefined;
	const options = {
		...ours,
		...box,
		q: qualityOf(quality ?? ours.q),
		format: format === "jpeg" ? "jpg" : format,
		fit: both ? fitOf(fit ?? "cover") : undefined,
	};
	return Object.fromEntries(Object.entries(options).filter(([name, value]) => isTaken(name, value)));
}

/** Proportions stay where a side is too long. */
function boxOf(width: number | undefined, height: number | undefined): { w?: number; h?: number } {
	const factor = Math.min(1, MAX_SIDE / Math.max(width ?? 0, height ?? 0, 1));
	const side = (length: number) => Math.max(1, Math.round(length * factor));
	return { ...(width !== undefined && { w: side(width) }), ...(height !== undefined && { h: side(height) }) };
}

/** Undefined for what is no length. */
function numberOf(value: number | string | undefined): number | undefined {
	const number = Number(value);
	return Number.isFinite(number) && number > 0 ? number : undefined;
}

function qualityOf(quality: number | string | null | undefined): number | string | undefined {
	const number = Number(quality ?? Number.NaN);
	if (Number.isFinite(number)) return Math.min(100, Math.max(1, Math.round(number)));
	const word = String(quality);
	return Object.hasOwn(QUALITIES, word) ? QUALITIES[word] : word;
}

/** `scale-down` is what the service does anyway. */
function fitOf(fit: string): string | undefined {
	const ours = Object.hasOwn(FITS, fit) ? FITS[fit] : fit;
	return ours === "scale-down" ? undefined : ours;
}
