/*
 * How alike two pictures are, by a small grey picture of each, to whose shape the whole picture was drawn. A difference hash of it finds what may be
 * alike among many; whether it is, the grey pictures say (docs/decisions/0204). Of both the numbers come from `test/bench/likeness.ts`.
 */

/** The side of a grey picture, which has a byte for each place, row by row. */
export const GREY_SIDE = 32;
const PLACES = GREY_SIDE ** 2;
const WHITE = 255;
/** Each place is compared with the mean of those that are so near to it: a picture that only grows lighter to one side has no detail. */
const NEAR = 3;
/** A picture with a side of so many pixels or fewer has too little detail to be told from others. */
const SMALL_SIDE = 32;
/**
 * Half of the places of a picture are lighter or darker than what is near to them, in both directions, by so many of 256 levels: of less there is too little
 * detail. A plain colour, a picture that only grows lighter, stripes and a single edge have none by this measure.
 */
const DETAIL_MIN = 0.45;
/** What is only like a picture is told by this and more: changed a little, it still has as much as any picture needs. */
const DISTINCT_MIN = 0.7;
/** Levels that a compression may add or take. */
const NOISE = 1;

/** How far the hashes of two pictures may be apart that are compared. */
export const HASH_BOUND = 14;
/** A hash has so many parts, each of so many bits, by which it is looked up. */
const BANDS = 4;
const BAND_BITS = 16;
/** Of two hashes that are at most 11 bits apart one part at least is as near; of those within the bound nearly all have one. */
const BAND_BOUND = 2;

/** How far the edges of a part are moved that may be the whole of the other picture, as shares of its sides: each after the one before. */
const MOVES = [0.04, 0.02, 0.01, 0.005] as const;
const ROUNDS = 3;
const MOVED_MAX = 0.07;
/** The share of places that may be anything: something lies over them, or was cut off. */
const COVERED = 0.15;
/** Pictures that are no more alike than this where they were moved by the largest step are not looked at any longer. */
const HOPELESS = 0.3;
/** From here on two pictures are alike; where there is less detail than {@link RICH_MIN}, they have to be nearly the same. */
const ALIKE_MIN = 0.7;
const ALIKE_MIN_OF_LITTLE = 0.93;
const RICH_MIN = 1.5;
/**
 * What lies on a plain ground, or repeats itself, has details like those of others in the same places. The same picture is nearly as light everywhere, too; unless
 * its details are so much alike that something was only laid over it.
 */
const LIGHT_MIN = 0.87;
const COVERED_MIN = 0.9;
/** What a changed picture has at least of the detail that it had. */
const ABOUT = 0.8;

interface Sized {
	readonly width: number;
	readonly height: number;
}

/** Whether a picture has enough detail for its likeness to mean anything: a plain colour is like every other one. */
export function isTellable(grey: Uint8Array, size: Sized): boolean {
	return isTellableSize(size) && detailOf(grey) >= DETAIL_MIN;
}

/** Whether a picture has so much detail that others which are not the same can be like it. */
export function isDistinct(grey: Uint8Array): boolean {
	return detailOf(grey) >= DISTINCT_MIN;
}

/** Whether another picture is like this one, by {@link likenessOf} of the two. */
export function isAlike(grey: Uint8Array, other: Uint8Array, { details, light }: Likeness): boolean {
	if (details < ALIKE_MIN || (light < LIGHT_MIN && details < COVERED_MIN)) return false;
	return details >= ALIKE_MIN_OF_LITTLE || (isRich(grey) && detailOf(other) >= RICH_MIN * ABOUT);
}

/** Whether a picture has so much detail that it is found when it comes back cut or covered. */
export function isRich(grey: Uint8Array): boolean {
	return detailOf(grey) >= RICH_MIN;
}

export function isTellableSize({ width, height }: Sized): boolean {
	return Math.min(width, height) > SMALL_SIDE;
}

function detailOf(grey: Uint8Array): number {
	return Array.from(detailsOf(grey), Math.abs).sort((one, other) => one - other)[PLACES / 2] ?? 0;
}

