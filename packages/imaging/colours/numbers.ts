/** What the numbers of a picture stand for, where a file says it by numbers too and not by a profile. */
export interface ColourNumbers {
	readonly primaries: Primaries;
	readonly transfer: Transfer;
}

/** The x and y of white, red, green and blue (CIE 1931). */
export type Primaries = readonly [number, number, number, number, number, number, number, number];

/** How much light a number from 0 to 1 stands for: `(a·number + b)^exponent`, and `slope·number` up to `until`. */
export interface Curve {
	readonly exponent: number;
	readonly a: number;
	readonly b: number;
	readonly slope: number;
	readonly until: number;
}

/** Of the two that hold more light than a screen of before shows, the names. */
type Transfer = Curve | "pq" | "hlg";

const D65 = [0.3127, 0.329] as const;
const C = [0.31, 0.316] as const;

export const BT709: Primaries = [...D65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06];
export const DISPLAY_P3: Primaries = [...D65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06];
const SMPTE170M: Primaries = [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07];

/** By the numbers of ITU-T H.273, table 2. */
const PRIMARIES: Readonly<Partial<Record<number, Primaries>>> = {
	1: BT709,
	4: [...C, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
	5: [...D65, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06],
	6: SMPTE170M,
	7: SMPTE170M,
	8: [...C, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
	9: [...D65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046],
	10: [1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0],
	11: [0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
	12: DISPLAY_P3,
	22: [...D65, 0.63, 0.34, 0.295, 0.605, 0.155, 0.077],
};

/** @param exponent - more than 0 */
export function power(exponent: number): Curve {
	return { exponent, a: 1, b: 0, slope: 0, until: 0 };
}

export const SRGB_CURVE: Curve = { exponent: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, slope: 1 / 12.92, until: 0.04045 };

/** By the numbers of ITU-T H.273, table 3, those alone that mean the same in every container. */
const TRANSFERS: Readonly<Partial<Record<number, Transfer>>> = {
	4: power(2.2),
	5: power(2.8),
	7: { exponent: 1 / 0.45, a: 1 / 1.1115, b: 0.1115 / 1.1115, slope: 1 / 4, until: 0.0912 },
	8: power(1),
	13: SRGB_CURVE,
	16: "pq",
	17: { ...power(2.6), a: (52.37 / 48) ** (1 / 2.6) },
	18: "hlg",
};

/** Of cameras for television (BT.709, BT.601, BT.2020 of 10 and of 12 bits): what comes before a screen, whose own curve another standard gives. */
const OF_CAMERAS: ReadonlySet<number> = new Set([1, 6, 14, 15]);
/** What such a screen does (BT.1886). */
const BT1886 = power(2.4);
const RESERVED = 0;

/** As a PNG says it: undefined where its numbers are none that a PNG can have, so that what it says otherwise counts. */
export function ofPngNumbers(primaries: number, transfer: number): ColourNumbers | undefined {
	const found = { primaries: PRIMARIES[primaries], transfer: TRANSFERS[transfer] };
	const curve = found.transfer ?? (OF_CAMERAS.has(transfer) || transfer === 11 ? BT1886 : undefined);
	return found.primaries && curve && { primaries: found.primaries, transfer: curve };
}

/** As an AVIF or a HEIC says it. What it leaves open is as in sRGB, and so are the curves of cameras, as in all browsers. */
export function ofHeifNumbers(primaries: number, transfer: number): ColourNumbers | undefined {
	if (transfer === RESERVED) return undefined;
	return { primaries: PRIMARIES[primaries] ?? BT709, transfer: TRANSFERS[transfer] ?? SRGB_CURVE };
}

/** Whether a part of the light that they stand for is more than a screen of before shows. */
export function isBright({ transfer }: ColourNumbers): boolean {
	return transfer === "pq" || transfer === "hlg";
}

/** Whether that is what the numbers of a picture stand for that says nothing. */
export function isSrgb({ primaries, transfer }: ColourNumbers): boolean {
	return primaries === BT709 && transfer === SRGB_CURVE;
}
