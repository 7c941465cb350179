import { ascii, concat, viewOf } from "../bytes.ts";
import { D50, inverse, product, type Triple, times, toXyz } from "./matrix.ts";
import { BT709, type ColourNumbers, type Curve, DISPLAY_P3 } from "./numbers.ts";
import { toneMap } from "./tone-map.ts";

/* Profiles made of numbers (ICC.1), since a profile is what colour management takes. */

const HEADER_BYTES = 128;
const ENTRY_BYTES = 12;
/** Places between black and white, to a side of a table of colours. */
const GRID = 33;
/** The same of greys. */
const GREY_STEPS = 1024;

export interface ProfileOptions {
	/** Whether the picture has one channel, of greys. */
	readonly isGrey?: boolean;
	/** For numbers that are converted to Display P3 and taken for sRGB's then: the profile says what makes that right. */
	readonly isTakenForSrgb?: boolean;
}

/** What the numbers of a picture stand for, as a profile; PQ and HLG as what is shown of them. Undefined for primaries that span nothing. */
export function profileOf(
	numbers: ColourNumbers,
	{ isGrey = false, isTakenForSrgb = false }: ProfileOptions = {},
): Uint8Array<ArrayBuffer> | undefined {
	const [own, srgb, converted] = [numbers.primaries, BT709, isTakenForSrgb ? DISPLAY_P3 : BT709].map(toXyz);
	if (!own || !srgb || !converted) return undefined;
	const mapped = toneMap(numbers, BT709);
	if (isGrey) {
		return profile("GRAY", { kTRC: mapped ? sampled((grey) => mapped([grey, grey, grey])[1]) : curve(numbers) });
	}
	if (mapped) return profile("RGB ", { A2B0: table((codes) => times(converted, mapped(codes))) });
	const [x, y, z] = product(converted, product(inverse(srgb), own));
	const column = (index: 0 | 1 | 2) => xyz([x[index], y[index], z[index]]);
	const tone = curve(numbers);
	return profile("RGB ", { rXYZ: column(0), gXYZ: column(1), bXYZ: column(2), rTRC: tone, gTRC: tone, bTRC: tone });
}

/** A parametric curve of the fourth kind (section 10.18). */
function curve({ transfer }: ColourNumbers): Uint8Array {
	const { exponent, a, b, slope, until } = transfer as Curve;
	return concat([
		ascii("para"),
		new Uint8Array(4),
		Uint8Array.of(0, 3, 0, 0),
		...[exponent, a, b, slope, until].map(fixed),
	]);
}

function sampled(light: (grey: number) => number): Uint8Array {
	const values = Uint16Array.from({ length: GREY_STEPS }, (_, step) => light(step / (GREY_STEPS - 1)) * 65_535);
	return concat([ascii("curv"), new Uint8Array(4), long(GREY_STEPS), bigEndian(values)]);
}

/** A table of 16 bits (section 10.10) that leads to CIELAB, in which the steps between its places are even to the eye. */
function table(toLight: (codes: Triple) => Triple): Uint8Array {
	const places = new Uint16Array(GRID ** 3 * 3);
	let at = 0;
	for (let r = 0; r < GRID; r++) {
		for (let g = 0; g < GRID; g++) {
			for (let b = 0; b < GRID; b++) {
				places.set(labNumbers(toLight([r / (GRID - 1), g / (GRID - 1), b / (GRID - 1)])), at);
				at += 3;
			}
		}
	}
	const unchanged = bigEndian(Uint16Array.of(0, 65_535, 0, 65_535, 0, 65_535));
	const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].map(fixed);
	const sizes = [Uint8Array.of(3, 3, GRID, 0), ...identity, bigEndian(Uint16Array.of(2, 2))];
	return concat([ascii("mft2"), new Uint8Array(4), ...sizes, unchanged, bigEndian(places), unchanged]);
}

/** As profiles of the second version write it. */
function labNumbers(light: Triple): Triple {
	const [x, y, z] = [0, 1, 2].map((axis) => rootOf((light[axis] ?? 0) / (D50[axis] ?? 1))) as unknown as Triple;
	const [l, a, b] = [116 * y - 16, 500 * (x - y), 200 * (y - z)];
	return [l * 652.8, (a + 128) * 256, (b + 128) * 256];
}

function rootOf(share: number): number {
	return share > 216 / 24_389 ? Math.cbrt(share) : (share * 24_389) / 27 / 116 + 16 / 116;
}

/** With the tags that every profile has. */
function profile(space: "RGB " | "GRAY", own: Readonly<Record<string, Uint8Array>>): Uint8Array<ArrayBuffer> {
	const tags = { desc: text("Colours by numbers"), cprt: text("None"), wtpt: xyz(D50), ...own };
	const entries = Object.entries(tags);
	const directory: Uint8Array[] = [long(entries.length)];
	const contents: Uint8Array[] = [];
	let at = HEADER_BYTES + 4 + ENTRY_BYTES * entries.length;
	for (const [tag, content] of entries) {
		const padded = concat([content, new Uint8Array(-content.length & 3)]);
		directory.push(ascii(tag), long(at), long(content.length));
		contents.push(padded);
		at += padded.length;
	}
	return concat([header(space, "A2B0" in own, at), ...directory, ...contents]);
}

/** Of the fourth version; one with a table is of the second, since in the fourth black is not black in a table of this kind. */
function header(space: string, isTable: boolean, bytes: number): Uint8Array {
	const head = new Uint8Array(HEADER_BYTES);
	head.set(long(bytes), 0);
	head.set(long(isTable ? 0x02_40_00_00 : 0x04_30_00_00), 8);
	head.set(ascii(`mntr${space}${isTable ? "Lab" : "XYZ"} `), 12);
	// A date has to be one.
	head.set(bigEndian(Uint16Array.of(2000, 1, 1, 0, 0, 0)), 24);
	head.set(ascii("acsp"), 36);
	head.set(concat(D50.map(fixed)), 68);
	return head;
}

/** In English (section 10.15). */
function text(words: string): Uint8Array {
	const letters = bigEndian(Uint16Array.from(words, (letter) => letter.charCodeAt(0)));
	const place = [long(1), long(12), ascii("enUS"), long(letters.length), long(28)];
	return concat([ascii("mluc"), new Uint8Array(4), ...place, letters]);
}

function xyz(values: Triple): Uint8Array {
	return concat([ascii("XYZ "), new Uint8Array(4), ...values.map(fixed)]);
}

/** 16 bits before the point and 16 behind. */
function fixed(value: number): Uint8Array {
	return long(Math.round(value * 65_536));
}

function long(value: number): Uint8Array {
	const bytes = new Uint8Array(4);
	viewOf(bytes).setInt32(0, value);
	return bytes;
}

function bigEndian(values: Uint16Array): Uint8Array {
	const bytes = new Uint8Array(values.length * 2);
	const view = viewOf(bytes);
	for (const [index, value] of values.entries()) view.setUint16(2 * index, value);
	return bytes;
}