/** The grey picture of rows of `channels` bytes a pixel; what is transparent shows white. */
export function greyOf(data: Uint8Array, { width, height }: Sized, channels: 3 | 4): Uint8Array<ArrayBuffer> {
	const [across, down] = [sharesOf(width, GREY_SIDE), sharesOf(height, GREY_SIDE)];
	const grey = new Uint8Array(PLACES);
	for (let y = 0; y < GREY_SIDE; y++) {
		for (let x = 0; x < GREY_SIDE; x++) {
			let sum = 0;
			for (const [row, high] of down[y] ?? []) {
				for (const [column, wide] of across[x] ?? [])
					sum += high * wide * lightAt(data, (row * width + column) * channels, channels);
			}
			grey[y * GREY_SIDE + x] = Math.round(sum);
		}
	}
	return grey;
}

function lightAt(data: Uint8Array, at: number, channels: 3 | 4): number {
	const light = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
	const alpha = channels === 4 ? (data[at + 3] ?? 0) / WHITE : 1;
	return light * alpha + WHITE * (1 - alpha);
}

/** Of so many places that share `length` pixels: the pixels of each, at most {@link SAMPLES} of them, and the share of each of these. */
function sharesOf(length: number, places: number): readonly (readonly (readonly [pixel: number, share: number])[])[] {
	return Array.from({ length: places }, (_, place) => {
		const [from, to] = [(place * length) / places, ((place + 1) * length) / places];
		if (to - from > SAMPLES) {
			const step = (to - from) / SAMPLES;
			return Array.from(
				{ length: SAMPLES },
				(__, one) => [Math.floor(from + (one + 0.5) * step), 1 / SAMPLES] as const,
			);
		}
		const pixels = Array.from({ length: Math.ceil(to) - Math.floor(from) }, (__, one) => Math.floor(from) + one);
		return pixels.map((pixel) => [pixel, (Math.min(to, pixel + 1) - Math.max(from, pixel)) / (to - from)] as const);
	});
}

/** Pixels that are looked at of each place and direction, where there are more: their mean is that of all, but for some levels. */
const SAMPLES = 5;

/** The parts of the hash of a grey picture: 36 bits compare places with their neighbours to the right, 28 with those below. */
export function bandsOf(grey: Uint8Array): readonly number[] {
	const bits = [...rises(grey, 7, 6, 1, 0), ...rises(grey, 4, 8, 0, 1)];
	return Array.from({ length: BANDS }, (_, band) =>
		bits.slice(band * BAND_BITS, (band + 1) * BAND_BITS).reduce<number>((sum, bit) => sum * 2 + bit, 0),
	);
}

/** Of a picture of so many places: 1 where the next one is lighter. */
function rises(grey: Uint8Array, width: number, height: number, right: 0 | 1, below: 0 | 1): readonly (0 | 1)[] {
	const [across, down] = [sharesOf(GREY_SIDE, width), sharesOf(GREY_SIDE, height)];
	const light = (x: number, y: number) => {
		let sum = 0;
		for (const [row, high] of down[y] ?? [])
			for (const [column, wide] of across[x] ?? []) sum += high * wide * (grey[row * GREY_SIDE + column] ?? 0);
		return sum;
	};
	const bits: (0 | 1)[] = [];
	for (let y = 0; y < height - below; y++)
		for (let x = 0; x < width - right; x++) bits.push(light(x, y) < light(x + right, y + below) ? 1 : 0);
	return bits;
}

/** How many bits of two hashes differ. */
export function apart(one: readonly number[], other: readonly number[]): number {
	return one.reduce((sum, band, place) => sum + ones(band ^ (other[place] ?? 0)), 0);
}

function ones(bits: number): number {
	let count = 0;
	for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
	return count;
}

/** All masks that alter a part of a hash no further than is allowed. */
const NEAR_MASKS: readonly number[] = masksOf(BAND_BOUND);

function masksOf(bound: number, from = 0): readonly number[] {
	if (bound === 0) return [0];
	const bits = Array.from({ length: BAND_BITS - from }, (_, place) => from + place);
	return [0, ...bits.flatMap((bit) => masksOf(bound - 1, bit + 1).map((mask) => mask | (1 << bit)))];
}

/** A part of a hash as it is kept: its number stands above its bits. */
export function keptBand(band: number, place: number): number {
	return place * 2 ** BAND_BITS + band;
}

/** The other parts, as one number. */
export function restOf(bands: readonly number[], place: number): number {
	return bands.reduce((sum, band, at) => (at === place ? sum : sum * 2 ** BAND_BITS + band), 0);
}

/** The hash of which these are kept. */
export function hashOf(kept: number, rest: number): readonly number[] {
	const place = Math.floor(kept / 2 ** BAND_BITS);
	const others = [2, 1, 0].map((at) => Math.floor(rest / 2 ** (at * BAND_BITS)) % 2 ** BAND_BITS);
	return others.toSpliced(place, 0, kept % 2 ** BAND_BITS);
}

