import type { Mask, Region, Spot } from "../transform/analysis.ts";
import type { Extent } from "./extent.ts";

/* Where a cut has its middle so that it shows the subject. */

/** So much of a subject on either side may be missed: the faint edge of a mask is not what a picture is about. */
const EDGE = 0.002;
/** The share of a cut that is left above a subject which does not fit: hair, ears, and what the mask has missed. */
const AIR = 0.05;

/**
 * The middle of a cut, as a share of each side of `part`, a region of the upright picture. `shown` are the shares of its sides that the cut
 * shows. A subject that fits stays whole, around its centre. Of one that does not, most is shown from side to side, and from the top down as
 * much as there is room for: it is at its top that somebody is known. Undefined where nothing of the subject is in the part.
 */
export function subjectSpot(mask: Mask, part: Region, shown: Extent): Spot | undefined {
	const across = new Float64Array(mask.width);
	const down = new Float64Array(mask.height);
	const columns = within(part.left, part.width, mask.width);
	const rows = within(part.top, part.height, mask.height);
	for (let y = rows.first; y < rows.end; y++)
		for (let x = columns.first; x < columns.end; x++) {
			const value = mask.alpha[y * mask.width + x] ?? 0;
			across[x] = (across[x] ?? 0) + value;
			down[y] = (down[y] ?? 0) + value;
		}
	const wide = across.subarray(columns.first, columns.end);
	const high = down.subarray(rows.first, rows.end);
	if (sumOf(wide) === 0) return undefined;
	return { x: middleOf(wide, shown.width, fullest), y: middleOf(high, shown.height, topmost) };
}

interface Range {
	readonly first: number;
	readonly end: number;
}

/** The places of a side whose middle lies in this share of it, and at least one. */
function within(from: number, share: number, length: number): Range {
	const first = Math.min(length - 1, Math.max(0, Math.round(from * length)));
	return { first, end: Math.min(length, Math.max(first + 1, Math.round((from + share) * length))) };
}

function sumOf(weights: Float64Array): number {
	return weights.reduce((sum, weight) => sum + weight, 0);
}

/** Where a window begins that shows `places` of a subject that is longer. */
type Beginning = (weights: Float64Array, places: number, subject: Range) => number;

function middleOf(weights: Float64Array, shown: number, beginning: Beginning): number {
	const places = shown * weights.length;
	const subject = extentOf(weights);
	const isWhole = subject.end - subject.first <= places;
	const middle = isWhole ? inMiddle(weights, places, subject) : beginning(weights, places, subject) + places / 2;
	return middle / weights.length;
}

/** Without its faint edges. */
function extentOf(weights: Float64Array): Range {
	const edge = sumOf(weights) * EDGE;
	const past = (order: Float64Array) => {
		let sum = 0;
		return order.findIndex((weight) => {
			sum += weight;
			return sum > edge;
		});
	};
	return { first: past(weights), end: weights.length - past(weights.toReversed()) };
}

/** The centre of weight, moved as far as the whole subject needs. */
function inMiddle(weights: Float64Array, places: number, { first, end }: Range): number {
	const centre = weights.reduce((sum, weight, at) => sum + weight * (at + 0.5), 0) / sumOf(weights);
	return Math.min(first + places / 2, Math.max(end - places / 2, centre));
}

const fullest: Beginning = (weights, places, { first, end }) => {
	let best = first;
	let most = 0;
	for (let from = first; from + places <= end + 1; from++) {
		const sum = sumOf(weights.subarray(from, from + Math.round(places)));
		if (sum > most) [best, most] = [from, sum];
	}
	return best;
};

const topmost: Beginning = (_weights, places, { first }) => Math.max(0, first - AIR * places);
