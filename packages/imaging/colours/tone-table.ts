import type { Triple } from "./matrix.ts";

/** Places between black and white, to a side. */
const GRID = 33;
/** From one place to the next one of blue, of green and of red. */
const [B, G, R] = [3, 3 * GRID, 3 * GRID * GRID];
const MOST = 255;
/** The last place with one behind it. */
const LAST = GRID - 2;

export type Codes = Uint8Array | Uint16Array;

/** Red, green and blue from 0 to 255 at each place: what is shown of numbers, near enough to each other to reckon what lies between. */
export type ToneTable = Float32Array;

/** @param shown - linear light of numbers from 0 to 1, as `toneMap` gives it */
export function toneTable(shown: (codes: Triple) => Triple): ToneTable {
	const table = new Float32Array(GRID * R);
	for (let place = 0; place < table.length; place += 3) {
		const codeAt = (stride: number) => (Math.floor(place / stride) % GRID) / (GRID - 1);
		table.set(shown([codeAt(R), codeAt(G), codeAt(B)]).map(coded), place);
	}
	return table;
}

/** IEC 61966-2-1. */
function coded(light: number): number {
	return MOST * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
}

/**
 * Writes what is shown of a row of pixels, of 8 bits; alpha stays what it is.
 * @param most - the number that stands for all of the light
 */
export function showRow(table: ToneTable, row: Codes, channels: 3 | 4, most: number, out: Uint8Array): void {
	const scale = (GRID - 1) / most;
	for (let at = 0; at < row.length; at += channels) {
		const [r, g, b] = [row[at] ?? 0, row[at + 1] ?? 0, row[at + 2] ?? 0];
		showPixel(table, r * scale, g * scale, b * scale, out, at);
		if (channels === 4) out[at + 3] = ((row[at + 3] ?? 0) * MOST) / most + 0.5;
	}
}

/**
 * A colour lies between four places: those on the way along one edge of its cell after the other, the longest first, so that greys lie between
 * greys. There are millions of pixels, so nothing is allocated here.
 */
function showPixel(table: ToneTable, r: number, g: number, b: number, out: Uint8Array, at: number): void {
	const placeR = Math.min(LAST, r | 0);
	const placeG = Math.min(LAST, g | 0);
	const placeB = Math.min(LAST, b | 0);
	const restR = r - placeR;
	const restG = g - placeG;
	const restB = b - placeB;
	const longest = Math.max(restR, restG, restB);
	const shortest = Math.min(restR, restG, restB);
	const middle = restR + restG + restB - longest - shortest;
	const near = placeR * R + placeG * G + placeB * B;
	const far = near + R + G + B;
	const second = near + longestEdge(restR, restG, restB);
	const third = far - shortestEdge(restR, restG, restB);
	for (let channel = 0; channel < 3; channel++) {
		out[at + channel] =
			(table[near + channel] ?? 0) * (1 - longest) +
			(table[second + channel] ?? 0) * (longest - middle) +
			(table[third + channel] ?? 0) * (middle - shortest) +
			(table[far + channel] ?? 0) * shortest +
			0.5;
	}
}

function longestEdge(r: number, g: number, b: number): number {
	if (r >= g && r >= b) return R;
	return g >= b ? G : B;
}

/** Another one than the longest, where two are equal. */
function shortestEdge(r: number, g: number, b: number): number {
	if (b <= g && b <= r) return B;
	return g <= r ? G : R;
}