/** The kept parts of all hashes of which one within the bound of this one has one at least. */
export function nearBands(bands: readonly number[]): readonly number[] {
	return bands.flatMap((band, place) => NEAR_MASKS.map((mask) => keptBand(band ^ mask, place)));
}

/** What each place is lighter than what is near to it in its row, and that less what is so near to it in its column: an edge or stripes along either leave nothing. */
function detailsOf(grey: Uint8Array): Float32Array {
	const across = new Float32Array(PLACES);
	const details = new Float32Array(PLACES);
	for (let at = 0; at < PLACES; at++) across[at] = (grey[at] ?? 0) - meanNear(grey, at, at % GREY_SIDE, 1);
	for (let at = 0; at < PLACES; at++)
		details[at] = (across[at] ?? 0) - meanNear(across, at, Math.floor(at / GREY_SIDE), GREY_SIDE);
	return details;
}

/** The same where little detail counts as much as much of it: one bold line is not the whole picture. */
function evenDetailsOf(grey: Uint8Array): Float32Array {
	const details = detailsOf(grey);
	const squares = details.map((detail) => detail ** 2);
	const rows = squares.map((_, at) => meanNear(squares, at, at % GREY_SIDE, 1));
	return details.map((detail, at) => {
		const near = Math.sqrt(meanNear(rows, at, Math.floor(at / GREY_SIDE), GREY_SIDE));
		return detail / (near + NOISE);
	});
}

function meanNear(values: ArrayLike<number>, at: number, place: number, stride: number): number {
	// As far to both sides: at an edge a rise is no detail either.
	const near = Math.min(NEAR, place, GREY_SIDE - 1 - place);
	let sum = 0;
	for (let by = -near; by <= near; by++) sum += values[at + by * stride] ?? 0;
	return sum / (2 * near + 1);
}

/** Shares of the sides that are cut off a picture; below 0 what another one has lost. */
type Cut = readonly [left: number, top: number, right: number, bottom: number];

const UNCUT: Cut = [0, 0, 0, 0];
const ALL = new Uint8Array(PLACES).fill(1);

/** One edge, all of them at once, and both of a pair in one direction. */
const DIRECTIONS: readonly Cut[] = [
	...[0, 1, 2, 3].map((edge): Cut => [edge === 0 ? 1 : 0, edge === 1 ? 1 : 0, edge === 2 ? 1 : 0, edge === 3 ? 1 : 0]),
	...([
		[1, 1, 1, 1],
		[1, 0, -1, 0],
		[0, 1, 0, -1],
	] as const),
];

/** How alike two grey pictures are, up to 1, where one is moved and drawn so that it fits best. */
export interface Likeness {
	/** The correlation of what each place is lighter than what is near to it, without the places that differ most. */
	readonly details: number;
	/** The correlation of how light all places are. How light and how rich in contrast the whole is does not count. */
	readonly light: number;
}

/** Of all shifts and scales that are tried the one with the most alike details. */
export function likenessOf(one: Uint8Array, other: Uint8Array): Likeness {
	const [moved, still] = [evenDetailsOf(one), evenDetailsOf(other)];
	let cut = UNCUT;
	let seen = cutOut(moved, cut);
	let left = uncovered(seen, still);
	let best = correlation(seen, still, left);
	for (const step of MOVES) {
		for (let round = 0; round < ROUNDS; round++) {
			const better = betterCut(moved, still, left, { cut, step, best });
			if (better === undefined) break;
			cut = better;
			seen = cutOut(moved, cut);
			left = uncovered(seen, still);
			best = correlation(seen, still, left);
		}
		if (best < HOPELESS) break;
	}
	const [was, is] = [cutOut(Float32Array.from(one), cut), Float32Array.from(other)];
	return { details: best, light: correlation(was, is, ALL) };
}

function betterCut(
	moved: Float32Array,
	still: Float32Array,
	left: Uint8Array,
	{ cut, step, best }: { readonly cut: Cut; readonly step: number; readonly best: number },
): Cut | undefined {
	let [found, most]: [Cut | undefined, number] = [undefined, best];
	for (const direction of DIRECTIONS) {
		for (const by of [step, -step]) {
			const tried = cut.map((share, edge) => share + by * (direction[edge] ?? 0)) as unknown as Cut;
			if (tried.some((share) => Math.abs(share) > MOVED_MAX)) continue;
			const alike = correlation(cutOut(moved, tried), still, left);
			if (alike > most + 1e-4) [found, most] = [tried, alike];
		}
	}
	return found;
}

/** A part of a picture, drawn to the shape of the whole; NaN where it has nothing. */
function cutOut(details: Float32Array, [left, top, right, bottom]: Cut): Float32Array {
	const drawn = new Float32Array(PLACES);
	for (let y = 0; y < GREY_SIDE; y++) {
		const down = (top + ((y + 0.5) / GREY_SIDE) * (1 - top - bottom)) * GREY_SIDE - 0.5;
		for (let x = 0; x < GREY_SIDE; x++) {
			const across = (left + ((x + 0.5) / GREY_SIDE) * (1 - left - right)) * GREY_SIDE - 0.5;
			drawn[y * GREY_SIDE + x] = between(details, across, down);
		}
	}
	return drawn;
}

function between(details: Float32Array, across: number, down: number): number {
	const most = GREY_SIDE - 0.5;
	if (across < -0.5 || down < -0.5 || across > most || down > most) return Number.NaN;
	const x = Math.max(0, Math.min(GREY_SIDE - 2, Math.floor(across)));
	const y = Math.max(0, Math.min(GREY_SIDE - 2, Math.floor(down)));
	const [right, below] = [Math.max(0, Math.min(1, across - x)), Math.max(0, Math.min(1, down - y))];
	const at = (y * GREY_SIDE + x) | 0;
	const mix = (from: number) => (details[from] ?? 0) + ((details[from + 1] ?? 0) - (details[from] ?? 0)) * right;
	return mix(at) + (mix(at + GREY_SIDE) - mix(at)) * below;
}

/** 1 for each place that counts: those that both have, without those that differ most, first as they are and then as far as one explains the other. */
function uncovered(seen: Float32Array, still: Float32Array): Uint8Array {
	const first = leastApart(seen, still, { gain: 1, base: 0 });
	return leastApart(seen, still, fitOf(seen, still, first));
}

function leastApart(
	seen: Float32Array,
	still: Float32Array,
	{ gain, base }: { readonly gain: number; readonly base: number },
): Uint8Array {
	const differences = new Float32Array(PLACES);
	for (let at = 0; at < PLACES; at++)
		differences[at] = Math.abs((still[at] ?? 0) - base - gain * (seen[at] ?? Number.NaN));
	const sorted = differences.filter((difference) => !Number.isNaN(difference)).sort();
	const most = sorted[Math.floor(sorted.length * (1 - COVERED))] ?? 0;
	return Uint8Array.from(differences, (difference) => (difference <= most ? 1 : 0));
}

interface Sums {
	readonly count: number;
	readonly ofSeen: number;
	readonly ofStill: number;
	readonly seenSquares: number;
	readonly stillSquares: number;
	readonly products: number;
}

function sumsOf(seen: Float32Array, still: Float32Array, counts: Uint8Array): Sums {
	let [count, ofSeen, ofStill, seenSquares, stillSquares, products] = [0, 0, 0, 0, 0, 0];
	for (let at = 0; at < PLACES; at++) {
		const value = seen[at] ?? Number.NaN;
		if (counts[at] === 0 || Number.isNaN(value)) continue;
		const other = still[at] ?? 0;
		count++;
		ofSeen += value;
		ofStill += other;
		seenSquares += value * value;
		stillSquares += other * other;
		products += value * other;
	}
	return { count, ofSeen, ofStill, seenSquares, stillSquares, products };
}

function fitOf(
	seen: Float32Array,
	still: Float32Array,
	counts: Uint8Array,
): { readonly gain: number; readonly base: number } {
	const { count, ofSeen, ofStill, seenSquares, products } = sumsOf(seen, still, counts);
	const spread = seenSquares - ofSeen ** 2 / count;
	const gain = spread > 0 ? (products - (ofSeen * ofStill) / count) / spread : 0;
	return { gain, base: (ofStill - gain * ofSeen) / count };
}

function correlation(seen: Float32Array, still: Float32Array, counts: Uint8Array): number {
	const { count, ofSeen, ofStill, seenSquares, stillSquares, products } = sumsOf(seen, still, counts);
	if (count === 0) return 0;
	const spreads = (seenSquares - ofSeen ** 2 / count) * (stillSquares - ofStill ** 2 / count);
	return spreads > 0 ? (products - (ofSeen * ofStill) / count) / Math.sqrt(spreads) : 0;
}
